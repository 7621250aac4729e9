"""The sentence encoder all-MiniLM-L6-v2 as a BERT forward pass in numpy, without torch.

It reads the published weights and gives the vectors of sentence-transformers, to about 1e-7. It
does not train and knows no other model.

Each text goes through the network alone, never padded into a batch. BLAS may sum in another order
when a matrix has another shape, so only alone does a text get the same vector to the last bit
whichever texts it comes with. The price, measured on one core against batches of four of similar
length: 1.8 times the time at 16 tokens a text, 1.1 times at 49, none at 136. The last bits still
depend on the number of BLAS threads (by up to 1e-7) and may depend on the processor. Where torch is
the runtime (see `networks.runtime`) it reads texts in batches (`torch_bert`), which are the same to
about 1e-6 and depend on their company in the last bits.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from spm.gnn.networks import runtime
from spm.registry.request.clauses import clauses

if TYPE_CHECKING:
    from tokenizers import Encoding

    from spm.gnn.encoders.torch_bert import TorchBert

Array: TypeAlias = NDArray[np.float32]


class MiniLM:
    """all-MiniLM-L6-v2: six layers of BERT, mean pooling, unit length.

    Documents and requests are encoded alike: the model was trained without instructions.
    """

    name = "all-MiniLM-L6-v2"
    dimensions = 384

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_bytes())
        self._heads: int = config["num_attention_heads"]
        self._layers: int = config["num_hidden_layers"]
        self._epsilon: float = config["layer_norm_eps"]
        sentence = json.loads((folder / "sentence_bert_config.json").read_bytes())
        self._max_tokens: int = sentence["max_seq_length"]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        # The file asks for exactly 128 tokens, which sentence-transformers overrides too.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(self._max_tokens)
        self._weights = _map_safetensors(folder / "model.safetensors")
        self._torch: dict[str, TorchBert] = {}  # by device

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Array:
        """Encode the texts that are searched; see `encode`."""
        return self.encode(texts, progress)

    def encode_requests(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Array:
        """Encode the texts that are searched for; see `encode`."""
        return self.encode(texts, progress)

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> Array:
        """Return one row of unit length per text, in order.

        Args:
            texts: What to encode; of each, the first 256 tokens count.
            progress: Called after each text with the number of texts done so far.
        """
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        first_row: dict[str, int] = {}  # a text that repeats is encoded once
        made = self._vectors(list(dict.fromkeys(texts)))
        for row, text in enumerate(texts):
            known = first_row.setdefault(text, row)
            vectors[row] = next(made) if known == row else vectors[known]
            if progress is not None:
                progress(row + 1)
        return vectors

    def _vectors(self, texts: Sequence[str]) -> Iterator[Array]:
        if runtime.chosen() == "numpy":
            return map(self._vector, texts)
        return map(_unit, self._states_of(self._tokens(text).ids for text in texts))

    def _vector(self, text: str) -> Array:
        return _unit(self._states(self._tokens(text).ids))

    def encode_clauses(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[Array]:
        """Return for each text a row for the whole and one for each of its clauses.

        A clause is the mean of its own tokens, after the whole text went through the network: it
        costs nothing more, and its words mean what they mean in their sentence.
        """
        found = []
        read = [self._tokens(text) for text in texts]
        every = self._states_of(tokens.ids for tokens in read)
        for count, (text, tokens, states) in enumerate(zip(texts, read, every, strict=True), 1):
            parts = clauses(text)
            rows = [_unit(states)]
            begins = np.array([begin for begin, _ in tokens.offsets])
            inside = np.array([end > begin for begin, end in tokens.offsets])
            for begin, end in parts:
                own = inside & (begins >= begin) & (begins < end)
                rows.append(_unit(states[own]) if own.any() and len(parts) > 1 else rows[0])
            found.append(np.stack(rows))
            if progress is not None:
                progress(count)
        return found

    def _tokens(self, text: str) -> "Encoding":
        # Tokenising 100,000 characters takes longer than the network. Tokens never span a space,
        # so a head that ends before a space and fills all places gives the tokens of the whole
        # text. A head that does not fill them (blanks, endless words) is dropped.
        end = text.rfind(" ", 0, 4096) if len(text) > 4096 else -1
        for part in (text[:end], text) if end > 0 else (text,):
            # A lone surrogate, as in a badly decoded argument, is no text to the tokenizer.
            found = self._tokenizer.encode(part.encode(errors="replace").decode())
            if len(found.ids) == self._max_tokens:
                break
        return found

    def _states_of(self, texts: Iterable[list[int]]) -> Iterator[Array]:
        """The states of each text's tokens: by numpy one after the other, by torch in batches."""
        if runtime.chosen() == "numpy":
            yield from map(self._states, texts)
            return
        device = runtime.torch_device()
        if str(device) not in self._torch:
            from spm.gnn.encoders.torch_bert import TorchBert

            sizes = self._layers, self._heads, self._epsilon
            self._torch[str(device)] = TorchBert(self._weights, *sizes, device)
        yield from self._torch[str(device)].states(texts)

    def _states(self, ids: list[int]) -> Array:
        return self._read(self._embedded(ids))

    def _embedded(self, ids: list[int]) -> Array:
        weights = self._weights
        found: Array = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][: len(ids)]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        return found  # (tokens, 384)

    def _read(self, x: Array) -> Array:
        x = self._normalise(x, "embeddings.LayerNorm")
        for number in range(self._layers):
            layer = f"encoder.layer.{number}"
            attended = self._linear(self._attend(x, layer), f"{layer}.attention.output.dense")
            x = self._normalise(x + attended, f"{layer}.attention.output.LayerNorm")
            wide = _gelu(self._linear(x, f"{layer}.intermediate.dense"))  # (tokens, 1536)
            x = self._normalise(
                x + self._linear(wide, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return x

    def _attend(self, x: Array, layer: str) -> Array:
        tokens, width = x.shape
        split = (tokens, self._heads, width // self._heads)
        of = f"{layer}.attention.self"
        # (tokens, 384) → (tokens, 12, 32) → (12, tokens, 32), keys (12, 32, tokens)
        query = self._linear(x, f"{of}.query").reshape(split).transpose(1, 0, 2)
        key = self._linear(x, f"{of}.key").reshape(split).transpose(1, 2, 0)
        value = self._linear(x, f"{of}.value").reshape(split).transpose(1, 0, 2)
        scores = query @ key  # (12, tokens, tokens)
        scores /= np.float32(math.sqrt(split[2]))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        # (12, tokens, 32) → (tokens, 12, 32) → (tokens, 384)
        attended: Array = (scores @ value).transpose(1, 0, 2).reshape(tokens, width)
        return attended

    def _linear(self, x: Array, name: str) -> Array:
        made: Array = x @ self._weights[f"{name}.weight"].T
        made += self._weights[f"{name}.bias"]
        return made

    def _normalise(self, x: Array, name: str) -> Array:
        x = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(x).mean(axis=-1, keepdims=True)  # (tokens, 1)
        x /= np.sqrt(variance + np.float32(self._epsilon))
        x *= self._weights[f"{name}.weight"]
        x += self._weights[f"{name}.bias"]
        return x


def _unit(states: Array) -> Array:
    """The mean of tokens, of unit length; [CLS] and [SEP] count, as in sentence-transformers."""
    pooled = states.mean(axis=0)  # (384,)
    unit: Array = pooled / np.sqrt(pooled @ pooled)
    return unit


# erf(x) = x·P(x²)/Q(x²) for |x| ≤ 4, beyond which float32 knows only ±1; highest power first.
# Coefficients of Eigen's float32 erf, which XLA uses too. The largest error, against math.erf,
# is 4.4e-7, nearly all of it rounding.
_ERF_P = (
    -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
    -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
)  # fmt: skip
_ERF_Q = (
    -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
    -1.42647390514189e-02,
)  # fmt: skip


def _erf(x: Array) -> Array:
    x = np.clip(x, np.float32(-4), np.float32(4))
    square = x * x
    return x * _polynomial(_ERF_P, square) / _polynomial(_ERF_Q, square)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total *= x  # in place: at 1536 columns, allocating costs more than multiplying
        total += np.float32(coefficient)
    return total


def _gelu(x: Array) -> Array:
    result = _erf(x * np.float32(math.sqrt(0.5)))
    result += np.float32(1)
    result *= x
    result *= np.float32(0.5)
    return result


def _map_safetensors(path: Path) -> dict[str, Array]:
    """Map the float32 tensors of a safetensors file into memory, without reading them.

    The library `safetensors` copies each tensor, which takes longer than a whole request; of the
    word embeddings, half the file, a request needs a few rows. The format is eight bytes of
    header length, a JSON header, and the tensors (https://github.com/huggingface/safetensors).
    """
    data = np.memmap(path, np.uint8, "r")
    start = 8 + int.from_bytes(data[:8].tobytes(), "little")
    header = json.loads(data[8:start].tobytes())
    tensors: dict[str, Array] = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            begin, end = (start + offset for offset in entry["data_offsets"])
            # np.asarray drops the memmap class, whose every slice costs Python time.
            flat = np.asarray(data[begin:end]).view("<f4")
            tensors[name] = flat.reshape(entry["shape"])
    return tensors
