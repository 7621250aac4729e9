"""The documents say what the code does."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from spm.cli.tree import app
from spm.registry.graph import LABELS, RELATIONSHIPS

ROOT = Path(__file__).parents[2]


def commands(command, path=()):
    """The paths of all commands that are no groups."""
    children = getattr(command, "commands", {})
    if not children:
        return {" ".join(path)}
    return {found for name, child in children.items() for found in commands(child, (*path, name))}


def documented() -> set[str]:
    """Commands in the first cells of the README's command table: the words before arguments."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = set()
    for cell in re.findall(r"^\|\s*`(spm [^`]*)`", readme, re.M):
        words = cell.split()
        end = next((i for i, w in enumerate(words) if not re.fullmatch("[a-z]+", w)), len(words))
        found.add(" ".join(words[:end]))
    return found


def test_the_readme_lists_every_command_and_no_other():
    there = {f"spm {name}" for name in commands(get_command(app))}
    assert len(there) >= 10
    assert documented() == there


def test_the_readme_shows_only_options_that_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for cell in re.findall(r"^\|\s*`(spm [^`]*)`", readme, re.M):
        command: Any = get_command(app)
        for word in cell.split()[1:]:
            if word in getattr(command, "commands", {}):
                command = command.commands[word]
        known = {option for parameter in command.params for option in parameter.opts}
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", cell):
            assert option in known, cell


@pytest.mark.parametrize("word", [*LABELS, *RELATIONSHIPS])
def test_the_graph_is_described_in_the_readme_of_its_folder(word):
    readme = (ROOT / "cypher" / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"\b{word}\b", readme)


def test_the_changelog_has_a_place_for_what_comes():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changelog
    assert changelog.index("## [Unreleased]") == changelog.index("\n## ") + 1


@pytest.mark.parametrize("document", ["README.md", "cypher/README.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(document):
    file = ROOT / document
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", file.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (file.parent / target).exists(), target


def test_tables_of_results_are_those_of_the_experiments():
    from spm.evaluation.reproduction import experiments
    from spm.evaluation.tables import render

    for name in ("README.md", "evaluation/RESULTS.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "<!-- table: " in text
        assert render(text, experiments()) == text, "render them with: make reproduce UPDATE=1"


def test_tables_of_speed_are_those_of_the_kept_findings():
    from spm.evaluation.speed.findings import kept
    from spm.evaluation.speed.table import render

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("<!-- speed: ") == 2
    assert render(text, kept()) == text, "render them with: make bench BENCHES="
