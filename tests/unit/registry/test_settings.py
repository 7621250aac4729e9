"""Where the store is."""

from pathlib import Path

import pytest

from spm.registry.errors import InputError
from spm.registry.settings import SCHEMES, settings


def test_the_option_goes_before_the_environment():
    environment = {"SPM_STORE": "/b", "NEO4J_URI": "bolt://c"}
    assert settings("/a", environment).store == "/a"
    assert settings(None, environment).store == "/b"
    assert settings(None, {"NEO4J_URI": "bolt://c"}).store == "bolt://c"


def test_the_default_is_a_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert settings(None, {}).store == str(tmp_path / "spm" / "registry")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_addresses_of_neo4j_are_remote(scheme):
    assert settings(f"{scheme}localhost:7687", {}).remote


@pytest.mark.parametrize("address", ["http://x", "file:///tmp/x", "foo://x", "Bolt//x://"])
def test_other_addresses_are_refused_with_those_that_work(address):
    with pytest.raises(InputError, match=r"neither a path nor an address.*bolt://"):
        settings(address, {})


def test_home_is_expanded(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ann")
    assert settings("~/store", {}).store == str(Path("/home/ann/store"))
    assert not settings("~/store", {}).remote


def test_a_home_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="'~nobody-of-that-name/x'"):
        settings("~nobody-of-that-name/x", {})


def test_the_password_never_shows():
    found = settings(None, {"NEO4J_URI": "bolt://x", "NEO4J_PASSWORD": "hunter2"})
    assert found.neo4j_password == "hunter2"
    assert "hunter2" not in repr(found)
    assert "hunter2" not in str(found)


def test_empty_variables_count_as_unset():
    found = settings("bolt://x", {"NEO4J_USERNAME": "", "NEO4J_DATABASE": ""})
    assert (found.neo4j_username, found.neo4j_database) == ("neo4j", None)


def test_user_and_password_may_stand_in_a_file(tmp_path):
    (file := tmp_path / "auth").write_text("ann/with/slashes\n")
    named = {"NEO4J_AUTH_FILE": str(file)}
    found = settings("bolt://x", named)
    assert (found.neo4j_username, found.neo4j_password) == ("ann", "with/slashes")
    assert settings("bolt://x", {**named, "NEO4J_PASSWORD": "p"}).neo4j_password == "p"
    assert settings("/a", {"NEO4J_AUTH_FILE": "/not/there"}).neo4j_password == ""


@pytest.mark.parametrize("text", ["", "neo4j", "neo4j/", "/secret", b"\xff/x"])
def test_a_file_without_them_is_refused_without_repeating_it(tmp_path, text):
    (file := tmp_path / "auth").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match="NEO4J_AUTH_FILE") as raised:
        settings("bolt://x", {"NEO4J_AUTH_FILE": str(file)})
    assert "secret" not in str(raised.value).replace("as neo4j/secret", "")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="Cannot read NEO4J_AUTH_FILE"):
        settings("bolt://x", {"NEO4J_AUTH_FILE": str(tmp_path / "none")})
