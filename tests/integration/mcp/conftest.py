"""A registry whose tools have real backends, for every test of menus over MCP."""

from tests.support.backed import backed, backed_once  # noqa: F401
