"""Which of the documents found comes first, and what of it is shown: no database has a say in it. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.banks.search import Query, Term, Token, tokens
from app.banks.search_documents import BETWEEN

SNIPPET_WORDS = 32
LEAD_WORDS = 6  # shown before the first word that was found
TITLE_WEIGHT = 2.0
PHRASE_WEIGHT = 4.0
HALF = 2  # occurrences that count half as much as any number of them


class Relevance(NamedTuple):
    """How well a document answers; compared in this order."""

    exact: int  # 2: the query with its marks, in one piece; 1: each of its words so; 0: without the marks
    score: float


class Piece(NamedTuple):
    """A piece of a text that is shown, and whether it is what was searched for."""

    text: str
    is_match: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query as strings to look for in a document's words, made once for all documents."""

    words: tuple[str, ...]
    phrase: str  # "" for a single word
    marked_words: tuple[str, ...]  # () where no marks were typed
    marked_phrase: str


def wanted(query: Query) -> Wanted:
    """The query as `rank` looks for it."""
    words = tuple(dict.fromkeys(_as_found(word) for word in query.words))
    marked: tuple[str, ...] = ()
    if query.has_marks:
        pairs = zip(query.words, query.marked, strict=True)
        marked = tuple(_as_found(Term(own, word.is_prefix)) for word, own in pairs)
    return Wanted(
        words=words,
        phrase=_phrase(tuple(_as_found(word) for word in query.words)) if len(words) > 1 else "",
        marked_words=marked,
        marked_phrase=_phrase(marked),
    )


def rank(kind: str, plain: str, marked: str, sought: Wanted) -> Relevance:
    """How well the words of a document answer: by typed marks, then by titles, phrases and frequency."""
    title, _, text = plain.partition(BETWEEN)
    if kind == "item":
        title, text = "", plain  # a question's title is its whole wording
    score = 0.0
    for word in sought.words:
        count = text.count(word)
        score += count / (count + HALF) + (TITLE_WEIGHT if word in title else 0)
    if sought.phrase:
        in_title = TITLE_WEIGHT if sought.phrase in title else 0
        score += in_title + (PHRASE_WEIGHT if sought.phrase in text or in_title else 0)
    exact = 0
    if sought.marked_words:
        exact = 2 if sought.marked_phrase in marked else all(each in marked for each in sought.marked_words)
    return Relevance(int(exact), score)


def pieces(text: str, query: Query, *, is_exact: bool, whole: bool = False) -> list[Piece]:
    """The text around what was found, or with `whole` all of it, cut into what matches and what does not."""
    found = list(tokens(text))
    hits = _hits(found, query, is_exact=is_exact)
    if whole or len(found) <= SNIPPET_WORDS:
        return list(_cut(text, found, hits, 0, len(text)))
    first = _best_window(found, hits, query)
    last = min(first + SNIPPET_WORDS, len(found)) - 1
    start = found[first].start if first else 0
    end = found[last].end if last < len(found) - 1 else len(text)
    shown = list(_cut(text, found, hits, start, end))
    before = [Piece("… ", is_match=False)] if start else []
    after = [Piece(" …", is_match=False)] if end < len(text) else []
    return [*before, *shown, *after]


def _as_found(word: Term) -> str:
    """The word between the spaces that stand around each word of a document."""
    return f" {word.text}" if word.is_prefix else f" {word.text} "


def _phrase(words: Sequence[str]) -> str:
    return "".join(word.rstrip() for word in words[:-1]) + "".join(words[-1:])


def _hits(found: list[Token], query: Query, *, is_exact: bool) -> list[bool]:
    """Which tokens are what was searched for: identifiers whole where they stand here, else their names."""
    if is_exact:
        sought = [Term(own, word.is_prefix) for word, own in zip(query.words, query.marked, strict=True)]
        return [any(_is_one(own, each) for own in token.marked for each in sought) for token in found]
    hits: list[bool] = []
    for terms in dict.fromkeys((query.terms, query.words)):
        known: dict[tuple[str, ...], bool] = {}
        for token in found:
            own = token.all
            if own not in known:
                known[own] = any(_is_one(each, term) for each in own for term in terms)
        hits = [known[token.all] for token in found]
        if any(hits):
            return hits
    return hits


def _is_one(own: str, word: Term) -> bool:
    return own.startswith(word.text) if word.is_prefix else own == word.text


def _best_window(found: list[Token], hits: list[bool], query: Query) -> int:
    """Where the snippet begins: the earliest place with the most of the query's different words."""
    kinds = {
        index: {word for word in query.words for own in found[index].plain if _is_one(own, word)}
        for index, hit in enumerate(hits)
        if hit
    }
    places = list(kinds)
    best, best_value = 0, (-1, -1)
    for number, place in enumerate(places):
        inside = [
            each
            for each in places[number : number + SNIPPET_WORDS]
            if each < place + SNIPPET_WORDS - LEAD_WORDS
        ]
        value = len(set[Term]().union(*(kinds[each] for each in inside))), len(inside)
        if value > best_value:
            best, best_value = place, value
    return max(0, min(best - LEAD_WORDS, len(found) - SNIPPET_WORDS))


def _cut(text: str, found: list[Token], hits: list[bool], start: int, end: int) -> Iterator[Piece]:
    at = start
    for token, hit in zip(found, hits, strict=True):
        if not hit or token.start < start or token.end > end:
            continue
        if token.start > at:
            yield Piece(text[at : token.start], is_match=False)
        yield Piece(text[token.start : token.end], is_match=True)
        at = token.end
    if at < end:
        yield Piece(text[at:end], is_match=False)
