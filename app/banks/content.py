"""A quiz's revision as it is read: immutable, so it is loaded once and kept."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, select

from app.banks.guides import GuideBlock, list_blocks
from app.banks.models import GuideText, Item, ItemRevision, ItemText, Quiz, QuizItem, QuizRevision, QuizText
from app.core.document import Document, Section, read_document
from app.demos.catalog import find_demo
from app.demos.claims import Claim, parse_claim
from app.demos.spec import Demo, ParamError, Params
from app.i18n.locales import SOURCE_LOCALE, Locale

CACHE_LIMIT = 128  # revisions in memory; one of 8 items in three languages is about 60 KiB

Text = TypeVar("Text")


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option in one locale."""

    text: str
    feedback: str


@dataclass(frozen=True, slots=True)
class ItemWording:
    """One item in one locale, Markdown throughout."""

    stem: str
    explanation: str
    options: Mapping[str, OptionText]


@dataclass(frozen=True, slots=True)
class ItemEvidence:
    """The demo and the parameters that bear on an item, and what they must show."""

    demo: Demo
    params: Params
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class ItemContent:
    """One item's revision in every language."""

    revision_id: int
    item_id: int
    slug: str
    type: str
    key: tuple[str, ...]
    options: tuple[str, ...]
    evidence: ItemEvidence | None
    refutations: Mapping[str, ItemEvidence]  # by wrong option's id
    section: str | None  # of the quiz's guide
    texts: Mapping[Locale, ItemWording]

    def wording(self, locale: Locale) -> ItemWording:
        """The wording in `locale`; the source's where that language has none yet."""
        return in_locale(self.texts, locale)


@dataclass(frozen=True, slots=True)
class QuizWording:
    """A quiz's own words in one locale."""

    title: str
    description: str


@dataclass(frozen=True, slots=True)
class GuideWording:
    """A guide in one locale."""

    locale: Locale
    title: str
    body: str  # Markdown

    @property
    def document(self) -> Document:
        """The body as it was read; kept."""
        return read_document(self.body)


@dataclass(frozen=True, slots=True)
class GuideContent:
    """One guide's revision in every language; its live demos are the same in all of them."""

    revision_id: int
    texts: Mapping[Locale, GuideWording]
    blocks: tuple[GuideBlock, ...]

    def wording(self, locale: Locale) -> GuideWording:
        """The guide in `locale`; the source's where that language has none yet."""
        return in_locale(self.texts, locale)

    def find_block(self, name: str) -> GuideBlock | None:
        """The live demo of that name, or None."""
        return next((block for block in self.blocks if block.name == name), None)


@dataclass(frozen=True, slots=True)
class QuizContent:
    """One quiz's revision with all its items."""

    revision_id: int
    quiz_id: int
    slug: str
    level: str
    guide: GuideContent | None
    texts: Mapping[Locale, QuizWording]
    items: tuple[ItemContent, ...]

    def wording(self, locale: Locale) -> QuizWording:
        """The quiz's words in `locale`; the source's where that language has none yet."""
        return in_locale(self.texts, locale)

    def find_section(self, item: ItemContent, locale: Locale) -> Section | None:
        """The section of the guide that tells more about one of the items, or None."""
        if self.guide is None or item.section is None:
            return None
        sections = self.guide.wording(locale).document.sections
        return next((section for section in sections if section.anchor == item.section), None)


def in_locale(texts: Mapping[Locale, Text], locale: Locale) -> Text:
    """The text in `locale`, else in the source language; every revision has that."""
    return texts[locale] if locale in texts else texts[SOURCE_LOCALE]


class QuizCache:
    """Quiz revisions by id, the least recently read dropped first. Safe between threads."""

    def __init__(self, limit: int = CACHE_LIMIT) -> None:
        self._limit = limit
        self._held: OrderedDict[int, QuizContent] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, connection: Connection, revision_id: int) -> QuizContent:
        """The revision's content, read from the database the first time."""
        with self._lock:
            found = self._held.get(revision_id)
            if found is not None:
                self._held.move_to_end(revision_id)
                return found
        content = read_quiz_revision(connection, revision_id)
        with self._lock:
            self._held[revision_id] = content
            while len(self._held) > self._limit:
                self._held.popitem(last=False)
        return content


def read_quiz_revision(connection: Connection, revision_id: int) -> QuizContent:
    """Read one revision: five queries, however many items it has."""
    quiz = connection.execute(
        select(Quiz.id, Quiz.slug, QuizRevision.level, QuizRevision.guide_revision_id)
        .join(QuizRevision, QuizRevision.quiz_id == Quiz.id)
        .where(QuizRevision.id == revision_id)
    ).one()
    texts = connection.execute(
        select(QuizText.locale, QuizText.title, QuizText.description).where(
            QuizText.revision_id == revision_id
        )
    )
    return QuizContent(
        revision_id=revision_id,
        quiz_id=quiz.id,
        slug=quiz.slug,
        level=quiz.level,
        guide=_read_guide(connection, quiz.guide_revision_id),
        texts={Locale(row.locale): QuizWording(row.title, row.description) for row in texts},
        items=_read_items(connection, revision_id),
    )


def _read_guide(connection: Connection, revision_id: int | None) -> GuideContent | None:
    if revision_id is None:
        return None
    rows = connection.execute(
        select(GuideText.locale, GuideText.title, GuideText.body)
        .where(GuideText.revision_id == revision_id)
        .order_by(GuideText.locale)
    )
    texts = {Locale(row.locale): GuideWording(Locale(row.locale), row.title, row.body) for row in rows}
    blocks = tuple(list_blocks(in_locale(texts, SOURCE_LOCALE).body))
    return GuideContent(revision_id, texts, blocks)


def _read_items(connection: Connection, quiz_revision_id: int) -> tuple[ItemContent, ...]:
    placed = QuizItem.quiz_revision_id == quiz_revision_id
    texts: dict[int, dict[Locale, ItemWording]] = {}
    for row in connection.execute(
        select(ItemText.revision_id, ItemText.locale, ItemText.stem, ItemText.explanation, ItemText.options)
        .join(QuizItem, QuizItem.item_revision_id == ItemText.revision_id)
        .where(placed)
    ):
        options = {option_id: OptionText(**text) for option_id, text in row.options.items()}
        wording = ItemWording(row.stem, row.explanation, options)
        texts.setdefault(row.revision_id, {})[Locale(row.locale)] = wording
    items = connection.execute(
        select(ItemRevision.__table__, Item.slug)
        .join(Item, Item.id == ItemRevision.item_id)
        .join(QuizItem, QuizItem.item_revision_id == ItemRevision.id)
        .where(placed)
        .order_by(QuizItem.position)
    )
    return tuple(_item_content(row, texts[row.id]) for row in items)


def _item_content(row: Row[Any], texts: Mapping[Locale, ItemWording]) -> ItemContent:
    return ItemContent(
        revision_id=row.id,
        item_id=row.item_id,
        slug=row.slug,
        type=row.type,
        key=tuple(row.key),
        options=tuple(row.options),
        evidence=_item_evidence(row.evidence),
        refutations={
            option: evidence
            for option, stored in row.refutations.items()
            if (evidence := _item_evidence(stored)) is not None
        },
        section=row.section,
        texts=texts,
    )


def _item_evidence(stored: Mapping[str, Any] | None) -> ItemEvidence | None:
    """The evidence of a stored revision; None when the catalogue no longer has such a demo or parameters."""
    demo = find_demo(stored["demo"]) if stored else None
    if stored is None or demo is None:
        return None
    try:
        params = demo.parse_params(stored["params"])
    except ParamError:
        return None  # the loader refused nothing: the demo's bounds have moved since
    return ItemEvidence(demo, params, tuple(parse_claim(claim) for claim in stored["expect"]))
