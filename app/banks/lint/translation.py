"""Rules of translation: on one text by itself, and on a text beside the source that it translates."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from app.banks.lint import rules
from app.banks.lint.characters import bidi_controls, foreign_word, has_own_script, is_empty, zero_width
from app.banks.lint.findings import Finding, Place, Rule
from app.banks.lint.glossary import Glossary
from app.banks.lint.languages import english_run, looks_english, to_translate
from app.banks.lint.markup import unbalanced
from app.banks.lint.tokens import GAP, Tokens, has_words, tokenize
from app.i18n.locales import SOURCE_LOCALE, Locale

# मशाल.उपयोग.चेकप्वाइंट: three parts joined by dots, or two by an underscore, with a letter that no code has.
_PART = r"[^\W\d_][\w\u0900-\u0963\u200c\u200d]*"
_DOTTED = re.compile(rf"(?<![\w.]){_PART}(?:[._]{_PART}){{2,}}|{_PART}_{_PART}")
_SHOWN = 60


def lint_text(text: str, place: Place, locale: Locale) -> Iterator[Finding]:
    """What is wrong with a text whatever it translates."""
    if is_empty(text):
        yield Finding(rules.MISSING, place, locale, {"locale": locale})
        return
    tokens = tokenize(text)
    for rule, codes in ((rules.ZERO_WIDTH, zero_width(text)), (rules.BIDI, bidi_controls(text))):
        yield from (Finding(rule, place, locale, {"code": code}) for code in dict.fromkeys(codes))
    if not unicodedata.is_normalized("NFC", text):
        yield Finding(rules.NOT_NFC, place, locale)
    mark = unbalanced(text)
    if mark is not None:
        yield Finding(rules.MARKDOWN, place, locale, {"token": mark})
    for digits in dict.fromkeys(tokens.digits):
        yield Finding(rules.DIGITS, place, locale, {"token": digits})
    for name in dict.fromkeys(transliterated(tokens.prose)):
        yield Finding(rules.TRANSLITERATED, place, locale, {"token": name})
    word = foreign_word(tokens.prose, locale)
    if word is not None:
        yield Finding(rules.SCRIPT, place, locale, {"found": word, "locale": locale})


def lint_language(
    text: str, source: str | None, place: Place, locale: Locale, glossary: Glossary
) -> Iterator[Finding]:
    """A translation in the wrong language or script; `source` is None where there is none at hand."""
    if locale is SOURCE_LOCALE or is_empty(text):
        return
    tokens, kept = tokenize(text), glossary.kept_words
    found = _untranslated(tokens, tokenize(source) if source else None, locale, kept)
    if found is not None:
        yield Finding(rules.UNTRANSLATED, place, locale, {"found": _shortened(found)})
        return
    words = to_translate(tokens, kept)
    if words and not has_own_script(tokens.prose, locale):
        yield Finding(rules.SCRIPT, place, locale, {"found": words[0], "locale": locale})
        return


def lint_terms(
    text: str, source: str | None, place: Place, locale: Locale, glossary: Glossary
) -> Iterator[Finding]:
    """The glossary's words, those that must not stand here and those that should."""
    yield from lint_banned(text, source, place, locale, glossary)
    if source:
        yield from lint_missing_terms(text, source, place, locale, glossary)


def lint_banned(
    text: str, source: str | None, place: Place, locale: Locale, glossary: Glossary
) -> Iterator[Finding]:
    """Words that must not stand for a term that the source uses, or for any where no source is at hand."""
    terms = glossary.terms_in(source) if source else None
    found = {
        word: term
        for term, word in glossary.banned(without_transliterated(tokenize(text).prose), locale)
        if terms is None or any(term.term in each for each in terms)
    }
    for word, term in found.items():
        values = {"found": word, "term": term.term, "wanted": ", ".join(term.wordings[locale].use)}
        yield Finding(rules.TERM_BANNED, place, locale, values)


def lint_missing_terms(
    text: str, source: str, place: Place, locale: Locale, glossary: Glossary
) -> Iterator[Finding]:
    """Terms of the source that no word of the glossary stands for."""
    if is_empty(text):
        return
    for term in glossary.missing(glossary.terms_in(tokenize(source).prose), tokenize(text).prose, locale):
        values = {"term": term.term, "wanted": ", ".join(term.wordings[locale].use)}
        yield Finding(rules.TERM_MISSING, place, locale, values)


def lint_pair(text: str, source: str, place: Place, locale: Locale) -> Iterator[Finding]:
    """What of the source does not stand in its translation, or stands there otherwise."""
    if is_empty(text) or is_empty(source):
        return
    yield from compare_tokens(tokenize(text), tokenize(source), place, locale)


def compare_tokens(found: Tokens, wanted: Tokens, place: Place, locale: Locale) -> Iterator[Finding]:
    """Code, formulas, measured numbers and addresses as often as in the source; the rest at least once."""
    for rule, here, there in (
        (rules.CODE, found.code, wanted.code),
        (rules.MATH, found.math, wanted.math),
        (rules.PLACEHOLDER, found.placeholders, wanted.placeholders),
        (rules.URL, found.urls, wanted.urls),
    ):
        yield from _reports(rule, _counted_differences(here, there), place, locale)
    # A name may be told again where the source has a pronoun, and a gloss may add one: CPU/NVMe (offload).
    yield from _reports(rules.IDENTIFIER, _lost(found.names, wanted.names), place, locale)
    yield from _reports(rules.SYMBOL, _lost(found.symbols, wanted.symbols), place, locale)
    yield from _reports(rules.NUMBER, _either(found.numbers, wanted.numbers), place, locale)
    yield from _reports(rules.UNIT, _either(found.quantities, wanted.quantities), place, locale)


def lint_placeholders(
    text: str, place: Place, locale: Locale, metrics: Collection[str] | None
) -> Iterator[Finding]:
    """Measured numbers that nothing measures, or that stand where they tell the answer."""
    for name in dict.fromkeys(tokenize(text).placeholders):
        if place[-1] not in {"explanation", "feedback"}:
            yield Finding(rules.PLACEHOLDER_EARLY, place, locale, {"token": name})
        elif metrics is None:
            yield Finding(rules.PLACEHOLDER_HOMELESS, place, locale, {"token": name})
        elif name not in metrics:
            yield Finding(rules.PLACEHOLDER_UNKNOWN, place, locale, {"token": name})


def transliterated(prose: str) -> list[str]:
    """What looks like a dotted name of code in letters that code is not written in."""
    return (
        [] if prose.isascii() else [found[0] for found in _DOTTED.finditer(prose) if not found[0].isascii()]
    )


def without_transliterated(prose: str) -> str:
    """The prose without them: a name is judged once."""
    return prose if prose.isascii() else _DOTTED.sub(GAP, prose)


def _untranslated(tokens: Tokens, source: Tokens | None, locale: Locale, kept: Collection[str]) -> str | None:
    """What of a text is still in the source's language."""
    words = to_translate(tokens, kept)
    if not words or not has_words(tokens.prose):
        return None
    is_copy = source is not None and words == to_translate(source, kept)
    if is_copy or looks_english(tokens, locale, kept):
        return tokens.prose.replace(GAP, "…").strip()
    return english_run(tokens, locale, kept)


def _reports(rule: Rule, tokens: Iterable[str], place: Place, locale: Locale) -> Iterator[Finding]:
    return (Finding(rule, place, locale, {"token": token}) for token in tokens)


def _counted_differences(found: tuple[str, ...], wanted: tuple[str, ...]) -> list[str]:
    if found == wanted:
        return []
    here, there = Counter(found), Counter(wanted)
    return list((there - here) + (here - there))


def _lost(found: tuple[str, ...], wanted: tuple[str, ...]) -> list[str]:
    return [token for token in dict.fromkeys(wanted) if token not in found]


def _either(found: tuple[str, ...], wanted: tuple[str, ...]) -> list[str]:
    return _lost(found, wanted) + _lost(wanted, found)


def _shortened(words: str) -> str:
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
