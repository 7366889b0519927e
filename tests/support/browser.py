"""Chromium for tests. Whatever a page does that it must not do fails the test that opened it."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from tests.support.site import LiveSite

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--disable-gpu",
    "--disable-dev-shm-usage",  # containers have a small /dev/shm
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # whatever asks for another host fails
]
REPORT_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", event =>
  console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""
PATIENCE_MS = 15_000  # for what comes at once on a machine that does nothing else
PHONE, SMALL_PHONE, DESKTOP = (390, 844), (320, 640), (1280, 900)


def _find_chromium() -> str:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.environ.get("REMATCH_WITHOUT_BROWSER") == "1":
        pytest.skip("REMATCH_WITHOUT_BROWSER=1: NO BROWSER JOURNEY WAS RUN")
    if found is None:
        pytest.fail("There is no Chromium: install it, or say REMATCH_WITHOUT_BROWSER=1 to test without it.")
    return found


class Watch:
    """Notes what the pages of a test must not do; a test says in advance what it provokes."""

    def __init__(self, origin: str) -> None:
        self._host = urlsplit(origin).netloc
        self._allowed: list[str] = []
        self._seen: list[str] = []
        self.requests: list[str] = []

    def allow(self, pattern: str) -> None:
        """Expect console messages that match `pattern`."""
        self._allowed.append(pattern)

    def attach(self, context: BrowserContext) -> None:
        """Watch every page that `context` opens."""
        context.add_init_script(REPORT_VIOLATIONS)
        context.on("console", self._note_console)
        context.on("weberror", lambda error: self._seen.append(f"uncaught: {error.error}"))
        context.on("request", self._note_request)

    @property
    def problems(self) -> list[str]:
        """What was seen and not allowed."""
        return [seen for seen in self._seen if not any(re.search(each, seen) for each in self._allowed)]

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self._seen.append(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def _note_request(self, request: Request) -> None:
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self._host:
            self._seen.append(f"request to another host: {request.url}")


# A module's own, not the session's: while Playwright is open an event loop runs in this thread, and tests
# elsewhere start theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, open for the tests of one module."""
    executable = _find_chromium()
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = [*FLAGS, "--no-sandbox"] if is_root else FLAGS  # its sandbox refuses to run as root
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=flags)
        yield opened
        opened.close()


@pytest.fixture
def visited_site(live_site: LiveSite) -> LiveSite:
    """The site that `new_page` opens; a module may name another."""
    return live_site


@pytest.fixture
def watch(visited_site: LiveSite) -> Iterator[Watch]:
    """Fails the test at its end for a CSP violation, a console error or a request to another host."""
    watching = Watch(visited_site.url)
    yield watching
    assert watching.problems == []


NewPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser, visited_site: LiveSite, watch: Watch) -> Iterator[NewPage]:
    """Opens a page for a visitor of its own: `new_page(locale="hi", viewport=PHONE, javascript=False)`."""
    contexts: list[BrowserContext] = []

    def open_page(
        *,
        locale: str = "en",
        viewport: tuple[int, int] = DESKTOP,
        javascript: bool = True,
        **options: Any,
    ) -> Page:
        context = browser.new_context(
            base_url=visited_site.url,
            locale=locale,
            viewport={"width": viewport[0], "height": viewport[1]},
            java_script_enabled=javascript,
            reduced_motion="reduce",
            **options,
        )
        context.set_default_timeout(PATIENCE_MS)
        watch.attach(context)
        contexts.append(context)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page in English at desktop size."""
    return new_page()
