"""The search: one way to ask, whichever database is below. Both find the same, in the same order."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Integer,
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
from app.banks.search_ranking import Piece, Relevance, pieces, rank, wanted
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
class _Asked:
    """How documents are found, and which of them by their titles."""

    condition: ColumnElement[bool]
    in_title: ColumnElement[bool]
    word_count: int
    word_total: int


def search(session: Session, query: Query, locale: Locale, page: int = 1) -> Results:
    """What has every word of the query, each place once: in the reader's language where it is found there.

    Where nothing has every word, what has the most of them.
    """
    asked = _ask(session, query)
    if asked is None:
        return Results([], 0, 1, 0, 0, len(query.words))
    ranked, count = _rank(session, query, asked, locale)
    page_count = -(-len(ranked) // PAGE_SIZE)
    page = max(1, min(page, page_count))
    shown = ranked[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    return Results(
        _read_hits(session, query, shown), count, page, page_count, asked.word_count, asked.word_total
    )


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


def _ask(session: Session, query: Query) -> _Asked | None:
    """The condition that finds the most words of the query; None where none is found anywhere."""
    if not query.terms:
        return None
    words = tuple(dict.fromkeys(query.words))
    every = _has(session, query.terms)
    if session.scalar(select(SearchDocument.id).where(every).limit(1)) is not None:
        return _Asked(every, _has(session, _in_title(query.terms)), len(words), len(words))
    if len(words) == 1:
        return None
    found = union_all(*(select(SearchDocument.id).where(_has(session, [word])) for word in words)).subquery()
    counted = select(found.c.id, func.count().label("words")).group_by(found.c.id).cte()
    most = session.scalar(select(func.max(counted.c.words)))
    if most is None:
        return None
    has_most = SearchDocument.id.in_(select(counted.c.id).where(counted.c.words == most))
    return _Asked(has_most, _has(session, _in_title(words), every=False), most, len(words))


def _in_title(terms: Iterable[Term]) -> list[Term]:
    return [Term(TITLE + term.text, term.is_prefix) for term in terms]


def _rank(session: Session, query: Query, asked: _Asked, locale: Locale) -> tuple[list[_Ranked], int]:
    """The places found, best first, and how many there are."""
    sought = wanted(query)
    document = SearchDocument
    rows = session.execute(
        select(
            *(document.id, document.locale, document.kind, document.quiz_id, document.anchor, document.plain),
            document.marked if sought.marked_words else literal("").label("marked"),
        )
        .where(asked.condition)
        .order_by((document.locale == locale).desc(), asked.in_title.desc(), document.quiz_id, document.id)
        .limit(RANKED_LIMIT + 1)
    ).all()
    best: dict[Place, tuple[tuple[object, ...], _Ranked]] = {}
    for row in rows[:RANKED_LIMIT]:
        relevance = rank(row.kind, row.plain, row.marked, sought)
        key = (row.locale != locale, -relevance.exact, -relevance.score, row.quiz_id, row.id)
        each = key, _Ranked(row.id, Locale(row.locale), relevance)
        place = row.kind, row.quiz_id, row.anchor
        best[place] = min(best.get(place, each), each, key=lambda pair: pair[0])
    ranked = [each for _, each in sorted(best.values(), key=lambda pair: pair[0])]
    if len(rows) <= RANKED_LIMIT:
        return ranked, len(ranked)
    places = select(document.kind, document.quiz_id, document.anchor).where(asked.condition).distinct()
    return ranked, session.scalar(select(func.count()).select_from(places.subquery())) or 0


def _read_hits(session: Session, query: Query, shown: list[_Ranked]) -> list[Hit]:
    rows = session.execute(
        select(SearchDocument, Quiz.slug)
        .join(Quiz, Quiz.id == SearchDocument.quiz_id)
        .where(SearchDocument.id.in_([each.id for each in shown]))
    )
    by_id = {document.id: (document, slug) for document, slug in rows.tuples()}
    return [_hit(*by_id[each.id], query, each) for each in shown]


def _hit(document: SearchDocument, slug: str, query: Query, ranked: _Ranked) -> Hit:
    is_exact = ranked.relevance.exact > 0
    kind: Kind = "guide" if document.kind == "guide" else "item" if document.kind == "item" else "quiz"
    return Hit(
        kind=kind,
        locale=ranked.locale,
        url=_url(kind, ranked.locale, slug, document.anchor),
        title=pieces(document.title, query, is_exact=is_exact, whole=True),
        within=document.within,
        snippet=pieces(document.text, query, is_exact=is_exact),
    )


def _url(kind: Kind, locale: Locale, slug: str, anchor: str) -> str:
    page = f"/{locale}/quizzes/{slug}" + ("/guide" if kind == "guide" else "")
    return f"{page}#{anchor}" if anchor else page


_ASKED_SQLITE = select(column("rowid", Integer)).select_from(table("search_index"))
_TERMS_POSTGRESQL: ColumnElement[str] = literal_column(
    "array_to_tsvector(string_to_array(search_document.terms, ' '))"
)


def _has(session: Session, terms: Iterable[Term], *, every: bool = True) -> ColumnElement[bool]:
    """That a document has all the terms, or any. Terms are letters, digits and marks: quoting is enough."""
    if session.get_bind().dialect.name == "postgresql":
        lexemes = [f"'{term.text}'" + (":*" if term.is_prefix else "") for term in terms]
        asked = (" & " if every else " | ").join(lexemes)
        return _TERMS_POSTGRESQL.op("@@", is_comparison=True)(cast(bindparam(None, asked, String), TSQUERY))
    strings = [f'"{term.text}"' + ("*" if term.is_prefix else "") for term in terms]
    asked = (" AND " if every else " OR ").join(strings)
    matched = literal_column("search_index").op("MATCH", is_comparison=True)(bindparam(None, asked, String))
    return SearchDocument.id.in_(_ASKED_SQLITE.where(matched))
