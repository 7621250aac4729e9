"""The rules of the code that no linter knows: who may import whom, and where Cypher may stand."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import spm
from spm.cypher import load, names

ROOT = Path(__file__).parents[2]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


FOLDERS = ("benchmarks", "cli", "api", "evaluation", "service", "gnn", "registry", "cypher")
MODULES = {
    path: ast.parse(path.read_text(encoding="utf-8"), str(path))
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
}
# Downwards only; a layer may skip. Nothing that is installed imports benchmarks, which is not.
MAY_IMPORT = {
    "benchmarks": set(FOLDERS),
    "cli": {"cli", "api", "evaluation", "service", "gnn", "registry", "cypher"},
    "api": {"api", "gnn", "registry", "cypher"},
    "evaluation": {"evaluation", "gnn", "registry", "cypher"},
    "service": {"service", "gnn", "registry", "cypher"},
    "gnn": {"gnn", "registry", "cypher"},
    "registry": {"registry", "cypher"},
    "cypher": {"cypher"},
}
ONLY_IN = {
    "neo4j": {"registry/store/neo4j_store.py"},
    "kglite": {"registry/store/embedded_store.py"},
    "typer": {name for name in map(name_of, MODULES) if name.startswith(("benchmarks/", "cli/"))},
    "rich": {name for name in map(name_of, MODULES) if name.startswith(("benchmarks/", "cli/"))},
}


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
    assert {"cli", "api", "gnn", "registry", "cypher"} <= found


def test_imports_point_downwards():
    wrong = []
    for path, tree in MODULES.items():
        allowed = MAY_IMPORT[name_of(path).partition("/")[0]]
        for module in imports(tree):
            root, _, rest = module.partition(".")
            layer = rest.partition(".")[0] if root == "spm" else root
            layer = layer or "api"  # `import spm` is the public API
            above = root in ("spm", "benchmarks") and layer not in allowed
            if above or root in set(FOLDERS) - {"benchmarks"}:
                wrong.append(f"{name_of(path)} imports {module}")
    assert not wrong


def test_the_command_line_uses_no_store():
    found = [
        f"{name_of(path)}:{node.lineno} {ast.unparse(node)}"
        for path, tree in MODULES.items()
        if name_of(path).startswith("cli/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "store"
    ]
    assert not found


def test_the_examples_import_only_the_public_names():
    for path in sorted((ROOT / "examples").glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        ours = {module for module in imports(tree) if module.partition(".")[0] == "spm"}
        assert ours <= {"spm"}, path
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "spm"
        }
        assert used <= set(spm.__all__), path


# Modules that import each other; this set may only shrink.
CYCLES: set[tuple[str, ...]] = set()
PLACE = re.compile(r"(spm\.[\w.]+):\w+")  # of a command that is loaded when it is run


def import_graph() -> dict[str, set[str]]:
    """Which module imports which, at its top, inside functions, for type checks and by name."""
    known = {module_of(path): tree for path, tree in MODULES.items()}
    graph: dict[str, set[str]] = {}
    for name, tree in known.items():
        lazy = [place[1] for _, text in strings(tree) if (place := PLACE.fullmatch(text))]
        found = {one if one in known else one.rpartition(".")[0] for one in (*imports(tree), *lazy)}
        graph[name] = found & known.keys() - {name}
    return graph


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(parts if parts[0] == "benchmarks" else ("spm", *parts))
    return name.removesuffix(".__init__")


def reached(graph: dict[str, set[str]], start: str) -> set[str]:
    """All modules that one imports, also by way of others."""
    found: set[str] = set()
    left = [start]
    while left:
        new = graph[left.pop()] - found
        found |= new
        left += new
    return found


def cycles(graph: dict[str, set[str]]) -> set[tuple[str, ...]]:
    """Groups of modules that import each other, directly or by way of others."""
    reach = {name: reached(graph, name) for name in graph}
    return {
        tuple(sorted(other for other in reach[name] if name in reach[other]))
        for name in graph
        if name in reach[name]
    }


def test_cycles_are_found():
    graph = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert cycles(graph) == {("a", "b", "c"), ("d", "e")}


def test_modules_do_not_import_each_other():
    graph = import_graph()
    assert "spm.cli.commands.menus.menu" in graph["spm.cli.main"], "commands are loaded by name"
    assert cycles(graph) == CYCLES


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


# They look for names in the statements of the schema.
SCHEMA_READERS = ("registry/store/migrations.py", "registry/insight/model.py")


def test_no_cypher_stands_in_python():
    found = [
        f"{name_of(path)}:{line} {text}"
        for path, tree in MODULES.items()
        if name_of(path) not in SCHEMA_READERS
        for line, text in strings(tree)
        if CYPHER.search(text)
    ]
    assert not found


def query_names() -> dict[str, str]:
    """Literals given to load, read, run and saved, and the file where they stand."""
    found = {}
    for path, tree in MODULES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if callee(node) not in (
                "load",
                "read",
                "run",
                "_read",
                "_run",
                "_found",
                "_ids",
                "_shortest",
            ):
                continue
            for _, text in strings(node.args[1 if callee(node) == "_shortest" else 0]):
                if "/" in text:
                    found[text] = name_of(path)
    return found


def test_every_query_that_is_asked_for_exists():
    known = names()
    for text, path in query_names().items():
        pattern = re.escape(text).replace(re.escape("{}"), r"\w+")
        assert any(re.fullmatch(pattern, name) for name in known), f"{path} asks for {text!r}"


def test_every_query_file_is_asked_for():
    asked = [re.compile(re.escape(text).replace(re.escape("{}"), r"\w+")) for text in query_names()]
    unused = [
        name
        for name in names()
        if not name.startswith(("saved/", "schema/"))
        and not any(pattern.fullmatch(name) for pattern in asked)
    ]
    assert unused == []


FORBIDDEN_IMPORTS = {"pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}


FORBIDDEN_CALLS = {"torch.load", "yaml.unsafe_load", "yaml.full_load", "os.system"}


def executes(node: ast.Call) -> bool:
    """Whether a call could run data as code."""
    source = ast.unparse(node.func)
    if isinstance(node.func, ast.Name) and callee(node) in ("eval", "exec", "compile"):
        return True
    if source in FORBIDDEN_CALLS:
        return True
    if source in ("np.load", "numpy.load", "np.save"):
        if not any(keyword.arg == "allow_pickle" for keyword in node.keywords):
            return True
    return any(
        not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
        for keyword in node.keywords
        if keyword.arg in ("allow_pickle", "shell", "trust_remote_code")
    )


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("eval(x)", True),
        ("model.eval()", False),
        ("torch.load(x)", True),
        ("yaml.full_load(x)", True),
        ("np.load(x)", True),
        ("np.load(x, allow_pickle=False)", False),
        ("np.load(x, allow_pickle=True)", True),
        ("run(x, shell=y)", True),
        ("run(x, shell=False)", False),
    ],
)
def test_calls_that_execute_data_are_recognised(code, forbidden):
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert executes(call) is forbidden


def test_no_data_is_ever_executed():
    found = []
    for path, tree in MODULES.items():
        taken = {module.partition(".")[0] for module in imports(tree)} & FORBIDDEN_IMPORTS
        found += [f"{name_of(path)} imports {module}" for module in sorted(taken)]
        found += [
            f"{name_of(path)}:{node.lineno} {ast.unparse(node.func)}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and executes(node)
        ]
    assert not found


def test_functions_stay_small():
    long = [
        f"{name_of(path)}:{node.lineno} {node.name}"
        for path, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > 60
    ]
    assert not long


def test_modules_are_named_after_what_they_are():
    vague = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
    assert not [name_of(path) for path in MODULES if path.stem in vague]


def test_every_module_says_what_it_is_for():
    assert not [name_of(path) for path, tree in MODULES.items() if not ast.get_docstring(tree)]
