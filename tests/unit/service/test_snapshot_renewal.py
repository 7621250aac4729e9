"""The snapshot of a server while a service runs: who renews it, and what if that fails."""

import asyncio
import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spm.gnn.encoders.by_name import encoder_of
from spm.gnn.snapshot import renewal_process
from spm.gnn.snapshot.lifecycle import snapshots_of
from spm.gnn.snapshot.renewal_process import renew
from spm.registry.models import Manifest
from spm.registry.registry import Registry
from spm.registry.settings import Settings
from spm.registry.store.lock import WriterLock
from spm.service import snapshot_renewal
from spm.service.settings import ServiceSettings
from spm.service.state import Service

TOOLS = Manifest.model_validate(
    {"spm": 1, "service": "shop", "tools": [{"name": "find_order", "description": "Find one"}]}
)
MORE = Manifest.model_validate(
    {"spm": 1, "service": "post", "tools": [{"name": "send_letter", "description": "Send one"}]}
)


def test_what_has_no_snapshot_gets_its_vectors_and_one(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        registry.register(TOOLS)
        assert renew(registry)
        assert registry.encoded()
        assert not renew(registry)  # there is one of this moment
        registry.register(MORE)
        assert snapshots_of(registry).current() is None
        assert renew(registry)
        found = snapshots_of(registry).current()
        assert found is not None
        assert len(found.ids) == 2


def test_one_process_renews(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        registry.register(TOOLS)
        registry.encode(encoder_of(registry.store))
        other = WriterLock(snapshots_of(registry).folder() / "renewing")
        other.acquire()
        assert not renew(registry)
        other.release()
        assert renew(registry)


@pytest.fixture
def service(tmp_path: Path) -> Service:
    """Of a server that is not there: what is tested here never asks it."""
    return Service(ServiceSettings(), Settings("bolt://127.0.0.1:1"))


def command(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.setattr(snapshot_renewal, "COMMAND", (sys.executable, "-c", code))


def test_the_next_look_waits_as_long_as_the_renewal_took(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    command(monkeypatch, "import time; time.sleep(0.7)")
    assert asyncio.run(snapshot_renewal._renewed(service)) >= 0.7 * snapshot_renewal.SPARE


def test_who_finds_another_at_it_looks_again_later_and_says_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    command(monkeypatch, f"import sys; sys.exit({renewal_process.NOTHING})")
    with caplog.at_level(logging.INFO):
        assert asyncio.run(snapshot_renewal._renewed(service)) == snapshot_renewal.BUSY
    assert not caplog.messages


def test_what_came_to_nothing_is_not_begun_again_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody writes all the time, reading all of it again and again would be in vain."""
    monkeypatch.setattr(snapshot_renewal, "BUSY", 0.0)
    command(monkeypatch, f"import sys, time; time.sleep(0.7); sys.exit({renewal_process.NOTHING})")
    assert asyncio.run(snapshot_renewal._renewed(service)) >= 0.7 * snapshot_renewal.SPARE


def test_the_process_says_whether_it_was_needed(tmp_path: Path) -> None:
    with Registry.open(str(tmp_path)) as registry:
        registry.register(TOOLS)
    command = [*snapshot_renewal.COMMAND, str(tmp_path)]
    codes = [subprocess.run(command, check=False).returncode for _ in range(2)]
    assert codes == [0, renewal_process.NOTHING]
    (tmp_path / "journal.spm").write_bytes(b"damaged")
    broken = subprocess.run(command, check=False, capture_output=True, text=True)
    assert broken.returncode == renewal_process.FAILED
    assert "Traceback" not in broken.stderr


def test_a_failure_is_told_and_not_repeated_at_once(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    command(monkeypatch, "import sys; sys.exit('one\\nthe disk is full')")
    with caplog.at_level(logging.WARNING):
        assert asyncio.run(snapshot_renewal._renewed(service)) >= snapshot_renewal.FAILED
    assert caplog.messages == ["The snapshot was not renewed: the disk is full"]


def test_a_stop_ends_the_renewal(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    command(monkeypatch, "import time; time.sleep(600)")

    async def stopped() -> None:
        task = asyncio.create_task(snapshot_renewal._renewed(service))
        await asyncio.sleep(0.3)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()

    began = time.monotonic()
    asyncio.run(stopped())
    assert time.monotonic() - began < 60


def test_who_is_away_lacks_nothing(service: Service) -> None:
    assert asyncio.run(snapshot_renewal._stale(service)) is False


def test_an_embedded_store_is_left_to_its_menus(tmp_path: Path) -> None:
    service = Service(ServiceSettings(), Settings(str(tmp_path)))
    asyncio.run(asyncio.wait_for(snapshot_renewal.keep(service), 5))
