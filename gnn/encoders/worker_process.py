"""A process of its own for encoders that need torch.

sentence-transformers loads scikit-learn, which brings a second OpenMP library beside torch's. Both
and the embedded engine do not fit into one process: the C library keeps 1,664 bytes for static
thread-local storage, of which kglite 0.21.2 takes 1,545 and each OpenMP library 120, and whichever
comes last is refused ("cannot allocate memory in static TLS block", glibc 2.36). So these models
run in a child, which is started by the first one and ends with its parent. A command also stays
as small as it was.

Both sides speak JSON lines. Vectors follow their line as plain float32.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from spm.registry.encoding import clause_by_clause
from spm.registry.errors import EncoderError


class RemoteEncoder:
    """An encoder of `sentence_transformer` in the child; the attributes are those of its class."""

    def __init__(self, source: str) -> None:
        """Load the model that `source` names, a folder or a name on the hub.

        Raises:
            EncoderError: it cannot be loaded; says why and what to do.
        """
        folder = Path(source).expanduser()
        self._source = str(folder.resolve()) if folder.is_dir() else source
        said, _ = _ask({"source": self._source, "task": "load"})
        self.name: str = said["name"]
        self.dimensions: int = said["dimensions"]
        self.request_prompt: str = said["request_prompt"]
        self.document_prompt: str = said["document_prompt"]
        self.notes: list[str] = said["notes"]

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Encode the texts that are searched, one row of unit length each."""
        return self._encode("documents", texts, progress)

    def encode_requests(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Encode the texts that are searched for, with the model's instruction."""
        return self._encode("requests", texts, progress)

    def encode_clauses(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> list[NDArray[np.float32]]:
        """Encode requests and, each alone, their clauses."""
        return clause_by_clause(self.encode_requests, texts, progress)

    def _encode(
        self, task: str, texts: Sequence[str], progress: Callable[[int], None] | None
    ) -> NDArray[np.float32]:
        asked = {"source": self._source, "task": task, "texts": list(texts)}
        said, data = _ask(asked, progress)
        if said["name"] != self.name:  # the child was started again, and finds other files
            raise EncoderError(f"The files of the encoder {self.name!r} have changed. Start again.")
        return np.frombuffer(data, np.float32).reshape(len(texts), self.dimensions).copy()


# -- the side that asks -----------------------------------------------------------------------


class _Child:
    def __init__(self) -> None:
        command = [sys.executable, "-m", "spm.gnn.encoders.worker_process"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.parent = os.getpid()

    def ask(
        self, asked: dict[str, Any], progress: Callable[[int], None] | None
    ) -> tuple[dict[str, Any], bytes]:
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(json.dumps(asked).encode() + b"\n")
            stdin.flush()
            while line := stdout.readline():
                said: dict[str, Any] = json.loads(line)
                if "done" not in said:
                    data = stdout.read(said.get("bytes", 0))
                    if len(data) == said.get("bytes", 0):
                        return said, data
                    break
                if progress is not None:
                    progress(said["done"])
        except BrokenPipeError:
            pass
        raise EncoderError(
            f"The process that runs the encoder {asked['source']!r} has ended "
            f"(code {self.process.wait()}). Was there memory enough? What is done is kept: repeat."
        )

    def stop(self) -> None:
        if self.parent != os.getpid():
            return  # a fork's copy: the child is another's
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:  # of what was not sent yet
                pass


_lock = threading.Lock()
_child: _Child | None = None


def _ask(
    asked: dict[str, Any], progress: Callable[[int], None] | None = None
) -> tuple[dict[str, Any], bytes]:
    global _child
    with _lock:
        if _child is None or _child.parent != os.getpid():
            _child = _Child()
            atexit.register(_child.stop)
        try:
            said, data = _child.ask(asked, progress)
        except BaseException:  # an answer that was not read to its end would be taken for the next
            _child.stop()
            atexit.unregister(_child.stop)
            _child = None
            raise
    if "error" in said:
        raise EncoderError(said["error"])
    return said, data


# -- the side that answers --------------------------------------------------------------------


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answer until the other side closes."""
    from spm.gnn.encoders.sentence_transformer import SentenceEncoder, load_sentences

    loaded: dict[str, SentenceEncoder] = {}

    def say(said: dict[str, Any], data: bytes = b"") -> None:
        answers.write(json.dumps({**said, "bytes": len(data)} if data else said).encode() + b"\n")
        answers.write(data)
        answers.flush()

    for line in questions:
        asked = json.loads(line)
        source, task = asked["source"], asked["task"]
        try:
            if source not in loaded:
                loaded[source] = load_sentences(source)
            encoder = loaded[source]
            said = {name: getattr(encoder, name) for name in SAID}
            if task == "load":
                say(said)
                continue
            run = encoder.encode_requests if task == "requests" else encoder.encode_documents
            say(said, run(asked["texts"], lambda done: say({"done": done})).tobytes())
        except BrokenPipeError:
            return
        except EncoderError as error:
            say({"error": str(error)})
        except Exception as error:  # such as no memory on the device
            say({"error": f"The encoder {source!r} failed: {type(error).__name__}: {error}"})


SAID = ("name", "dimensions", "request_prompt", "document_prompt", "notes")


def main() -> None:
    """Serve on standard input and output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not come between the answers
    try:
        serve(sys.stdin.buffer, answers)
    except BrokenPipeError:
        pass
    os._exit(0)  # nothing is left to save, and torch takes a second to say goodbye


if __name__ == "__main__":
    main()
