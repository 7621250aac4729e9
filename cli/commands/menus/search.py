"""`spm search`: tools by words and meaning."""

from typing import Annotated

import typer

from spm.cli.menu_options import ReadOnlyOption, ScopesOption, TeamOption, caller
from spm.cli.options import JsonOption, StoreOption, opened
from spm.cli.views.console import as_json, note, table


def search(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="What you would type to find it.")],
    limit: Annotated[int, typer.Option("--limit", "-k", min=1, help="Tools to show.")] = 10,
    team: TeamOption = None,
    scopes: ScopesOption = None,
    read_only: ReadOnlyOption = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Find tools by words and meaning: the search that menus begin with.

    Nothing learned, no traces and no plan. Score is in units of the spread of all that was found.
    """
    asked = caller(team, scopes, read_only)
    with opened(store) as registry:
        found = registry.search(words, limit=limit, caller=asked)
        why = "" if found else registry.none_visible(asked)
    if json:
        as_json(found)
    elif not found:
        note(why or "Nothing was found. List all tools with: spm tools list")
    else:
        table(
            ["", "tool", "title", "score", "words", "meaning"],
            [
                [
                    place,
                    one.id,
                    one.title,
                    f"{one.score:.2f}",
                    f"{one.words:.1f}",
                    f"{one.meaning:.2f}",
                ]
                for place, one in enumerate(found, 1)
            ],
            wrap=["tool", "title"],
        )
    raise typer.Exit(0 if found else 1)
