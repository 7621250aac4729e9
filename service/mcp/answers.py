"""What the tools of the MCP server answer, as one caller sees the registry."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from spm.registry import Registry
from spm.registry.access import Caller
from spm.registry.menus.evidence import review
from spm.registry.menus.markdown import to_markdown
from spm.registry.menus.providers import PROVIDERS
from spm.registry.menus.serving import Serving, serve
from spm.registry.paths import Path, Plan, find_paths, plan
from spm.registry.ranking import Ask, Menu, WhyNot
from spm.registry.sighted import sighted
from spm.registry.tools import Resolver
from spm.service.mcp.questions import ExplainQuestion, PathQuestion
from spm.service.menus import MenuQuestion

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A structured result, and the text for clients that read nothing else."""

    structured: Json
    text: str


def build_menu(registry: Registry, caller: Caller, question: MenuQuestion) -> Answer:
    """The menu as `spm menu --json` prints it, with definitions where a format is asked for."""
    ready = served(registry, question.ask(registry, caller), question)
    found = {**ready.as_dict(), "notes": ready.notes()}
    if question.format in PROVIDERS:
        found["definitions"] = ready.definitions()
    return Answer(found, written(ready))


def explain_menu(registry: Registry, caller: Caller, question: ExplainQuestion) -> Answer:
    """The terms and edges behind a menu; or why a tool is not in it.

    Raises:
        UnknownTool: the tool is not there, or the caller may not know of it.
    """
    ask = question.ask(registry, caller)
    if question.tool is None:
        ready = served(registry, ask, question)
        return Answer({"menu": ready.as_dict(), "why_not": None}, written(ready))
    tool = Resolver(sighted(registry.store, _witness(caller))).resolve(question.tool)
    found = registry.why_not(ask, tool)
    reasons = " ".join(found.reasons) or f"It is in the menu, at place {found.rank}."
    admitted = f" Admitted by: {'; '.join(found.admitted_by)}." if found.admitted_by else ""
    return Answer({"menu": None, "why_not": asdict(found)}, f"{tool}: {reasons}{admitted}")


def find_path(registry: Registry, caller: Caller, question: PathQuestion) -> Answer:
    """Ways from one tool to another, or a plan.

    Raises:
        UnknownTool, UnknownField: a name is not there, or the caller may not know of it.
    """
    question.check()
    seen = sighted(registry.store, caller)
    if question.source is not None:
        ways = find_paths(seen, question.source, question.to)
        lines = [
            f"{way.kind}: " + " → ".join([way.hops[0].source, *(hop.target for hop in way.hops)])
            for way in ways
        ]
        nothing = f"No way from {question.source!r} to {question.to!r}."
        return Answer(
            {"paths": [asdict(way) for way in ways], "plan": None}, "\n".join(lines) or nothing
        )
    found = plan(seen, question.have, question.to)
    asked = f" A user has to say: {', '.join(found.ask)}." if found.ask else ""
    return Answer({"paths": [], "plan": asdict(found)}, " → ".join(found.steps) + f".{asked}")


def served(registry: Registry, ask: Ask, question: MenuQuestion) -> Serving:
    """The menu of a question under the names that it asks for."""
    return serve(
        registry.store,
        registry.answer(ask),
        question.format,
        ranked=question.aliases,
        budget=question.token_budget,
    )


def written(ready: Serving) -> str:
    """A menu as Markdown, under the names that its definitions have."""
    return to_markdown(ready.menu, ready.names.of, review(ready.menu))


def _witness(caller: Caller) -> Caller:
    """Who may know of a tool: what a read-only caller may not call it may still have heard of."""
    return replace(caller, read_only=False)


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
