"""Files that commands write beside their answer."""

from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write a text file.

    Raises:
        InputError: it cannot be written.
    """
    from spm.registry.errors import InputError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write {str(path)!r}: {error.strerror or error}.") from error
