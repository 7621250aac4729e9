"""Servers for the tests of the service."""

from tests.support.serving import client, serve  # noqa: F401
