"""The constructors of an evaluation by name, behind one interface.

A constructor is made for a corpus: it may learn from the library's trajectories and `teach`, and
choose by `judge`. Then it answers questions. Baselines, the learned constructor and peers are all
the same to whoever measures them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from spm.evaluation.corpus import Corpus
from spm.gnn.arrays.array_expansion import Question
from spm.registry.catalog.naming import nearest
from spm.registry.errors import InputError


class Constructor(Protocol):
    """Builds menus for the questions of one corpus."""

    def menu(self, question: Question) -> list[str]:
        """Ids of tools, the best or first to run in front; 128 where it can rank so many."""
        ...


@dataclass(frozen=True)
class Known:
    """A constructor that can be asked for by name.

    Attributes:
        title: for tables.
        about: one sentence: whose idea, and what was left out of it.
        place: `module:class`, imported when it is needed.
        version: raised when its menus change, so that cached ones are not taken for new.
    """

    title: str
    about: str
    place: str
    version: int = 1

    def make(self, corpus: Corpus) -> Constructor:
        """Fit it to a corpus."""
        module, _, name = self.place.partition(":")
        maker: Callable[[Corpus], Constructor] = getattr(import_module(module), name)
        return maker(corpus)


_BASE = "spm.evaluation.baselines"
_PEERS = "spm.evaluation.peers"
_OWN = "spm.evaluation.learned"
_LESS = "spm.evaluation.ablations"
_STEPS = "spm.evaluation.steps"
KNOWN = {
    "learned": Known(
        "spm", "The learned constructor, beginning with the prior.", f"{_OWN}:Learned", 3
    ),
    "prior": Known(
        "spm, prior", "The shipped prior as it is; traces are only its memory.", f"{_OWN}:Prior", 3
    ),
    "scratch": Known(
        "spm, from chance", "The learned constructor without the prior.", f"{_OWN}:Scratch", 3
    ),
    "paper": Known(
        "State-Path, as published",
        "The paper's constructor with its features, losses, weights and frontier (paper.yaml): no "
        "request memory, nothing chosen on valid.",
        f"{_OWN}:Paper",
    ),
    "paper-frontier": Known(
        "State-Path, our frontier",
        "The paper with our candidates: tools of similar solved requests, anchors by words too.",
        f"{_STEPS}:FRONTIER",
    ),
    "paper-features": Known(
        "State-Path, our frontier and features",
        "The same with all features: votes of similar solved requests, words, clauses.",
        f"{_STEPS}:FEATURES",
    ),
    "paper-sets": Known(
        "State-Path, our frontier, features and sets",
        "The same with our schedule and set decoder; only the order is the paper's.",
        f"{_STEPS}:SETS",
    ),
    "unordered": Known(
        "spm, set alone", "From chance, in the first network's own order.", f"{_LESS}:Unordered", 2
    ),
    "dense": Known("dense", "Cosine of request and document.", f"{_BASE}.text:Dense"),
    "bm25": Known("BM25", "Words, by the package bm25s with our tokenizer.", f"{_BASE}.text:Words"),
    "hybrid": Known("hybrid", "Reciprocal rank fusion of dense and BM25.", f"{_BASE}.text:Hybrid"),
    "vote": Known(
        "dense + vote",
        "Cosine, and the tools of the ten nearest training requests.",
        f"{_BASE}.memory:Vote",
    ),
    "transitions": Known(
        "transition expansion",
        "AutoTool's inertia graph, walked once from the request: no agent, no parameters filled, "
        "no model where inertia is weak.",
        f"{_BASE}.transitions:Transitions",
    ),
    "dynamic": Known(
        "dynamic dependency retrieval",
        "Dynamic Tool Dependency Retrieval following its own plan: transitions of similar "
        "demonstrations in place of a trained next-tool model, no calls.",
        f"{_BASE}.plans:Dynamic",
    ),
    "tree": Known(
        "tree search",
        "ToolTree without a model and without calls: text and transitions judge before a call, "
        "declared inputs after it.",
        f"{_BASE}.tree:Tree",
    ),
    "closure": Known(
        "dependency closure",
        "Graph RAG-Tool Fusion on declared producer→consumer fields, without reranking by a model.",
        f"{_BASE}.closure:Closure",
    ),
    "completion": Known(
        "collaborative completion",
        "COLT's idea with LightGCN on requests, scenes and tools: the text encoder is not tuned, "
        "one loss in place of three.",
        f"{_BASE}.completion:Completion",
    ),
    "text-order": Known(
        "text tools + path order",
        "The hybrid's tools in the order of the training paths, by counts instead of a network.",
        f"{_BASE}.order:TextOrder",
    ),
    "template": Known(
        "one template",
        "The same usual tools in front of every menu, then dense.",
        f"{_BASE}.order:Template",
    ),
    "bigtool": Known(
        "langgraph-bigtool",
        "The published package with our encoder, asked with the request: no model writes queries.",
        f"{_PEERS}.bigtool:Bigtool",
    ),
    "graph-tool-call": Known(
        "graph-tool-call",
        "The published package with our encoder, on MCP definitions: no model expands requests.",
        f"{_PEERS}.graph_tool_call:GraphToolCall",
    ),
    "graph-tool-call-closure": Known(
        "graph-tool-call, closure",
        "The same, with its own target selection and dependency closure in front.",
        f"{_PEERS}.graph_tool_call:GraphToolCallClosure",
    ),
    **{
        f"no-{part}": Known(
            f"without {part}", f"From chance, without {about}.", f"{_LESS}:{place}", 3
        )
        for part, about, place in (
            ("fields", "contracts: who can run, who feeds whom", "NO_FIELDS"),
            ("order", "observed transitions and precedence", "NO_ORDER"),
            ("memory", "the nearest solved requests", "NO_MEMORY"),
            ("words", "BM25", "NO_WORDS"),
            ("clauses", "looking at the request's clauses", "NO_CLAUSES"),
            ("entry-loss", "the loss of the first tool", "NO_ENTRY_LOSS"),
            ("slot-loss", "the loss of places", "NO_SLOT_LOSS"),
            ("precedence-loss", "the loss of who comes first", "NO_PRECEDENCE_LOSS"),
            ("member-loss", "the loss of belonging", "NO_MEMBER_LOSS"),
            ("path-loss", "the loss of the decoder's own steps", "NO_PATH_LOSS"),
        )
    },
}


def known(name: str) -> Known:
    """A constructor by name.

    Raises:
        InputError: there is none; names the nearest.
    """
    if name not in KNOWN:
        close = " or ".join(nearest(name, sorted(KNOWN))) or ", ".join(sorted(KNOWN))
        raise InputError(f"No constructor is called {name!r}. Did you mean {close}?")
    return KNOWN[name]
