"""The documents say what the code does."""

import re
from pathlib import Path
from typing import Any

from spm.registry.store.schema import LABELS, RELATIONSHIPS

ROOT = Path(__file__).parents[2]


def pages() -> list[Path]:
    """README, CHANGELOG and their like, the pages of docs/, and the readmes of folders."""
    return [*ROOT.glob("*.md"), *ROOT.glob("[a-z]*/README.md"), *(ROOT / "docs").rglob("*.md")]


def test_the_command_reference_is_complete_and_current():
    import docs.cli_reference as reference

    found = reference.PAGE.read_text(encoding="utf-8")
    assert found.count("\n## spm ") >= 10
    assert found == reference.page(), "renew it with: make docs"


def test_documents_show_only_options_that_exist():
    import docs.cli_reference as reference

    known = dict(reference.commands(reference.root()))
    shown = 0
    for page in pages():
        for text in re.findall(r"`(spm [^`]*)`", page.read_text(encoding="utf-8")):
            name = max((n for n in known if f"{text} ".startswith(f"{n} ")), key=len, default="")
            options = {option for p in known[name].params for option in p.opts} if name else set()
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text if name else ""):
                assert option in options, f"{page.name}: {text}"
                shown += 1
    assert shown > 10


def test_benchmarks_that_documents_name_exist():
    from typer.main import get_command

    from benchmarks.commands import app

    named = 0
    for page in pages():
        for words in re.findall(r"python -m benchmarks ([a-z_ ]+)", page.read_text("utf-8")):
            command: Any = get_command(app)
            for word in words.split():
                if children := getattr(command, "commands", None):
                    assert word in children, f"{page.name}: {words}"
                    command = children[word]
                    named += 1
    assert named > 5


def test_files_that_documents_name_exist():
    for page in pages():
        text = re.sub(r"registry/\w+/acme|test_acme|formats/acme", "", page.read_text("utf-8"))
        for name in re.findall(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|cypher|json|yaml|md|conf))`", text):
            assert (ROOT / name).exists(), f"{page.name}: {name}"


def test_the_graph_is_described_in_the_readme_of_its_folder():
    readme = (ROOT / "cypher" / "README.md").read_text(encoding="utf-8")
    words = [*LABELS, *RELATIONSHIPS]
    assert [word for word in words if not re.search(rf"\b{word}\b", readme)] == []


def test_the_changelog_has_a_place_for_what_comes():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changelog
    assert changelog.index("## [Unreleased]") == changelog.index("\n## ") + 1


def test_links_to_files_lead_somewhere():
    for page in pages():
        text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text):
            if "://" in target:
                continue
            file = page.parent / target if target else page
            assert file.exists(), f"{page.name}: {target}"
            if anchor:
                assert anchor in anchors(file), f"{page.name}: {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in addresses."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation_of_the_site():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))
    docs = ROOT / "docs"
    assert listed == {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}


def test_pictures_are_small():
    pictures = list((ROOT / "docs" / "images").iterdir())
    assert pictures
    assert all(picture.stat().st_size < 200_000 for picture in pictures)


def test_the_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 160


def test_tables_of_results_are_those_of_the_experiments():
    from benchmarks.reproduce import experiments
    from benchmarks.result_tables import PAGES, render

    for page in PAGES:
        text = page.read_text("utf-8")
        assert "<!-- table: " in text
        assert render(text, experiments()) == text, "render them with: make reproduce UPDATE=1"


def test_tables_of_speed_are_those_of_the_kept_findings():
    from benchmarks.speed.report.findings import kept
    from benchmarks.speed.report.table import render

    text = (ROOT / "docs" / "performance.md").read_text("utf-8")
    assert text.count("<!-- speed: ") == 2
    assert render(text, kept()) == text, "render them with: make bench BENCHES="
