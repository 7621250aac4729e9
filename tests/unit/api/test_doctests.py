"""The examples in the documentation of the public API are true."""

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import spm
import spm.api

MODULES = [f"spm.api.{found.name}" for found in pkgutil.iter_modules(spm.api.__path__)]
EXAMPLES = {
    test.name: test
    for name in MODULES
    for test in doctest.DocTestFinder().find(import_module(name))
    if test.examples
}


def test_every_part_of_the_registry_shows_an_example():
    parts = ("Registry", "Menu", "Tools", "Fields", "Traces", "FrozenMenus", "Tokens", "Vectors")
    for part in parts:
        assert any(f".{part}" in name for name in EXAMPLES), part


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_true(name: str, shop_registry: spm.Registry, tmp_path: Path) -> None:
    test = EXAMPLES[name]
    test.globs = {"spm": spm, "registry": shop_registry, "folder": tmp_path}
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(test, out=said.append).failed == 0, "".join(said)
