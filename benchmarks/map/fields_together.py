"""Request fields with all APIs of a part in one registry, of the tools that plans choose."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import spm.gnn.ranker
from benchmarks.map import specs
from benchmarks.map.fields import Score, is_given
from spm.registry.request.values import Match
from spm.registry.routes.request_values import RequestValues
from spm.registry.routes.route import Proposal, propose
from spm.registry.routes.tool_map import ToolMap


def score(folder: Path, part: str, stores: Path) -> dict[str, Score]:
    """Score the labels of a part, for each API and for all."""
    rows = specs.labels("fields", part)
    scratch = stores / "specs"
    names = [api for api in specs.apis(rows) if specs.document(folder, api, scratch)]
    found = {name: Score() for name in ("all", *names)}
    with specs.registry(folder, names, stores / "-".join(names)) as opened:
        for row in rows:
            if row["api"] not in found:
                continue
            with _plans() as plans:
                opened.menu(row["request"])
            given = _given(row["request"], *plans[0]) if plans else []
            for one in (found[row["api"]], found["all"]):
                _add(one, row, given)
    return found


@contextmanager
def _plans() -> Iterator[list[tuple[ToolMap, Proposal]]]:
    """What the ranker proposes while it makes a menu: a menu tells its route, not its targets."""
    seen: list[tuple[ToolMap, Proposal]] = []

    def remembered(tool_map: ToolMap, *rest: Any, **more: Any) -> Proposal:
        found = propose(tool_map, *rest, **more)
        seen.append((tool_map, found))
        return found

    with patch.object(spm.gnn.ranker, "propose", remembered):
        yield seen


def _given(request: str, tool_map: ToolMap, proposal: Proposal) -> list[Match]:
    """What a request gives to the targets, each name with a value once."""
    targets = [plan.target for plan in proposal.plans]
    values = RequestValues(request, tool_map)
    values.read(targets)
    found = [match for tool in dict.fromkeys(targets) for match in values.given(tool)]
    return list({(match.input.name, match.value.text): match for match in found}.values())


def _add(score: Score, row: dict[str, Any], given: list[Match]) -> None:
    """Count by parameter and value: whether the tool is right is what menus are scored for."""
    wanted = list(dict.fromkeys((f["param"], str(f["value"])) for f in row["fields"]))
    missing, wrong = list(wanted), []
    for match in given:
        hit = next((pair for pair in missing if is_given(match, *pair)), None)
        if hit:
            missing.remove(hit)
        else:
            wrong.append(f"{match.input.tool} {match.input.path} = {match.value.text}")
    score.right += len(wanted) - len(missing)
    score.predicted += len(given)
    score.labelled += len(wanted)
    if wrong or missing:
        lost = [f"{name} = {value}" for name, value in missing]
        error = {"id": row["id"], "request": row["request"], "wrong": wrong, "missing": lost}
        score.errors.append(error)
