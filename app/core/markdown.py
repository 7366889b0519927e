"""Markdown of authors to HTML that a page may show: parsed without HTML, then sanitised by an own allow-list.

`{{metric}}` becomes the measured number in the reader's language. Inside a code span or a fence it stays as
it is written: code is code.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from app.core.language import Language, Quantity
from app.core.marking import N_

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z0-9_.-]+)\s*\}\}")
# Characters that reorder what is read: a text must not look other than it is. Joiners stay: Devanagari.
_BIDI_CONTROLS = "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"
# A placeholder while the text is made into HTML: private characters, which no text may bring itself.
_HOLE = re.compile("\ue000([A-Za-z0-9_.-]+)\ue001")
_UNREADABLE = re.compile(f"[{_BIDI_CONTROLS}\ue000\ue001]")
UNMEASURED = N_("not yet measured")

TAGS = {
    *("p", "br", "hr", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a", "data", "span"),
    *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    "a": {"href"},
    "code": {"translate"},
    "pre": {"translate", "tabindex"},
    "data": {"value", "title"},
    "ol": {"start"},
    **{f"h{level}": {"id"} for level in range(2, 7)},
}
CLASSES = {"data": {"measured"}, "span": {"unmeasured"}}


def render_markdown(text: str, language: Language, numbers: Mapping[str, Quantity] | None = None) -> Markup:
    """Blocks of Markdown as safe HTML. Without `numbers` a placeholder is ordinary text."""
    if numbers is None:
        return _render_plain(text)
    return _insert_numbers(_render_pieces(text, inline=False), language, numbers)


def render_markdown_inline(
    text: str, language: Language, numbers: Mapping[str, Quantity] | None = None
) -> Markup:
    """One line of Markdown as safe HTML, without a paragraph around it."""
    if numbers is None:
        return _render_plain_inline(text)
    return _insert_numbers(_render_pieces(text, inline=True), language, numbers)


def render_document(text: str) -> tuple[str, list[tuple[str, str]], Markup]:
    """A guide: its title (the first `#` heading), its `##` headings as (anchor, text), and the HTML below.

    Deeper headings keep their level; a second `#` counts as `##`.
    """
    parser = _parser(placeholders=False)
    tokens = parser.parse(_readable(text))
    title, kept = "", []
    contents: list[tuple[str, str]] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.type == "heading_open":
            words = _plain_words(tokens[position + 1])
            if token.tag == "h1" and not title:
                title, position = words, position + 3
                continue
            if token.tag in {"h1", "h2"}:
                anchor = f"section-{len(contents) + 1}"
                contents.append((anchor, words))
                token.tag = tokens[position + 2].tag = "h2"
                token.attrSet("id", anchor)
        kept.append(token)
        position += 1
    return title, contents, _clean(parser.renderer.render(kept, parser.options, {}))


def fill_in(text: str, language: Language, numbers: Mapping[str, Quantity]) -> str:
    """Plain text with its placeholders filled, for `<desc>` and captions."""

    def number(found: re.Match[str]) -> str:
        quantity = numbers.get(found[1])
        if quantity is None or quantity.value is None:
            return language.gettext(UNMEASURED)
        return language.quantity(quantity.value, quantity.unit)

    return PLACEHOLDER.sub(number, text)


def measured_number(quantity: Quantity | None, language: Language) -> Markup:
    """A number as `<data>`, its exact value in `title`; words where it was not measured."""
    if quantity is None or quantity.value is None:
        return Markup('<span class="unmeasured">{}</span>').format(language.gettext(UNMEASURED))
    value, unit = quantity
    shown, exact = language.quantity(value, unit), language.exact(value, unit)
    title = Markup(' title="{}"').format(exact) if exact != shown else ""
    return Markup('<data class="measured" value="{}"{}>{}</data>').format(
        str(value).lower() if isinstance(value, bool) else value, title, shown
    )


@lru_cache(maxsize=4096)
def _render_plain(text: str) -> Markup:
    return _clean(_parser(placeholders=False).render(_readable(text)))


@lru_cache(maxsize=4096)
def _render_plain_inline(text: str) -> Markup:
    return _clean(_parser(placeholders=False).renderInline(_readable(text)))


@lru_cache(maxsize=4096)
def _render_pieces(text: str, *, inline: bool) -> tuple[str, ...]:
    """Safe HTML around the placeholders: a piece, a metric's id, a piece, and so on; texts never change."""
    parser = _parser(placeholders=True)
    html = parser.renderInline(_readable(text)) if inline else parser.render(_readable(text))
    return tuple(_HOLE.split(_clean(html)))


def _insert_numbers(pieces: tuple[str, ...], language: Language, numbers: Mapping[str, Quantity]) -> Markup:
    filled = list(pieces)
    for at in range(1, len(filled), 2):
        filled[at] = measured_number(numbers.get(filled[at]), language)
    return Markup("".join(filled))  # noqa: S704 - sanitised pieces, and numbers that are markup already


def _clean(html: str) -> Markup:
    return Markup(  # noqa: S704 - sanitised in this line
        nh3.clean(
            html,
            tags=TAGS,
            attributes=ATTRIBUTES,
            allowed_classes=CLASSES,
            url_schemes={"http", "https", "mailto"},
            link_rel="noopener noreferrer",
        )
    )


def _readable(text: str) -> str:
    return _UNREADABLE.sub("", text)


def _plain_words(inline: Token) -> str:
    return "".join(
        each.content for each in inline.children or [] if each.type in {"text", "code_inline", "softbreak"}
    )


@lru_cache
def _parser(*, placeholders: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.add_render_rule("code_inline", _code_span)
    parser.add_render_rule("fence", _code_block)
    parser.add_render_rule("code_block", _code_block)
    if placeholders:
        parser.inline.ruler.before("escape", "measured", _parse_placeholder)
        parser.add_render_rule("measured", _render_placeholder)
    return parser


def _parse_placeholder(state: StateInline, silent: bool) -> bool:
    found = PLACEHOLDER.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("measured", "", 0)
        token.content = found[1]
    state.pos = found.end()
    return True


def _render_placeholder(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return f"\ue000{tokens[index].content}\ue001"


def _code_span(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    return f'<code translate="no">{escape(tokens[index].content)}</code>'


def _code_block(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    # tabindex: a block wider than the column scrolls, and the keyboard must reach it
    code = escape(tokens[index].content)
    return f'<pre translate="no" tabindex="0"><code translate="no">{code}</code></pre>\n'
