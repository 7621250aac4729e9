"""The folder of a training run: its configuration, metrics, and where a killed run resumes."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm.gnn.training.curves import draw
from spm.gnn.training.measures import Measures
from spm.registry.errors import InputError
from spm.registry.store import disk

if TYPE_CHECKING:
    from torch import Tensor


class Run:
    """Files of one training: config.json, metrics.jsonl, curves.svg, model.safetensors, state/."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = folder / "model.safetensors"
        self._states = folder / "state"
        self._metrics = folder / "metrics.jsonl"

    def begin(self, config: dict[str, Any]) -> None:
        """Write down what is asked for, or make sure that it is the same as before.

        Raises:
            InputError: the folder holds a run that was asked for something else.
        """
        self._states.mkdir(parents=True, exist_ok=True)
        file = self.folder / "config.json"
        text = json.dumps(config, indent=2, sort_keys=True)
        if file.exists() and (before := json.loads(file.read_text())) != config:
            keys = sorted({*before, *config})
            other = [key for key in keys if before.get(key) != config.get(key)]
            raise InputError(
                f"The folder {str(self.folder)!r} holds a run with other {', '.join(other)}. "
                "Choose another with --folder, or remove it."
            )
        disk.replace(file, text.encode(), b"\n")

    def record(self, stage: str, epoch: int, loss: float, measured: Measures | None) -> None:
        """Add a line of metrics and draw the curves again."""
        line = {"stage": stage, "epoch": epoch, "loss": round(loss, 6)}
        line |= measured.rounded() if measured else {}
        lines = [*self.metrics(), line]
        # An epoch that was done twice, because a kill came between, counts once.
        kept = {(row["stage"], row["epoch"]): row for row in lines}
        text = "".join(json.dumps(row, sort_keys=True) + "\n" for row in kept.values())
        disk.replace(self._metrics, text.encode())
        disk.replace(self.folder / "curves.svg", draw(list(kept.values())).encode())

    def metrics(self) -> list[dict[str, Any]]:
        """What was measured so far."""
        if not self._metrics.exists():
            return []
        return [json.loads(line) for line in self._metrics.read_text().splitlines()]

    def keep(self, stage: str, state: "dict[str, Tensor]") -> None:
        """Write a stage's state."""
        from spm.gnn.training.loop import keep

        keep(state, self._states / f"{stage}.safetensors")

    def kept(self, stage: str) -> "dict[str, Tensor] | None":
        """Read a stage's state; None when it has not begun."""
        from spm.gnn.training.loop import kept

        return kept(self._states / f"{stage}.safetensors")

    def finish(self, summary: dict[str, Any]) -> None:
        """Write the summary and drop the states, which only an unfinished run needs."""
        text = json.dumps(summary, indent=2, sort_keys=True)
        disk.replace(self.folder / "summary.json", text.encode(), b"\n")
        for file in self._states.iterdir():  # drafts of killed runs too
            file.unlink()


def plain(config: Any) -> dict[str, Any]:
    """A configuration as JSON knows it."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    return found
