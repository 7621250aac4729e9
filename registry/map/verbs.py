"""The verbs of tool names and of requests: what kind of act each is, and whether it destroys.

One lexicon serves both. A tool's name, path and text are read word by word (`kind_of`, `destroys`,
`undoable`); a request is read by clause (`request_verbs`), because there only the verb that asks
counts: "show the deleted files" deletes nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

VerbKind = Literal["list", "search", "get", "create", "update", "delete", "act"]

READING: frozenset[VerbKind] = frozenset({"list", "search", "get"})

_KINDS: dict[VerbKind, str] = {
    "list": "list enumerate browse ls",
    "search": "search find query lookup filter discover locate autocomplete seek grep suggest",
    "get": (
        "get fetch read retrieve show view display see describe inspect check tell count download "
        "preview peek print compare diff explain summarize summarise analyze analyse calculate "
        "compute estimate poll watch monitor ping head stat whoami cat probe quote forecast "
        "export examine simulate lint info"
    ),
    "create": (
        "create add make insert post register open file submit publish upload generate issue raise "
        "compose draft provision schedule book reserve place order invite clone copy duplicate "
        "fork import log record append enroll enrol store reply comment mkdir cp plan write share "
        "tokenize tokenise onboard "
        "embed new initialize initialise init setup request ask subscribe star bookmark"
    ),
    "update": (
        "update edit modify change set patch replace rename put adjust amend alter move configure "
        "upsert save mark tag label assign link enable disable toggle correct fix extend increase "
        "decrease bump reorder promote demote lock pin follow close reopen archive restore resolve "
        "complete hide mute snooze pause suspend resume activate deactivate transfer attach detach "
        "associate disassociate dissociate convert customize customise scale resize rotate turn "
        "reset rebase revert overwrite mv touch give grant allow deny permit fill upgrade "
        "downgrade migrate translate annotate prioritize prioritise reschedule postpone delay "
        "finalize finalise acknowledge ack ignore favorite favourite like vote react watchlist "
        "hand reassign swap switch trim rewrite redact anonymize anonymise pseudonymize cordon "
        "grow shrink expand widen lower cap limit throttle point route map freeze thaw mothball "
        "shelve silence hush "
        "bind connect disconnect join leave block ban mask merge squash sync synchronize refresh "
        "renew normalize clear empty truncate regenerate"
    ),
    "delete": (
        "delete remove purge destroy erase drop wipe discard trash uninstall evict kick expel "
        "deregister unregister revoke prune clean cleanup flush nuke scrub shred eject dismiss "
        "withdraw rescind del rm rmdir forget dispose obliterate eradicate eliminate decommission "
        "deprovision retire undeploy exclude exmatriculate disenroll disenrol disband "
        "dissolve expunge offboard scrap teardown takedown unsend unenroll unenrol"
    ),
    "act": (
        "run execute send start stop restart reboot trigger invoke call perform do cancel approve "
        "reject decline accept deploy confirm pay refund reimburse capture charge verify validate "
        "test dispatch notify alert email mail message build rebuild launch boot install release "
        "ship void terminate expire abort halt kill shutdown quit rollback retry rerun replay "
        "skip drain requeue queue process apply review evaluate assess grade sign login logout "
        "authenticate authorize authorise authorise escalate forward redirect remind ring dial "
        "play tweet chat use try help handle ensure prepare collect settle invalidate forfeit "
        "force fail flag report trace track bill crawl scrape index reindex scan encrypt decrypt "
        "unblock exchange redeem claim print_out deliver fulfill fulfil return exit hang end "
        "finish destruct commit push pull checkout stage mount unmount eval answer respond "
        "warn nudge page poke select click type press hover navigate scroll drag fly exec reverse "
        "indicate signal reimage pretend credit debit waive annul nullify retract "
        "liquidate burn reinstall "
    ),
}
_KIND = {word: kind for kind, words in _KINDS.items() for word in words.split()}

# What is gone afterwards, ended for good, or taken from somebody who had it.
_DESTROYS = frozenset(
    "delete remove purge destroy erase drop wipe discard trash uninstall evict kick expel "
    "deregister unregister revoke prune flush nuke scrub shred eject dismiss withdraw rescind del "
    "rm rmdir forget dispose obliterate eradicate eliminate decommission deprovision retire "
    "undeploy exmatriculate disenroll disenrol cancel void terminate expire abort kill shutdown "
    "invalidate forfeit truncate clear empty overwrite reset redact anonymize anonymise "
    "pseudonymize ban destruct clean cleanup "
    "refund reject decline leave deactivate detach disconnect disassociate dissociate regenerate "
    "rollback deny reverse unlink reimage waive disband dissolve expunge offboard scrap teardown "
    "takedown unsend unenroll unenrol annul nullify retract liquidate burn "
    "reinstall".split()
)
# A person who says these of a thing wants it gone; in a tool's name they mean other things.
_DESTROYS_IN_REQUESTS = frozenset({"end", "stop", "halt"})
# These end a thing and keep what is known of it: a cancelled order can still be looked up.
_ENDS = frozenset(
    "cancel void terminate expire abort end stop halt reject decline deny refund reverse leave "
    "deactivate detach disconnect disassociate dissociate invalidate forfeit waive call annul "
    "nullify retract liquidate".split()
)
# After these nothing of a thing is left.
_WIPES = frozenset(
    "purge erase wipe destroy shred nuke scrub obliterate eradicate eliminate flush prune "
    "expunge teardown".split()
)
# One call takes back what the other did, and nothing is lost between them.
_UNDOABLE = frozenset(
    "star pin subscribe lock follow like favorite favourite bookmark mute hide snooze pause "
    "archive watch label tag react vote upvote flag cordon assign acknowledge ack".split()
)
# Begin with "un" and are no opposite of an act that could simply be done again.
_NO_OPPOSITES = frozenset({"uninstall", "unregister", "undeploy"})

_IRREGULAR = {
    "sent": "send", "found": "find", "got": "get", "gotten": "get", "made": "make",
    "gave": "give", "given": "give", "wrote": "write", "written": "write", "ran": "run",
    "shown": "show", "saw": "see", "seen": "see", "told": "tell", "built": "build",
    "paid": "pay", "left": "leave", "withdrew": "withdraw", "withdrawn": "withdraw",
    "overwrote": "overwrite", "overwritten": "overwrite", "did": "do", "done": "do",
    "forgot": "forget", "forgotten": "forget", "sought": "seek", "hid": "hide",
    "hidden": "hide", "taken": "take", "took": "take", "threw": "throw", "thrown": "throw",
    "rewrote": "rewrite", "rewritten": "rewrite", "shutting": "shutdown",
}  # fmt: skip
# Nouns that stand for an act in a path: POST /orders/{id}/cancellation.
_NOUNS = {
    "deletion": "delete", "removal": "remove", "cancellation": "cancel", "cancelation": "cancel",
    "revocation": "revoke", "termination": "terminate", "eviction": "evict", "erasure": "erase",
    "destruction": "destroy", "deactivation": "deactivate", "uninstallation": "uninstall",
    "invalidation": "invalidate", "deregistration": "deregister", "withdrawal": "withdraw",
    "creation": "create", "activation": "activate", "registration": "register",
    "rejection": "reject", "approval": "approve", "anonymization": "anonymize",
    "annulment": "annul", "retraction": "retract", "dissolution": "dissolve",
    "liquidation": "liquidate",
    "redaction": "redact", "reversal": "reverse", "truncation": "truncate", "expulsion": "expel",
}  # fmt: skip
_NO_FORMS = frozenset("does is was has his this news status address access process".split())


@lru_cache(maxsize=65_536)
def infinitive(word: str) -> str | None:
    """The verb that a word is a form of (lists, listing, deleted → list, list, delete).

    Returns:
        None where the lexicon knows no such verb.
    """
    lowered = word.lower()
    for candidate in _candidates(lowered):
        if candidate in _KIND:
            return candidate
        for prefix in ("un", "re"):
            rest = candidate.removeprefix(prefix).removeprefix("-")
            if rest != candidate and len(rest) > 2 and rest in _KIND:
                return prefix + rest
    return None


def _candidates(word: str) -> Iterator[str]:
    """The word itself, and what it may be a form of, likeliest first."""
    yield word
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
    noun = _NOUNS.get(word.removesuffix("s"))
    if noun is not None:
        yield noun
    if word in _NO_FORMS:
        return
    for ending, restored in (("ies", "y"), ("ied", "y"), ("es", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending) + restored
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        if stem[-1] == stem[-2]:
            yield stem  # billed
            yield stem[:-1]  # stopped, cancelled
        yield stem + "e"  # revoked
        yield stem


def kind_of(word: str) -> VerbKind | None:
    """What kind of act a word names, in any form of it; None where it is no known verb."""
    verb = infinitive(word)
    if verb is None:
        return None
    if verb in _KIND:
        return _KIND[verb]
    rest = _KIND[verb[2:]]
    if verb.startswith("un"):
        return "update"
    return "act" if rest in READING else rest


def destroys(word: str) -> bool:
    """Whether a tool's word says that something is gone or ended afterwards."""
    verb = infinitive(word)
    return verb is not None and verb in _DESTROYS


def wipes(word: str) -> bool:
    """Whether a tool's word says that nothing is left afterwards, not even a record."""
    return infinitive(word) in _WIPES


def undoable(word: str) -> bool:
    """Whether an opposite act takes it back with nothing lost: un… verbs, star, pin, lock."""
    verb = infinitive(word)
    if verb is None or verb in _DESTROYS:
        return False
    if verb in _UNDOABLE:
        return True
    return verb.startswith("un") and verb not in _NO_OPPOSITES


@dataclass(frozen=True)
class RequestVerb:
    """A verb by which a request asks for something.

    Attributes:
        word: the verb in its plain form; of a phrase its first word and particle ("get rid of").
            Of a question its question word; "" where a request only names things.
        kind: what kind of act it asks for.
        destroys: whether who says it wants something gone or ended.
        clause: the number of its clause, from 0.
        begin: where it begins in the text.
        question: whether it is asked by a question or by naming things.
    """

    word: str
    kind: VerbKind
    destroys: bool
    clause: int
    begin: int
    question: bool = False

    @property
    def only_ends(self) -> bool:
        """Whether who says it wants something ended, and its record kept."""
        return self.destroys and self.word.partition(" ")[0] in _ENDS


# Verbs that mean something else with a particle, which may stand after the object ("take the
# label away"). The longest particle wins; "" is the verb alone.
_PHRASES: dict[str, dict[str, tuple[VerbKind | None, bool]]] = {
    "get": {"rid of": ("delete", True), "back": ("get", False)},
    "do": {"away with": ("delete", True), "": (None, False)},
    "take": {
        "away": ("delete", True), "down": ("delete", True), "off": ("delete", True),
        "out": ("delete", True), "over": ("update", False), "back": ("update", False),
        "": (None, False),
    },
    "throw": {"away": ("delete", True), "out": ("delete", True), "": (None, False)},
    "toss": {"": ("delete", True)},
    "kick": {"off": ("act", False), "": ("delete", True)},
    "boot": {"out": ("delete", True), "off": ("delete", True), "from": ("delete", True)},
    "blow": {"away": ("delete", True), "": (None, False)},
    "tear": {"down": ("delete", True), "": (None, False)},
    "strip": {"": ("delete", True)},
    "cut": {"off": ("delete", True), "": ("create", False)},
    "call": {"off": ("act", True)},
    "back": {"out": ("act", True), "up": ("create", False), "": (None, False)},
    "let": {"go": ("delete", True), "": ("update", False)},
    "shut": {"down": ("act", True), "off": ("act", True), "": ("act", True)},
    "close": {"down": ("act", True)},
    "wind": {"down": ("act", True), "": (None, False)},
    "scale": {"": ("update", False)},
    "turn": {"off": ("update", False), "on": ("update", False), "down": ("act", True),
             "": ("update", False)},
    "opt": {"out": ("update", True), "in": ("update", False), "": (None, False)},
    "sign": {"up": ("create", False), "out": ("act", True), "off": ("act", False)},
    "log": {"out": ("act", True), "off": ("act", True), "in": ("act", False)},
    "roll": {"back": ("act", True), "out": ("act", False), "": (None, False)},
    "lift": {"": ("delete", True)},
    "drop": {
        "note": ("create", False), "line": ("create", False), "message": ("create", False),
        "comment": ("create", False), "": ("delete", True),
    },
    "look": {"up": ("search", False), "for": ("search", False), "into": ("get", False),
             "at": ("get", False), "": ("search", False)},
    "bring": {"up": ("get", False), "back": ("update", False), "": (None, False)},
    "pull": {"up": ("get", False), "down": ("delete", True), "": ("get", False)},
    "pay": {"back": ("act", True)},
    "send": {"back": ("act", True)},
    "give": {"me": ("get", False), "us": ("get", False), "back": ("act", True),
             "": ("update", False)},
    "tell": {"me": ("get", False), "us": ("get", False), "": ("act", False)},
    "let me": {"know": ("get", False)},
    "hand": {"over": ("update", False), "": ("update", False)},
    "pass": {"on": ("act", False), "": ("act", False)},
    "raise": {"to": ("update", False), "by": ("update", False), "": ("create", False)},
    "put": {"up": ("create", False), "away": ("update", False), "": ("update", False)},
    "set": {"up": ("create", False), "": ("update", False)},
    "spin": {"up": ("create", False), "down": ("delete", True), "": (None, False)},
    "stand": {"up": ("create", False), "": (None, False)},
    "fill": {"in": ("update", False), "out": ("update", False)},
    "write": {"down": ("create", False), "up": ("create", False), "": ("create", False)},
    "check": {"out": ("act", False)},
    "find": {"out": ("get", False)},
    "clean": {"up": ("delete", True), "out": ("delete", True), "": ("act", True)},  # a room
    "clear": {"up": ("act", False)},
    "mark": {"as": ("update", False)},
    "keep": {"": (None, False)},
    "shoot": {"": ("act", False)},
    "hire": {"": ("create", False)}, "fire": {"": ("delete", True), "up": ("act", False),
                                              "off": ("act", False)},
    "bin": {"": ("delete", True)}, "scrap": {"": ("delete", True)}, "axe": {"": ("delete", True)},
    "ditch": {"": ("delete", True)}, "junk": {"": ("delete", True)},
    "lose": {"": ("delete", True)}, "zap": {"": ("delete", True)},
    "know": {"": ("get", False)}, "learn": {"": ("get", False)},
}  # fmt: skip

# Words before the verb that asks, and those that only join one clause to the next.
_POLITE = frozenset(
    "please kindly just now then also next finally first firstly secondly lastly hey hi hello ok "
    "okay so well and or but plus afterwards yes no thanks quickly immediately simply instead "
    "pls plz go ahead again still maybe perhaps either both lets let's".split()
)
_ADDRESS = (
    "can you", "could you", "would you", "will you", "can u", "could u", "i want you to",
    "i want to", "i need you to", "i need to", "i would like you to", "i would like to",
    "i'd like you to", "i'd like to", "i'd love to", "i wish to", "i have to", "i must",
    "i am going to", "i'm going to", "we want to", "we need to", "we have to", "we must",
    "we should", "we'd like to", "we would like to", "you should", "you must", "you need to",
    "you have to", "let us", "let me", "help me to", "help us to", "help me", "help us",
    "make sure to", "make sure you", "be sure to", "remember to", "don't forget to",
    "do not forget to", "try to", "feel free to", "your task is to", "it is time to",
    "it's time to", "time to", "i want", "need to", "want to", "like to",
    "would you mind", "do you mind", "how about", "what about", "start by", "begin by",
    "begin with", "start with", "i'll need to", "i will need to", "you can", "you could",
)  # fmt: skip
_LONGEST_ADDRESS = 6  # words
_QUESTIONS: dict[str, VerbKind] = {
    "which": "search", "who": "search", "whose": "search", "whom": "search", "what": "get",
    "what's": "get", "who's": "search", "when": "get", "where": "get", "where's": "get",
    "why": "get", "how": "get", "how's": "get", "is": "get", "are": "get", "was": "get",
    "were": "get", "does": "get", "did": "get", "has": "get", "am": "get", "isn't": "get",
    "aren't": "get", "can": "get", "could": "get", "should": "get", "would": "get",
    "will": "get", "may": "get", "might": "get", "shall": "get", "doesn't": "get",
    "didn't": "get", "hasn't": "get", "wasn't": "get", "won't": "get", "can't": "get",
    "whats": "get", "whether": "get",
}  # fmt: skip
_SUBORDINATE = frozenset(
    "if when whenever after before once unless until till because since while as although though "
    "whereas in_case provided".split()
)
_NEGATION = frozenset("not don't dont never without cannot avoid neither nor won't".split())
_LEADING_PREPOSITIONS = frozenset(
    "for in on from with at of to by under inside within about as".split()
)
_DETERMINERS = frozenset(
    "the a an this that these those my our your his her its their any some all every each no last "
    "next first new latest".split()
)
# After these the words are somebody's text, not the request's.
_CONTENT = frozenset(
    "saying says say reading reads titled called named stating states asking telling entitled "
    "labelled labeled".split()
)
_TELLING = frozenset(
    "tell say post write reply comment message mail email notify inform remind warn announce "
    "send ask let".split()
)
_WANTS = frozenset("want wants need needs like wish wishes have asked prefer".split())
_LEADS_ON = frozenset("to you u me us".split())  # ends of an address that only a verb follows
_MODALS = frozenset("should must ought shall".split())
# Verbs that also begin a subject: "new people should …", "test runs must …".
_ALSO_NOUNS = frozenset(
    "new open test page file order issue request log report comment message mail email post "
    "record plan draft label tag link build release review charge bill trace track change update "
    "queue index".split()
)
_BE = frozenset("should must ought to shall".split())
_URGENCY = frozenset("please now asap today immediately again completely permanently too".split())

_CHUNK = re.compile(r"\S+")
_QUOTED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|(?<![^\s(])'[^'\n]*'(?!\w)|(?<!\w)‘[^’\n]*’"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_STOPS, _PAUSES = ".?!;", ",:"


@dataclass(frozen=True)
class _Token:
    text: str  # lower case; "" for a value, a quotation, a number
    begin: int


@dataclass(frozen=True)
class _Clause:
    tokens: Sequence[_Token]
    opened_by: str  # the mark or word before it: ".", ",", ":", "and", "then" …


def request_verbs(text: str) -> list[RequestVerb]:
    """The verbs by which a request asks, in order.

    Only verbs that ask are given: those that begin a clause, after whatever is said for
    politeness ("could you please cancel …"), and a few other ways to ask ("order 7 needs to be
    cancelled"). Participles, quotations, negations, conditions and what a message is to say ask
    for nothing. A question asks to read, whatever verbs are in it.

    Returns:
        Nothing for a request in another language or without a known verb.
    """
    found: list[RequestVerb] = []
    quoting = False  # in a text that the request dictates
    waiting = False  # in a condition that has not ended
    skipped: _Token | None = None  # the last verb that does not ask, as in "to read and delete"
    for number, clause in enumerate(_clauses(text)):
        tokens, opener = clause.tokens, clause.opened_by
        if opener in _STOPS or opener == "\n":
            quoting = waiting = False
        elif opener == "then":
            quoting = False
        elif opener == "," and waiting:
            waiting = False
        if opener == ":" and found and found[-1].kind in ("create", "act", "update"):
            quoting = True
        before, skipped = skipped, None
        if quoting or not tokens:
            continue
        start = _after_address(tokens)
        head = tokens[start].text if start < len(tokens) else ""
        if waiting and opener != "then":
            continue
        if head in _SUBORDINATE and not (head in _QUESTIONS and _asks(text, tokens)):
            waiting = True
            continue
        quoting = _dictates(tokens, start)
        if before is not None and opener in ("and", "or", ","):
            if infinitive(head) == head:
                skipped = tokens[start]
            continue
        verb = None if _tells(text, clause, start) else _verb_of(tokens, start)
        if verb is not None:
            word, kind, destroying, begin = verb
            asked = word in _QUESTIONS or word in ("how many", "do", "have")
            found.append(RequestVerb(word, kind, destroying, number, begin, asked))
        skipped = _dangling(tokens, start)
    return found or _things_named(text)


def _things_named(text: str) -> list[RequestVerb]:
    """What asks by naming things alone: "failed checks of acme/web" wants to see them."""
    first = next(_clauses(text), None)
    if first is None or wishes(text):
        return []
    start = _after_address(first.tokens)
    said = first.tokens[start : start + _HEAD]
    for token in said:
        plural = len(token.text) > 3 and token.text.endswith("s") and token.text not in _SINGULAR
        if token.text in _ALL or (plural and not token.text.endswith(("ss", "us", "'s"))):
            return [RequestVerb("", "list", False, 0, token.begin, question=True)]
        if token.text in _LEADING_PREPOSITIONS or infinitive(token.text) == token.text:
            break
    return []


_WISH = re.compile(
    r"\b(?:should|must|ought|needs?|wants?|has to|have to|would like|no longer|any ?more|instead|"
    r"let|from now on|supposed|typo|wrong|mistake)\b",
    re.IGNORECASE,
)


def wishes(text: str) -> bool:
    """Whether a text without a verb that asks says how something should be."""
    return _WISH.search(text) is not None


def courtesies(text: str) -> list[tuple[int, int]]:
    """Where a request says something before the verb that asks, for politeness alone."""
    found = []
    for clause in _clauses(text):
        start = _after_address(clause.tokens)
        if 0 < start < len(clause.tokens) and _imperative(clause.tokens, start) is not None:
            found.append((clause.tokens[0].begin, clause.tokens[start].begin))
    return found


def _clauses(text: str) -> Iterator[_Clause]:
    """The parts of a request between punctuation and the words that join them."""
    masked = _QUOTED.sub(lambda quoted: "§" + " " * (len(quoted[0]) - 1), text)
    opener, tokens, line = ".", list[_Token](), 0
    for chunk in _CHUNK.finditer(masked):
        if tokens and "\n" in masked[line : chunk.start()]:
            yield _Clause(tokens, opener)
            opener, tokens = "\n", []
        line = chunk.end()
        raw = chunk[0]
        bare = raw.strip("()[]{}*_~,.:;?!…—–-\"'")
        word = _WORD.fullmatch(bare)
        lowered = bare.lower().replace("’", "'") if word else ""
        if lowered in ("and", "or", "then", "but", "plus", "afterwards") or raw in "&+—–-":
            if tokens:
                yield _Clause(tokens, opener)
                tokens, opener = [], lowered or "and"
            elif lowered == "then":
                opener = "then"
            continue
        tokens.append(_Token(_joined(lowered), chunk.start() + raw.find(bare)))
        end = raw[-1]
        if end in _STOPS or end in _PAUSES or end == "…":
            yield _Clause(tokens, opener)
            opener, tokens = end.replace("…", "."), []
    if tokens:
        yield _Clause(tokens, opener)


def _joined(word: str) -> str:
    """A word without its hyphen if that makes a verb (re-open); other compounds name things."""
    if "-" not in word:
        return word
    whole = word.replace("-", "")
    return whole if infinitive(whole) == whole else ""


def _tells(text: str, clause: _Clause, start: int) -> bool:
    """Whether a clause tells something although it begins like a question or an order.

    "…, which Sam uploaded, is public" tells of a file, and "new people should see it" orders
    nothing that is called new.
    """
    tokens = clause.tokens
    if start >= len(tokens):
        return True
    head = tokens[start].text
    if head in _QUESTIONS:
        return clause.opened_by == "," and not _ends_as_question(text, tokens)
    wished = any(token.text in _MODALS for token in tokens[start + 1 :])
    return wished and start == 0 and head in _ALSO_NOUNS


def _ends_as_question(text: str, tokens: Sequence[_Token]) -> bool:
    end = re.search(r"[.?!;\n]", text[tokens[0].begin :])
    return end is not None and end[0] == "?"


def _asks(text: str, tokens: Sequence[_Token]) -> bool:
    """Whether a sentence that begins like a condition ("when …") ends as a question."""
    rest = text[tokens[0].begin :]
    end = re.search(r"[.?!;\n]", rest)
    return end is not None and end[0] == "?" and "," not in rest[: end.start()]


def _after_address(tokens: Sequence[_Token]) -> int:
    """Where a clause begins after "please", "could you", "I would like to"."""
    at = 0
    while at < len(tokens):
        if tokens[at].text in _POLITE:
            at += 1
            continue
        for length in range(_LONGEST_ADDRESS, 0, -1):
            phrase = " ".join(token.text for token in tokens[at : at + length])
            if phrase in _ADDRESS and at + length < len(tokens):
                at += length
                break
        else:
            return at
    return at


_Found = tuple[str, VerbKind, bool, int]


def _verb_of(tokens: Sequence[_Token], start: int) -> _Found | None:
    """The verb by which one clause asks."""
    if start >= len(tokens):
        return None
    head = tokens[start]
    if head.text in _NEGATION or (head.text == "do" and _next(tokens, start) == "not"):
        return None
    asked = _question(tokens, start)
    if asked is not None:
        return asked
    if start and tokens[start - 1].text in _LEADS_ON:
        verb = _imperative(tokens, start)
        if verb is not None:  # "I need you to show the orders cancelled" cancels nothing
            return verb
    passive = _passive(tokens, start)
    if passive is not None:
        return passive
    verb = _wanted(tokens, start) or _imperative(tokens, start)
    if verb is not None:
        return verb
    if head.text in _LEADING_PREPOSITIONS:
        for at in range(start + 2, len(tokens)):
            before = tokens[at - 1].text
            if before not in _DETERMINERS and before not in _LEADING_PREPOSITIONS:
                verb = _imperative(tokens, at)
                if verb is not None:
                    return verb
    return None


def _dictates(tokens: Sequence[_Token], start: int) -> bool:
    """Whether what follows is a text to be written, with no marks to say where it ends."""
    telling = tokens[start].text in _TELLING if start < len(tokens) else False
    return any(
        (token.text in _CONTENT or (telling and token.text == "that"))
        and not (at + 1 < len(tokens) and not tokens[at + 1].text)
        for at, token in enumerate(tokens)
        if at > start
    )


def _next(tokens: Sequence[_Token], at: int) -> str:
    return tokens[at + 1].text if at + 1 < len(tokens) else ""


def _question(tokens: Sequence[_Token], start: int) -> _Found | None:
    head = tokens[start]
    if head.text == "how" and _next(tokens, start) in ("many", "much"):
        return "how many", "search", False, head.begin
    if head.text == "do" and _next(tokens, start) in ("i", "we", "you", "they", "the", "any"):
        return "do", "get", False, head.begin
    if head.text == "have" and _next(tokens, start) in ("i", "we", "you", "they"):
        return "have", "get", False, head.begin
    kind = _QUESTIONS.get(head.text)
    return None if kind is None else (head.text, kind, False, head.begin)


def _imperative(tokens: Sequence[_Token], at: int) -> _Found | None:
    """A plain verb at a place, with its particle; a gerund counts after "would you mind"."""
    token = tokens[at]
    word = token.text
    if not word:
        return None
    addressed = at > 0 and tokens[at - 1].text in ("mind", "about", "by", "with")
    if addressed and word.endswith("ing"):
        word = infinitive(word) or word
    after = tokens[at + 1 :]
    if word not in _PHRASES and infinitive(word) != word:
        return None
    if after and not after[0].text and len(after) == 1 and word in ("order", "issue", "file"):
        return None  # "Order 17" names a thing
    if word == "open" and after and after[0].text.endswith("s") and after[0].text not in _SINGULAR:
        return word, "list", False, token.begin  # "open tickets of acme" are those that are open
    meanings = _PHRASES.get(word)
    if meanings is not None:
        particle = _particle(meanings, after)
        if particle is not None:
            kind, destroying = meanings[particle]
            name = f"{word} {particle}".strip()
            return None if kind is None else (name, kind, destroying, token.begin)
    kind_alone = kind_of(word)
    if kind_alone is None:
        return None
    return word, kind_alone, destroys(word) or word in _DESTROYS_IN_REQUESTS, token.begin


_SINGULAR = frozenset({"this", "access", "status", "address", "does", "has", "was", "is"})
_ALL = frozenset("everything everybody everyone details people".split())
_HEAD = 5  # words among which the things stand that a request begins with


def _particle(
    meanings: dict[str, tuple[VerbKind | None, bool]], after: Sequence[_Token]
) -> str | None:
    """The particle that stands after a verb, or after its object; "" for the verb alone."""
    words = [token.text for token in after]
    for particle in sorted(meanings, key=len, reverse=True):
        parts = particle.split()
        if parts and any(words[at : at + len(parts)] == parts for at in range(len(words))):
            return particle
    return "" if "" in meanings else None


def _wanted(tokens: Sequence[_Token], start: int) -> _Found | None:
    """The verb of "Jane wants to cancel it" and of "use the console to cancel it"."""
    if any(token.text in _NEGATION for token in tokens):
        return None
    using = tokens[start].text == "use"
    for at in range(start + 1, len(tokens) - 1):
        if tokens[at].text == "to" and (using or tokens[at - 1].text in _WANTS):
            return _imperative(tokens, at + 1)
    return None


def _passive(tokens: Sequence[_Token], start: int) -> _Found | None:
    """The verb of "it must be cancelled", "it needs cancelling", "I want it cancelled"."""
    words = [token.text for token in tokens]
    if any(word in _NEGATION for word in words):
        return None
    for at in range(start + 1, len(tokens)):
        verb = infinitive(words[at]) if _is_participle(words[at]) else None
        if verb is None or verb == words[at]:
            continue
        asked = False
        if words[at].endswith("ing"):
            asked = words[at - 1] in ("needs", "need")
        elif words[at - 1] == "be":
            asked = words[at - 2] in _BE
        elif words[start] in ("have",) or any(
            word in ("want", "need", "like") for word in words[:at]
        ):
            rest = set(words[at + 1 :])
            asked = words[at - 1] not in _DETERMINERS and rest <= _URGENCY
        if asked:
            kind = kind_of(verb)
            if kind is not None:
                destroying = destroys(verb) or verb in _DESTROYS_IN_REQUESTS
                return verb, kind, destroying, tokens[at].begin
    return None


def _is_participle(word: str) -> bool:
    """Whether a word can be one: "orders" and "cancellation" name things."""
    return word.endswith(("ed", "ing")) or word in _IRREGULAR


def _dangling(tokens: Sequence[_Token], start: int) -> _Token | None:
    """The last word, if it is a verb that does not ask ("permission to read" and delete)."""
    if len(tokens) - start < 3 or tokens[-2].text != "to":
        return None
    last = tokens[-1]
    return last if last.text and infinitive(last.text) == last.text else None
