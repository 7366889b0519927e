"""Rules of translation on a guide: section by section, and by paragraph where there are as many."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from app.banks.lint import rules
from app.banks.lint.drafts import GuideDraft
from app.banks.lint.findings import Finding, Place
from app.banks.lint.glossary import Glossary
from app.banks.lint.tokens import tokenize
from app.banks.lint.translation import (
    compare_tokens,
    lint_banned,
    lint_language,
    lint_missing_terms,
    lint_text,
)
from app.i18n.locales import SOURCE_LOCALE, Locale

_HEADING = re.compile(r"^##\s+(?P<words>.*?)\s*(?:\{#(?P<id>[a-z0-9-]+)\})?\s*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
SOURCES = "sources"  # the section of links: names of people and titles of papers stay as they are
# A unit as a word; as a sign it is a quantity of `tokens` already.
_WORDED = re.compile(
    r"(?<![\w.])\d[\d.,]*(?:[–-]\d[\d.,]*)?[\s\u00a0-]?"
    r"(?:bytes?|kilobytes?|megabytes?|gigabytes?|(?:milli|micro)?seconds?|minutes?|hours?|percent|"
    r"बाइट|किलोबाइट|मेगाबाइट|गीगाबाइट|(?:मिली|माइक्रो)?सेकंड|मिनट|घंटे|घंटा|प्रतिशत|"
    r"(?:mili|micro)?\s?giây|phút|giờ|phần trăm)(?![\w\u0900-\u0963])",
    re.IGNORECASE,
)
_UNREAD = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\$\$.+?\$\$|\$[^$\n]+\$|\{\{.*?\}\}", re.DOTALL)


@dataclass(frozen=True)
class _Block:
    """A paragraph, list, table or fence, with its first line."""

    line: int
    text: str


@dataclass(frozen=True)
class _Section:
    """A `##` heading and what stands under it; the first section is what stands before any."""

    id: str
    line: int
    blocks: tuple[_Block, ...]

    @cached_property
    def text(self) -> str:
        return "\n\n".join(block.text for block in self.blocks)


def lint_guide(draft: GuideDraft, glossary: Glossary) -> list[Finding]:
    """Everything that a guide breaks; `line` of each finding counts in the text of its language."""
    sections = {locale: tuple(_sections(text)) for locale, text in draft.texts.items()}
    source = sections.get(SOURCE_LOCALE)
    findings: list[Finding] = []
    for locale, own in sections.items():
        for section in own:
            findings += _lint_alone(section, locale, draft)
        if source is None or locale is SOURCE_LOCALE:
            for section in own:
                findings += _lint_words(section, None, locale, glossary)
            continue
        findings += _lint_headings(own, source, locale)
        originals = {section.id: section for section in source}
        for section in own:
            original = originals.get(section.id)
            findings += _lint_words(section, original, locale, glossary)
            if original is not None:
                findings += _lint_against(section, original, locale)
    return findings


def _sections(text: str) -> Iterator[_Section]:
    identity, start, blocks = "", 1, list[_Block]()
    number = 0
    for block in _blocks(text):
        found = _HEADING.match(block.text.split("\n", 1)[0])
        if found:
            yield _Section(identity, start, tuple(blocks))
            number += 1
            identity, start, blocks = found["id"] or f"{number}", block.line, []
        blocks.append(block)
    yield _Section(identity, start, tuple(blocks))


def _blocks(text: str) -> Iterator[_Block]:
    """Pieces between blank lines; a fence is one piece, and a heading is one by itself."""
    lines: list[str] = []
    start, fence = 1, ""
    for number, line in enumerate([*text.split("\n"), ""], 1):
        found = _FENCE.match(line)
        is_heading = not fence and line.startswith("#")
        is_opening = bool(found) and not fence
        if lines and not fence and (not line.strip() or is_heading or is_opening):
            yield _Block(start, "\n".join(lines))
            lines = []
        if not lines:
            start = number
        if lines or line.strip():
            lines.append(line)
        is_closing = bool(found) and bool(fence) and line.strip().startswith(fence)
        fence = found[1] if found and not fence else "" if is_closing else fence
        if is_heading or is_closing:
            yield _Block(start, "\n".join(lines))
            lines = []
    if lines:
        yield _Block(start, "\n".join(lines))


def _lint_headings(
    own: tuple[_Section, ...], source: tuple[_Section, ...], locale: Locale
) -> Iterator[Finding]:
    found, wanted = ([section.id for section in each[1:]] for each in (own, source))
    if found != wanted:
        values = {"locale": locale, "found": ", ".join(found), "wanted": ", ".join(wanted)}
        yield Finding(rules.SECTIONS, (), locale, values, line=1)


def _lint_alone(section: _Section, locale: Locale, draft: GuideDraft) -> Iterator[Finding]:
    place: Place = ("sections", section.id)
    for block in section.blocks:
        for finding in lint_text(block.text, place, locale):
            if finding.rule is not rules.MISSING:  # a line of --- shows a rule, not words
                yield replace(finding, line=block.line)
        yield from _lint_numbers(block, place, locale)
        yield from _lint_placeholders(block, place, locale, draft)


def _lint_numbers(block: _Block, place: Place, locale: Locale) -> Iterator[Finding]:
    """Every quantity is measured or quoted: no typed one without a link in its paragraph."""
    tokens = tokenize(block.text)
    if tokens.urls and any(tokens.urls):
        return
    worded = () if _FENCE.match(block.text) else _WORDED.findall(_UNREAD.sub(" ", block.text))
    for quantity in dict.fromkeys(" ".join(each.split()) for each in (*tokens.quantities, *worded)):
        yield Finding(rules.UNSOURCED, place, locale, {"token": quantity}, line=block.line)


def _lint_placeholders(block: _Block, place: Place, locale: Locale, draft: GuideDraft) -> Iterator[Finding]:
    if draft.metrics is None:
        return
    for token in dict.fromkeys(tokenize(block.text).placeholders):
        name, _, metric = token.partition(":")
        if metric not in draft.metrics.get(name, ()):
            yield Finding(rules.PLACEHOLDER_UNKNOWN, place, locale, {"token": token}, line=block.line)


def _lint_words(
    section: _Section, original: _Section | None, locale: Locale, glossary: Glossary
) -> Iterator[Finding]:
    """The language and its words: by paragraph where there are as many; terms over the section."""
    if section.id == SOURCES or locale is SOURCE_LOCALE:
        return
    place: Place = ("sections", section.id)
    sources: list[str | None] = [None] * len(section.blocks)
    if original is not None and len(original.blocks) == len(section.blocks):
        sources = [block.text for block in original.blocks]
    for block, source in zip(section.blocks, sources, strict=True):
        for finding in lint_language(block.text, source, place, locale, glossary):
            yield replace(finding, line=block.line)
        terms = original.text if original is not None else None
        for finding in lint_banned(block.text, terms, place, locale, glossary):
            yield replace(finding, line=block.line)
    if original is not None:
        for finding in lint_missing_terms(section.text, original.text, place, locale, glossary):
            yield replace(finding, line=section.line)


def _lint_against(section: _Section, original: _Section, locale: Locale) -> Iterator[Finding]:
    """Tokens, each at the paragraph where it is too many, or at the heading where it is lost."""
    place: Place = ("sections", section.id)
    if len(section.blocks) == len(original.blocks):
        for block, source in zip(section.blocks, original.blocks, strict=True):
            for finding in compare_tokens(tokenize(block.text), tokenize(source.text), place, locale):
                yield replace(finding, line=block.line)
        return
    for finding in compare_tokens(tokenize(section.text), tokenize(original.text), place, locale):
        token = str(finding.values["token"])
        lines = [block.line for block in section.blocks if token in tokenize(block.text).all()]
        yield replace(finding, line=lines[0] if lines else section.line)
