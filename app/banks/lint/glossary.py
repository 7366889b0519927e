"""The words of the field in each language: which must stand for a term, and which must not.

Pure: `parse_glossary` takes the data of `quizzes/glossary.yaml`, whoever read it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from app.i18n.locales import SOURCE_LOCALE, Locale

# No letter, and no sign of Devanagari either, which \b does not know.
_BEFORE = r"(?<![\w\u0900-\u0963])"
_AFTER = r"(?![\w\u0900-\u0963])"


@dataclass(frozen=True, slots=True)
class Wording:
    """How one term is said in one language: `use` it, `never` say it so, except inside what `allow` has."""

    use: tuple[str, ...]
    never: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the source with its other forms, and how other languages say it."""

    term: str
    forms: tuple[str, ...]
    wordings: Mapping[Locale, Wording]


@dataclass(frozen=True)
class Glossary:
    """Every term; `names` are words that are the same in every language."""

    terms: tuple[Term, ...] = ()
    names: frozenset[str] = frozenset()
    _searches: dict[Locale, "_Search"] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def kept_words(self) -> frozenset[str]:
        """Names, and terms whose wording in some language is the source's own word, in lower case."""
        same = {
            use
            for term in self.terms
            for wording in term.wordings.values()
            for use in wording.use
            if use.isascii() and " " not in use
        }
        return frozenset(each.lower() for each in self.names | same | {f"{each}s" for each in same})

    def banned(self, text: str, locale: Locale) -> Iterator[tuple[Term, str]]:
        """Each word that must not stand for a term, with the term."""
        search = self._search(locale)
        if search.banned is not None:
            wording = folded(text)
            masked = search.allowed.sub(" ", wording) if search.allowed else wording
            for found in search.banned.finditer(masked):
                yield search.term_of[" ".join(found[0].split())], found[0]

    def terms_in(self, source: str) -> frozenset[str]:
        """The terms that a source text uses; one inside a longer one is not counted."""
        return self._terms_of(source)

    @cached_property
    def _terms_of(self) -> Callable[[str], frozenset[str]]:
        pattern = _any_of(self._term_of_form)

        @lru_cache(maxsize=1024)
        def terms_of(source: str) -> frozenset[str]:
            found = pattern.findall(source) if pattern else []
            return frozenset(self._term_of_form[" ".join(each.lower().split())] for each in found)

        return terms_of

    def missing(self, terms: Iterable[str], text: str, locale: Locale) -> Iterator[Term]:
        """Each of these terms that no wording of the language stands for."""
        wording = folded(text)
        uses = self._search(locale).uses
        for name in sorted(terms):
            wanted = uses.get(name)
            if wanted is not None and wanted.search(wording) is None:
                yield self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Term]:
        return {each.term: each for each in self.terms}

    @cached_property
    def _term_of_form(self) -> dict[str, str]:
        return {form.lower(): each.term for each in self.terms for form in (each.term, *each.forms)}

    def _search(self, locale: Locale) -> "_Search":
        if locale not in self._searches:
            self._searches[locale] = _Search.of(self.terms, locale)
        return self._searches[locale]


@dataclass(frozen=True, slots=True)
class _Search:
    """A language's words as expressions, made once."""

    banned: re.Pattern[str] | None
    allowed: re.Pattern[str] | None
    term_of: dict[str, Term]
    uses: dict[str, re.Pattern[str]]

    @classmethod
    def of(cls, terms: Iterable[Term], locale: Locale) -> "_Search":
        wordings = [(term, term.wordings[locale]) for term in terms if locale in term.wordings]
        term_of = {folded(never): term for term, wording in wordings for never in wording.never}
        longer = {
            each
            for _, wording in wordings
            for each in (*wording.use, *wording.allow)
            if any(never in folded(each) and never != folded(each) for never in term_of)
        }
        uses = {
            term.term: pattern
            for term, wording in wordings
            if not wording.is_optional
            and (pattern := _any_of(wording.use, is_start=locale is Locale.HI)) is not None
        }
        return cls(_any_of(term_of, is_start=locale is Locale.HI), _any_of(longer), term_of, uses)


def parse_glossary(data: Mapping[str, Any]) -> Glossary:
    """The glossary from its YAML. Raises KeyError, TypeError or ValueError where the form is not kept."""
    terms = tuple(
        Term(
            term=each["term"],
            forms=tuple(each.get("forms", ())),
            wordings={
                locale: Wording(
                    use=tuple(each[locale]["use"]),
                    never=tuple(each[locale].get("never", ())),
                    allow=tuple(each[locale].get("allow", ())),
                    is_optional=bool(each[locale].get("optional", False)),
                )
                for locale in Locale
                if locale is not SOURCE_LOCALE and locale in each
            },
        )
        for each in data["terms"]
    )
    return Glossary(terms, frozenset(data.get("names", ())))


def _any_of(words: Iterable[str], *, is_start: bool = False) -> re.Pattern[str] | None:
    """Any of the words, the longest first; `is_start` lets more letters follow."""
    longest = sorted({folded(word) for word in words}, key=len, reverse=True)
    if not longest:
        return None
    choice = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest)
    return re.compile(f"{_BEFORE}(?:{choice}){'' if is_start else _AFTER}", re.IGNORECASE)


def folded(text: str) -> str:
    """For comparing: NFC, lower case, and without the nukta, which NFC sets apart and many leave out."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).replace("\u093c", "").lower()
