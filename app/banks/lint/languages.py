"""Which language a text is in, as far as a lint must know: still English, or not."""

import re
from collections.abc import Collection

from app.banks.lint.characters import OWN_SCRIPT, has_own_script
from app.banks.lint.tokens import GAP, WORD, Tokens
from app.i18n.locales import SOURCE_LOCALE, Locale

# Words of English grammar that are no words of the other languages when written without accents.
_ENGLISH = frozenset(
    """
    the of and is are was were which with for by from that this these those what why how does do did only
    their its be been should must not when each every into than during no any it they a an as at on or to in
    without
    """.split()  # noqa: SIM905 - fifty words read better as a paragraph
)
# One syllable of Vietnamese, accents aside. Most English words of two syllables are none.
_SYLLABLE = re.compile(
    r"(?:ngh?|[cgknpt]h|gi|qu|tr|[bcdghklmnprstvx])?"
    r"(?:[iuy]?[aeo][iouy]?|[iuy]|i[ae]u?|u[aoyi]|uy[ae]?|o[ae][iuy]?|ye[u]?|oo)(?:c|ch|m|n|ng|nh|p|t)?",
    re.IGNORECASE,
)
_ENOUGH = 3  # words to tell a language by
_RUN = 6  # Latin words in a row that no quotation or gloss explains


def words_of(prose: str) -> list[str]:
    """Every word, in lower case."""
    return [word.lower() for word in WORD.findall(prose)]


def to_translate(tokens: Tokens, kept: Collection[str]) -> list[str]:
    """The words of a text that differ between languages: no code, no names, no gloss in parentheses."""
    return [word for word in words_of(tokens.plain) if len(word) > 1 and word not in kept]


def looks_english(tokens: Tokens, locale: Locale, kept: Collection[str]) -> bool:
    """Whether a text that should be in `locale` is in English as a whole."""
    words = to_translate(tokens, kept)
    if locale is SOURCE_LOCALE or not words:
        return False
    if OWN_SCRIPT[locale] != "LATIN":
        return not has_own_script(tokens.prose, locale) and (
            len(words) >= _ENOUGH or any(word in _ENGLISH for word in words)
        )
    if not all(word.isascii() for word in words):
        return False
    foreign = [word for word in words if not _is_own(word, locale)]
    own = len(words) - len(foreign)
    return len(foreign) > 2 * own or (len(foreign) > own and not _ENGLISH.isdisjoint(foreign))


def english_run(tokens: Tokens, locale: Locale, kept: Collection[str]) -> str | None:
    """A clause of English inside a text that is not; quotations, link texts and parentheses may be."""
    if locale is SOURCE_LOCALE:
        return None
    for clause in re.split(rf"[{GAP}.:;!?।\n]", tokens.plain):
        run: list[str] = []
        for word in [*WORD.findall(clause), "|"]:
            is_english = (
                word.isascii() and word != "|" and (word.lower() in kept or not _is_own(word, locale))
            )
            if is_english or (run and word.lower() in _ENGLISH):
                run.append(word)
                continue
            if len(run) >= _RUN and any(each.lower() in _ENGLISH for each in run):
                return " ".join(run)
            run = []
    return None


def _is_own(word: str, locale: Locale) -> bool:
    """Whether an ASCII word may be one of the language."""
    return OWN_SCRIPT[locale] == "LATIN" and _SYLLABLE.fullmatch(word) is not None and word.lower() != "the"
