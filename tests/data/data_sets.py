"""Folders in the data format, written by hand."""

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write(file: Path, rows: Iterable[Any]) -> None:
    """Write rows as compressed JSON lines."""
    with gzip.open(file, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
