"""Tools by words: what a menu's search finds for a text, before anything is learned or planned."""

from dataclasses import dataclass

from spm.registry.access.caller import EVERYTHING, Caller
from spm.registry.encoding import ClauseEncoder
from spm.registry.frontier import frontier as rule
from spm.registry.search.results import Probes
from spm.registry.store.interface import Store


@dataclass(frozen=True)
class ToolFound:
    """A tool that a text finds.

    Attributes:
        id: the tool.
        title: what its source calls it.
        score: of everything together, in units of the spread of all that was found.
        words: BM25 over the parts of its text.
        meaning: the cosine of its text.
    """

    id: str
    title: str
    score: float
    words: float
    meaning: float


def search_tools(
    store: Store, encoder: ClauseEncoder, text: str, limit: int, caller: Caller = EVERYTHING
) -> list[ToolFound]:
    """The tools that a text finds, best first."""
    probes = Probes.of(text, encoder.encode_clauses([text])[0])
    found = store.look(probes, rule.LOOKUP, rule.MEMORIES, caller).tools
    best = found.keys[:limit]
    rows = store.read("menu/candidates", ids=sorted(best), **caller.params())
    titles = {row["id"]: row["title"] or row["name"] for row in rows}
    scores = zip(found.scores, found.words[:, 0], found.meaning, strict=True)
    return [
        ToolFound(tool, titles[tool], float(score), round(float(words), 6), float(meaning))
        for tool, (score, words, meaning) in zip(found.keys, scores, strict=True)
        if tool in titles
    ]
