"""Loads `quizzes/` into the database: the same file twice changes nothing, a changed one makes revisions."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from app.banks.checks import check
from app.banks.forms import EvidenceForm, ItemForm, QuizForm
from app.banks.linting import check_guides, lint_guides, read_glossary
from app.banks.models import (
    Bank,
    Guide,
    GuideRevision,
    GuideText,
    Item,
    ItemRevision,
    ItemText,
    Quiz,
    QuizItem,
    QuizRevision,
    QuizText,
)
from app.banks.search_service import index_quizzes
from app.banks.source import Fault, QuizSource, SourceFaultsError, read_folder
from app.core.db import Base, now
from app.core.marking import N_
from app.i18n.locales import SOURCE_LOCALE

Row = TypeVar("Row", bound=Base)
Revision = TypeVar("Revision", ItemRevision, GuideRevision, QuizRevision)
_LOCK = 0x72656D61  # any number, the same in every process: one loader at a time on PostgreSQL


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading one quiz did."""

    slug: str
    items: int
    new_item_revisions: int
    is_new_revision: bool


def read_all(folder: Path) -> list[QuizSource]:
    """Every quiz below `folder`, checked. Raises SourceFaultsError with the faults of all of them."""
    glossary = read_glossary(folder)
    sources: list[QuizSource] = []
    faults: list[Fault] = []
    for path in sorted(path.parent for path in folder.glob("*/quiz.yaml")):
        try:
            source = read_folder(path)
        except SourceFaultsError as error:
            faults += error.faults
            continue
        sources.append(source)
        faults += check(source, glossary)
        faults += check_guides(source)
        faults += [found.fault() for found in lint_guides(source, glossary) if found.finding.is_error]
        if source.form.slug != path.name:
            message = N_("The slug differs from the folder's name, {folder}.")
            faults.append(source.fault(("slug",), message, folder=path.name))
    if faults:
        raise SourceFaultsError(faults)
    return sources


def load_all(session: Session, sources: Iterable[QuizSource]) -> list[Loaded]:
    """Load checked quizzes and what the search knows of them, all in the caller's transaction or none."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    loaded = [_load(session, source) for source in sources]
    index_quizzes(session)
    return loaded


def _load(session: Session, source: QuizSource) -> Loaded:
    form = source.form
    bank = _find_or_add_bank(session, form)
    before = session.scalar(select(func.count()).select_from(ItemRevision))
    items = [_revise_item(session, bank, item) for item in form.items]
    after = session.scalar(select(func.count()).select_from(ItemRevision))
    guide = _revise_guide(session, source)
    is_new = _revise_quiz(session, bank, form, items, guide)
    return Loaded(form.slug, len(items), (after or 0) - (before or 0), is_new)


def _find_or_add_bank(session: Session, form: QuizForm) -> Bank:
    bank = _find_or_add(session, Bank(slug=form.slug, title="", created_at=now()), Bank.slug == form.slug)
    bank.title = form.title[SOURCE_LOCALE]
    return bank


def _revise_item(session: Session, bank: Bank, form: ItemForm) -> ItemRevision:
    """The item's newest revision when it says the same as `form`, else a new one."""
    new = Item(bank_id=bank.id, slug=form.id, created_at=now())
    item = _find_or_add(session, new, Item.bank_id == bank.id, Item.slug == form.id)
    newest = _find_newest(session, ItemRevision, ItemRevision.item_id == item.id)
    content_hash = _hash(form.model_dump(mode="json", by_alias=True, exclude_none=True))
    if newest is not None and newest.content_hash == content_hash:
        return newest
    revision = ItemRevision(
        item_id=item.id,
        number=newest.number + 1 if newest else 1,
        type=form.type,
        key=[form.key],
        options=[option.id for option in form.options],
        section=form.read,
        evidence=_stored(form.evidence) if form.evidence else None,
        refutations={
            option.id: _stored(refutation)
            for option in form.options
            if (refutation := form.refutation(option)) is not None
        },
        content_hash=content_hash,
        created_at=now(),
    )
    session.add(revision)
    session.flush()
    session.add_all(_item_texts(revision, form))
    return revision


def _stored(evidence: EvidenceForm) -> dict[str, Any]:
    return evidence.model_dump(mode="json", by_alias=True, exclude_none=True)


def _item_texts(revision: ItemRevision, form: ItemForm) -> list[ItemText]:
    return [
        ItemText(
            revision_id=revision.id,
            locale=locale,
            status="reviewed",  # a file in git was reviewed where it was committed
            stem=form.stem[locale],
            explanation=form.explanation[locale],
            options={
                option.id: {"text": option.text[locale], "feedback": option.feedback[locale]}
                for option in form.options
            },
            version=1,
        )
        for locale in form.stem
    ]


def _revise_guide(session: Session, source: QuizSource) -> GuideRevision | None:
    if not source.guide:
        return None
    slug = source.form.slug
    guide = _find_or_add(session, Guide(slug=slug, created_at=now()), Guide.slug == slug)
    newest = _find_newest(session, GuideRevision, GuideRevision.guide_id == guide.id)
    content_hash = _hash({locale: [text.title, text.body] for locale, text in source.guide.items()})
    if newest is not None and newest.content_hash == content_hash:
        return newest
    revision = GuideRevision(
        guide_id=guide.id,
        number=newest.number + 1 if newest else 1,
        content_hash=content_hash,
        created_at=now(),
    )
    session.add(revision)
    session.flush()
    session.add_all(
        GuideText(revision_id=revision.id, locale=locale, title=text.title, body=text.body)
        for locale, text in source.guide.items()
    )
    return revision


def _revise_quiz(
    session: Session, bank: Bank, form: QuizForm, items: list[ItemRevision], guide: GuideRevision | None
) -> bool:
    """Whether the quiz says something new; if so it has a new revision."""
    new = Quiz(slug=form.slug, bank_id=bank.id, created_at=now())
    quiz = _find_or_add(session, new, Quiz.slug == form.slug)
    content_hash = _hash(
        {
            "level": form.level,
            "locales": form.locales,
            "title": form.title,
            "description": form.description,
            "guide": guide.id if guide else None,
            "items": [revision.id for revision in items],
        }
    )
    newest = _find_newest(session, QuizRevision, QuizRevision.quiz_id == quiz.id)
    if newest is not None and newest.content_hash == content_hash:
        return False
    revision = QuizRevision(
        quiz_id=quiz.id,
        number=newest.number + 1 if newest else 1,
        level=form.level,
        guide_revision_id=guide.id if guide else None,
        content_hash=content_hash,
        created_at=now(),
    )
    session.add(revision)
    session.flush()
    session.add_all(
        QuizText(
            revision_id=revision.id,
            locale=locale,
            title=form.title[locale],
            description=form.description[locale],
        )
        for locale in form.locales
    )
    session.add_all(
        QuizItem(quiz_revision_id=revision.id, item_revision_id=item.id, position=position)
        for position, item in enumerate(items, 1)
    )
    return True


def _find_or_add(session: Session, new: Row, *where: ColumnElement[bool]) -> Row:
    found = session.scalar(select(type(new)).where(*where))
    if found is not None:
        return found
    session.add(new)
    session.flush()
    return new


def _find_newest(session: Session, kind: type[Revision], where: ColumnElement[bool]) -> Revision | None:
    return session.scalar(select(kind).where(where).order_by(kind.number.desc()).limit(1))


def _hash(content: object) -> str:
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
