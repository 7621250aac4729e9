"""The page in a real browser: headless Chromium, driven by Playwright, with no way to the network.

Skipped where there is no Chromium (`apt install chromium`, or name one in SPM_CHROMIUM).
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx
import pytest

from spm.registry import demo

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = os.environ.get("SPM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
SERIOUS = ("error", "warning", "assert")


@pytest.fixture(scope="module")  # while it is open its event loop is in the way of other tests
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: install it, or name one in SPM_CHROMIUM")
    driver = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with driver.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class Window:
    """A tab that can reach the loopback only, with everything it asked for and complained about."""

    def __init__(self, browser: Any, client: httpx.Client, **options: Any) -> None:
        self.base = str(client.base_url).rstrip("/")
        self.context = browser.new_context(**options)
        self.context.route("**/*", self._gate)
        self.outside: list[str] = []
        self.sent: list[Any] = []
        self.said: list[str] = []
        self.meant: set[str] = set()
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("console", lambda m: self.said.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        self.page.on("request", lambda request: self.sent.append(request))

    def _gate(self, route: Any) -> None:
        if urlsplit(route.request.url).hostname == "127.0.0.1":
            route.fallback()
        else:
            self.outside.append(route.request.url)
            route.abort()

    def open(self, place: str = "") -> Any:
        self.page.goto(f"{self.base}/{place}")
        return self.page

    def asked(self, path: str) -> list[Any]:
        return [request for request in self.sent if urlsplit(request.url).path == path]

    def close(self) -> None:
        self.context.close()
        serious = [line for line in self.said if line.startswith(SERIOUS)]
        assert [line for line in serious if not any(part in line for part in self.meant)] == []
        assert self.outside == []

    def forgive(self, status: int) -> None:
        """Chromium reports every refused request as an error, some later: these are meant."""
        self.meant.add(f"status of {status}")


@pytest.fixture
def windows(browser: Any, client: httpx.Client) -> Iterator[Callable[..., Window]]:
    """Open windows, on the demo or on another server; each must have nothing to complain about."""
    opened: list[Window] = []

    def open(other: httpx.Client | None = None, **options: Any) -> Window:
        opened.append(Window(browser, other or client, **options))
        return opened[-1]

    yield open
    with ExitStack() as stack:
        for window in opened:
            stack.callback(window.close)


@pytest.fixture
def window(windows: Callable[..., Window]) -> Window:
    return windows()


ASKED = f"#/menu?q={quote_plus(demo.REQUEST)}"


@pytest.fixture
def asked() -> str:
    """The address of the demo's menu."""
    return ASKED


@pytest.fixture
def menu(window: Window) -> Any:
    """The page with the menu of the demo's request."""
    page = window.open(ASKED)
    page.locator("#route .open").nth(3).wait_for()
    page.wait_for_load_state("networkidle")  # what comes later draws the route again
    return page
