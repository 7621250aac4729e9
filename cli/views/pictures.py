"""Graph answers as pictures: text formats on standard output, a page into a file."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spm.cli.views.console import note

if TYPE_CHECKING:
    from spm.registry.pictures.drawing import Drawing


class Picture(StrEnum):
    """How a graph answer is printed."""

    table = "table"
    json = "json"
    mermaid = "mermaid"
    dot = "dot"
    graphml = "graphml"


PictureOption = Annotated[Picture, typer.Option("--format", help="How to print the answer.")]
HtmlOption = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Also write a picture that any browser shows."),
]


def drawn(make: "Callable[[], Drawing]", format: Picture, html: Path | None) -> bool:
    """Write the page, print the text format; False when the caller has to print.

    Raises:
        InputError: the page cannot be written.
    """
    from spm.registry.errors import InputError
    from spm.registry.pictures.formats import render

    if html:
        try:
            html.write_text(render(make(), "html"), encoding="utf-8")
        except OSError as error:
            raise InputError(f"Cannot write {str(html)!r}: {error.strerror or error}.") from error
        note(f"Picture written to {html}")
    if format in (Picture.table, Picture.json):
        return False
    typer.echo(render(make(), format.value), nl=False)
    return True
