"""The explicit links of a source: edges beyond the declared inputs and outputs.

A link makes the producer give the very field that the consumer takes. Links belong to a source, not
to a tool: when only they change, no tool gets a new version.
"""

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass

from spm.registry.catalog.fields import canonical
from spm.registry.catalog.graph_rows import Tools, produces_rows
from spm.registry.models import Manifest, digest, tool_id
from spm.registry.store.interface import Row, Transaction

Edge = tuple[str, str]


@dataclass(frozen=True)
class Link:
    """An explicit edge: a field that one tool returns is an input of another."""

    producer: str
    output: str
    consumer: str
    input: str


@dataclass(frozen=True)
class Relinking:
    """Edges of tools to fields that are to be written, and those that are to go."""

    missing: list[Edge]
    stale: dict[Edge, Row]

    def tools(self) -> set[str]:
        """Whose edges they are."""
        return {tool for tool, _ in (*self.missing, *self.stale)}


def fingerprint(links: Sequence[Link]) -> str:
    """A digest of the links of a source; "" when it has none."""
    return digest(sorted(map(astuple, links))) if links else ""


def relinking(
    read: Callable[..., list[Row]], manifest: Manifest, links: Sequence[Link]
) -> Relinking:
    """Compare the declared outputs in the graph with those that tools and links ask for."""
    tools = {tool_id(manifest.service.name, tool.name): tool for tool in manifest.tools}
    wanted = {(row["id"], row["field"]) for row in produces_rows(tools)}
    wanted |= _edges(manifest, tools, links)
    there = {
        (row["id"], row["field"]): row
        for row in read("tools/outputs", ids=list(tools))
        if row["evidence"] == "declared"
    }
    stale = {edge: there[edge] for edge in sorted(there.keys() - wanted)}
    return Relinking(sorted(wanted - there.keys()), stale)


def relink(tx: Transaction, found: Relinking) -> None:
    """Write what is missing and cut what is stale; what was also observed stays as observed."""
    seen = [edge for edge, row in found.stale.items() if row["count"]]
    unseen = [edge for edge, row in found.stale.items() if not row["count"]]
    if found.missing:
        tx.run("tools/produces", rows=_rows(found.missing))
    if seen:
        tx.run("tools/undeclare", rows=_rows(seen))
    if unseen:
        tx.run("tools/unproduce", rows=_rows(unseen))


def _rows(edges: list[Edge]) -> list[Row]:
    return [{"id": tool, "field": name} for tool, name in edges]


def _edges(manifest: Manifest, tools: Tools, links: Sequence[Link]) -> set[Edge]:
    found = set()
    for link in links:
        producer = tool_id(manifest.service.name, link.producer)
        consumer = tools.get(tool_id(manifest.service.name, link.consumer))
        if producer in tools and consumer is not None:
            owner = next((s.of for s in consumer.inputs if s.name == link.input), "")
            found.add((producer, canonical(link.input, owner or consumer.family)))
    return found
