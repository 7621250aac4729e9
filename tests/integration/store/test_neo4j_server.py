"""The launcher in docker/server.py, with a real server, and with stand-ins for poor machines."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import neo4j
import pytest

PASSWORD = "spm-launcher-password"


@pytest.fixture(scope="module")
def local(launcher: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    server = launcher.LocalServer(tmp_path_factory.mktemp("launched"), PASSWORD)
    try:
        server.start()
    except launcher.ServerUnavailable as unavailable:
        if os.environ.get("SPM_REQUIRE_NEO4J") == "1":
            raise
        pytest.skip(str(unavailable))
    yield server
    server.stop()


@pytest.fixture
def fake(tmp_path: Path, launcher: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put shell scripts on an otherwise empty PATH, where nothing else is installed."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(launcher, "INSTALLED", tmp_path / "jvm")
    for name in ("JAVA_HOME", "SPM_NEO4J_VERSION", "SPM_NEO4J_JARS"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "bin").mkdir()

    def script(name: str, body: str) -> None:
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    return script


def ask(server: Any, statement: str, password: str = PASSWORD) -> list[Any]:
    with neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", password)) as driver:
        return driver.execute_query(statement).records


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":  # ended; whoever inherited it has not looked yet
            return True
        time.sleep(0.05)
    return False


@pytest.mark.neo4j
def test_it_answers_cypher_as_community_edition(local: Any) -> None:
    rows = ask(local, "CALL dbms.components() YIELD edition, versions RETURN edition, versions")
    assert rows[0]["edition"] == "community"
    assert rows[0]["versions"] == [local.version]


@pytest.mark.neo4j
def test_a_wrong_password_is_refused(local: Any) -> None:
    with pytest.raises(neo4j.exceptions.AuthError):
        ask(local, "RETURN 1", password="not-the-password")


@pytest.mark.neo4j
def test_files_cannot_be_loaded_from_disk(local: Any) -> None:
    with pytest.raises(neo4j.exceptions.Neo4jError, match="allow_csv_import_from_file_urls"):
        ask(local, "LOAD CSV FROM 'file:///x.csv' AS row RETURN row")


@pytest.mark.neo4j
def test_a_second_start_on_a_taken_port_is_refused(
    local: Any, launcher: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(launcher.ServerFailed, match=f"Port {local.port} is not free"):
        launcher.LocalServer(tmp_path, PASSWORD, local.port).start()


@pytest.mark.neo4j
def test_committed_data_survives_a_kill(local: Any) -> None:
    ask(local, "CREATE (:Kept {name: 'before the kill'})")
    pid = local.pid
    local.kill()
    assert gone(pid)
    local.restart()
    assert ask(local, "MATCH (k:Kept) RETURN k.name AS name")[0]["name"] == "before the kill"


@pytest.mark.neo4j
def test_stop_leaves_no_process(local: Any) -> None:
    pid = local.pid
    local.stop()
    assert gone(pid)
    assert local.pid is None
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", local.port)) != 0


@pytest.mark.neo4j
def test_wiping_removes_nodes_and_schema(neo4j_bare: Any, wipe: Callable[[Any], None]) -> None:
    with neo4j_bare.driver() as driver:
        driver.execute_query("CREATE CONSTRAINT `odd``name` FOR (t:T) REQUIRE t.x IS UNIQUE")
        driver.execute_query("CREATE INDEX plain FOR (t:T) ON (t.y)")
        driver.execute_query("UNWIND range(1, 1200) AS x CREATE (:T {x: x})-[:R]->(:U)")
        wipe(neo4j_bare)
        left = driver.execute_query("MATCH (n) RETURN count(n) AS n").records[0]["n"]
        kinds = driver.execute_query("SHOW INDEXES YIELD type").records
    assert left == 0
    assert {row["type"] for row in kinds} == {"LOOKUP"}


@pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's")
def test_a_killed_parent_takes_its_child_along(launcher: ModuleType) -> None:
    tied = str(launcher.HERE / "tied.py")
    code = "import os, subprocess, sys\n"
    code += "tied = [sys.executable, sys.argv[1], str(os.getpid()), '/bin/sleep', '60']\n"
    code += "child = subprocess.Popen(tied, stdout=subprocess.DEVNULL)\n"
    code += "print(child.pid, flush=True)\nchild.wait()"
    command = [sys.executable, "-c", code, tied]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        while "sleep" not in Path(f"/proc/{child}/cmdline").read_text().split("\0")[0]:
            time.sleep(0.02)
        parent.send_signal(signal.SIGKILL)
    assert gone(child)


def test_missing_java_is_said_in_one_sentence(
    launcher: ModuleType, tmp_path: Path, fake: Any
) -> None:
    with pytest.raises(launcher.ServerUnavailable, match=r"^Java is not on the PATH; .+\.$"):
        launcher.LocalServer(tmp_path / "home", PASSWORD).start()


def test_an_old_java_is_named(launcher: ModuleType, tmp_path: Path, fake: Any) -> None:
    fake("java", """echo 'openjdk version "11.0.2"' >&2""")
    with pytest.raises(launcher.ServerUnavailable, match=r"needs Java 17 .+11\.0\.2"):
        launcher.jars(tmp_path / "jars")


def test_another_version_is_started_by_a_java_that_is_new_enough(
    launcher: ModuleType, tmp_path: Path, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake("java", """echo 'openjdk version "17.0.2"' >&2""")
    monkeypatch.setenv("SPM_NEO4J_VERSION", "calendar")
    version = launcher.named("calendar")
    assert launcher.wanted() == version
    with pytest.raises(launcher.ServerUnavailable, match=rf"{version} needs Java 21 .+17\.0\.2"):
        launcher.jars(tmp_path / "jars")
    newer = tmp_path / "jvm" / "newer" / "bin"
    newer.mkdir(parents=True)
    (newer / "java").write_text("""#!/bin/sh\necho 'openjdk version "21.0.8"' >&2\n""")
    (newer / "java").chmod(0o755)
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / f"neo4j-{version}.jar").touch()
    assert launcher.jars(tmp_path / "jars") == tmp_path / "jars"


def test_jars_of_another_version_are_not_taken(
    launcher: ModuleType, tmp_path: Path, fake: Any
) -> None:
    fake("java", """echo 'openjdk version "21.0.1"' >&2""")
    fake("mvn", """for last; do :; done\n/bin/mkdir "${last#-DoutputDirectory=}" """)
    jars = tmp_path / "cache" / "jars"
    jars.mkdir(parents=True)
    (jars / "neo4j-5.26.1.jar").touch()
    with pytest.raises(launcher.ServerUnavailable, match="holds other files"):
        launcher.jars(jars)


def test_missing_maven_matters_only_without_jars(
    launcher: ModuleType, tmp_path: Path, fake: Any
) -> None:
    fake("java", """echo 'openjdk version "17.0.1"' >&2""")
    with pytest.raises(launcher.ServerUnavailable, match=r"^Maven \(mvn\) is not on the PATH"):
        launcher.jars(tmp_path / "jars")


def test_a_failed_download_leaves_nothing_half(
    launcher: ModuleType, tmp_path: Path, fake: Any
) -> None:
    fake("java", """echo 'openjdk version "17.0.1"' >&2""")
    fake("mvn", 'echo "[ERROR] host unknown"; exit 1')
    with pytest.raises(launcher.ServerUnavailable, match=r"jars: host unknown$"):
        launcher.jars(tmp_path / "cache" / "jars")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_faster_download_by_another_process_is_taken(
    launcher: ModuleType, tmp_path: Path, fake: Any
) -> None:
    jars = tmp_path / "cache" / "jars"
    fake("java", """echo 'openjdk version "17.0.1"' >&2""")
    fake(
        "mvn",
        f"""for last; do :; done
/bin/mkdir "${{last#-DoutputDirectory=}}" {jars} && : > {jars}/neo4j-5.26.30.jar""",
    )
    assert launcher.jars(jars) == jars
    assert list((tmp_path / "cache").iterdir()) == [jars]
    assert [jar.name for jar in jars.iterdir()] == ["neo4j-5.26.30.jar"]


def test_a_server_that_ends_early_shows_its_log(
    launcher: ModuleType, tmp_path: Path, fake: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "jars", lambda version: tmp_path)
    with zipfile.ZipFile(tmp_path / f"neo4j-{launcher.wanted()}.jar", "w") as jar:
        jar.writestr("META-INF/services/org.neo4j.server.startup.EntryPoint", "an.EntryPoint\n")
    fake(
        "java",
        """echo 'openjdk version "17.0.1"' >&2
case "$*" in *EntryPoint*) echo 'out of coffee'; exit 3;; esac""",
    )
    with pytest.raises(launcher.ServerFailed, match=r"has ended(.|\n)*out of coffee"):
        launcher.LocalServer(tmp_path / "home", PASSWORD).start()
