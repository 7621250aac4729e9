"""Any model of sentence-transformers as an encoder, from the hub or from a folder.

What a model is comes from its own files: pooling from `modules.json`, instructions from the
`prompts` of `config_sentence_transformers.json`. Many good models say less than they need, so two
small tables here stand in, by the name of the model, and `notes` says when they did.

A model from the hub is looked for in the local cache first, and only fetched when it is not there.
Its name carries the commit, that of a folder a digest of its files, because vectors of two sets of
weights must never be compared. Code from a model's folder and pickled weights are never run.

Texts go through the network in padded batches, so the last bits of a vector (1e-7 or so) depend on
the texts beside it, which `minilm` avoids. Nothing here imports torch before a model is loaded.
Other modules use these encoders through `worker_process`, in a process of their own.
"""

import hashlib
import json
import logging
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spm.gnn.networks import runtime
from spm.registry.errors import EncoderError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

INSTALL = "pip install 'spm-registry[train]'"
BATCH = 32
HUB_SECONDS = 10.0
# What is needed of a repository: no onnx, no pickles, no second copy of the weights.
_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
_NOT = ["onnx/*", "openvino/*", "coreml/*", ".*"]
# Instructions for requests and documents, where the model's own files are silent:
# https://huggingface.co/BAAI/bge-large-en-v1.5, https://huggingface.co/intfloat/e5-large-v2.
# Others need none (MiniLM, MPNet, GTE) or bring their own.
_INSTRUCTIONS = (
    (r"bge-(small|base|large)-en", "Represent this sentence for searching relevant passages: ", ""),
    (r"bge-(small|base|large)-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"\be5-(small|base|large)(?!.*instruct)", "query: ", "passage: "),
)
# Families whose vector is that of the first token, for folders that do not say how to pool.
_FIRST_TOKEN = r"\bbge-"


class SentenceEncoder:
    """A sentence-transformers model: rows of unit length, the request with its instruction.

    Attributes:
        name: identifies the weights.
        dimensions: the length of a row.
        request_prompt: what is put before a request.
        document_prompt: what is put before a document.
        notes: what was assumed because the model's files do not say it.
    """

    def __init__(self, folder: Path, name: str) -> None:
        """Load the model in `folder`.

        Raises:
            EncoderError: it is no such model, or sentence-transformers is not installed.
        """
        self.name = name
        self.notes: list[str] = []
        self._family = re.split("[@#]", name)[0].rpartition("/")[2].lower()
        self._model = _load(folder)
        if not (folder / "modules.json").is_file():
            self._pool()
        self.request_prompt, self.document_prompt = self._instructions()
        self.dimensions = int(self._run([""], "", "document").shape[1])

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Encode the texts that are searched; see `_encode`."""
        return self._encode(texts, self.document_prompt, "document", progress)

    def encode_requests(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Encode the texts that are searched for, with the model's instruction; see `_encode`."""
        return self._encode(texts, self.request_prompt, "query", progress)

    def _encode(
        self,
        texts: Sequence[str],
        prompt: str,
        task: str,
        progress: Callable[[int], None] | None,
    ) -> NDArray[np.float32]:
        """One row of unit length per text, in order; long and short texts are not mixed.

        `progress` hears the number of texts done so far, after each batch.
        """
        rows: dict[str, list[int]] = {}  # a text that repeats is encoded once
        for row, text in enumerate(texts):
            rows.setdefault(text, []).append(row)
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        order = sorted(rows, key=len, reverse=True)  # what needs most memory fails first
        done = 0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            for text, vector in zip(batch, self._run(batch, prompt, task), strict=True):
                vectors[rows[text]] = vector
                done += len(rows[text])
            if progress is not None:
                progress(done)
        return vectors

    def _run(self, texts: Sequence[str], prompt: str, task: str) -> NDArray[np.float32]:
        # A lone surrogate, as in a badly decoded argument, is no text to a tokenizer.
        clean = [text.encode(errors="replace").decode() for text in texts]
        run = self._model.encode_query if task == "query" else self._model.encode_document
        found = run(clean, prompt=prompt, batch_size=BATCH, show_progress_bar=False)
        vectors = np.asarray(found, np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise EncoderError(f"The encoder {self.name!r} gives vectors that are no numbers.")
        unit: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
        return unit

    def _pool(self) -> None:
        """Choose the pooling for a folder that does not say it; sentence-transformers took one."""
        model: Any = self._model
        mode = _pooling_of(model)
        if mode == "mean" and re.search(_FIRST_TOKEN, self._family):
            mode = "cls"
            width = model[0].auto_model.config.hidden_size
            model[1] = type(model[1])(width, pooling_mode=mode)
        self.notes.append(f"{self.name!r} has no modules.json: pooling is taken to be {mode!r}.")

    def _instructions(self) -> tuple[str, str]:
        """What the model's files say; where they say nothing, what is known of its family."""
        own = {key: text for key, text in (self._model.prompts or {}).items() if text}
        request = own.get("query", "")
        document = next((own[k] for k in ("document", "passage", "corpus") if k in own), "")
        if request or document:
            return request, document
        for pattern, request, document in _INSTRUCTIONS:
            if re.search(pattern, self._family):
                self.notes.append(
                    f"{self.name!r} names no query instruction: that of its family is used, "
                    f"{request!r}."
                )
                return request, document
        return "", ""


def load_sentences(name: str) -> SentenceEncoder:
    """Load a model from a folder, or by its name on the hub (`owner/model`, `owner/model@commit`).

    Raises:
        EncoderError: there is no such model, or it cannot be had; says why and what to do.
    """
    place = Path(name).expanduser()
    if place.is_dir():
        return SentenceEncoder(place.resolve(), _folder_name(place.resolve()))
    if "#" in name:
        given = name.partition("#")[0]
        raise EncoderError(
            f"The encoder {name!r} is a folder, and where it lies is not written down. "
            f"Say it with: export SPM_ENCODER=/path/to/{given}, or change the encoder with: "
            "spm encode --encoder NAME"
        )
    if name.startswith(("/", ".", "~")) or name.count("/") > 1:
        raise EncoderError(f"There is no folder {name!r} to load an encoder from. Check the path.")
    repository, _, revision = name.partition("@")
    folder = _cached(repository, revision) or _fetched(repository, revision)
    # The cache keeps each commit in a folder of that name.
    return SentenceEncoder(folder, f"{repository}@{folder.name}")


def _folder_name(folder: Path) -> str:
    if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
        raise EncoderError(f"'{folder}' holds no model: neither modules.json nor config.json.")
    # A folder of the hub's cache is that model, wherever the cache lies.
    cache = re.fullmatch(r".*/models--([^/]+)/snapshots/([0-9a-f]{40})", folder.as_posix())
    if cache:
        return f"{cache[1].replace('--', '/')}@{cache[2]}"
    return f"{folder.name}#{_digest(folder)[:12]}"


def _load(folder: Path) -> "SentenceTransformer":
    _require_safe(folder)
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as reports
    except ImportError as error:
        raise _not_installed(error) from error
    # Both report on their own loggers what `notes` says, and draw a bar for every start.
    logging.getLogger("sentence_transformers").setLevel(logging.ERROR)
    reports.set_verbosity_error()
    reports.disable_progress_bar()
    device = runtime.device()
    try:
        model = SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except Exception as error:  # whatever a file that is not right makes the libraries raise
        raise EncoderError(
            f"No encoder can be loaded from '{folder}': {_first_line(error)}. "
            "Give a folder that sentence-transformers saved, or download it again."
        ) from error
    model.float()  # half precision is slow on most processors and would give other vectors there
    model.eval()
    return model


def _require_safe(folder: Path) -> None:
    """Refuse weights that are pickles and modules that are code of the folder.

    sentence-transformers before 6 runs the code of a local folder without asking.
    """
    if not any(folder.rglob("*.safetensors")):
        raise EncoderError(
            f"'{folder}' holds no *.safetensors weights, and pickled ones are never loaded. "
            "Save the model again with save_pretrained of sentence-transformers."
        )
    modules = folder / "modules.json"
    try:
        kinds = [str(m["type"]) for m in json.loads(modules.read_bytes())]
    except FileNotFoundError:
        kinds = []
    except (ValueError, TypeError, KeyError) as error:
        raise EncoderError(f"'{modules}' cannot be read: {_first_line(error)}.") from error
    foreign = [kind for kind in kinds if not kind.startswith("sentence_transformers.")]
    if foreign:
        raise EncoderError(
            f"The model in '{folder}' needs code of its own ({', '.join(foreign)}), "
            "which spm never runs. Choose another model."
        )


def _cached(repository: str, revision: str) -> Path | None:
    """The folder of a model that was fetched before, without asking the network."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:  # it comes with sentence-transformers
        raise _not_installed(error) from error
    try:
        found = snapshot_download(
            repository,
            revision=revision or None,
            allow_patterns=_FILES,
            ignore_patterns=_NOT,
            local_files_only=True,
        )
    except Exception:  # not there, or not whole; a name that cannot be one is told by the hub
        return None
    folder = Path(found)
    described = (folder / "modules.json").exists() or (folder / "config.json").exists()
    return folder if described and any(folder.rglob("*.safetensors")) else None


def _fetched(repository: str, revision: str) -> Path:
    from huggingface_hub import HfApi, snapshot_download

    try:
        # One question without retries: only a hub that answers is worth a download.
        info = HfApi().model_info(repository, revision=revision or None, timeout=HUB_SECONDS)
        return Path(
            snapshot_download(
                repository, revision=info.sha, allow_patterns=_FILES, ignore_patterns=_NOT
            )
        )
    except Exception as error:  # of three libraries, and others in other versions
        raise EncoderError(
            f"The encoder {repository!r} is not on this machine and could not be fetched from the "
            f"hub: {_first_line(error)}. Check the name and the network, or give a folder that "
            f"holds the model. Where there is a network: hf download {repository}"
        ) from error


def _not_installed(error: ImportError) -> EncoderError:
    return EncoderError(
        "Encoders other than the packaged one are run by sentence-transformers, which cannot be "
        f"loaded ({_first_line(error)}). Install it with: {INSTALL}"
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__).rstrip(".")


def _digest(folder: Path) -> str:
    """Of all files that decide what the vectors are: weights, tokenizer, pooling, prompts."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in inside.parts)
        if path.suffix in (".json", ".txt", ".model", ".safetensors") and not hidden:
            try:
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError as error:
                raise EncoderError(f"'{path}' cannot be read: {error.strerror}.") from error
            total.update(f"{inside.as_posix()}\0{digest}\n".encode())
    return total.hexdigest()


def _pooling_of(model: Any) -> str:
    for module in model:
        if hasattr(module, "pooling_mode"):
            return str(module.pooling_mode)
        if hasattr(module, "get_pooling_mode_str"):  # before sentence-transformers 6
            return str(module.get_pooling_mode_str())
    return "its own"
