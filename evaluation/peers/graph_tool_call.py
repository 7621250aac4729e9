"""graph-tool-call: retrieval on a graph that it derives from tool contracts.

As its documentation sets it up: tools in the form of an MCP list, with their outputs where they
are documented, relations found by the package itself, and hybrid search with an encoder, which is
ours. No model takes part: expansion of requests and ontologies by one are left out.
"""

from spm.evaluation.corpus import Corpus
from spm.evaluation.optional import package, versions
from spm.evaluation.peers.definitions import Vectors, mcp, named
from spm.gnn.arrays.array_expansion import Question
from spm.registry.menus.menu import SIZE

PEER = "graph-tool-call"
SHORTLIST = 4  # candidates for the target, as in the package's own benchmark


class GraphToolCall:
    """What `ToolGraph.retrieve` finds for a menu of the usual size."""

    def __init__(self, corpus: Corpus, vectors: Vectors | None = None) -> None:
        self._vectors = vectors or Vectors(corpus)
        tools = named(corpus)
        self._ids = {name: tool for name, (tool, _) in tools.items()}
        self._graph = package("graph_tool_call", PEER, "peers").ToolGraph()
        self._graph.ingest_mcp_tools([mcp(name, spec) for name, (_, spec) in tools.items()])
        self._graph.enable_embedding(self._vectors)

    @staticmethod
    def fingerprint() -> str:
        """The version of the package."""
        return versions("graph-tool-call")

    def menu(self, question: Question) -> list[str]:
        """Its ranking."""
        return [self._ids[name] for name in self._retrieved(question)]

    def _retrieved(self, question: Question) -> list[str]:
        self._vectors.expect(question)
        return [tool.name for tool in self._graph.retrieve(question.text, top_k=SIZE)]


class GraphToolCallClosure(GraphToolCall):
    """The same, with its target selection and the dependencies of the target in front."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._steps = package("graph_tool_call.graphify", PEER, "peers")
        self._tools = self._graph.tools

    def menu(self, question: Question) -> list[str]:
        """Required dependencies, the target, what else was retrieved, optional dependencies."""
        found = self._retrieved(question)
        if not found:
            return []
        selection = self._steps.select_target_candidate(
            question.text, found[:SHORTLIST], self._tools
        )
        target = selection["selected_target"]
        closure = self._steps.complete_target_dependencies(
            target,
            self._tools,
            graph=self._graph,
            query=question.text,
            available_fields=sorted(question.given),
        )
        order = [
            *reversed(closure.required_dependencies),
            target,
            *found,
            *closure.optional_dependencies,
        ]
        return [self._ids[name] for name in dict.fromkeys(order)]
