"""A long text in Markdown, read once: its sections with their anchors, and the parts that its page draws.

`## Heading {#anchor}` begins a section; a fence of the language `demo` is a place for something live, which
whoever draws the page fills. Everything else is prose.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from app.core.language import Language, Quantity
from app.core.markdown import cut, insert_numbers, make_parser, readable
from app.core.mathml import FormulaError, to_mathml

LIVE = "demo"  # the language of a fence that is no code
WORDS_A_MINUTE = 180  # of a text to learn from; novels are read at about 240 (Brysbaert 2019)
_ANCHOR = re.compile(r"[ \t]*\{#([a-z0-9]+(?:-[a-z0-9]+)*)\}\s*$")
_WORDS = {"text", "text_special", "code_inline", "measured"}


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it, in Markdown."""

    anchor: str
    heading: str  # plain words
    body: str
    line: int  # of the heading, from 1


@dataclass(frozen=True, slots=True)
class Prose:
    """Safe HTML, cut at its numbers."""

    pieces: tuple[str, ...]

    def html(self, language: Language, numbers: Mapping[str, Quantity]) -> Markup:
        """The HTML with each number in the reader's language."""
        return insert_numbers(self.pieces, language, numbers)


@dataclass(frozen=True, slots=True)
class Live:
    """A place for something live: what the fence says, and the line where it begins."""

    source: str
    line: int


@dataclass(frozen=True, slots=True)
class SectionEnd:
    """The end of a section; links back to it stand here."""

    anchor: str


@dataclass(frozen=True, slots=True)
class FaultyFormula:
    """A formula that cannot be shown, and why."""

    formula: str
    problem: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text as it was read; immutable, and kept."""

    introduction: str  # Markdown before the first heading
    sections: tuple[Section, ...]
    parts: tuple[Prose | Live | SectionEnd, ...]
    word_count: int
    faulty_formulas: tuple[FaultyFormula, ...]

    @property
    def minutes(self) -> int:
        """How long it takes to read, at least one minute."""
        return max(1, round(self.word_count / WORDS_A_MINUTE))

    @property
    def anchors(self) -> tuple[str, ...]:
        """Every section's anchor, in order."""
        return tuple(section.anchor for section in self.sections)

    @property
    def lives(self) -> tuple[Live, ...]:
        """Every place for something live, in order."""
        return tuple(part for part in self.parts if isinstance(part, Live))


@lru_cache(maxsize=64)
def read_document(text: str) -> Document:
    """Read a text's Markdown; any text is a document."""
    lines = readable(text).replace("\r\n", "\n").split("\n")
    parser = _parser()
    tokens = parser.parse("\n".join(lines))
    introduction, sections = _list_sections(tokens, lines)
    return Document(
        introduction=introduction,
        sections=sections,
        parts=tuple(_list_parts(parser, tokens)),
        word_count=sum(_count_words(token) for token in tokens),
        faulty_formulas=tuple(_list_faulty_formulas(tokens)),
    )


@lru_cache
def _parser() -> MarkdownIt:
    parser = make_parser(placeholders=True)
    parser.core.ruler.before("inline", "anchors", _name_sections)
    return parser


def _name_sections(state: StateCore) -> None:
    """Take the anchor out of each heading's words and make it the heading's id; `#` counts as `##`."""
    number = 0
    for position, token in enumerate(state.tokens):
        if token.type != "heading_open" or token.level:
            continue
        words = state.tokens[position + 1]
        found = _ANCHOR.search(words.content)
        words.content = _ANCHOR.sub("", words.content)
        if found:
            token.attrSet("id", found[1])
        if token.tag in {"h1", "h2"}:
            number += 1
            token.tag = state.tokens[position + 2].tag = "h2"
            token.attrSet("id", found[1] if found else f"section-{number}")
            token.attrSet("tabindex", "-1")  # a link to the section takes the keyboard there


def _is_section(token: Token) -> bool:
    return token.type == "heading_open" and token.tag == "h2" and not token.level


def _list_sections(tokens: list[Token], lines: list[str]) -> tuple[str, tuple[Section, ...]]:
    headings = [(token, tokens[at + 1]) for at, token in enumerate(tokens) if _is_section(token)]
    starts = [_span(token)[0] for token, _ in headings]
    sections = []
    for number, (token, words) in enumerate(headings):
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        body = "\n".join(lines[_span(token)[1] : end]).strip()
        sections.append(Section(str(token.attrGet("id")), _plain_words(words), body, starts[number] + 1))
    return "\n".join(lines[: starts[0] if starts else len(lines)]).strip(), tuple(sections)


def _list_parts(parser: MarkdownIt, tokens: list[Token]) -> Iterator[Prose | Live | SectionEnd]:
    held: list[Token] = []
    anchor = ""

    def prose() -> Iterator[Prose]:
        if held:
            yield Prose(cut(parser.renderer.render(held, parser.options, {})))
            held.clear()

    for token in tokens:
        if token.type == "fence" and token.info.strip() == LIVE and not token.level:
            yield from prose()
            yield Live(token.content, _span(token)[0] + 1)
            continue
        if _is_section(token):
            yield from prose()
            if anchor:
                yield SectionEnd(anchor)
            anchor = str(token.attrGet("id"))
        held.append(token)
    yield from prose()
    if anchor:
        yield SectionEnd(anchor)


def _list_faulty_formulas(tokens: list[Token]) -> Iterator[FaultyFormula]:
    for token in tokens:
        for each in [token, *(token.children or [])]:
            if each.type not in {"math_inline", "math_block"}:
                continue
            try:
                to_mathml(each.content.strip(), is_display=each.type == "math_block")
            except FormulaError as error:
                yield FaultyFormula(each.content.strip(), str(error), _span(token)[0] + 1)


def _plain_words(inline: Token) -> str:
    kinds = _WORDS | {"softbreak"}
    return "".join(each.content or " " for each in inline.children or [] if each.type in kinds).strip()


def _count_words(token: Token) -> int:
    return sum(len(each.content.split()) for each in token.children or [] if each.type in _WORDS)


def _span(token: Token) -> tuple[int, int]:
    """The lines of a block, from 0, the end excluded."""
    return (token.map[0], token.map[1]) if token.map else (0, 0)
