"""What is in the package: all of it, and nothing that an installation would miss."""

import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
FOLDERS = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for path in ROOT.glob("*/**/__init__.py")
    if not path.relative_to(ROOT).parts[0].startswith((".", "tests", "build", "dist", "docker"))
)
TOP = [folder for folder in FOLDERS if "/" not in folder]


def test_the_listed_packages_are_the_folders_of_code():
    assert {"registry", "gnn", "cypher", "cli"} <= set(FOLDERS)
    packages = [f"spm.{folder.replace('/', '.')}" for folder in FOLDERS]
    assert sorted(SETUPTOOLS["packages"]) == packages
    for package, folder in SETUPTOOLS["package-dir"].items():
        assert package == f"spm.{folder.replace('/', '.')}"
    assert set(TOP) <= set(SETUPTOOLS["package-dir"].values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_package_says_that_it_is_typed(folder):
    assert (ROOT / folder / "py.typed").is_file()
    assert "py.typed" in SETUPTOOLS["package-data"]["*"]


@pytest.mark.parametrize("folder", TOP)
def test_package_data_takes_along_every_file_that_is_not_code(folder):
    patterns = [*SETUPTOOLS["package-data"].get(f"spm.{folder}", []), "py.typed"]
    taken = {path for pattern in patterns for path in (ROOT / folder).glob(pattern)}
    there = {
        path
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc") and path.name != "py.typed"
    }
    assert there <= taken
    for pattern in patterns:
        if pattern != "README.md":
            assert list((ROOT / folder).glob(pattern)), f"{pattern} matches nothing"


def test_the_installed_version_is_that_of_the_project():
    assert version("spm-registry") == PROJECT["project"]["version"]


def test_the_command_line_is_installed():
    assert PROJECT["project"]["scripts"] == {"spm": "spm.cli.start:run"}
    from spm.cli.start import run

    assert callable(run)


def test_the_embedded_engine_is_pinned_exactly():
    # Its file format and its failure modes were measured for one version.
    assert [d for d in PROJECT["project"]["dependencies"] if d.startswith("kglite==")]


def test_the_public_names_of_the_registry_can_be_imported():
    import spm.registry

    for name in spm.registry.__all__:
        assert getattr(spm.registry, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        spm.registry.nothing  # noqa: B018


def test_the_wheel_holds_code_queries_and_the_demo(tmp_path):
    try:
        found = version("setuptools")
    except PackageNotFoundError:
        found = "0"
    if int(found.partition(".")[0]) < 77:
        pytest.skip(f"building a wheel needs setuptools>=77, here is {found}; see make dist")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(tmp_path), str(ROOT)], check=True, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"spm/{path.relative_to(ROOT).as_posix()}"
        for folder in TOP
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert {name for name in packed if name.startswith("spm/")} == wanted
