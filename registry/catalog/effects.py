"""What a call of a tool does to the world (read, write, destructive), and why spm thinks so.

Evidence is read in one order for every source: what the source states (MCP annotations), the HTTP
method, the verbs of name and path, the first words of the texts, and phrases such as "cannot be
undone". A word that destroys wins; what nothing calls a look is no look. So doubt counts as unsafe.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spm.registry.catalog.fields import singular
from spm.registry.catalog.naming import words
from spm.registry.catalog.search_text import plain
from spm.registry.map.verbs import READING, destroys, infinitive, kind_of, undoable
from spm.registry.models import Effects

MAX_TEXT = 4_000  # characters of a text in which phrases are looked for
MAX_REASON = 120
NOTHING_SAID = "nothing says that it only reads"
_SAFE_METHODS = frozenset("get head options trace query".split())
_METHODS = _SAFE_METHODS | {"post", "put", "patch", "delete"}

# Verbs that hardly ever change anything, wherever they stand. A POST is a look only with these.
_SURE_READS = frozenset(
    "get list find search lookup count fetch describe retrieve query preview estimate calculate "
    "compare autocomplete suggest".split()
)
# With these a name that no HTTP method speaks for is a look too.
_READS = _SURE_READS | frozenset(
    "read look check show view browse inspect compute is has are can summarize summarise explain "
    "whoami peek stat grep ls cat head diff download lint analyze analyse "
    "examine discover locate enumerate display".split()
)
# "Returns a user" is a look, though "return" alone is an act.
_READING_WORDS = frozenset(
    "return returns provide provides obtain obtains determine determines lookup gives yields "
    "displays reports responds indicates".split()
)
# Verbs as often as nouns: issue_read reads an issue, "Reports of a team" reports nothing.
_NOUNS_TOO = frozenset(
    "access alert answer archive bill block book bookmark branch build call charge chat "
    "checkout claim clean close comment commit complete connect copy correct delay draft drop "
    "embed empty end exchange export fail favorite favourite file filter fix flag follow force "
    "fork forward grade group handle help import index invite issue joint label leave like link "
    "lock log mail make mark mask merge message mount new open order page pay place plan play "
    "post press process pull push queue quote react record refund release reply report request "
    "reserve retire return review ring run scale scan schedule set share ship sign snooze stage "
    "star store switch sync tag test touch trace track transfer trash try turn type upgrade use "
    "void vote watch watchlist".split()
)
# Of these, those that are things first: message_list lists messages, but run_query runs one.
_THINGS_FIRST = frozenset(
    "alert answer bill book bookmark branch charge chat claim comment draft file filter fork group "
    "index invite issue label link log mail message order page place plan post queue quote record "
    "release report request review schedule star store tag trace type vote watchlist".split()
)
# Destroying words that are nouns or adjectives inside other names: leave_request, empty_state.
_WEAK_INSIDE = frozenset(
    "leave empty clean clear drop reset refund void cancel expire reject decline detach withdraw "
    "cleanup flush trash dismiss kick retire regenerate rollback disconnect forget overwrite "
    "redact ban kill abort terminate".split()
)
# Things that are put on and taken off; nothing is lost when they go.
_LIGHT_THINGS = frozenset(
    "star pin reaction like follow follower following favorite favourite bookmark vote upvote lock "
    "mute snooze watch watcher".split()
)
# Light only where they hang on something else; on their own they are things like any other.
_LIGHT_WHEN_ATTACHED = frozenset("label tag".split())
# Removing these takes something from somebody, however easily it could be given again.
_HEAVY_THINGS = frozenset(
    "access admin account app authorization certificate client collaborator credential grant "
    "group guest identity installation integration invitation invite key login maintainer manager "
    "member membership moderator owner password people permission person policy role secret "
    "session token user webhook".split()
)
# With DELETE these say that something is only switched off.
_SWITCHES = frozenset("disable deactivate suspend pause close stop mark".split())
# Changing verbs that no look has in its name; a readOnlyHint does not outweigh them.
_CHANGES = frozenset(
    "create update send write edit set put insert upsert add modify post upload rename move copy "
    "publish merge assign invite approve pay transfer deploy install patch replace save".split()
)

_IRREVERSIBLE = re.compile(
    r"\b(?:(?:can(?:no|')?t|cannot|can not|can never|could not) be (?:undone|reversed|reverted|"
    r"recovered|restored|retrieved again)|irreversibl[ey]|irrevocabl[ey]|irrecoverabl[ey]|"
    r"unrecoverabl[ey]|not (?:be )?(?:reversible|recoverable|undoable)|no (?:way to )?undo\b|"
    r"permanently (?:and \w+ )?(?:delet|remov|eras|destroy|purg|los|clos|disabl|cancel|revok|wip|"
    r"terminat|drop|deactivat|detach|discard)\w*|(?:delet|remov|eras|destroy|purg|clos|wip)\w* "
    r"(?:\w+ ){0,4}permanently|"
    r"(?:this|it|which) (?:also )?(?:delet|remov|revok|eras|wip)es (?:all|every)|"
    r"(?:complet|don|achiev|implement)e?d? by (?:delet|remov|revok|eras)ing)\b",
    re.I,
)
# "Merges two customers. The second one is deleted."
_LOST = re.compile(
    r"\b(?:data|contents?|files?|records?|others?|ones?|(?:existing|previous|old|current|former|"
    r"all|every|any) \w+)(?: \w+)? (?:will be|is|are|gets?|becomes?) (?:\w+ly )?(?:lost|erased|"
    r"wiped|destroyed|purged|overwritten|discarded|deleted|removed|revoked|invalid(?:ated)?)\b",
    re.I,
)
_CONDITION = re.compile(
    r"\b(?:if|unless|when|whether|until|after|before|once|not|no|never)\b", re.I
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_OPENING = re.compile(
    r"(?:(?:this|the) (?:api |rest |http )?(?:endpoint|method|operation|api|call|tool|function|"
    r"route|resource|action|command|request|will)\b(?: (?:will|is used|can be used|may be used|"
    r"lets|enables|allows|helps))?(?: (?:you|users?|clients?|admins?))?(?: to)?\s+|"
    r"use (?:this|it)(?: (?:endpoint|method|operation|api|call|tool|function))? (?:to|for)\s+|"
    r"(?:allows?|lets|enables?|permits?|used|helps?|attempts?|tries|try) (?:\w+ ){0,4}?(?:to )"
    r"(?=\w)|you (?:can|may)(?: use \w+ \w+ to)?\s+|can be used to\s+|"
    r"(?:permanently|immediately|partially|fully|or fully|asynchronously|synchronously|bulk|batch|"
    r"mass|force|forcibly|forces|soft|hard|safely|completely|irreversibly|irrevocably|"
    r"automatically|manually|quickly|please|a|the|to|"
    r"deprecated|beta|new|\W+)\s+)",
    re.I,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[,/]")
_EXTENSION = re.compile(r"\.(?:json|xml|ya?ml|html?|txt|csv)$", re.I)
_DETERMINERS = frozenset(
    "a an the this that these those all any one each every your his her its their specified given "
    "existing multiple some another current it them him her".split()
)
_PREPOSITIONS = frozenset("as to into onto for from with".split())
_JOINTS = frozenset({"and", "or", "then", ",", "/"})
# Who had the old one has nothing, or less, afterwards.
_TAKES = {
    "rotate": frozenset("key secret token password credential certificate".split()),
    "reissue": frozenset("key secret token credential certificate".split()),
    "close": frozenset(("account",)),
    "convert": frozenset("member user owner admin people person guest".split()),
    "demote": frozenset("member user owner admin people person moderator".split()),
}


@dataclass(frozen=True)
class Decision:
    """What a tool does, and the shortest reason for it."""

    effects: Effects
    reason: str


@dataclass(frozen=True)
class _Verb:
    """A verb of a tool, and where it stands: `verb 'revoke' in the name`."""

    word: str
    place: str
    follows: str = ""
    near: tuple[str, ...] = ()  # what it is done to may be among these words

    @property
    def reason(self) -> str:
        return f"verb '{self.word}' in {self.place}"[:MAX_REASON]


@dataclass(frozen=True)
class _Said:
    """Everything that speaks about one tool."""

    name: list[str]  # the words of the name's last part
    path: list[str] = field(default_factory=list)  # of the last part of a path that is no parameter
    tail: Sequence[str] = ()  # the path's last words that are no parameter, acts or not
    before: Sequence[str] = ()  # the words before those in the path
    attached: bool = False  # the path's last thing hangs on another one
    texts: Sequence[str] = ()

    def verbs(self) -> Iterator[_Verb]:
        """The verbs that say what a call does, likeliest first: name, path, first words."""
        for place, parts in (("the name", self.name), ("the path", self.path)):
            for at in dict.fromkeys((0, len(parts) - 1)):
                if parts and _names_act(parts, at):
                    after = tuple(parts[at + 1 : at + 4])
                    near = after if place == "the name" else (*after, *self.before)
                    yield _Verb(parts[at], place, next(iter(after), ""), near)
        for text in self.texts:
            yield from _leading(text)

    def things(self) -> set[str]:
        """The nouns of name and path, in the singular."""
        return {singular(part) for part in (*self.name, *self.tail)}


def of_operation(
    method: str, path: str, name: str = "", summary: str = "", description: str = ""
) -> Decision:
    """Decide what an HTTP operation does.

    Args:
        method: in any case.
        path: with parameters in braces.
        name: its operationId; what only repeats the method says nothing.
        summary: its title.
        description: the longer text.
    """
    verb = method.lower()
    said = _operation(verb, path, name, summary, description)
    if found := _destroying(said, looks=verb in _SAFE_METHODS):
        return found
    if verb == "delete":
        return _deletion(said)
    if verb in _SAFE_METHODS:
        return _look(verb, said)
    if gone := _irreversible(description):
        return gone
    if verb == "post" and (read := _sure_read(said)):
        return read
    if destroys(verb):
        return Decision("destructive", method.upper())
    return Decision("write", method.upper())


def of_function(name: str, title: str = "", description: str = "") -> Decision:
    """Decide what a tool does of which only name and texts are known."""
    said = _Said(_last_part(name), texts=_texts(title, description))
    reading = _reading_name(said.name)
    if found := _destroying(said, looks=reading is not None):
        return found
    changes = [w for w in said.name if w in _CHANGES and w not in _NOUNS_TOO]
    leads = [verb for text in said.texts for verb in _leading(text)]
    changing = next((verb for verb in leads if _changes(verb)), None)
    if reading is not None and not changes and changing is None:
        return Decision("read", reading.reason)
    if gone := _irreversible(description):
        return gone
    known = next((w for w in said.name if _kind(w) not in (None, *READING)), None)
    if reading is None and known is None and changing is None:
        looking = next((verb for verb in leads if _looks(verb)), None)
        if looking is not None:
            return Decision("read", looking.reason)
    if named := next(iter(changes), known):
        return Decision("write", _Verb(named, "the name").reason)
    if changing is not None:
        return Decision("write", changing.reason)
    return Decision("write", NOTHING_SAID)


def of_annotations(
    hints: Mapping[str, Any], name: str, title: str = "", description: str = ""
) -> Decision:
    """Decide what an MCP tool does that has annotations, with the protocol's defaults.

    Without a word a tool changes things (`readOnlyHint` is false) and destroys (`destructiveHint`
    is true). What a server states is kept, unless the tool's own name says worse.
    """
    named = of_function(name, title, description)
    if hints.get("readOnlyHint") is True:
        stated = Decision("read", "readOnlyHint")
        said = _last_part(name)
        changes = any(w in _CHANGES for w in said[:1]) and named.effects == "write"
        doubted = named.effects == "destructive" or changes
        return (
            Decision(named.effects, f"{named.reason}, despite readOnlyHint") if doubted else stated
        )
    if hints.get("destructiveHint") is False:
        doubted = named.effects == "destructive"
        against = Decision("destructive", f"{named.reason}, despite destructiveHint false")
        return against if doubted else Decision("write", "destructiveHint false")
    default = "" if hints.get("destructiveHint") is True else " is true by default"
    return Decision("destructive", f"destructiveHint{default}")


# -- what is said ------------------------------------------------------------------------------


def _operation(method: str, path: str, name: str, summary: str, description: str) -> _Said:
    segments = [part for part in _EXTENSION.sub("", path).split("/") if part]
    fixed = [part for part in segments if "{" not in part]
    last = segments[-1] if segments else ""
    tail = re.split(r"[.:]", fixed[-1])[-1] if fixed else ""
    if ":" in last:  # /instances/{instance}:stop
        tail = last.rpartition(":")[2]
    # Where a path ends in a parameter, its last word names a thing and no act.
    act = words(tail) if "{" not in last or ":" in last else []
    things = tuple(words(tail))
    front = segments[: segments.index(fixed[-1])] if fixed else []
    before = words(fixed[-2]) if len(fixed) > 1 else []
    attached = any("{" in part for part in front)
    texts = _texts(summary, description)
    return _Said(_own(name, method, path), act, things, before, attached, texts)


def _own(name: str, method: str, path: str) -> list[str]:
    """The words by which a name says more than method and path: PostRefunds says nothing."""
    said = _last_part(name)
    rest = said[1:] if said and said[0] == method else said
    if {singular(word) for word in rest} <= {singular(word) for word in words(path)}:
        # What is left of GET_TerminateInstances is the path; its act is read there.
        return rest if "{" not in path and len(path.strip("/").split("/")) == 1 else []
    return rest if method != "delete" else said


def _last_part(name: str) -> list[str]:
    """The words of the part of a name that says what is done: issues/remove-label."""
    return words(re.split(r"[/.:]|__", name.strip("/.:_"))[-1]) or words(name)


def _texts(*texts: str) -> tuple[str, ...]:
    """The first sentence of each text, without markup."""
    found = []
    for text in texts:
        first = re.split(r"(?<=[.!?])\s|\n\s*\n", plain(text[:MAX_TEXT]))[0][:400]
        if first and first not in found:
            found.append(first)
    return tuple(found)


def _leading(text: str) -> Iterator[_Verb]:
    """The verbs with which a sentence begins: "Permanently archives or deletes a file"."""
    rest = text
    while opening := _OPENING.match(rest):
        rest = rest[opening.end() :]
    said = [word.lower() for word in _WORD.findall(rest[:200])]
    joint = "and"
    for at, word in enumerate(said[:24]):
        after = tuple(said[at + 1 : at + 4])
        verb = _Verb(word, "the text", next(iter(after), ""), after)
        # "charges, refunds and labels" are things.
        named = at and (word.endswith("ing") or (joint == "," and _is_noun(verb)))
        if joint and ((_is_form(word) and not named) or (not at and word in _READING_WORDS)):
            yield verb
        if not (joint and (word.endswith("ly") or word in _JOINTS)):  # or completely overwrites
            joint = ""
        joint = word if word in _JOINTS else joint


def _is_form(word: str) -> bool:
    """Whether a word can be a verb that says what is done; participles say what was done."""
    verb = infinitive(word)
    return verb is not None and not (word.endswith("ed") and word != verb)


def _names_act(parts: list[str], at: int) -> bool:
    """Whether a word of a name is a verb there: the first as it is, the last also as a noun."""
    word = parts[at]
    verb = infinitive(word)
    if verb is None:
        return False
    if word == verb:
        return at == 0 or destroys(word) or word in _SURE_READS or word not in _NOUNS_TOO
    # POST /orders/{id}/cancellation, /refunds; but issues_list_deleted lists.
    return at == len(parts) - 1 and destroys(word) and not word.endswith(("ed", "ing"))


def _kind(word: str) -> str | None:
    """The kind of a word that stands in a name as it is, and is hardly ever a noun."""
    return kind_of(word) if infinitive(word) == word and word not in _NOUNS_TOO else None


def _changes(verb: _Verb) -> bool:
    if verb.word in _READING_WORDS or infinitive(verb.word) in _READS:
        return False
    if infinitive(verb.word) in _NOUNS_TOO and verb.follows not in _DETERMINERS:
        return False
    return kind_of(verb.word) not in (None, *READING)


def _looks(verb: _Verb) -> bool:
    if verb.word in _READING_WORDS or infinitive(verb.word) in _READS:
        return True
    return verb.place == "the text" and kind_of(verb.word) in READING


# -- what follows from it ----------------------------------------------------------------------


def _destroying(said: _Said, *, looks: bool) -> Decision | None:
    """The word that says that something is gone afterwards.

    Args:
        said: what speaks about the tool.
        looks: whether something else says that it only reads; then a noun proves nothing.
    """
    verbs = list(said.verbs())
    if looks and any(_looks(verb) for verb in verbs):
        # get_mail, "Fetches a mail and deletes it": said of a thing, it is no noun.
        firm = [v for v in verbs if v.place == "the text" and v.follows in _DETERMINERS]
        gone = next((verb for verb in firm if destroys(verb.word)), None)
        return Decision("destructive", gone.reason) if gone else None
    taken = next((verb for verb in verbs if _takes(verb)), None)
    if taken is not None and not looks:
        return Decision("destructive", taken.reason)
    if not _agrees(said):
        inside = [w for w in said.name[1:-1] if infinitive(w) == w and w not in _WEAK_INSIDE]
        verbs += [_Verb(word, "the name") for word in inside]
    else:  # create-remove-token, "Create a remove token": what is created has a verb in its name
        verbs = [verb for verb in verbs if not verb.follows or verb.place == "the text"]
    if any(undoable(v.word) and v.word.startswith("un") and v.place != "the text" for v in verbs):
        verbs = [verb for verb in verbs if verb.place != "the text"]  # "Reverses archival"
    for verb in verbs:
        if not destroys(verb.word) or (looks and _is_noun(verb)):
            continue
        return None if _only_taken_off(said) else Decision("destructive", verb.reason)
    return None


def _takes(verb: _Verb) -> bool:
    heavy = _TAKES.get(infinitive(verb.word) or "", frozenset())
    return bool(heavy & {singular(word) for word in verb.near})


def _agrees(said: _Said) -> bool:
    """Whether name and text begin with the same verb, and it destroys nothing."""
    lead = next((verb for text in said.texts for verb in _leading(text)), None)
    if lead is None or not said.name or destroys(lead.word):
        return False
    return infinitive(said.name[0]) == infinitive(lead.word)


def _is_noun(verb: _Verb) -> bool:
    """Whether a word may be the name of a thing where it stands."""
    if verb.place == "the text":
        return infinitive(verb.word) in _NOUNS_TOO and verb.follows not in _DETERMINERS
    return infinitive(verb.word) != verb.word or verb.word in _NOUNS_TOO


def _only_taken_off(said: _Said) -> bool:
    """Whether what goes is one mark on something that stays, and nobody loses anything by it."""
    things = said.things()
    gone = {infinitive(verb.word) for verb in said.verbs() if destroys(verb.word)}
    if things & _HEAVY_THINGS or gone - {"delete", "remove", "clear"}:
        return False
    if not {"all", "every"}.isdisjoint(said.name):
        return False  # nobody knows afterwards which there were
    attached = said.attached and "delete" not in gone and things & _LIGHT_WHEN_ATTACHED
    return bool(things & _LIGHT_THINGS or attached)


def _deletion(said: _Said) -> Decision:
    """A DELETE that no word calls destructive: only what is switched or taken off is not."""
    heavy = said.things() & _HEAVY_THINGS
    verb = next((v for v in said.verbs() if v.place == "the name"), None)
    if verb is not None and not heavy:
        if _is_switch(verb):
            return Decision("write", verb.reason)
    elif verb is not None and undoable(verb.word) and verb.word.startswith("un"):
        return Decision("write", verb.reason)
    # "Unsubscribe from a resource", "Mark a todo as done": what a text begins with, nothing heavy.
    first = next((v for text in said.texts for v in _leading(text)), None)
    gone = any(destroys(word) for text in said.texts for word in words(text))  # for deletion
    if first is not None and not (heavy or gone) and _is_switch(first):
        return Decision("write", first.reason)
    if _only_taken_off(said):
        thing = min(said.things() & (_LIGHT_THINGS | _LIGHT_WHEN_ATTACHED))
        return Decision("write", f"DELETE only takes off: {thing}")
    return Decision("destructive", "DELETE")


def _is_switch(verb: _Verb) -> bool:
    """Whether a verb only switches something off, or marks it."""
    off = verb.follows == "off" and infinitive(verb.word) in ("switch", "turn")
    return off or undoable(verb.word) or infinitive(verb.word) in _SWITCHES


def _look(method: str, said: _Said) -> Decision:
    """A method that should be safe, unless its words say that it changes something."""
    verbs = list(said.verbs())
    if not any(_looks(verb) for verb in verbs):
        acts = (verb for verb in verbs if verb.place == "the text" or not _is_noun(verb))
        changing = next((verb for verb in acts if _changes(verb)), None)
        if changing is not None:
            return Decision("write", f"{changing.reason}, despite {method.upper()}")
    return Decision("read", method.upper())


def _sure_read(said: _Said) -> Decision | None:
    """A POST that only asks: a sure verb in name or path, and no changing one anywhere."""
    verbs = list(said.verbs())
    if any(_changes(verb) for verb in verbs) or _CHANGES & {*said.name}:
        return None
    for verb in verbs:
        if verb.word in _SURE_READS and verb.place != "the text":
            return Decision("read", verb.reason)
    return None


def _reading_name(parts: list[str]) -> _Verb | None:
    """The verb of a name that only looks: get_order, github_list_repos, order_search."""
    firm = [word for word in parts if word in _READS or _kind(word) is not None]
    if not firm or firm[0] not in _READS:
        return None
    first = parts[0]
    if first != firm[0] and first in _NOUNS_TOO and kind_of(first) is not None:
        # message_list, but neither run_query nor post_to_list
        if first not in _THINGS_FIRST or not {*parts}.isdisjoint(_PREPOSITIONS):
            return None
    changing = any(_kind(word) not in (None, *READING) for word in firm[1:])
    if changing and not {*parts}.isdisjoint(_JOINTS):  # get_or_create
        return None
    return _Verb(firm[0], "the name")


def _irreversible(text: str) -> Decision | None:
    said = plain(text[:MAX_TEXT])
    found = _IRREVERSIBLE.search(said)
    if found is None:
        plainly = (part for part in _SENTENCE.split(said) if not _CONDITION.search(part))
        found = next(filter(None, map(_LOST.search, plainly)), None)
    return Decision("destructive", f"“{found[0].lower()}” in the text") if found else None
