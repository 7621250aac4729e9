"""`import spm`: what it offers, what it costs, and the unrelated distribution of the same name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import spm

SOURCE = Path(spm.__file__).parent.parent
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def python(code: str, *before: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with some folders in front of ours."""
    kept = {key: value for key, value in os.environ.items() if key not in THREADS}
    path = os.pathsep.join(map(str, (*before, SOURCE)))
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**kept, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
    )


def test_every_public_name_is_there():
    for name in spm.__all__:
        assert getattr(spm, name) is not None
    assert set(spm.__all__) <= set(dir(spm))
    assert spm.open.__module__ == "spm.api.registry"
    with pytest.raises(AttributeError, match=r"no attribute 'nothing'$"):
        spm.nothing  # noqa: B018


@pytest.mark.parametrize("module", ["spm", "spm.cli"])
def test_the_command_line_runs_as_a_module(module):
    found = subprocess.run(
        [sys.executable, "-m", module, "tools", "schema"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert '"$defs"' in found.stdout


def test_the_import_costs_nothing():
    done = python("import sys, spm; print({'numpy', 'pydantic', 'spm.api'} & sys.modules.keys())")
    assert done.stdout == "set()\n", done.stderr


PRINT = f"import os, spm; print([os.environ.get(name) for name in {THREADS}])"


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, ["1", "1", "1"]),
        ({"OPENBLAS_NUM_THREADS": "4"}, ["4", "1", "1"]),
        ({"OMP_NUM_THREADS": "4"}, [None, None, "4"]),  # speaks for the others too
    ],
)
def test_numeric_libraries_get_one_thread_unless_told_otherwise(environment, threads):
    assert python(PRINT, **environment).stdout == f"{threads}\n"


def test_threads_are_set_before_numpy_is_loaded():
    code = "import spm.registry.encoding, numpy, os; print(os.environ['OPENBLAS_NUM_THREADS'])"
    assert python(code).stdout == "1\n"
    assert python(f"import numpy; {PRINT}").stderr == ""  # too late, but no reason to complain


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder in which the unrelated distribution `spm` is installed."""
    (tmp_path / "spm").mkdir()
    (tmp_path / "spm" / "__init__.py").write_text("def run():\n    pass\n")
    _metadata(tmp_path)
    return tmp_path


def _metadata(folder: Path) -> None:
    (folder / "spm-0.9.1.dist-info").mkdir()
    said = "Metadata-Version: 2.1\nName: spm\nVersion: 0.9.1\n"
    (folder / "spm-0.9.1.dist-info" / "METADATA").write_text(said)


COMMAND = "import sys; sys.argv = ['spm', '--version']; import spm_registry; spm_registry.main()"


def test_the_command_says_what_took_its_place(other):
    done = python(COMMAND, other)
    assert done.returncode == 1
    assert str(other / "spm" / "__init__.py") in done.stderr
    assert "unrelated distribution spm 0.9.1" in done.stderr
    assert "pip uninstall spm" in done.stderr


def test_the_command_says_so_when_the_other_one_cannot_be_imported(other):
    (other / "spm" / "__init__.py").write_text("import a_library_that_is_not_there\n")
    done = python(COMMAND, other)
    assert done.returncode == 1
    assert "a_library_that_is_not_there" in done.stderr
    assert "unrelated distribution spm 0.9.1" in done.stderr


def test_the_command_says_so_when_a_removal_left_half_of_ours(tmp_path):
    # pip removes spm/__init__.py with the distribution that installed it last.
    (tmp_path / "spm" / "cli").mkdir(parents=True)
    (tmp_path / "spm_registry.py").write_text((SOURCE / "spm_registry.py").read_text())
    done = subprocess.run(
        [sys.executable, "-S", "-c", COMMAND],  # without site-packages, where a whole one may be
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "one without __init__.py" in done.stderr
    assert "--force-reinstall" in done.stderr


def test_a_missing_name_is_explained_where_both_are_installed(tmp_path):
    _metadata(tmp_path)
    done = python("import spm; spm.run", tmp_path)
    assert "no attribute 'run'. The unrelated distribution spm 0.9.1 is installed" in done.stderr


def test_the_command_runs_where_nothing_is_in_the_way():
    done = python(COMMAND)
    assert (done.returncode, done.stdout) == (0, f"spm {spm.__version__}\n"), done.stderr
