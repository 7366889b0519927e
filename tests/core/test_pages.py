"""Every page and part, in every state and language, drawn with StrictUndefined."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from markupsafe import Markup

from app import i18n
from app.core.assets import load_assets, static_app
from app.core.rendering import TEMPLATES, environment, render, render_text
from app.core.settings import ROOT
from app.i18n.language import get_language
from app.i18n.locales import Locale
from tests.core.pages import evidence, failed, pages, panel, run

LOCALES = ("en", "hi", "vi")
NAMES = tuple(pages("en"))
VOID = {"meta", "link", "input", "br", "hr", "img", "wbr"}


@pytest.fixture(scope="module")
def client() -> TestClient:
    i18n.install()
    app = FastAPI()
    app.mount("/static", static_app())

    @app.get("/{locale}/pages/{name}")
    def show(request: Request, locale: str, name: str) -> object:
        request.state.csrf_token = "token-of-this-browser"
        template, context = pages(locale)[name]
        return render(request, template, part="shared/_error.html" if name == "error" else None, **context)

    return TestClient(app)


class Outline(HTMLParser):
    """What a page consists of: its elements, and whether they close in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", NAMES)
class TestEveryPage:
    def test_is_whole_and_fit_for_a_strict_policy(self, client: TestClient, locale: str, name: str) -> None:
        response = client.get(f"/{locale}/pages/{name}")
        assert response.status_code == 200
        outline = Outline(response.text)
        assert outline.open == []
        tags = [tag for tag, _ in outline.elements]
        assert tags.count("h1") == 1
        assert "style" not in tags
        for tag, attributes in outline.elements:
            assert not {key for key in attributes if key == "style" or key.startswith(("on", "hx-on"))}
            assert "[" not in (attributes.get("hx-trigger") or "")
            if tag == "script":
                assert (attributes["src"] or "").startswith("/static/")
        ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert f'<html lang="{locale}">' in response.text

    def test_every_post_carries_the_token(self, client: TestClient, locale: str, name: str) -> None:
        html = client.get(f"/{locale}/pages/{name}").text
        assert html.count('method="post"') == html.count('name="csrf_token" value="token-of-this-browser"')

    def test_no_field_is_left_unfilled(self, client: TestClient, locale: str, name: str) -> None:
        assert not re.search(r"\{\w+\}|None|Undefined", client.get(f"/{locale}/pages/{name}").text)


def test_every_template_is_drawn_or_compiles() -> None:
    for path in TEMPLATES.rglob("*.html"):
        environment().get_template(path.relative_to(TEMPLATES).as_posix())


def test_every_template_is_short_and_says_what_it_needs() -> None:
    for path in TEMPLATES.rglob("*.html"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 80, path
        assert lines[0].startswith("{# "), path


class TestLanguageSwitch:
    def test_keeps_path_and_query(self, client: TestClient) -> None:
        html = client.get("/en/pages/question?option=2").text
        assert 'href="/vi/pages/question?option=2" lang="vi" hreflang="vi"' in html
        assert re.search(r'href="/en/[^"]*" lang="en" hreflang="en" aria-current="true"', html)


class TestParts:
    def test_htmx_gets_the_part_and_caches_are_told(self, client: TestClient) -> None:
        whole = client.get("/en/pages/error")
        part = client.get("/en/pages/error", headers={"HX-Request": "true"})
        assert "<html" in whole.text
        assert part.text == '<p class="error-words">There is no question 99 here.</p>'
        assert whole.headers["Vary"] == part.headers["Vary"] == "HX-Request"

    def test_a_runs_state_is_drawn_without_a_request(self) -> None:
        i18n.install()
        html = render_text("vi", "demos/_run_state.html", run=run(status="queued", position=4))
        assert "Trong hàng đợi: còn 3 lần chạy trước lần này." in html

    @pytest.mark.parametrize(
        "code",
        ["timed_out", "out_of_memory", "queue_full", "cancelled", "failed", "worker_down", "rate_limited"],
    )
    def test_each_failure_has_its_own_words_in_each_language(self, code: str) -> None:
        i18n.install()
        said = {
            locale: re.search(
                r"<strong>\s*(.+?)\s*</strong>",
                render_text(locale, "demos/_run_state.html", run=failed(code)),
            )[1]
            for locale in LOCALES
        }
        assert len(set(said.values())) == 3
        others = render_text(
            "en", "demos/_run_state.html", run=failed("failed" if code != "failed" else "cancelled")
        )
        assert said["en"] not in others

    def test_a_cpu_measurement_names_the_cpu_and_shows_no_cuda_figure(self, client: TestClient) -> None:
        html = client.get("/en/pages/answered-right").text
        assert "Counted on CPU" in html
        assert "CUDA" not in html
        assert "reserved by the allocator" not in html


class TestTranslationInTemplates:
    def test_fields_are_escaped_and_markup_is_not_doubled(self) -> None:
        i18n.install()
        template = environment().from_string('{{ _("A run of the demo {demo}", demo=demo) }}')
        english = get_language(Locale.EN)
        assert template.render(language=english, demo="<b>") == "A run of the demo &lt;b&gt;"
        assert template.render(language=english, demo=Markup("<b>x</b>")) == "A run of the demo <b>x</b>"


class TestStatic:
    def test_one_stylesheet_joined_from_all(self, client: TestClient) -> None:
        css = client.get("/static/css/site.css").text
        assert css.startswith("@layer tokens, base")
        for sheet in (ROOT / "static/css").glob("*.css"):
            assert client.get(f"/static/css/{sheet.name}").status_code == 404

    def test_is_kept_for_ever_under_its_contents_name_and_briefly_otherwise(self, client: TestClient) -> None:
        url = re.search(r"/static/css/site.css\?v=\w+", client.get("/en/pages/home").text)
        assert url is not None
        assert "immutable" in client.get(url[0]).headers["Cache-Control"]
        assert "immutable" not in client.get("/static/css/site.css?v=other").headers["Cache-Control"]

    def test_is_compressed_and_not_sent_twice(self, client: TestClient) -> None:
        first = client.get("/static/css/site.css")
        assert first.headers["Content-Encoding"] == "gzip"
        again = client.get("/static/css/site.css", headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")

    @pytest.mark.parametrize(
        "path", ["../pyproject.toml", "%2e%2e/pyproject.toml", "css/", "", "css/10-tokens.css"]
    )
    def test_gives_nothing_but_its_files(self, client: TestClient, path: str) -> None:
        assert client.get(f"/static/{path}").status_code == 404

    def test_a_first_visit_is_light(self, client: TestClient) -> None:
        """At most 50 KB over the wire, without a font: the page, its styles, scripts and icon."""
        html = client.get("/en/pages/question").text
        urls = set(re.findall(r'"(/static/[^"?]+)', html))
        assert len(urls) <= 5
        assets = load_assets()
        sent = [
            assets[url.removeprefix("/static/")] for url in urls if url.removeprefix("/static/") in assets
        ]
        assert len(html.encode()) + sum(len(each.packed or each.body) for each in sent) < 50_000


def test_no_stylesheet_reaches_another_host() -> None:
    for path in Path(ROOT / "static").rglob("*"):
        if path.suffix in {".css", ".js", ".svg"} and "vendor" not in path.parts:
            text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
            assert "//" not in re.sub(r"^\s*//.*", "", text, flags=re.MULTILINE), path


class TestEvidenceRegion:
    def test_alone_it_brings_the_numbers_of_the_feedback_out_of_band(self, client: TestClient) -> None:
        i18n.install()
        given = panel(evidence()) | {
            "explanation": "Why.",
            "feedback": "It was {{segments.peak_saving}} less.",
        }
        alone = render_text("vi", "demos/_evidence.html", csrf_token="", **given)
        assert re.search(r'id="feedback" hx-swap-oob="true"><p>It was <data[^>]*>2,0×</data> less', alone)
        embedded = client.get("/vi/pages/answered-right").text
        assert "hx-swap-oob" not in embedded
        assert embedded.count('id="feedback"') == 1

    def test_fetches_itself_again_when_a_run_in_it_is_done_with_the_runs_id(self) -> None:
        i18n.install()
        html = render_text("en", "demos/_evidence.html", csrf_token="", **panel(evidence(), run()))
        assert 'hx-trigger="done"' in html
        assert """hx-include="find input[name='run']\"""" in html
        assert '<input type="hidden" name="run" value="abc">' in html
        assert 'hx-sse:connect="/en/runs/abc/events" hx-sse:close="done"' in html

    def test_a_run_that_is_done_is_not_followed_again(self) -> None:
        i18n.install()
        ended = run(status="done", is_open=False)
        html = render_text("en", "demos/_evidence.html", csrf_token="", **panel(evidence(), ended))
        assert "hx-sse:connect" not in html

    def test_the_last_known_measurement_stands_beside_a_failure(self, client: TestClient) -> None:
        html = client.get("/en/pages/failed-out_of_memory").text
        assert "The run needed more memory than it is allowed." in html
        assert "Counted on CPU" in html
