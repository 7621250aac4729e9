"""What is in the package: all of it, and nothing that an installation would miss."""

import shutil
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
SOURCE = ROOT / "src" / "spm"
TOP = sorted(link.name for link in SOURCE.iterdir() if link.is_symlink())
PACKAGES = sorted(
    path.parent.relative_to(ROOT).as_posix()
    for folder in TOP
    for path in (ROOT / folder).rglob("__init__.py")
)


def test_the_package_links_to_the_folders_of_code():
    assert {"registry", "gnn", "cypher", "cli"} <= set(TOP)
    for folder in TOP:
        link = SOURCE / folder
        assert not link.readlink().is_absolute()
        assert link.resolve() == ROOT / folder


def test_every_folder_with_code_is_a_package():
    for folder in TOP:
        for path in (ROOT / folder).rglob("*.py"):
            assert path.parent.relative_to(ROOT).as_posix() in PACKAGES, path


def test_package_data_takes_along_every_file_that_is_not_code():
    for folder in TOP:
        patterns = SETUPTOOLS["package-data"].get(f"spm.{folder}", [])
        taken = {path for pattern in patterns for path in (ROOT / folder).glob(pattern)}
        there = {
            path
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix not in (".py", ".pyc")
        }
        assert there <= taken
        for pattern in patterns:
            if pattern != "README.md":
                assert list((ROOT / folder).glob(pattern)), f"{pattern} matches nothing"


def test_the_installed_version_is_that_of_the_project():
    assert version("spm-registry") == PROJECT["project"]["version"]


def test_the_command_line_is_installed():
    assert PROJECT["project"]["scripts"] == {"spm": "spm_registry:main"}
    from spm_registry import main

    assert callable(main)


def test_the_embedded_engine_is_pinned_exactly():
    # Its file format and its failure modes were measured for one version.
    assert [d for d in PROJECT["project"]["dependencies"] if d.startswith("kglite==")]


def test_the_wheel_holds_code_queries_and_the_demo(tmp_path):
    try:
        found = version("setuptools")
    except PackageNotFoundError:
        found = "0"
    if int(found.partition(".")[0]) < 77:
        pytest.skip(f"building a wheel needs setuptools>=77, here is {found}; see make dist")
    shutil.rmtree(
        ROOT / "build" / "lib", ignore_errors=True
    )  # setuptools keeps deleted modules there
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
    wanted |= {"spm/__init__.py", "spm/__main__.py", "spm/py.typed", "spm_registry.py"}
    # Nothing else beside the metadata: benchmarks/ is for those who have the repository.
    assert {name for name in packed if ".dist-info/" not in name} == wanted
