"""Kept pages: drawn once, filled for each reader, and never one reader's words for another."""

from collections.abc import Mapping

from markupsafe import Markup

from app.core.kept import KeptPages


class Drawing:
    """Draws a greeting, and counts how often."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, marks: Mapping[str, Markup]) -> str:
        self.count += 1
        return f"<p>{marks['name']}, {Markup('&lt;')} {marks['name']} {marks['token']}</p>"


def test_a_page_is_drawn_once_and_filled_for_each_reader() -> None:
    pages, draw = KeptPages(), Drawing()
    assert pages.fill("key", {"name": "A", "token": "1"}, draw) == "<p>A, &lt; A 1</p>"
    assert pages.fill("key", {"name": "B", "token": "2"}, draw) == "<p>B, &lt; B 2</p>"
    assert draw.count == 1


def test_another_key_is_another_page() -> None:
    pages, draw = KeptPages(), Drawing()
    for key in ("en", "hi", ("en", 1)):
        pages.fill(key, {"name": "A", "token": "1"}, draw)
    assert draw.count == 3


def test_the_least_recently_read_page_is_dropped_first() -> None:
    pages, draw = KeptPages(limit=2), Drawing()
    holes = {"name": "A", "token": "1"}
    for key in ("a", "b", "a", "c", "a"):
        pages.fill(key, holes, draw)
    assert draw.count == 3
    pages.fill("b", holes, draw)
    assert draw.count == 4


def test_a_page_without_holes_is_kept_as_it_is() -> None:
    pages = KeptPages()
    assert pages.fill("key", {}, lambda _marks: "<p>whole</p>") == "<p>whole</p>"
    assert pages.fill("key", {}, lambda _marks: "never") == "<p>whole</p>"
