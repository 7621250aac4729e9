"""`spm encode`: make the vectors, with the registry's encoder or with another one."""

from typing import Annotated

import typer

from spm.cli.options import DeviceOption, JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, say


def encode(
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            metavar="NAME|FOLDER",
            help="A model of sentence-transformers, by name or as a folder. Default: the encoder "
            "of the registry; for a new one $SPM_ENCODER, or the packaged all-MiniLM-L6-v2.",
        ),
    ] = None,
    device: DeviceOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Encode new and changed texts; with another encoder, all of them.

    Done in steps that are kept: when it is stopped, the same command goes on where it ended. From
    then on all commands use this encoder.
    """
    from spm.cli.vectors import encode as make

    with opened(store, new=True) as registry:
        chosen = registry.vectors.encoder(encoder)
        for line in getattr(chosen, "notes", ()):
            note(line)
        replaced = registry.vectors.replace(chosen)
        if replaced:
            note(f"The vectors of {replaced!r} were dropped; all texts are encoded again.")
        count = make(registry, chosen)
        registry.vectors.write_snapshot()
    if json:
        as_json(
            {
                "encoder": chosen.name,
                "dimensions": chosen.dimensions,
                "encoded": count,
                "replaced": replaced,
            }
        )
        return
    say(f"{count:,} texts encoded by {chosen.name} ({chosen.dimensions} dimensions)")
    if "#" in chosen.name:
        note("To use this folder in other commands: export SPM_ENCODER=/path/to/it")
