"""Reading as one caller: rows about tools that the caller does not see are not there."""

from spm.registry.access import Caller
from spm.registry.reader import Reader
from spm.registry.store import Row

# The columns in which the queries of names, paths and plans answer ids of tools.
_TOOLS = ("id", "next")
_VOCABULARY = "fields/vocabulary"


class Sighted:
    """Answers as if the hidden tools did not exist; meant for one question, not for keeping."""

    def __init__(self, store: Reader, caller: Caller) -> None:
        self._store = store
        self._caller = caller
        self._seen = {row["id"] for row in store.read("access/tools", **caller.params())}

    def read(self, name: str, /, **params: object) -> list[Row]:
        """Run a read query file whose rows are about tools; others are refused.

        Raises:
            ValueError: the query answers no ids of tools, so nothing could be hidden.
        """
        if name == _VOCABULARY:  # types and spellings come from all tools: names alone are safe
            return self._store.read("access/fields", **self._caller.params())
        if name == "fields/same":  # a person's decision about names, which the caller gave
            return self._store.read(name, **params)
        rows = self._store.read(name, **params)
        if rows and not any(column in rows[0] for column in _TOOLS):
            raise ValueError(f"{name} cannot be read as a caller")
        return [r for r in rows if all(r[c] in self._seen for c in _TOOLS if c in r)]


def sighted(store: Reader, caller: Caller) -> Reader:
    """The store as a caller sees it; the store itself for who sees everything."""
    return Sighted(store, caller) if caller.restricted else store
