"""What the site does with the pages before they are rendered."""

import re
from typing import Any

import spm

PLACE = "<!-- python-api -->"
SKIP = re.compile(r'^(```console) skip="[^"]+"$', re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Complete one page.

    The page of the Python API gets one entry for each name of `spm.__all__`. Why a test does not
    run a block is no business of readers, nor of the highlighter.
    """
    entries = "\n\n".join(map(_entry, vars(spm).get("__all__", ())))
    return SKIP.sub(r"\1", markdown.replace(PLACE, entries))


def _entry(name: str) -> str:
    found = getattr(spm, name)
    where = getattr(found, "__module__", None)
    if where is None:  # a plain value, such as the version
        return f"### `spm.{name}`\n\n`{type(found).__name__}`"
    return f"::: {where}.{found.__qualname__}"
