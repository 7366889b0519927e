"""Words as the search knows them: one way to cut and fold, for what is stored and for what a reader types.

Neither database's own parser sees a text: SQLite's and PostgreSQL's differ, and both break Devanagari at its
vowel signs. What is stored and asked for are the terms that are made here. Pure.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

QUERY_LIMIT = 200  # characters of a query that are read
WORDS_LIMIT = 8  # words of it
TERM_LIMIT = 64  # characters of a term; a longer word is found by its beginning
SUFFIX_LIMIT = 8  # names inside an identifier from which it can be found
PREFIX_LENGTH = 2  # characters from which the last word finds what begins with it
TITLE = "="  # marks the terms of a title, beside the same terms without it


def _marks() -> str:
    """Every combining mark of the basic plane, as ranges of a character class: word classes lack them."""
    found = [code for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M"]
    ranges: list[list[int]] = []
    for code in found:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


_IN_WORD = rf"[\w\u200c\u200d\u00ad{_marks()}]"
_TOKEN = re.compile(rf"√|{_IN_WORD}+(?:\.{_IN_WORD}+)*")
_PART = re.compile(rf"(?:(?!_){_IN_WORD})+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")  # PyTorch is py and torch too; FLOPs is one word
_UNSEEN = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")  # reorder what is read
_LATIN_MARKS = re.compile("[\u0300-\u036f]")
_BREAKS = {"Cc", "Cs", "Zl", "Zp"}
# Joiners, soft hyphens, variation selectors: they change how a word looks, not which word it is.
_UNWRITTEN = dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0xFE00, 0xFE10)))

# What Hindi writes in two ways that readers take for one: chandrabindu, the candra o of English words.
_HINDI = str.maketrans({"\u0901": "\u0902", "\u0911": "\u0906", "\u0949": "\u093e", "\u093c": None})
_NASAL = re.compile(
    "ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])"
)  # हिन्दी is हिंदी: a nasal before a consonant of its own row


@dataclass(frozen=True, slots=True)
class Token:
    """A word or identifier of a text: where it stands, its words, and the other terms that find it."""

    start: int
    end: int
    plain: tuple[str, ...]  # without tone marks and the like
    marked: tuple[str, ...]  # as written, but for case and ways of encoding
    names: tuple[str, ...]  # an identifier whole, and from each of its names on; the words in CamelCase

    @property
    def all(self) -> tuple[str, ...]:
        """Everything that finds it."""
        return (*self.plain, *self.names)


@dataclass(frozen=True, slots=True)
class Term:
    """What a document must have: the term, or with `is_prefix` one that begins so."""

    text: str
    is_prefix: bool


@dataclass(frozen=True, slots=True)
class Query:
    """What a reader typed, as terms that all must be found and as words in their order."""

    shown: str  # what was read of it, for the field
    terms: tuple[Term, ...]  # an identifier is one
    words: tuple[Term, ...]  # an identifier's names are one each
    marked: tuple[str, ...]  # the words as they were written, one each

    @property
    def has_marks(self) -> bool:
        """Whether the reader typed marks that folding drops: then whoever has them comes first."""
        return self.marked != tuple(word.text for word in self.words)


def tokens(text: str) -> Iterator[Token]:
    """The words of a text in order, with their places in it."""
    for found in _TOKEN.finditer(text):
        plain, marked, names = _read(found[0])
        if plain:
            yield Token(found.start(), found.end(), plain, marked, names)


def terms_of(found: list[Token]) -> set[str]:
    """Everything by which a text with these tokens is found."""
    return {term for token in found for term in token.all}


def read_query(typed: str) -> Query:
    """A query from whatever was typed: it has no syntax, so nothing in it can be wrong."""
    shown = _shown(typed[:QUERY_LIMIT])
    terms: list[Term] = []
    words: list[Term] = []
    marked: list[str] = []
    for token in list(tokens(shown))[:WORDS_LIMIT]:
        is_identifier = len(token.plain) > 1 and bool(token.names)
        own = (
            [Term(token.names[0], is_prefix=True)] if is_identifier else [_word(each) for each in token.plain]
        )
        terms += own
        words += [_word(each) for each in token.plain]
        marked += token.marked
    del words[WORDS_LIMIT:], marked[WORDS_LIMIT:]
    for each in (terms, words):
        each[-1:] = [Term(last.text, is_prefix=len(last.text) >= PREFIX_LENGTH) for last in each[-1:]]
    return Query(shown, tuple(dict.fromkeys(terms)), tuple(words), tuple(marked))


def _shown(typed: str) -> str:
    """What was typed on one line, without what a field cannot hold."""
    kept = (
        "" if _UNSEEN.match(each) else " " if unicodedata.category(each) in _BREAKS else each
        for each in typed
    )
    return " ".join("".join(kept).split())


def fold(word: str) -> str:
    """A word without what readers leave out: case, tone marks, the stroke of đ, nukta, joiners."""
    plain = _LATIN_MARKS.sub("", unicodedata.normalize("NFKD", _written(word))).replace("đ", "d")
    return unicodedata.normalize("NFC", _NASAL.sub("\u0902", plain.translate(_HINDI)))


def _written(word: str) -> str:
    """The word as it is written, in one encoding: NFKC, lower case, Latin digits, without joiners."""
    written = unicodedata.normalize("NFKC", word.translate(_UNWRITTEN)).casefold()
    written = "".join(str(unicodedata.decimal(each)) if each.isdecimal() else each for each in written)
    return unicodedata.normalize("NFC", written)


def _word(text: str) -> Term:
    return Term(text, is_prefix=False)


@lru_cache(maxsize=16_384)
def _read(written_so: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """A token's plain words, its marked words, and its names."""
    if written_so == "√":
        return ("sqrt",), ("sqrt",), ()
    written = _written(written_so).strip("._")
    cut = [each[:TERM_LIMIT] for each in _PART.findall(written)]
    pairs = [(folded, each) for each in cut if (folded := fold(each))]
    plain, marked = tuple(folded for folded, _ in pairs), tuple(each for _, each in pairs)
    names = [*_suffixes(fold(written))] if len(plain) > 1 else []
    if written_so.isascii():
        humps = [hump.lower() for part in _PART.findall(written_so) for hump in _HUMP.split(part)]
        names += [each for each in humps if each not in plain and len(each) >= PREFIX_LENGTH]
    return plain, marked, tuple(dict.fromkeys(names))


def _suffixes(identifier: str) -> Iterator[str]:
    """`torch.utils.checkpoint` and `utils.checkpoint`; the last name alone is a word anyway."""
    starts = [0, *(found.end() for found in re.finditer(r"[._]+", identifier))]
    for start in starts[:-1][:SUFFIX_LIMIT]:
        yield identifier[start:][:TERM_LIMIT]
