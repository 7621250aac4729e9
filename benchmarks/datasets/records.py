"""Objects of a file that know where they stand, so that what is wrong with them can be told."""

from typing import Any

from spm.registry.errors import InputError

_WORDS: dict[type, str] = {
    str: "a text", list: "a list", dict: "an object", int: "a number", float: "a number",
    bool: "true or false", type(None): "null",
}  # fmt: skip


class Record(dict[str, Any]):
    """An object of a file, and where it stands."""

    place = ""

    @classmethod
    def of(cls, value: Any, place: str) -> "Record":
        """A record of a value that should be an object.

        Raises:
            InputError: it is not.
        """
        if not isinstance(value, dict):
            raise InputError(f"{place}: an object is expected, this is {word(value)}.")
        found = cls(value)
        found.place = place
        return found

    def need(self, key: str, kind: type | tuple[type, ...] = str) -> Any:
        """A value that must be there and of a kind.

        Raises:
            InputError: it is not.
        """
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if key not in self:
            raise InputError(f"{self.place}: {key!r} is missing.")
        if not isinstance(self[key], kinds):
            wanted = " or ".join(_WORDS[one] for one in kinds)
            raise InputError(f"{self.place}: {key!r} must be {wanted}, not {word(self[key])}.")
        return self[key]

    def said(self, key: str) -> str:
        """A text that may be missing or null.

        Raises:
            InputError: it is something else.
        """
        return self.need(key) if self.get(key) is not None else ""

    def inner(self, key: str) -> "Record":
        """An object in this one that must be there.

        Raises:
            InputError: it is not.
        """
        return Record.of(self.need(key, dict), f"{self.place}, {key}")

    def objects(self, key: str) -> "list[Record]":
        """A list of objects that must be there, each with its place.

        Raises:
            InputError: it is not, or an element is no object.
        """
        values = self.need(key, list)
        return [Record.of(v, f"{self.place}, {key}[{i}]") for i, v in enumerate(values)]

    def some(self, key: str) -> "list[Record]":
        """A list of objects that may be missing or null."""
        return self.objects(key) if self.get(key) is not None else []

    def names(self, key: str) -> list[str]:
        """A list of texts that must be there.

        Raises:
            InputError: it is not, or an element is no text.
        """
        values = self.need(key, list)
        for i, value in enumerate(values):
            if not isinstance(value, str):
                raise InputError(f"{self.place}, {key}[{i}] must be a text, not {word(value)}.")
        return list(values)


def word(value: Any) -> str:
    """What a value is, for messages."""
    return _WORDS.get(type(value), type(value).__name__)
