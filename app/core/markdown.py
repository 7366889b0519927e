"""Markdown of authors to HTML that a page may show: parsed without HTML, then sanitised by an own allow-list.

`{{metric}}` becomes the measured number in the reader's language, `$formula$` MathML. Inside a code span or a
fence both stay as they are written: code is code.
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
from mdit_py_plugins.dollarmath import dollarmath_plugin

from app.core import mathml
from app.core.language import Language, Quantity
from app.core.marking import N_
from app.core.mathml import FormulaError, to_mathml

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z0-9_.:-]+)\s*\}\}")
# Characters that reorder what is read: a text must not look other than it is. Joiners stay: Devanagari.
_BIDI_CONTROLS = "\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c"
# A placeholder while the text is made into HTML: private characters, which no text may bring itself.
_HOLE = re.compile("\ue000([A-Za-z0-9_.:-]+)\ue001")
_UNREADABLE = re.compile(f"[{_BIDI_CONTROLS}\ue000\ue001]")
UNMEASURED = N_("not yet measured")

TAGS = {
    *("p", "br", "hr", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a", "data", "span"),
    *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
    *mathml.TAGS,
}
ATTRIBUTES = {
    "a": {"href"},
    "code": {"translate"},
    "pre": {"translate", "tabindex"},
    "data": {"value", "title"},
    "ol": {"start"},
    **{f"h{level}": {"id", "tabindex"} for level in range(2, 7)},
    **mathml.ATTRIBUTES,
}
CLASSES = {"data": {"measured"}, "span": {"unmeasured"}}


def render_markdown(text: str, language: Language, numbers: Mapping[str, Quantity] | None = None) -> Markup:
    """Blocks of Markdown as safe HTML. Without `numbers` a placeholder is ordinary text."""
    if numbers is None:
        return _render_plain(text)
    return insert_numbers(_render_pieces(text, inline=False), language, numbers)


def render_markdown_inline(
    text: str, language: Language, numbers: Mapping[str, Quantity] | None = None
) -> Markup:
    """One line of Markdown as safe HTML, without a paragraph around it."""
    if numbers is None:
        return _render_plain_inline(text)
    return insert_numbers(_render_pieces(text, inline=True), language, numbers)


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
    return clean(make_parser(placeholders=False).render(readable(text)))


@lru_cache(maxsize=4096)
def _render_plain_inline(text: str) -> Markup:
    return clean(make_parser(placeholders=False).renderInline(readable(text)))


@lru_cache(maxsize=4096)
def _render_pieces(text: str, *, inline: bool) -> tuple[str, ...]:
    parser = make_parser(placeholders=True)
    return cut(parser.renderInline(readable(text)) if inline else parser.render(readable(text)))


def cut(html: str) -> tuple[str, ...]:
    """What the parser with placeholders made, as safe HTML: a piece, a metric's id, a piece, and so on."""
    return tuple(_HOLE.split(clean(html)))


def insert_numbers(pieces: tuple[str, ...], language: Language, numbers: Mapping[str, Quantity]) -> Markup:
    """What `cut` has cut, with each number in its place."""
    filled = list(pieces)
    for at in range(1, len(filled), 2):
        filled[at] = measured_number(numbers.get(filled[at]), language)
    return Markup("".join(filled))  # noqa: S704 - sanitised pieces, and numbers that are markup already


def clean(html: str) -> Markup:
    """Only what the allow-list has, whatever an author wrote."""
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


def readable(text: str) -> str:
    """The text without what would make it look other than it is."""
    return _UNREADABLE.sub("", text)


@lru_cache
def make_parser(*, placeholders: bool) -> MarkdownIt:
    """CommonMark with tables and formulas; without HTML and images. Its output goes through `clean`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    dollarmath_plugin(parser, allow_labels=False, allow_space=False, allow_digits=False)
    parser.add_render_rule("math_inline", _formula)
    parser.add_render_rule("math_block", _formula)
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


def _formula(
    _self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    token = tokens[index]
    is_display = token.type == "math_block"
    try:
        made = to_mathml(token.content.strip(), is_display=is_display)
    except FormulaError:  # the lint names it to its author; a reader sees it as it is written
        made = f'<code translate="no">{escape(token.content)}</code>'
    return f"<p>{made}</p>\n" if is_display else made
