"""Start a real Neo4j Community server from its published Maven jars, without Docker or an install.

Standard library only, so that it runs before anything is installed. Not for production: Bolt on the
loopback address alone, no HTTP, and a small heap unless it is started to be measured.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Self

HERE = Path(__file__).resolve().parent
POM = HERE / "jars" / "pom.xml"
CACHE = HERE.parent / ".neo4j"
INSTALLED = Path("/usr/lib/jvm")  # where Debian, Ubuntu and Fedora put every Java that they have
START_SECONDS, STOP_SECONDS, MAVEN_SECONDS = 120.0, 60.0, 900.0

# Heap sizes in neo4j.conf are read by Neo4j's own shell script, not by the server: hence flags.
# C1 alone and the serial collector save a third or more of a start's processor time (README.md).
JVM = ["-Xms512m", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
# As Neo4j's own script starts it, with a heap for 100,000 tools: speed is measured so.
# Lucene compares vectors with the processor's wide instructions only where the module is there.
SERVING = ["-Xms2g", "-Xmx2g", "-XX:+UseG1GC", "--add-modules=jdk.incubator.vector"]
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
OPENING = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
PAGE_CACHE, SERVING_PAGE_CACHE = "pagecache.size=128m", "pagecache.size=1g"


class ServerUnavailable(RuntimeError):
    """This machine cannot run the server: Java, Maven or the jars are missing."""


class ServerFailed(RuntimeError):
    """The server could have run here, but did not come up."""


class LocalServer:
    """One Neo4j process with its own home; a second start on the same home keeps data and password.

    Start it from a thread that lives as long as the server: Linux ties the process to that thread.
    """

    def __init__(
        self,
        home: Path,
        password: str,
        port: int | None = None,
        *settings: str,
        version: str | None = None,
        serving: bool = False,
    ) -> None:
        self.version = version or wanted()
        self.serving = serving  # with the memory and the compiler of a server that serves
        self.home = home.resolve()
        self.password = password
        self.settings = settings  # more lines of neo4j.conf
        self.port = port or _bind(0)
        self._log = self.home / "console.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def uri(self) -> str:
        """Where a driver connects; the same after every restart."""
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int | None:
        """The process id while the server runs."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> None:
        """Start the server and wait until Bolt answers.

        Raises:
            ServerUnavailable: Java, Maven or the jars are missing.
            ServerFailed: the port is taken, or the server ended or stayed silent.
        """
        folder = jars(version=self.version)
        flags = [*(SERVING if self.serving else JVM), *OPENING]
        java = [_java(self.version), *flags, "-cp", f"{folder}/*"]
        _bind(self.port)  # a stranger listening there would answer in our server's place
        self._prepare(java)
        atexit.register(self.kill)
        try:
            self._launch([*java, _entry(folder / f"neo4j-{self.version}.jar")])
            self._wait_for_bolt()
        except BaseException:  # also Ctrl-C: no half-started server stays behind
            self.kill()
            raise

    def stop(self) -> None:
        """Shut down cleanly; kill what has not ended after a minute."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process:
                self._process.terminate()
                self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End the process at once with SIGKILL, as a crash would."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None
        atexit.unregister(self.kill)

    def restart(self) -> None:
        """Stop if running, then start on the same home and port."""
        self.stop()
        self.start()

    def wait(self) -> int:
        """Wait until the server ends by itself."""
        return self._process.wait() if self._process else 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _prepare(self, java: list[str]) -> None:
        for folder in ("conf", "import"):
            (self.home / folder).mkdir(parents=True, exist_ok=True)
        settings = (HERE / "neo4j.conf").read_text()
        if not _is_5(self.version):
            settings += (HERE / "calendar.conf").read_text()
        if self.serving:
            settings = settings.replace(PAGE_CACHE, SERVING_PAGE_CACHE)
        lines = [settings.replace("{port}", str(self.port)), *self.settings]
        (self.home / "conf/neo4j.conf").write_text("\n".join(lines))
        if (self.home / "data" / "databases").exists():
            return  # the initial password counts only before the first start
        tool = ["org.neo4j.cli.AdminTool", "dbms", "set-initial-password", self.password]
        env = os.environ | {"NEO4J_HOME": str(self.home), "NEO4J_CONF": f"{self.home}/conf"}
        done = subprocess.run([*java, *tool], env=env, capture_output=True, text=True)
        if done.returncode:
            raise ServerFailed(f"Neo4j refused the initial password: {done.stderr.strip()}")

    def _launch(self, java: list[str]) -> None:
        command = [*java, "--console-mode", f"--home-dir={self.home}"]
        command += [f"--config-dir={self.home}/conf"]
        if sys.platform == "linux":
            command = [sys.executable, "-IS", str(HERE / "tied.py"), str(os.getpid()), *command]
        with self._log.open("wb") as log:
            # Its own session: Ctrl-C reaches Python alone, which then stops the server in order.
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, start_new_session=True
            )

    def _wait_for_bolt(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not _answers_bolt(self.port):
            if self.pid is None or time.monotonic() > deadline:
                tail = self._log.read_text(errors="replace").splitlines()[-20:]
                state = "is silent" if self.pid else "has ended"
                raise ServerFailed("\n".join([f"Neo4j {state} instead of answering Bolt:", *tail]))
            time.sleep(0.2)


def named(line: str) -> str:
    """The version that the pom names for a line: `lts` or `calendar`."""
    return str(ET.parse(POM).findtext(f".//{{*}}neo4j.{line}"))


def wanted() -> str:
    """The version to start: SPM_NEO4J_VERSION (or a line's name), else the long-term one."""
    given = os.environ.get("SPM_NEO4J_VERSION") or "lts"
    return given if given[0].isdigit() else named(given)


def jars(cache: Path | None = None, version: str | None = None) -> Path:
    """Return the folder of jars (cache, SPM_NEO4J_JARS or .neo4j/…), filled once by Maven.

    Raises:
        ServerUnavailable: Java or Maven is missing, or the download failed.
    """
    version = version or wanted()
    _java(version)
    given = os.environ.get("SPM_NEO4J_JARS") if version == wanted() else None
    folder = Path(cache or given or CACHE / f"jars-{version}").resolve()
    if not (folder / f"neo4j-{version}.jar").exists():
        _download(folder, version)
    return folder


def _download(folder: Path, version: str) -> None:
    # Beside the target, so that the rename is atomic: others see every jar or none.
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".jars-") as scratch:
        fresh = Path(scratch) / "lib"
        _run_maven(fresh, version)
        try:
            fresh.rename(folder)
        except OSError as error:
            # Another process was faster; anything else in the way is not ours to remove.
            if not (folder / f"neo4j-{version}.jar").exists():
                raise ServerUnavailable(f"'{folder}' holds other files than the jars.") from error


def _run_maven(target: Path, version: str) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise ServerUnavailable("Maven (mvn) is not on the PATH, and it downloads Neo4j's jars.")
    command = [maven, "-q", "-B", "-f", str(POM), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-Dneo4j.lts={version}", f"-DoutputDirectory={target}"]
    try:
        subprocess.run(command, capture_output=True, text=True, timeout=MAVEN_SECONDS, check=True)
    except subprocess.SubprocessError as error:
        said = re.findall(r"\[ERROR\] (.*)", str(getattr(error, "stdout", ""))) or [error]
        raise ServerUnavailable(f"Maven could not download Neo4j's jars: {said[0]}") from error


def _is_5(version: str) -> bool:
    return version.startswith("5.")


def _entry(jar: Path) -> str:
    """The class that starts a server of this jar: it has changed its name between versions."""
    with zipfile.ZipFile(jar) as opened:
        return opened.read("META-INF/services/org.neo4j.server.startup.EntryPoint").decode().strip()


def _java(version: str) -> str:
    """The first Java that is new enough: JAVA_HOME's, the PATH's, then any that is installed."""
    needed = 17 if _is_5(version) else 21
    passed = []
    for java in _javas():
        said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
        found = re.search(r'version "(\d+)', said)
        if found and int(found[1]) >= needed:
            return java
        passed.append(said.partition("\n")[0][:40])
    if not passed:
        raise ServerUnavailable(f"Java is not on the PATH; Neo4j {version} needs Java {needed}.")
    got = ", ".join(dict.fromkeys(passed))
    raise ServerUnavailable(f"Neo4j {version} needs Java {needed} or newer (got {got}).")


def _javas() -> Iterator[str]:
    if home := os.environ.get("JAVA_HOME"):
        yield f"{home}/bin/java"
    if on_path := shutil.which("java"):
        yield on_path
    yield from map(str, sorted(INSTALLED.glob("*/bin/java")))


def _bind(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as after a restart
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise ServerFailed(f"Port {port} is not free: {error.strerror}.") from error
        return int(probe.getsockname()[1])


def _answers_bolt(port: int) -> bool:
    # Bolt handshake: magic, then four versions we would speak; the server picks one or sends zeros.
    hello = bytes.fromhex("6060B017 00000405 00000004 00000000 00000000")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(hello)
            answer = connection.recv(4)
    except OSError:
        return False
    # Not 0 is our own magic: TCP may connect a local port to itself while nobody listens.
    return any(answer) and answer[0] == 0


def main(arguments: list[str] | None = None) -> int:
    """Run one server in the foreground until Ctrl-C, SIGTERM or its own end."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--home", type=Path, default=CACHE / "dev")
    parser.add_argument("--port", type=int, default=7687)
    parser.add_argument("--password", required=True)
    parser.add_argument("--version", default=wanted(), help="of Neo4j (default: %(default)s)")
    parser.add_argument(
        "--serving", action="store_true", help="with more memory and the whole compiler"
    )
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    more = {"version": options.version, "serving": options.serving}
    started = LocalServer(options.home, options.password, options.port, **more)
    try:
        with started as server:
            login = f"NEO4J_USERNAME=neo4j NEO4J_PASSWORD={shlex.quote(server.password)}"
            print(f"export NEO4J_URI={server.uri} {login}", flush=True)
            server.wait()
    except KeyboardInterrupt:
        return 0
    except (ServerUnavailable, ServerFailed) as error:
        print(error, file=sys.stderr)
    return 1  # it never ran, or ended unasked


if __name__ == "__main__":
    sys.exit(main())
