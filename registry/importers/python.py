"""Read Python functions as tools: names, docstrings, type hints. Importing runs a module's code.

Nothing but the import is run: no function is ever called. Register only modules that you would
also start yourself.
"""

import importlib
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Never, NoReturn, Union, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter
from pydantic.json_schema import PydanticJsonSchemaWarning
from typing_extensions import TypedDict, is_typeddict

from spm.registry.errors import ManifestError
from spm.registry.importers.functions import assemble, define
from spm.registry.importers.references import Notes
from spm.registry.importers.source import Source
from spm.registry.models import ToolSpec

Function = Callable[..., Any]
VALIDATION: Literal["validation"] = "validation"
MAX_DEPTH = 8  # of TypedDicts in TypedDicts, which may contain themselves
SKIPPED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def read_python(target: str, service: str | None = None) -> Source:
    """Read one function, or all public functions of a module that have a docstring.

    This imports the module, and so runs its code with the rights of the caller. The current
    folder can be imported from, after everything that is installed.

    Args:
        target: `package.module:function` or `package.module`.
        service: who provides the tools; without it, the module's name.

    Raises:
        ManifestError: the module cannot be imported, or holds no such function.
    """
    path, _, attribute = target.partition(":")
    module = _imported(path, target)
    notes = Notes()
    if attribute:
        functions = {attribute: _function(module, attribute, target)}
    else:
        functions = dict(_public(module, notes))
    tools = [_tool(name, function, path, notes) for name, function in functions.items()]
    return assemble(target, "python", service or path, tools, notes)


def read_callables(functions: Iterable[Function], service: str | None = None) -> Source:
    """Read functions that are at hand; none of them is called.

    Args:
        functions: the functions.
        service: who provides the tools; without it, the name of their module.

    Raises:
        ManifestError: there is no function, or they are of several modules and nobody named the
            service.
    """
    found = list(functions)
    for one in found:
        if not inspect.isroutine(one):
            raise ManifestError(f"{one!r} is not a function, so it cannot be registered as a tool.")
    modules = sorted({one.__module__ for one in found})
    if service is None and len(modules) > 1:
        raise ManifestError(
            f"The functions are of several modules: {', '.join(modules)}. Name who provides them "
            "with service=."
        )
    notes = Notes()
    tools = [_tool(one.__qualname__, one, one.__module__, notes) for one in found]
    named = service or "".join(modules)
    source = assemble(named or "functions", "python", named, tools, notes)
    return replace(source, origin=f"python:{named}")


def load_function(target: str) -> Function:
    """The function that `package.module:function` names. Imports the module, as `read_python` does.

    Raises:
        ManifestError: the module cannot be imported, or holds no such function.
    """
    path, _, attribute = target.partition(":")
    return _function(_imported(path, target), attribute, target)


def _imported(path: str, target: str) -> ModuleType:
    if not path or not all(part.isidentifier() for part in path.split(".")):
        raise ManifestError(
            f"{target!r} is not a Python path. Write package.module:function or package.module."
        )
    try:
        with _current_folder():
            return importlib.import_module(path)
    # Whatever the module's own code raises, also when it calls sys.exit: it is not spm's fault.
    except (Exception, SystemExit) as error:
        kind, message = type(error).__name__, str(error) or "no message"
        raise ManifestError(f"Cannot import {path!r}: {kind}: {message}") from error


@contextmanager
def _current_folder() -> Iterator[None]:
    # Last, so that a file in the folder cannot take the place of an installed module.
    folder = os.getcwd()
    sys.path.append(folder)
    try:
        yield
    finally:
        if folder in sys.path:
            del sys.path[len(sys.path) - 1 - sys.path[::-1].index(folder)]


def _function(module: ModuleType, attribute: str, target: str) -> Function:
    found: Any = module
    for part in attribute.split("."):
        found = getattr(found, part, None)
    if not inspect.isroutine(found):
        names = ", ".join(name for name, _ in _public(module, Notes())) or "none"
        raise ManifestError(f"{target!r} is not a function. Functions of the module: {names}.")
    return found


def _public(module: ModuleType, notes: Notes) -> Iterator[tuple[str, Function]]:
    for name, value in vars(module).items():
        if name.startswith("_") or not inspect.isfunction(value):
            continue
        if value.__module__ != module.__name__:  # only imported there
            continue
        if inspect.getdoc(value):
            yield name, value
        else:
            notes.add("Left out, because it has no docstring", name)


def _tool(name: str, function: Function, module: str, notes: Notes) -> ToolSpec | None:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # some functions written in C have none
        notes.add("Left out, because its signature cannot be read", name)
        return None
    hints = _hints(function, name, notes)
    simple = name.rpartition(".")[2]
    return define(
        simple,
        notes,
        description=_first_paragraph(function),
        input_schema=_parameters(signature, hints, simple, notes),
        output_schema=_result(hints, simple, notes),
        call={"format": "python", "module": module, "function": name},
    )


def _first_paragraph(function: Function) -> str:
    paragraph = (inspect.getdoc(function) or "").partition("\n\n")[0]
    return " ".join(paragraph.split())


def _hints(function: Function, name: str, notes: Notes) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    # A hint is any expression; evaluating one that only type checkers see fails in any way.
    except Exception as error:
        notes.add(f"Type hints cannot be evaluated ({error})", name)
        return {}


def _parameters(
    signature: inspect.Signature, hints: dict[str, Any], name: str, notes: Notes
) -> dict[str, Any]:
    taken = [
        parameter
        for position, parameter in enumerate(signature.parameters.values())
        if parameter.kind not in SKIPPED
        and not (position == 0 and parameter.name in ("self", "cls"))
    ]
    adapters = {p.name: _adapter(hints.get(p.name, Any), name, notes) for p in taken}
    known = [(key, VALIDATION, adapter) for key, adapter in adapters.items() if adapter]
    with _no_schema_warnings():
        schemas, shared = TypeAdapter.json_schemas(known)
    return {
        **shared,
        "type": "object",
        "properties": {p.name: schemas.get((p.name, VALIDATION), {}) for p in taken},
        "required": [p.name for p in taken if p.default is inspect.Parameter.empty],
    }


def _result(hints: dict[str, Any], name: str, notes: Notes) -> dict[str, Any] | None:
    hint = hints.get("return", Any)
    if hint in (NoneType, Never, NoReturn):
        return None
    adapter = _adapter(hint, name, notes)
    with _no_schema_warnings():
        schema = adapter.json_schema(mode="serialization") if adapter else {}
    if not schema or (schema.get("type") == "object" and not schema.get("properties")):
        notes.add("The return type names no fields, so no outputs are known", name)
        return None
    return schema


def _adapter(hint: Any, name: str, notes: Notes) -> TypeAdapter[Any] | None:
    try:
        with _no_schema_warnings():
            adapter: TypeAdapter[Any] = TypeAdapter(_modern(hint))
            adapter.json_schema(mode="validation")
            adapter.json_schema(mode="serialization")
    # Types can bring their own code for this, which may raise anything.
    except Exception:
        notes.add("A type has no JSON Schema, so its fields are unknown", name)
        return None
    return adapter


def _modern(hint: Any, depth: int = 0) -> Any:
    """The same hint with TypedDicts as pydantic wants them before Python 3.12."""
    if depth > MAX_DEPTH:
        return Any
    if is_typeddict(hint):
        fields = get_type_hints(hint, include_extras=True)
        members = {key: _modern(value, depth + 1) for key, value in fields.items()}
        return TypedDict(hint.__name__, members, total=hint.__total__)  # type: ignore[operator]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return Union[tuple(_modern(argument, depth + 1) for argument in arguments)]  # noqa: UP007
    if origin in (list, set, tuple, dict):
        return origin[tuple(_modern(argument, depth + 1) for argument in arguments)]
    return hint


@contextmanager
def _no_schema_warnings() -> Iterator[None]:
    # A default that JSON cannot express is left out; nothing else is lost.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PydanticJsonSchemaWarning)
        yield
