"""What of a quiz and its guide can be found, as documents. Never a key, feedback or an explanation. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token as MarkdownToken

from app.banks.content import GuideWording, ItemContent, QuizContent
from app.banks.search import TITLE, terms_of, tokens
from app.i18n.locales import Locale

FORMAT = (
    2  # raise it when folding or the documents change: then every quiz is indexed again when it is loaded
)
TEXT_LIMIT = 100_000  # characters of one document
TITLE_LIMIT = 300
BETWEEN = "|"  # stands between the words of a title and those of the text: no phrase crosses it

Kind = Literal["quiz", "guide", "item"]

_ANCHOR = re.compile(r"[ \t]*\{#[a-z0-9-]+\}")
_MEASURED = re.compile(r"\{\{[^{}]*\}\}")
_MATH = re.compile(r"\$\$?([^$]+)\$\$?")
_SPACE = re.compile(r"\s+")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BLOCK_END = {
    "paragraph_close",
    "heading_close",
    "list_item_close",
    "th_close",
    "td_close",
    "fence",
    "code_block",
}


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that a search can find: a quiz, a section of a guide, or a question."""

    kind: Kind
    locale: Locale
    anchor: str  # the section's or the question's id on its page
    title: str
    within: str  # the guide or the quiz that it is a part of
    text: str

    def indexed(self) -> dict[str, str]:
        """Its terms, and the words of title and text in order: plain, and with their marks."""
        in_title, in_text = list(tokens(self.title)), list(tokens(self.text))
        terms = terms_of([*in_title, *in_text]) | {TITLE + term for term in terms_of(in_title)}
        plain, marked = (
            f" {_joined(getattr(each, kind) for each in in_title)} {BETWEEN} "
            f"{_joined(getattr(each, kind) for each in in_text)} "
            for kind in ("plain", "marked")
        )
        return {"terms": " ".join(sorted(terms)), "plain": plain, "marked": marked}


def list_documents(quiz: QuizContent) -> Iterator[Document]:
    """Every document of a quiz's revision, in each language that it has."""
    for locale, words in quiz.texts.items():
        yield Document("quiz", locale, "", plain_text(words.title), "", plain_text(words.description))
        for number, item in enumerate(quiz.items, 1):
            if locale in item.texts:
                yield _question(item, number, locale, plain_text(words.title))
    if quiz.guide is not None:
        for guide in quiz.guide.texts.values():
            yield from _sections(guide)


def _sections(guide: GuideWording) -> Iterator[Document]:
    """A guide's introduction, under the guide's own title, and its sections."""
    document = guide.document
    yield Document("guide", guide.locale, "", guide.title, guide.title, plain_text(document.introduction))
    for section in document.sections:
        title = section.heading[:TITLE_LIMIT]
        yield Document("guide", guide.locale, section.anchor, title, guide.title, plain_text(section.body))


def _question(item: ItemContent, number: int, locale: Locale, quiz_title: str) -> Document:
    """A question as its preview shows it: the stem and the options, in the author's order."""
    wording = item.wording(locale)
    stem = plain_text(wording.stem)
    options = " · ".join(plain_text(wording.options[option].text) for option in item.options)
    if len(stem) <= TITLE_LIMIT:
        return Document("item", locale, f"question-{number}", stem, quiz_title, options)
    title = stem[:TITLE_LIMIT].rsplit(maxsplit=1)[0] + "…"
    return Document(
        "item", locale, f"question-{number}", title, quiz_title, f"{stem} · {options}"[:TEXT_LIMIT]
    )


def plain_text(markdown: str) -> str:
    """The words of Markdown on one line: code as it stands, formulas without commands, no demo, no number."""
    source = _CONTROLS.sub("", _ANCHOR.sub("", markdown))[:TEXT_LIMIT]
    pieces: list[str] = []
    for token in _parser().parse(source):
        if token.type == "inline":
            pieces.append(_MATH.sub(_formula, _inline(token)))
        elif token.type in {"fence", "code_block"} and not token.info.startswith("demo"):
            pieces.append(token.content)
        if token.type in _BLOCK_END:
            pieces.append(" ")
    return _SPACE.sub(" ", _MEASURED.sub("…", "".join(pieces))).strip()


def _inline(token: MarkdownToken) -> str:
    return "".join(
        " " if each.type in {"softbreak", "hardbreak"} else each.content
        for each in token.children or []
        if each.type in {"text", "text_special", "code_inline", "softbreak", "hardbreak"}
    )


def _formula(found: re.Match[str]) -> str:
    r"""`\sqrt{N}` as √N, `\frac{a}{b}` as a/b; of other commands the name goes and what they hold stays."""
    words = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"√\1", found[1])
    words = re.sub(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", r"\1/\2", words)
    for command, sign in (
        ("cdot", "·"),
        ("times", "×"),
        ("le", "≤"),
        ("leq", "≤"),
        ("ge", "≥"),
        ("approx", "≈"),
    ):
        words = re.sub(rf"\\{command}(?![a-z])", sign, words)
    return re.sub(r"\\[A-Za-z]+|[{}\\]", "", words)


def _joined(words: Iterator[tuple[str, ...]]) -> str:
    return " ".join(word for each in words for word in each)


@lru_cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
