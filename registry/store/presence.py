"""Whether there is a registry at a place: a misspelt path must not look like an empty registry."""

import shlex
from pathlib import Path

from spm.registry.errors import NoRegistry
from spm.registry.settings import Settings, default_path


def has_registry(chosen: Settings) -> bool:
    """Whether anything was ever written; the user's own store may wait for its first tool.

    Raises:
        NoRegistry: a place was named, and nothing is there.
    """
    if chosen.remote or any(Path(chosen.store).glob("*.spm")):
        return True
    if chosen.store == default_path():
        return False
    raise NoRegistry(chosen.store, shlex.quote(chosen.store))
