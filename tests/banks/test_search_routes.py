"""The search's page takes whatever is typed; crawlers get addresses that nobody else can choose."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient

from app.core.settings import Settings
from app.i18n.locales import Locale
from tests.support.clients import Visitor, open_site
from tests.support.quizzes import prepare_quiz, quiz_data

HOSTILE = [
    '"',
    "'",
    "''; DROP TABLE search_document; --",
    "AND",
    "stem AND OR NOT NEAR(",
    "*",
    "^stem*",
    "(((",
    "terms : stem",
    "a & b | !c <-> d:*",
    "\\",
    "\x00stem\x00",
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
    "😀👩‍👩‍👧 stem",
    "\u202estem",
    "a\u0300" + "\u0300" * 150,
    "_",
    "...",
    "%",
    "<script>alert(1)</script>",
    "{{segments.peak_bytes}}",
    "stem " * 2000,
    "x" * 10_000,
    "a.b" * 3000,
    "क्" * 500,
]


def test_no_query_is_an_error(app_client: TestClient) -> None:
    for typed in HOSTILE:
        response = app_client.get("/hi/search", params={"q": typed})
        assert response.status_code == 200, typed
        assert "<script>alert" not in response.text
    assert app_client.get("/en/search?q=%ff%fe%00").status_code == 200
    for page in ("0", "-1", "31", "x", "99999999999999999999"):
        assert app_client.get(f"/en/search?q=stem&page={page}").status_code == 400


def test_a_result_is_marked_counted_and_leads_to_its_place(visitor: Visitor) -> None:
    html = visitor.get("/en/search?q=STEM+of+item-2").text
    assert re.search(r"1 result for <q><bdi>STEM of item-2</bdi></q>", html)
    assert '<a href="/en/quizzes/small#question-3"><mark>Stem</mark> <mark>of</mark>' in html
    assert 'id="question-3"' in visitor.get("/en/quizzes/small").text


def test_words_of_another_language_say_so(visitor: Visitor) -> None:
    html = visitor.get("/en/search?q=%E0%A4%B9%E0%A4%BF+item-2").text
    assert '<h2 lang="hi">' in html
    assert 'hreflang="hi"' in re.search(r'<a href="/hi/quizzes/small#question-3"[^>]*>', html)[0]
    assert '<span lang="hi">हिन्दी</span>' in html


def test_pages_lead_on_and_back_and_the_languages_keep_the_query(
    sqlite_settings: Settings, tmp_path: Path
) -> None:
    prepare_quiz(sqlite_settings, tmp_path / "quizzes", quiz_data(items=12))
    with open_site(sqlite_settings) as client:
        first = client.get("/en/search?q=stem&page=1").text
        assert 'rel="next" href="/en/search?q=stem&amp;page=2"' in first
        assert 'rel="prev"' not in first
        second = client.get("/en/search?q=stem&page=2").text
        assert 'rel="prev" href="/en/search?q=stem"' in second
        assert 'start="11"' in second
        assert 'href="/vi/search?q=stem&amp;page=2" lang="vi"' in second


def test_what_the_world_may_find_names_its_address_in_each_language(visitor: Visitor) -> None:
    html = visitor.get("/hi/quizzes/small?x=1").text
    assert '<link rel="canonical" href="http://testserver/hi/quizzes/small">' in html
    alternates = dict(re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', html))
    assert alternates == {
        **{each.value: f"http://testserver/{each}/quizzes/small" for each in Locale},
        "x-default": "http://testserver/en/quizzes/small",
    }
    assert '<meta property="og:title" content="Small quiz हि">' in html
    assert '<meta name="description" content="A quiz for tests. हि">' in html
    assert 'hreflang="x-default" href="http://testserver/">' in visitor.get("/en/").text
    for private in ("/en/attempts/", "/en/search?q=x", "/en/quizzes/none", visitor.start()):
        html = visitor.get(private).text
        assert '<meta name="robots" content="noindex">' in html, private
        assert "canonical" not in html, private


def test_a_host_that_someone_made_up_reaches_no_other_reader(app_client: TestClient) -> None:
    evil = app_client.get("/en/quizzes/small", headers={"host": "evil.example"})
    assert "http://evil.example/en/quizzes/small" in evil.text
    assert evil.headers["cache-control"] == "private, no-cache"
    assert "evil.example" not in app_client.get("/en/quizzes/small").text
    for broken in ('x"><script>', "a b", "evil.example/path", "user@evil.example", ""):
        html = app_client.get("/en/", headers={"host": broken}).text
        assert '<link rel="canonical" href="/en/">' in html, broken
        assert app_client.get("/sitemap.xml", headers={"host": broken}).status_code == 400


def test_the_setting_wins_over_the_request(sqlite_settings: Settings) -> None:
    named = sqlite_settings.model_copy(update={"public_url": "https://quiz.example.org/"})
    with open_site(named) as client:
        html = client.get("/vi/", headers={"host": "evil.example"}).text
        assert '<link rel="canonical" href="https://quiz.example.org/vi/">' in html
        assert "evil.example" not in html
        robots = client.get("/robots.txt", headers={"host": "evil.example"}).text
        assert robots.endswith("\nSitemap: https://quiz.example.org/sitemap.xml\n")


def test_the_sitemap_holds_every_page_once_with_its_other_languages(app_client: TestClient) -> None:
    """By the schema of sitemaps.org: order of what stands in `url`; alternates as each page names them."""
    response = app_client.get("/sitemap.xml")
    assert response.headers["content-type"] == "application/xml"
    names = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}
    root = ET.fromstring(response.text)  # noqa: S314 - our own
    assert root.tag == f"{{{names['s']}}}urlset"
    addresses = [each.text or "" for each in root.findall("s:url/s:loc", names)]
    assert len(addresses) == len(set(addresses))
    for url in root.findall("s:url", names):
        order = [child.tag.rpartition("}")[2] for child in url]
        assert order == sorted(order, key=["loc", "lastmod", "link"].index)
        links = {link.get("hreflang"): link.get("href") for link in url.findall("x:link", names)}
        assert set(links) == {*Locale, "x-default"}
        assert url.findtext("s:loc", namespaces=names) in links.values()
    for address in addresses:
        page = app_client.get(address)
        assert page.status_code == 200, address
        assert f'<link rel="canonical" href="{address}">' in page.text


@pytest.mark.parametrize("path", ["/attempts/", "/search", "/runs/"])
def test_robots_leave_alone_what_is_no_page_to_find(app_client: TestClient, path: str) -> None:
    lines = app_client.get("/robots.txt").text.splitlines()
    assert lines[0] == "User-agent: *"
    assert {f"Disallow: /{locale}{path}" for locale in Locale} <= set(lines)
