"""The answers of the MCP server's tools, for one caller."""

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from spm.registry.access.caller import Caller
from spm.registry.insight.paths import Path, Plan, find_paths, plan
from spm.registry.menus.evidence import review
from spm.registry.menus.export import ExportedMenu, export_menu
from spm.registry.menus.markdown import to_markdown
from spm.registry.menus.menu import Ask, Menu, WhyNot
from spm.registry.menus.providers import PROVIDERS
from spm.registry.registry import Registry
from spm.service.mcp.question_models import ExplainQuestion, PathQuestion
from spm.service.routes.menus import MenuQuestion

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A structured result, and the text for clients that read nothing else."""

    structured: Json
    text: str


def build_menu(registry: Registry, caller: Caller, question: MenuQuestion) -> Answer:
    """The menu as `spm menu --json` prints it, with definitions where a format is asked for."""
    ready = served(registry, question.ask(caller), question)
    found = {**ready.as_dict(), "notes": ready.notes()}
    if question.format in PROVIDERS:
        found["definitions"] = ready.definitions()
    return Answer(found, written(ready))


def explain_menu(registry: Registry, caller: Caller, question: ExplainQuestion) -> Answer:
    """The terms and edges behind a menu; or why a tool is not in it.

    Raises:
        UnknownTool: the tool is not there, or the caller may not know of it.
    """
    ask = question.ask(caller)
    if question.tool is None:
        ready = served(registry, ask, question)
        return Answer({"menu": ready.as_dict(), "why_not": None}, written(ready))
    found = registry.why_not(ask, question.tool, caller=caller)
    reasons = " ".join(found.reasons) or f"It is in the menu, at place {found.rank}."
    where = "Admitted" if found.reasons else "On the route"
    admitted = f" {where} by: {'; '.join(found.admitted_by)}." if found.admitted_by else ""
    return Answer({"menu": None, "why_not": asdict(found)}, f"{found.tool}: {reasons}{admitted}")


def find_path(registry: Registry, caller: Caller, question: PathQuestion) -> Answer:
    """Ways from one tool to another, or a plan.

    Raises:
        UnknownTool, UnknownField: a name is not there, or the caller may not know of it.
    """
    question.check()
    if question.source is not None:
        ways = find_paths(registry.store, question.source, question.to, caller)
        lines = [
            f"{way.kind}: " + " → ".join([way.hops[0].source, *(hop.target for hop in way.hops)])
            for way in ways
        ]
        nothing = f"No way from {question.source!r} to {question.to!r}."
        return Answer(
            {"paths": [asdict(way) for way in ways], "plan": None}, "\n".join(lines) or nothing
        )
    writes = question.allow_writes
    found = plan(registry.store, question.have, question.to, caller, allow_writes=writes)
    asked = f" A user has to say: {', '.join(found.ask)}." if found.ask else ""
    return Answer({"paths": [], "plan": asdict(found)}, " → ".join(found.steps) + f".{asked}")


def served(registry: Registry, ask: Ask, question: MenuQuestion) -> ExportedMenu:
    """The menu of a question under the names that it asks for."""
    return export_menu(
        registry.store,
        registry.answer(ask),
        question.format,
        ranked=question.aliases,
        budget=question.token_budget,
    )


def written(ready: ExportedMenu) -> str:
    """A menu as Markdown, under the names that its definitions have."""
    return to_markdown(ready.menu, ready.names.of, review(ready.menu))


def menu_schema() -> Json:
    """The schema of a menu's answer, made of what a menu is."""
    found = TypeAdapter(Menu).json_schema(mode="serialization")
    found["properties"] |= {
        "names": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "Which tool each name stands for.",
        },
        "route_line": {"type": "string", "description": "The route, which no client can sort."},
        "review": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Tools that cannot be undone: let a person approve each call.",
        },
        "tokens": {"type": "integer"},
        "definitions": {"description": "As the provider takes them: a list, or its document."},
    }
    found["required"] = [*found["required"], "names", "route_line", "review"]
    return found


def _either(**parts: Any) -> Json:
    """An object of which one part is given and the others are null or empty."""
    found = TypeAdapter(dict[str, Any]).json_schema()
    del found["additionalProperties"]
    defined: Json = {}
    for part in parts.values():
        defined |= part.pop("$defs", {})
    found |= {"properties": parts, "required": sorted(parts)}
    return {**found, "$defs": defined} if defined else found


def explanation_schema() -> Json:
    """The schema of an explanation."""
    menu = menu_schema()
    defined = menu.pop("$defs", {})
    why = TypeAdapter(WhyNot).json_schema(mode="serialization")
    nothing = {"type": "null"}
    found = _either(menu={"anyOf": [menu, nothing]}, why_not={"anyOf": [why, nothing]})
    return {**found, "$defs": defined}


def path_schema() -> Json:
    """The schema of paths and plans."""
    ways = TypeAdapter(list[Path]).json_schema(mode="serialization")
    found = TypeAdapter(Plan).json_schema(mode="serialization")
    return _either(paths=ways, plan={"anyOf": [found, {"type": "null"}]})
