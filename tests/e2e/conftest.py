"""Servers for the tests of the page."""

from tests.support.serving import client, serve  # noqa: F401
