"""How a menu is printed for people."""

import pytest

from spm.cli.views.menu_table import GIVES, show
from spm.registry.menus.menu import Menu, MenuItem, Role


def item(
    rank: int, name: str, role: Role, needs: dict[str, list[str]], gives: list[str]
) -> MenuItem:
    return MenuItem(rank, f"s/{name}", name, "", "", role, "read", needs, gives, 1.0, {})


def printed(menu: Menu, capsys: pytest.CaptureFixture[str]) -> str:
    show(menu, {item.id: item.name for item in menu.items})
    return capsys.readouterr().out


def menu(route: list[str], *items: MenuItem) -> Menu:
    return Menu("any", [], route, list(items), "prior", "", 0, 0.0, 1)


def test_of_a_long_answer_what_others_take_is_named_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gives = [f"f{number}" for number in range(40)]
    out = printed(
        menu(
            ["s/first", "s/second"],
            item(1, "first", "entry", {}, gives),
            item(2, "second", "target", {"f39": ["s/first"]}, []),
        ),
        capsys,
    )
    told = " ".join(out.split())
    assert f"and {40 - GIVES} more" in told
    assert "f39" in told.partition("more")[0]
    assert "f20" not in told


def test_without_a_route_its_table_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(menu([], item(1, "only", "backup", {}, [])), capsys)
    assert "backup" in out
    assert "role" not in out
