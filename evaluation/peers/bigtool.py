"""langgraph-bigtool: an agent that looks tools up in a store by meaning.

As its documentation sets it up: an in-memory store that indexes "name: description", asked through
the package's own retrieval function. There a model writes what is looked up and gets two tools at a
time; here it is the request, once, and as many tools as a menu may want.
"""

from spm.evaluation.corpus import Corpus
from spm.evaluation.optional import package, versions
from spm.evaluation.peers.definitions import Vectors, named
from spm.gnn.arrays.array_expansion import Question
from spm.registry.frontier.frontier import SIZE

SPACE = ("tools",)


class Bigtool:
    """The package's retrieval function, asked once with the request."""

    def __init__(self, corpus: Corpus, vectors: Vectors | None = None) -> None:
        retrieval = package("langgraph_bigtool.tools", "bigtool", "peers")
        memory = package("langgraph.store.memory", "bigtool", "peers")
        base = package("langgraph.store.base", "bigtool", "peers")
        self._vectors = vectors or Vectors(corpus)
        index = {
            "embed": self._vectors,
            "dims": self._vectors.dimensions,
            "fields": ["description"],
        }
        self._store = memory.InMemoryStore(index=index)
        self._store.batch(
            [
                base.PutOp(SPACE, tool, {"description": f"{name}: {spec.description}"})
                for name, (tool, spec) in named(corpus).items()
            ]
        )
        limit = min(SIZE, len(corpus.library.tools))
        self._retrieve, _ = retrieval.get_default_retrieval_tool(SPACE, limit=limit)

    @staticmethod
    def fingerprint() -> str:
        """The version of the package."""
        return versions("langgraph-bigtool", "langgraph")

    def menu(self, question: Question) -> list[str]:
        """What the store finds, best first."""
        self._vectors.expect(question)
        found: list[str] = self._retrieve(question.text, store=self._store)
        return found
