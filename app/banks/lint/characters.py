"""Single characters: scripts, and what cannot be seen."""

import re
import unicodedata
from functools import lru_cache

from app.i18n.locales import Locale

# What the letters of a language's prose may belong to, by the first word of their Unicode names.
SCRIPTS = {
    Locale.EN: {"LATIN", "GREEK"},
    Locale.HI: {"DEVANAGARI", "LATIN", "GREEK"},
    Locale.VI: {"LATIN", "GREEK"},
}
OWN_SCRIPT = {Locale.EN: "LATIN", Locale.HI: "DEVANAGARI", Locale.VI: "LATIN"}

BIDI = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
# Invisible and without a meaning of its own; the two joiners mean something between Devanagari letters.
_JOINED = "(?<=[\u0900-\u097f])[\u200c\u200d](?=[\u0900-\u097f\\s.,;:!?)}\\]]|$)"
_ZERO_WIDTH = re.compile(f"({_JOINED})|[\u00ad\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u3164\ufeff]")
_UNUSUAL = re.compile("[^\u0000-\u024f\u0300-\u036f\u0900-\u097f\u1e00-\u1eff\u2000-\u206f]")
_DEVANAGARI = re.compile("[\u0900-\u097f]")
_FOREIGN = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str:
    """LATIN, DEVANAGARI, CYRILLIC…; empty for what is no letter. µ, ª and º are signs."""
    if not letter.isalpha() or letter in "µªº":
        return ""
    return unicodedata.name(letter, " ").split(" ", 1)[0]


def foreign_word(prose: str, locale: Locale) -> str | None:
    """The first word with a letter of a script that the language is not written in."""
    if _UNUSUAL.search(prose) is None and (locale is Locale.HI or _DEVANAGARI.search(prose) is None):
        return None
    allowed = SCRIPTS[locale]
    for word in _FOREIGN.findall(prose):
        if not word.isascii() and any(script_of(letter) not in allowed | {""} for letter in word):
            return str(word)
    return None


def has_own_script(prose: str, locale: Locale) -> bool:
    """Whether at least one letter is of the language's own script."""
    own = OWN_SCRIPT[locale]
    return any(script_of(letter) == own for letter in prose)


def zero_width(text: str) -> list[str]:
    """Invisible characters, as U+200B; a joiner between Devanagari letters is none."""
    if text.isascii():
        return []
    return [_code_point(found[0]) for found in _ZERO_WIDTH.finditer(text) if found[1] is None]


def bidi_controls(text: str) -> list[str]:
    """Characters that reorder what is read, as U+202E."""
    return [] if text.isascii() else [_code_point(found) for found in BIDI.findall(text)]


def is_empty(text: str) -> bool:
    """Whether a text shows nothing: no letter, digit or sign; punctuation and the invisible are nothing."""
    if any(each.isalnum() for each in text if each.isascii()):
        return False
    return not any(_shows(each) for each in text if each not in _BLANK and not _ZERO_WIDTH.match(each))


_BLANK = "\u2800"  # a sign of Braille, without a dot


def _shows(character: str) -> bool:
    return unicodedata.category(character) in {"Sm", "So", "Sc"} or unicodedata.category(character)[0] in "LN"


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"
