"""Whether a request is in English, the language whose verbs and nouns are read."""

import re
from unicodedata import name

# An address is in no language: "com" is Portuguese for "with".
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w.-]++|(?<!\w)[a-z]{2,10}://\S++", re.I)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# Words that join others, and mean nothing else in the languages below.
_ENGLISH = frozenset(
    "the of for to and or with from by at is are were be been has have had does did do this that "
    "these those my our your his her its their we you she it they them us which who whom whose "
    "what when where why how any each every some not if then than please could would should can "
    "must into onto about after before between there here most more other only last next latest "
    "what's who's there's it's i i'd i'm need needs want wants new".split()
)
_OTHERS = frozenset(
    # German
    "der die das und oder bitte von vom zum zur für mit den dem des ein eine einen einem einer "
    "nicht ist sind auf im alle allen ich wir mir uns mein meine unser welche welcher "
    "wie wer wo warum "
    # French
    "le la les du une et ou pour avec dans sur sous est sont je nous moi mon ma mes toutes tous "
    "quel quelle quels quelles pourquoi qui que "
    # Spanish and Portuguese
    "el los las del uno una unos y por para con en es son mi mis nuestro todos todas cuál qué "
    "quién os da dos das um uma com em não meu minha favor "
    # Italian
    "il lo gli della delle dei degli di che per sono mio tutti tutte quale perché "
    # Dutch and the languages of the north
    "het een van voor met alle mijn ons onze welke wie waar waarom och från till med alla en ett "
    "og fra til alle min mitt vår "
    # Polish
    "dla wszystkie proszę jest nie moje".split()
)
FEW = 3  # words of which nothing can be told


STRANGE = 0.4  # the share of letters of another script that no English sentence has


def in_english(text: str, *, verbs: bool = False) -> bool:
    """Whether a text can be English: its script is, and so are most words that join the others.

    A few words without any joining one ("open tickets acme") are taken for English.

    Args:
        text: a request.
        verbs: whether English verbs were found in it. Then names of places and people prove
            nothing, and only another script does.
    """
    found = [word.lower().replace("’", "'") for word in _WORD.findall(_ADDRESS.sub(" ", text))]
    english = sum(word in _ENGLISH for word in found)
    if verbs:
        letters = "".join(found)
        strange = sum(not _latin(letter) for letter in letters)
        return english > 0 or strange <= STRANGE * len(letters)
    others = sum(word in _OTHERS or not _latin(word) for word in found)
    if not english and not others:
        return len(found) <= FEW
    return english >= others


def _latin(word: str) -> bool:
    return word.isascii() or all("LATIN" in name(letter, "LATIN") for letter in word)
