"""Which language a reader gets: what they chose before, else what their browser asks for, else English."""

import os
import re

from app.i18n.locales import SOURCE_LOCALE, Locale

REMEMBERED = "locale"  # the cookie that keeps a reader's choice
HEADER_LIMIT = 1000  # characters read of a header that anyone may write
_RANGE = re.compile(
    r"([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?",
    re.IGNORECASE,
)


_BY_CODE = {locale.value: locale for locale in Locale}


def find_locale(code: str | None) -> Locale | None:
    """The locale of that code, or None."""
    return _BY_CODE.get(code or "")


def negotiate(accept_language: str, remembered: str | None = None) -> Locale:
    """The reader's language by RFC 9110 §12.5.4: the highest q first, a tie by the order in the header.

    `remembered` wins when it names a language of the site. A range matches by its first tag (hi-IN is hi) and
    `*` any language that is not named elsewhere, q=0 refuses. What cannot be read is passed over.
    """
    chosen = find_locale(remembered)
    if chosen is not None:
        return chosen
    weights = _read_weights(accept_language[:HEADER_LIMIT])
    everything_else = weights.get("*", 0.0)
    offers = {locale: weights.get(locale.value, everything_else) for locale in Locale}
    order = list(weights)
    best = max(
        offers,
        key=lambda locale: (offers[locale], -_place(locale, order), locale is SOURCE_LOCALE),
    )
    return best if offers[best] > 0 else SOURCE_LOCALE


def _place(locale: Locale, order: list[str]) -> int:
    """Where the header names the language; what only `*` covers comes last."""
    return order.index(locale.value) if locale.value in order else len(order)


def _read_weights(header: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in header.split(","):
        found = _RANGE.fullmatch(part.strip())
        if found:
            tag = found[1].lower().split("-")[0]
            weights[tag] = max(weights.get(tag, 0.0), float(found[2] or 1))
    return weights


def command_line_locale() -> Locale:
    """The language of a command's user: what LC_ALL, LC_MESSAGES or LANG names, else English."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return find_locale(named.split("_")[0].split(".")[0].lower()) or SOURCE_LOCALE
