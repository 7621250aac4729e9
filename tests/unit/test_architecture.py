"""The rules of the code that no linter knows: who may import whom, and where Cypher may stand."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from spm.cypher import load, names

ROOT = Path(__file__).parents[2]
FOLDERS = ("cli", "evaluation", "service", "gnn", "registry", "cypher")
MODULES = {
    path: ast.parse(path.read_text(encoding="utf-8"), str(path))
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
}
# Downwards only; a layer may skip.
MAY_IMPORT = {
    "cli": {"cli", "evaluation", "service", "gnn", "registry", "cypher"},
    "evaluation": {"evaluation", "gnn", "registry", "cypher"},
    "service": {"service", "gnn", "registry", "cypher"},
    "gnn": {"gnn", "registry", "cypher"},
    "registry": {"registry", "cypher"},
    "cypher": {"cypher"},
}
ONLY_IN = {
    "neo4j": {"registry/bolt.py"},
    "kglite": {"registry/embedded.py"},
    "typer": {path.relative_to(ROOT).as_posix() for path in MODULES if path.parent.name == "cli"},
    "rich": {path.relative_to(ROOT).as_posix() for path in MODULES if path.parent.name == "cli"},
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[str]:
    """Every imported module, also inside functions, type checks and import_module calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Call) and callee(node) in ("import_module", "__import__"):
            if node.args and isinstance(node.args[0], ast.Constant):
                yield str(node.args[0].value)


def callee(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string but the docstrings, f-strings with their gaps as {}."""
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    inside = {id(p) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for p in n.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield (
                node.lineno,
                "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values),
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in documentation and id(node) not in inside:
                yield node.lineno, node.value


def test_there_is_something_to_look_at():
    found = {name_of(path).partition("/")[0] for path in MODULES}
    assert {"cli", "gnn", "registry", "cypher"} <= found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_downwards(path):
    layer = name_of(path).partition("/")[0]
    for module in imports(MODULES[path]):
        if module.startswith("spm."):
            assert module.split(".")[1] in MAY_IMPORT[layer], f"{name_of(path)} imports {module}"
        assert module.partition(".")[0] not in FOLDERS, f"{module}: import it as spm.{module}"


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_stays_in_its_place(library):
    users = {
        name_of(path)
        for path, tree in MODULES.items()
        if any(module.partition(".")[0] == library for module in imports(tree))
    }
    assert users
    assert users <= ONLY_IN[library]


def test_the_queries_need_only_the_standard_library():
    import sys

    for path, tree in MODULES.items():
        if name_of(path).startswith("cypher/"):
            found = {module.partition(".")[0] for module in imports(tree)}
            assert found <= sys.stdlib_module_names | {"spm"}


CYPHER = re.compile(
    r"\b(?:MATCH|MERGE|CREATE)\s*(?:\w+\s*=\s*)?\(|\bUNWIND\s+(?:\$?\w+\s+AS\b|\[)"
    r"|\bDETACH\s+DELETE\b|\bRETURN\s+\w+\.\w+"
    r"|\bCREATE\s+(?:VECTOR |FULLTEXT )?(?:CONSTRAINT|INDEX)\s+\w|\bCALL\s+db\."
    r"|\bSHOW\s+CONSTRAINTS\b"
)


def test_the_pattern_knows_cypher_when_it_sees_it():
    for name in names():
        assert CYPHER.search(load(name).text), name


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_cypher_stands_in_python(path):
    if name_of(path) == "registry/migrations.py":  # looks for names in schema files
        return
    found = [(line, text) for line, text in strings(MODULES[path]) if CYPHER.search(text)]
    assert not found


def query_names() -> dict[str, str]:
    """Literals given to load, read, run and saved, and the file where they stand."""
    found = {}
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if callee(node) not in ("load", "read", "run", "_read", "_run"):
                continue
            for _, text in strings(node.args[0]):
                if "/" in text:
                    found[text] = name_of(path)
    return found


def test_every_query_that_is_asked_for_exists():
    known = names()
    for text, path in query_names().items():
        pattern = re.escape(text).replace(re.escape("{}"), r"\w+")
        assert any(re.fullmatch(pattern, name) for name in known), f"{path} asks for {text!r}"


# Written for commands that are not there yet; this set may only shrink.
WAITING = {"state/forget", "state/migrations"}


def test_every_query_file_is_asked_for():
    asked = [re.compile(re.escape(text).replace(re.escape("{}"), r"\w+")) for text in query_names()]
    unused = [
        name
        for name in names()
        if not name.startswith(("saved/", "schema/"))
        and not any(pattern.fullmatch(name) for pattern in asked)
    ]
    assert set(unused) == WAITING


FORBIDDEN_IMPORTS = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_data_is_ever_executed(path):
    tree = MODULES[path]
    assert not {m.partition(".")[0] for m in imports(tree)} & FORBIDDEN_IMPORTS
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        where = f"{name_of(path)}:{node.lineno}"
        bare = isinstance(node.func, ast.Name)
        assert not (bare and callee(node) in ("eval", "exec", "compile")), where
        source = ast.unparse(node.func)
        assert source not in ("torch.load", "yaml.unsafe_load", "yaml.full_load", "os.system"), (
            where
        )
        for keyword in node.keywords:
            if keyword.arg in ("allow_pickle", "shell", "trust_remote_code"):
                assert isinstance(keyword.value, ast.Constant), where
                assert keyword.value.value is False, where
        if source in ("np.load", "numpy.load", "np.save"):
            assert any(k.arg == "allow_pickle" for k in node.keywords), where


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_functions_and_modules_stay_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
    for node in ast.walk(MODULES[path]):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{name_of(path)}:{node.lineno} {node.name} has {length} lines"


def test_modules_are_named_after_what_they_are():
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}
    assert not [name_of(path) for path in MODULES if path.stem in vague]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_is_for(path):
    assert ast.get_docstring(MODULES[path])
