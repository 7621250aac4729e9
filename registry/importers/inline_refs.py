"""Write a schema out without references, so that it needs no other document; bounded in size."""

import math
from typing import Any

from spm.registry.importers.json_schema import Schemas, Shape
from spm.registry.importers.references import clean

MAX_SCHEMA = 20_000  # characters of a written-out schema


def write_out(schemas: Schemas, shape: Shape, *, inputs: bool) -> tuple[dict[str, Any], bool]:
    """A schema that needs no other, smaller and smaller until it fits; and whether it lost some."""
    for depth, texts in ((8, True), (2, True), (1, False)):
        writer = _Writer(schemas, inputs=inputs, texts=texts)
        try:
            return writer.write(shape, depth), writer.cut or depth < 8
        except _TooLargeError:
            continue
    return {"type": "object"}, True


class _TooLargeError(Exception):
    """A schema that does not fit when it is written out."""


class _Writer:
    """Writes a schema out without references, up to a size; alternatives become optional."""

    def __init__(self, schemas: Schemas, *, inputs: bool, texts: bool) -> None:
        self.schemas, self.inputs, self.texts = schemas, inputs, texts
        self.size, self.cut = 0, False

    def write(self, shape: Shape, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {"type": shape.type}
        if self.texts and shape.description:
            found["description"] = shape.description
        left_out = ("nullable",) if self.inputs else ("nullable", "examples")
        found |= {word: self.plain(v, 6) for word, v in shape.more.items() if word not in left_out}
        if shape.more.get("nullable") is True:
            found["type"] = [shape.type, "null"]
        self._spend(20 + len(found.get("description", "")))
        if depth <= 0 and (shape.properties or isinstance(shape.items, dict)):
            self.cut = True
        elif shape.properties:
            found |= self._properties(shape, depth)
        elif isinstance(shape.items, dict):
            found["items"] = self.write(self.schemas.shape(shape.items), depth - 1)
        return found

    def _properties(self, shape: Shape, depth: int) -> dict[str, Any]:
        written = {}
        for name, schema in shape.properties.items():
            inner = self.schemas.shape(schema)
            if not (inner.read_only if self.inputs else inner.write_only):
                self._spend(len(name) + 6)
                written[clean(name)] = self.write(inner, depth - 1)
        required = sorted(name for name in shape.required if name in written)
        return {"properties": written, **({"required": required} if required else {})}

    def plain(self, value: object, depth: int) -> Any:
        """Copy a value that is no schema: a default, an enumeration, a text."""
        if isinstance(value, dict) and depth:
            return {clean(str(k)): self.plain(v, depth - 1) for k, v in value.items()}
        if isinstance(value, list) and depth:
            return [self.plain(v, depth - 1) for v in value]
        text = clean(value) if isinstance(value, str) else value
        self._spend(len(str(text)) + 4)
        if isinstance(text, float) and not math.isfinite(text):
            return None
        return text if isinstance(text, str | int | float | bool) else None

    def _spend(self, size: int) -> None:
        self.size += size
        if self.size > MAX_SCHEMA:
            raise _TooLargeError
