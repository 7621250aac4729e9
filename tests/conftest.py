"""What every test stands on: no settings of the user, no data of the user, one demo store."""

import os
import shutil
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is loaded

import hypothesis
import pytest

from tests.support.shared import made_once

if TYPE_CHECKING:
    from spm.registry.encoding import Encoder
    from spm.registry.models import Manifest, Trace
    from spm.registry.registry import Registry
    from spm.registry.store.embedded_store import EmbeddedStore

pytest_plugins = ["tests.support.neo4j_server", "tests.support.groups", "tests.support.vectors"]
KEPT = ("SPM_TEST_", "SPM_REQUIRE_NEO4J", "SPM_NEO4J_JARS", "SPM_NEO4J_VERSION")

# The same examples in every run: a red suite means a change of the code. Look further with
# HYPOTHESIS_PROFILE=search.
hypothesis.settings.register_profile("same", deadline=None, derandomize=True, max_examples=100)
hypothesis.settings.register_profile("search", deadline=None, max_examples=2_000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_configure() -> None:
    try:
        import spm.registry  # noqa: F401
    except ImportError:
        pytest.exit("spm is not installed: run make dev", returncode=4)


def pytest_report_header() -> str:
    return f"kglite {version('kglite')}, neo4j driver {version('neo4j')}"


@pytest.fixture(autouse=True)
def _own_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in list(os.environ):
        if name.startswith(("SPM_", "NEO4J_")) and not name.startswith(KEPT):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "user-data"))


@pytest.fixture(scope="session")
def encoder() -> "Encoder":
    from spm.gnn.encoders.by_name import load_encoder

    return load_encoder()


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory, encoder: "Encoder") -> Path:
    """The demo with its vectors, made once (ten seconds); never written again."""
    from spm.registry import demo
    from spm.registry.registry import Registry
    from tests.support import vectors

    def make(folder: Path) -> None:
        with Registry.open(str(folder / "store")) as registry:
            for manifest in demo.manifests():
                registry.register(manifest)
            registry.import_traces(demo.trajectories())
            registry.encode(encoder)
        vectors.keep(folder / "vectors.npz")

    made = made_once(tmp_path_factory, "demo", make)
    vectors.learn(made / "vectors.npz")
    return made / "store"


@pytest.fixture(scope="session")
def shop(demo_folder: Path) -> "Iterator[Registry]":
    """The demo, to read from."""
    from spm.registry.registry import Registry

    with Registry.open(str(demo_folder)) as registry:
        yield registry


@pytest.fixture
def shop_copy(demo_folder: Path, tmp_path: Path) -> Path:
    """The folder of a demo that a test may change."""
    return Path(shutil.copytree(demo_folder, tmp_path / "shop"))


@pytest.fixture
def store(tmp_path: Path) -> "Iterator[EmbeddedStore]":
    """An empty embedded store."""
    from spm.registry.store.embedded_store import EmbeddedStore

    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def registry(store: "EmbeddedStore") -> "Registry":
    """An empty registry."""
    from spm.registry.registry import Registry

    return Registry(store)


@pytest.fixture(scope="session")
def manifest() -> "Callable[..., Manifest]":
    """Make a manifest: manifest("mail", send=(["address"], ["message_id"]), draft={…})."""
    from spm.registry.models import Manifest

    def make(service: str, **tools: Any) -> Manifest:
        return Manifest.model_validate(
            {"spm": 1, "service": service, "tools": [_tool(n, t) for n, t in tools.items()]}
        )

    return make


def _tool(name: str, given: Any) -> dict[str, Any]:
    if isinstance(given, dict):
        return {"name": name, **given}
    needs, gives = given
    return {
        "name": name,
        "inputs": [{"name": field} for field in needs],
        "outputs": [{"name": field} for field in gives],
    }


@pytest.fixture(scope="session")
def trace() -> "Callable[..., Trace]":
    """Make a trace: trace("a", "b!", success=True), where "b!" is a call that failed."""
    from spm.registry.models import Trace

    def make(*steps: str, **more: Any) -> Trace:
        calls = [{"tool": step.rstrip("!"), "ok": not step.endswith("!")} for step in steps]
        return Trace.model_validate({"request": "do it", "steps": calls, **more})

    return make
