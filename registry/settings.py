"""Where the store is and how to reach it: options first, then the environment, then defaults."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from spm.registry.errors import InputError, StoreError

SCHEMES = ("bolt://", "bolt+s://", "bolt+ssc://", "neo4j://", "neo4j+s://", "neo4j+ssc://")


@dataclass(frozen=True)
class Settings:
    """One store and its credentials; the password never appears in a repr."""

    store: str
    neo4j_username: str = "neo4j"
    neo4j_password: str = ""
    neo4j_database: str | None = None
    connect_seconds: float = 5.0
    retry_seconds: float = 30.0  # how long what may be repeated is repeated

    def __repr__(self) -> str:
        return f"Settings(store={self.store!r}, neo4j_username={self.neo4j_username!r})"

    @property
    def remote(self) -> bool:
        """Whether the store is a Neo4j server."""
        return self.store.startswith(SCHEMES)


def settings(store: str | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings: `store`, else SPM_STORE, else NEO4J_URI, else the user's data folder.

    User name and password come from NEO4J_USERNAME and NEO4J_PASSWORD, or from the file that
    NEO4J_AUTH_FILE names, as `user/password`: Neo4j's own image reads the same file.

    Raises:
        InputError: the address has a scheme that is not Neo4j's, or a home that is nobody's, or
            the file of the password cannot be read.
        StoreError: the path is a file.
    """
    chosen = store or environment.get("SPM_STORE") or environment.get("NEO4J_URI") or default_path()
    if "://" in chosen and not chosen.startswith(SCHEMES):
        raise InputError(
            f"{chosen!r} is neither a path nor an address of Neo4j. "
            f"Addresses start with {', '.join(SCHEMES)}"
        )
    if "://" in chosen and "@" in chosen:
        raise InputError(
            "An address of Neo4j carries no user name or password, because addresses are shown and "
            "logged. Set NEO4J_USERNAME and NEO4J_PASSWORD instead."
        )
    username, password = _login(environment) if "://" in chosen else ("neo4j", "")
    return Settings(
        store=chosen if "://" in chosen else _expanded(chosen),
        neo4j_username=username,
        neo4j_password=password,
        neo4j_database=environment.get("NEO4J_DATABASE") or None,
    )


def _login(environment: Mapping[str, str]) -> tuple[str, str]:
    """User name and password; where both ways are used, the variables win."""
    username = environment.get("NEO4J_USERNAME") or "neo4j"
    password = environment.get("NEO4J_PASSWORD", "")
    file = environment.get("NEO4J_AUTH_FILE")
    if password or not file:
        return username, password
    try:
        user, slash, secret = Path(file).read_text(encoding="utf-8").strip().partition("/")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read NEO4J_AUTH_FILE {file!r}: {error}.") from error
    if not (user and slash and secret):
        raise InputError(f"NEO4J_AUTH_FILE {file!r} holds no user/password, as neo4j/secret.")
    return user, secret


def _expanded(path: str) -> str:
    try:
        found = Path(path).expanduser()
    except RuntimeError as error:
        raise InputError(f"There is no home folder for {path!r}. Write the path out.") from error
    if found.exists() and not found.is_dir():
        raise StoreError(f"The store {str(found)!r} is a file, but a store is a folder. Name one.")
    return str(found)


def default_path() -> str:
    """The embedded store of this user."""
    from platformdirs import user_data_dir

    return str(Path(user_data_dir("spm", appauthor=False)) / "registry")
