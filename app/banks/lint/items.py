"""Both lints on one question, and on what is seen only across a quiz."""

from collections.abc import Iterable, Iterator

from app.banks.lint import rules
from app.banks.lint.distractors import lint_choices
from app.banks.lint.drafts import ItemDraft, ItemText, QuizDraft
from app.banks.lint.findings import Finding, Place
from app.banks.lint.glossary import Glossary
from app.banks.lint.languages import looks_english
from app.banks.lint.patterns import lint_keys
from app.banks.lint.tokens import tokenize
from app.banks.lint.translation import (
    lint_language,
    lint_pair,
    lint_placeholders,
    lint_terms,
    lint_text,
)
from app.banks.lint.writing import lint_writing
from app.i18n.locales import SOURCE_LOCALE, Locale


def lint_item(draft: ItemDraft, glossary: Glossary) -> list[Finding]:
    """Everything that one question breaks, in every language that it has."""
    findings: list[Finding] = []
    for locale, item in draft.texts.items():
        findings += _lint_wording(item, locale, draft, glossary)
        findings += lint_writing(item, draft.keys, locale, _language(item, locale, glossary))
    findings += lint_choices(draft)
    return findings


def lint_quiz(draft: QuizDraft, glossary: Glossary) -> list[Finding]:
    """What a quiz's own texts break, and its keys as a whole; the items one by one are `lint_item`'s."""
    findings: list[Finding] = []
    for place, wordings in draft.texts.items():
        source = wordings.get(SOURCE_LOCALE)
        for locale, text in wordings.items():
            findings += lint_text(text, place, locale)
            findings += _lint_words(text, source, place, locale, glossary)
            if source is not None and locale is not SOURCE_LOCALE:
                findings += lint_pair(text, source, place, locale)
    findings += lint_keys(draft.items)
    return findings


def _lint_wording(item: ItemText, locale: Locale, draft: ItemDraft, glossary: Glossary) -> Iterator[Finding]:
    source = draft.source if locale is not SOURCE_LOCALE else None
    if source is not None:
        yield from _lint_options(item, source, locale)
    sources = dict(_by_option(source)) if source is not None else {}
    for (place, text), (name, _) in zip(item.texts(), _by_option(item), strict=True):
        original = sources.get(name)
        yield from lint_text(text, place, locale)
        yield from _lint_words(text, original, place, locale, glossary)
        yield from lint_placeholders(text, place, locale, draft.metrics)
        if original is not None:
            yield from lint_pair(text, original, place, locale)


def _lint_words(
    text: str, source: str | None, place: Place, locale: Locale, glossary: Glossary
) -> list[Finding]:
    """The language, and its words where it is the right one."""
    found = list(lint_language(text, source, place, locale, glossary))
    if found or locale is SOURCE_LOCALE:
        return found
    return list(lint_terms(text, source, place, locale, glossary))


def _lint_options(item: ItemText, source: ItemText, locale: Locale) -> Iterator[Finding]:
    found, wanted = ([option.id for option in each.options] for each in (item, source))
    if found != wanted:
        values = {"locale": locale, "found": ", ".join(found), "wanted": ", ".join(wanted)}
        yield Finding(rules.OPTIONS, ("options",), locale, values)


def _by_option(item: ItemText) -> Iterator[tuple[Place, str]]:
    """Every text by the id of its option, so that an option moved is still compared with itself."""
    for place, text in item.texts():
        number = place[1] if len(place) > 1 else None
        name = (item.options[number].id, place[2]) if isinstance(number, int) else place
        yield name, text


def _language(item: ItemText, locale: Locale, glossary: Glossary) -> Locale:
    """The language that a question is written in: the source's, where it is not translated yet."""
    texts: Iterable[str] = (item.stem, *(option.text for option in item.options))
    english = [looks_english(tokenize(text), locale, glossary.kept_words) for text in texts]
    return SOURCE_LOCALE if sum(english) * 2 > len(english) else locale
