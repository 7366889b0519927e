"""Pages and parts of pages: one Jinja environment, what every page knows, and the HTML responses."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from fastapi import Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse

from app.core import charts
from app.core.addresses import public_tail, site_origin
from app.core.assets import static_url
from app.core.errors import AppError
from app.core.kept import KeptPages
from app.core.language import Language, Quantity, Value, quantities
from app.core.markdown import fill_in, measured_number, render_markdown, render_markdown_inline
from app.core.settings import ROOT

TEMPLATES = ROOT / "templates"
RELATION_SIGNS = {"==": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}


class LanguageLink(NamedTuple):
    """One entry of the language switch: the page being read, in that language."""

    code: str
    endonym: str
    url: str
    is_current: bool


class _Languages(NamedTuple):
    known: Mapping[str, Language]
    pick: Callable[[HTTPConnection], str]


_installed: list[_Languages] = []  # none until `app.i18n.install()`


def install_languages(known: Mapping[str, Language], pick: Callable[[HTTPConnection], str]) -> None:
    """Say which languages there are, by code, and how to tell a request's. Core cannot import them itself."""
    _installed[:] = [_Languages(known, pick)]


def request_language(request: HTTPConnection) -> Language:
    """The language that a request is answered in."""
    languages = _languages()
    return languages.known[languages.pick(request)]


def render(
    request: Request, page: str, *, part: str | None = None, status: int = 200, **context: Any
) -> HTMLResponse:
    """The part of a page when htmx asks for one, else the whole page. Both live at one URL, so they vary."""
    response = render_part(request, _asked_for(request, page, part), status=status, **context)
    if part is not None:
        response.headers["Vary"] = "HX-Request"
    return response


def render_part(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """One template as a response. `here`: the page's own path, where the request's is another."""
    here = context.pop("here", None)
    html = environment().get_template(template).render(_page_context(request, here) | context)
    return HTMLResponse(html, status_code=status)


def render_kept(
    request: Request,
    page: str,
    *,
    part: str | None = None,
    key: Hashable,
    holes: Mapping[str, str],
    context: Callable[[Mapping[str, Markup]], dict[str, Any]],
) -> HTMLResponse:
    """Like `render`, for a page that is kept: see `app/core/kept.py`.

    `key` names what the page shows, beside its template and language. `holes` are safe HTML; `context` is
    asked for once, with marks to put in their places, and gives `here` too. The CSRF token is always a hole,
    and so is the site's address: a reader's request may name it.
    """
    template = _asked_for(request, page, part)

    def draw(marks: Mapping[str, Markup]) -> str:
        named = context(marks)
        common = _page_context(request, named.pop("here"))
        common |= {name: marks[name] for name in ("csrf_token", "origin")}
        return environment().get_template(template).render(common | named)

    filled = {"csrf_token": request.state.csrf_token, "origin": escape(site_origin(request)), **holes}
    html = _kept(request).fill((template, request_language(request).code, key), filled, draw)
    return HTMLResponse(html, headers={"Vary": "HX-Request"} if part is not None else None)


def kept_piece(
    request: Request, locale: str, template: str, *, key: Hashable, context: Callable[[], dict[str, Any]]
) -> str:
    """A template that is kept whole: the same for every reader of a language."""

    def draw(_marks: Mapping[str, Markup]) -> str:
        return render_text(locale, template, **context())

    return _kept(request).fill((template, locale, key), {}, draw)


def _asked_for(request: Request, page: str, part: str | None) -> str:
    return part if part is not None and "HX-Request" in request.headers else page


def _kept(request: Request) -> KeptPages:
    state = request.app.state
    if not hasattr(state, "pages"):
        state.pages = KeptPages()
    pages: KeptPages = state.pages
    return pages


def render_text(locale: str, template: str, **context: Any) -> str:
    """One template as text, where there is no request: a streamed part."""
    known = _languages().known[locale]
    return environment().get_template(template).render({"language": known, "locale": locale} | context)


@cache
def environment() -> Environment:
    """The one Jinja environment: escapes everything, and a name that is missing is an error."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    env.globals.update(
        _=_gettext,
        ngettext=_ngettext,
        static_url=static_url,
        quantities=quantities,
        quantity=Quantity,
        charts=charts,
        error_text=_error_text,
        variant_labels=_variant_labels,
        kept_part=_kept_part,
        total=_total,
        relation_sign=RELATION_SIGNS.get,
    )
    env.filters.update(
        markdown=_markdown,
        markdown_inline=_markdown_inline,
        filled=_filled,
        measured=_measured,
    )
    return env


def _languages() -> _Languages:
    if not _installed:
        raise RuntimeError("app.i18n.install() comes before the first page")
    return _installed[0]


def _page_context(request: Request, here: str | None) -> dict[str, Any]:
    language = request_language(request)
    path = here or _own_path(request)
    return {
        "request": request,
        "language": language,
        "locale": language.code,
        "language_links": _language_links(language, path),
        "origin": site_origin(request),
        "public_tail": public_tail(path, frozenset(_languages().known)),
        "csrf_token": getattr(request.state, "csrf_token", ""),
    }


def _own_path(request: Request) -> str:
    """Path and query of what is being read; "/" for a form's target, which nobody can follow a link to."""
    if request.method not in {"GET", "HEAD"}:
        return "/"
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")


def _language_links(current: Language, path: str) -> list[LanguageLink]:
    """The same path and query in each language; the language's home where the path names none."""
    known = _languages().known
    _, first, *rest = path.split("/", 2) if path.count("/") > 1 else ("", "", "")
    tail = rest[0] if first in known else ""
    return [
        LanguageLink(each.code, each.endonym, f"/{each.code}/{tail}", each is current)
        for each in known.values()
    ]


def _words(text: str, fields: Mapping[str, Any]) -> str:
    """A wording with its `{named}` fields; fields that are markup stay markup, all else is escaped."""
    if not fields:
        return text
    if any(isinstance(value, Markup) for value in fields.values()):
        return Markup.escape(text).format(**fields)
    return text.format(**fields)


@pass_context
def _gettext(context: Context, msgid: str, **fields: Any) -> str:
    return _words(context["language"].gettext(msgid), fields)


@pass_context
def _ngettext(context: Context, singular: str, plural: str, n: float, **fields: Any) -> str:
    shown = context["language"].number(n)
    return _words(context["language"].ngettext(singular, plural, n), {"n": shown} | fields)


@pass_context
def _error_text(context: Context, error: AppError) -> str:
    """What an error says, in the reader's language."""
    return _words(context["language"].gettext(error.message), error.values)


@pass_context
def _variant_labels(context: Context, variants: Iterable[Any]) -> dict[str, str]:
    """Each declared variant's label by its id."""
    return {each.id: context["language"].gettext(each.label) for each in variants}


@pass_context
def _kept_part(context: Context, template: str, key: Hashable, **named: Any) -> Markup:
    """A part that is the same for every reader of a language, drawn once for each `key`."""
    locale, request = context["locale"], context.get("request")
    if request is None:  # a streamed part
        return Markup(render_text(locale, template, **named))  # noqa: S704 - a template's output
    return Markup(kept_piece(request, locale, template, key=key, context=lambda: named))  # noqa: S704


def _total(parts: Mapping[str, Value] | None) -> Value:
    """The sum of what was measured; None where nothing was."""
    measured = [value for value in (parts or {}).values() if value is not None]
    return sum(measured) if measured else None


@pass_context
def _markdown(context: Context, text: str, numbers: Mapping[str, Quantity] | None = None) -> Markup:
    return render_markdown(text, context["language"], numbers)


@pass_context
def _markdown_inline(context: Context, text: str, numbers: Mapping[str, Quantity] | None = None) -> Markup:
    return render_markdown_inline(text, context["language"], numbers)


@pass_context
def _filled(context: Context, text: str, numbers: Mapping[str, Quantity]) -> str:
    return fill_in(text, context["language"], numbers)


@pass_context
def _measured(context: Context, value: float | None, unit: str) -> Markup:
    return measured_number(Quantity(value, unit), context["language"])
