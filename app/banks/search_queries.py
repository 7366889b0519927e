"""The search: one way to ask, whichever database is below. Both find the same, in the same order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Row,
    String,
    bindparam,
    cast,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
    union_all,
)
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from app.banks.models import Quiz
from app.banks.search import TITLE, Query, Term
from app.banks.search_documents import Kind
from app.banks.search_models import SearchDocument
from app.banks.search_ranking import Piece, Relevance, Wanted, pieces, rank, wanted
from app.i18n.locales import Locale

PAGE_SIZE = 10
RANKED_LIMIT = 300  # documents of which the order is made; those in the reader's language come first
PAGES_LIMIT = RANKED_LIMIT // PAGE_SIZE
GUIDES_LIMIT, SECTIONS_LIMIT = 4, 6  # suggested: so many guides, of each so many sections
NOT_SUGGESTED = ("", "sources")  # a guide's introduction and its list of links

Place = tuple[str, int, str]  # a document in whatever language: kind, quiz, anchor


@dataclass(frozen=True, slots=True)
class Hit:
    """One result as the page shows it."""

    kind: Kind
    locale: Locale
    url: str
    title: list[Piece]
    within: str
    snippet: list[Piece]


@dataclass(frozen=True, slots=True)
class Results:
    """One page of what was found."""

    hits: list[Hit]
    count: int  # places found, in whatever language
    page: int
    page_count: int
    word_count: int  # words of the query that each of them has
    word_total: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a guide, to begin with."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class _Ranked:
    id: int
    locale: Locale
    relevance: Relevance


@dataclass(frozen=True, slots=True)
class _Found:
    """Documents that have `word_count` words of a query, RANKED_LIMIT of them and one more at the most."""

    rows: Sequence[Row[Any]]
    word_count: int
    condition: ColumnElement[bool]  # what they all fulfil


def search(session: Session, query: Query, locale: Locale, page: int = 1) -> Results:
    """What has every word of the query, each place once: in the reader's language where it is found there.

    Where nothing has every word, what has the most of them.
    """
    sought = wanted(query)
    word_total = len(set(query.words))
    found = _find(session, query, locale, sought)
    if found is None:
        return Results([], 0, 1, 0, 0, word_total)
    ranked = _rank(found.rows[:RANKED_LIMIT], locale, sought)
    count = len(ranked) if len(found.rows) <= RANKED_LIMIT else _count_places(session, found.condition)
    page_count = -(-len(ranked) // PAGE_SIZE)
    page = max(1, min(page, page_count))
    shown = ranked[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    hits = _read_hits(session, query, shown)
    return Results(hits, count, page, page_count, found.word_count, word_total)


def list_sections(session: Session, locale: Locale) -> dict[str, list[Section]]:
    """The first sections of the guides in a language by the guide's title, to begin with."""
    rows = session.execute(
        select(Quiz.slug, SearchDocument.anchor, SearchDocument.title, SearchDocument.within)
        .join(Quiz, Quiz.id == SearchDocument.quiz_id)
        .where(SearchDocument.kind == "guide", SearchDocument.locale == locale)
        .where(SearchDocument.anchor.not_in(NOT_SUGGESTED))
        .order_by(SearchDocument.quiz_id, SearchDocument.id)
        .limit(GUIDES_LIMIT * 20)
    )
    guides: dict[str, list[Section]] = {}
    for row in rows:
        section = Section(_url("guide", locale, row.slug, row.anchor), row.title)
        guides.setdefault(row.within, []).append(section)
    return {title: found[:SECTIONS_LIMIT] for title, found in list(guides.items())[:GUIDES_LIMIT]}


def _find(session: Session, query: Query, locale: Locale, sought: Wanted) -> _Found | None:
    """What has every term of the query, else what has the most of its words; None where nothing has any."""
    if not query.terms:
        return None
    words = list(dict.fromkeys(query.words))
    condition = _has(session, query.terms)
    columns = _columns(with_marked=bool(sought.marked_words))
    order = _order(session, query.terms, locale)
    rows = session.execute(select(*columns).where(condition).order_by(*order).limit(RANKED_LIMIT + 1)).all()
    if rows:
        return _Found(rows, len(words), condition)
    if len(words) == 1:
        return None
    each = union_all(*(select(SearchDocument.id).where(_has(session, [word])) for word in words)).subquery()
    counted = select(each.c.id, func.count().label("words")).group_by(each.c.id).subquery()
    rows = session.execute(
        select(*columns, counted.c.words)
        .join(counted, counted.c.id == SearchDocument.id)
        .order_by(counted.c.words.desc(), *_order(session, words, locale))
        .limit(RANKED_LIMIT + 1)
    ).all()
    if not rows:
        return None
    most = rows[0].words
    has_most = SearchDocument.id.in_(select(counted.c.id).where(counted.c.words == most))
    return _Found([row for row in rows if row.words == most], most, has_most)


def _columns(*, with_marked: bool) -> list[Any]:
    document = SearchDocument
    marked = document.marked if with_marked else literal("").label("marked")
    return [
        *(document.id, document.locale, document.kind, document.quiz_id, document.anchor, document.plain),
        marked,
    ]


def _order(session: Session, terms: Iterable[Term], locale: Locale) -> list[Any]:
    """Who is ranked where there are too many: the reader's language first, then who has it in the title."""
    titles = [Term(TITLE + term.text, term.is_prefix) for term in terms]
    in_title = _has(session, titles, every=False)
    document = SearchDocument
    return [(document.locale == locale).desc(), in_title.desc(), document.quiz_id, document.id]


def _rank(rows: Iterable[Row[Any]], locale: Locale, sought: Wanted) -> list[_Ranked]:
    """The places found, each in the language in which it is best, the best place first."""
    best: dict[Place, tuple[tuple[object, ...], _Ranked]] = {}
    for row in rows:
        relevance = rank(row.kind, row.plain, row.marked, sought)
        key = (row.locale != locale, -relevance.exact, -relevance.score, row.quiz_id, row.id)
        place = row.kind, row.quiz_id, row.anchor
        if place not in best or key < best[place][0]:
            best[place] = key, _Ranked(row.id, Locale(row.locale), relevance)
    return [each for _, each in sorted(best.values(), key=lambda pair: pair[0])]


def _count_places(session: Session, condition: ColumnElement[bool]) -> int:
    document = SearchDocument
    places = select(document.kind, document.quiz_id, document.anchor).where(condition).distinct()
    return session.scalar(select(func.count()).select_from(places.subquery())) or 0


def _read_hits(session: Session, query: Query, shown: list[_Ranked]) -> list[Hit]:
    document = SearchDocument
    rows = session.execute(
        select(document.id, document.kind, document.anchor, document.title, document.within, document.text)
        .add_columns(Quiz.slug)
        .join(Quiz, Quiz.id == document.quiz_id)
        .where(document.id.in_([each.id for each in shown]))
    )
    by_id = {row.id: row for row in rows}
    return [_hit(by_id[each.id], query, each) for each in shown]


def _hit(row: Row[Any], query: Query, ranked: _Ranked) -> Hit:
    is_exact = ranked.relevance.exact > 0
    return Hit(
        kind=row.kind,
        locale=ranked.locale,
        url=_url(row.kind, ranked.locale, row.slug, row.anchor),
        title=pieces(row.title, query, is_exact=is_exact, whole=True),
        within=row.within,
        snippet=pieces(row.text, query, is_exact=is_exact),
    )


def _url(kind: Kind, locale: Locale, slug: str, anchor: str) -> str:
    page = f"/{locale}/quizzes/{slug}" + ("/guide" if kind == "guide" else "")
    return f"{page}#{anchor}" if anchor else page


_ASKED_SQLITE = select(column("rowid", Integer)).select_from(table("search_index"))
_VECTOR_POSTGRESQL: ColumnElement[str] = literal_column("search_document.search_vector")


def _has(session: Session, terms: Iterable[Term], *, every: bool = True) -> ColumnElement[bool]:
    """That a document has all the terms, or any. Terms are letters, digits and marks: quoting is enough."""
    if session.get_bind().dialect.name == "postgresql":
        lexemes = [f"'{term.text}'" + (":*" if term.is_prefix else "") for term in terms]
        asked = (" & " if every else " | ").join(lexemes)
        return _VECTOR_POSTGRESQL.op("@@", is_comparison=True)(cast(bindparam(None, asked, String), TSQUERY))
    strings = [f'"{term.text}"' + ("*" if term.is_prefix else "") for term in terms]
    asked = (" AND " if every else " OR ").join(strings)
    matched = literal_column("search_index").op("MATCH", is_comparison=True)(bindparam(None, asked, String))
    return SearchDocument.id.in_(_ASKED_SQLITE.where(matched))
