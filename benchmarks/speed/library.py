"""Generated registries to measure on, built once and kept, with vectors that cost next to nothing.

Encoding the texts of 16,000 tools takes minutes and says nothing about the speed of menus. Here the
vector of a text is the mean of its words' vectors, which the real encoder made, with a little noise
of its own. It lies where real vectors lie; only its meaning is poor. Requests are really encoded.
"""

import json
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed import generator
from benchmarks.speed.workers import Tell, run
from spm.gnn.encoders.by_name import encoder_of
from spm.registry.encoding import KINDS, Encoder, pending
from spm.registry.errors import InputError, SpmError
from spm.registry.registry import Registry
from spm.registry.store.interface import Vector

VERSION = 2  # raised when the same size gives another library
NOISE = 0.3
VECTORS = "Vectors of the generated texts are means of their words' vectors; requests are encoded."
_WORD = re.compile("[A-Za-z]+")


def library(cache: Path, tools: int, traces: int, tell: Tell | None = None) -> Path:
    """The folder of a generated registry; built where it is not there yet, whole or not at all.

    Another process builds it: what that takes must not count as memory of whoever measures.

    Raises:
        InputError: it cannot be built there.
    """
    place = cache / f"generated-{VERSION}-{tools}-{traces}"
    if place.exists():
        return place
    try:
        cache.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix="draft-", dir=cache))
    except OSError as error:
        raise InputError(
            f"Cannot use {str(cache)!r}: {error.strerror or error}. Choose another with --cache."
        ) from error
    try:
        run("benchmarks.speed.library", draft, tools, traces, tell=tell)
        draft.rename(place)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return place


def fill(registry: Registry, tools: int, traces: int, tell: Tell) -> None:
    """Put a generated library into an empty registry, with vectors."""
    for number, manifest in enumerate(generator.manifests(tools), 1):
        registry.register(manifest)
        tell("Registering", number, -(-tools // generator.PER_SERVICE))
    tell("Importing traces", 0, 0)
    registry.import_traces(generator.traces(tools, traces))
    tell("Making vectors", 0, 0)
    put_vectors(registry)


def put_vectors(registry: Registry) -> None:
    """Give every text that has none a vector, made of its words."""
    store = registry.store
    encoder = encoder_of(store)
    for kind in KINDS:
        if rows := pending(store, kind):
            ids, texts, heads, digests = zip(*rows, strict=True)
            vectors = approximate(encoder, heads)
            store.put_vectors(kind, ids, texts, digests, vectors, encoder.name)


def approximate(encoder: Encoder, texts: Sequence[str]) -> Vector:
    """Unit vectors of texts, from those of their words; the same for the same text."""
    split = [_WORD.findall(text.lower()) or [""] for text in texts]
    words = sorted({word for found in split for word in found})
    known = dict(zip(words, encoder.encode_documents(words), strict=True))
    made = np.empty((len(texts), encoder.dimensions), dtype=np.float32)
    for at, (text, found) in enumerate(zip(texts, split, strict=True)):
        chance = np.random.default_rng(zlib.crc32(text.encode()))
        noise = chance.standard_normal(encoder.dimensions, dtype=np.float32)
        mean = np.mean([known[word] for word in found], axis=0)
        made[at] = mean + noise * (NOISE / np.sqrt(encoder.dimensions))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def main() -> None:
    """Build a library in another process: FOLDER TOOLS TRACES."""
    folder, tools, traces = sys.argv[1:]

    def say(stage: str, done: int, total: int) -> None:
        print(json.dumps({"stage": stage, "done": done, "total": total}), flush=True)

    try:
        with Registry.open(folder) as registry:
            fill(registry, int(tools), int(traces), say)
    except SpmError as error:
        print(json.dumps({"failed": str(error)}))


if __name__ == "__main__":
    main()
