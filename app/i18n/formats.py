"""Numbers, units, dates and spans of time as each locale writes them.

Digits are Latin (0-9) in every language, and units are never translated: numbers in a lesson are code-like,
and they must be comparable between languages and with the terminal. Only separators follow the locale:
Vietnamese has a decimal comma, Hindi groups by lakh.
"""

import math
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from babel.dates import format_date, format_timedelta
from babel.numbers import format_decimal
from babel.numbers import parse_decimal as babel_parse_decimal

from app.i18n.locales import Locale
from app.i18n.translations import gettext, ngettext

DASH = "—"
EN_DASH = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
NARROW_SPACE = "\N{NO-BREAK SPACE}"  # between a number and its unit: never broken over a line
BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
DECIMAL_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
MOST = 1e15  # from here on a number is a power of ten: no reader counts its digits
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@lru_cache(maxsize=4096, typed=True)
def format_number(value: float, locale: Locale) -> str:
    """An integer with its separators; a float to three significant digits, tiny or huge by a power of ten."""
    if isinstance(value, int):
        return format_decimal(value, locale=locale.value)
    if not math.isfinite(value):
        return "∞" if value == math.inf else "-∞" if value == -math.inf else DASH
    if value != 0 and not 1e-3 <= abs(value) < 1e7:  # noqa: PLR2004 - where digits stop being readable
        return _power_of_ten(value, locale)
    return _significant(value, 3, locale, keep_zeros=False)


def format_bytes(value: float, locale: Locale) -> str:
    """Binary units to three significant digits: "1.00 MiB"; whole bytes below 1 KiB: "512 B"."""
    if not math.isfinite(value):
        return format_number(value, locale)
    size, power = float(value), 0
    while abs(size) >= 1023.5 and power < len(BINARY_UNITS) - 1:  # noqa: PLR2004 - would round up to 1,024
        size, power = size / 1024, power + 1
    shown = _significant(size, 3, locale) if power else format_decimal(round(size), locale=locale.value)
    return f"{shown}{NARROW_SPACE}{BINARY_UNITS[power]}"


def format_exact_bytes(value: float, locale: Locale) -> str:
    """The exact integer: "1,048,580 bytes"."""
    whole = int(value)
    text = ngettext(locale, "{count} byte", "{count} bytes", whole)
    return text.format(count=format_decimal(whole, locale=locale.value))


def format_flops(value: float, locale: Locale) -> str:
    """Floating-point operations with a decimal prefix: "268 MFLOP"; a multiply-add is two."""
    if not math.isfinite(value):
        return format_number(value, locale)
    size, power = float(value), 0
    while abs(size) >= 999.5 and power < len(DECIMAL_PREFIXES) - 1:  # noqa: PLR2004 - would round up to 1,000
        size, power = size / 1000, power + 1
    shown = _significant(size, 3, locale) if power else format_decimal(round(size), locale=locale.value)
    return f"{shown}{NARROW_SPACE}{DECIMAL_PREFIXES[power]}FLOP"


def format_ratio(value: float, locale: Locale) -> str:
    """With the times sign: "0.53x", "1.25x" below two, "3.4x" below ten, "18x" from there on."""
    if not math.isfinite(value):
        return format_number(value, locale)
    size = abs(value)
    decimals = 0 if size >= 9.95 else 1 if size >= 1.995 else 2  # noqa: PLR2004 - would round up to 10.0, 2.00
    return f"{_fixed(value, decimals, locale)}{TIMES}"


def format_fraction(value: float, locale: Locale) -> str:
    """A share of one, to two decimals: "0.53"."""
    return _fixed(value, 2, locale) if math.isfinite(value) else format_number(value, locale)


def format_percent(value: float, locale: Locale) -> str:
    """A fraction as whole percent, for scores: "75%"."""
    return f"{format_decimal(round(value * 100), locale=locale.value)}%"


def format_duration_ms(value: float, locale: Locale) -> str:
    """Milliseconds to three significant digits: "12.3 ms", "1.20 s" from a second on."""
    if not math.isfinite(value):
        return format_number(value, locale)
    if abs(value) >= 999.5:  # noqa: PLR2004 - would round up to 1,000 ms
        return f"{_significant(value / 1000, 3, locale)}{NARROW_SPACE}s"
    return f"{_significant(value, 3, locale)}{NARROW_SPACE}ms"


def format_spread_ms(low: float, high: float, locale: Locale) -> str:
    """Two durations in one unit, the larger one's: "4.02-5.13 ms"."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return DASH
    scale, unit = (1000, "s") if high >= 999.5 else (1, "ms")  # noqa: PLR2004 - as format_duration_ms
    digits = _significant(low / scale, 3, locale), _significant(high / scale, 3, locale)
    return f"{EN_DASH.join(digits)}{NARROW_SPACE}{unit}"


def format_elapsed(seconds: float, locale: Locale) -> str:
    """A span of time as a person says it: "45 s", "3 min 20 s", "2 h 5 min"."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return gettext(locale, "{hours} h {minutes} min").format(hours=hours, minutes=minutes_left)
    if minutes:
        return gettext(locale, "{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)
    return gettext(locale, "{seconds} s").format(seconds=rest)


def format_datetime(when: datetime, locale: Locale) -> str:
    """Date and time in UTC, named so: the server does not know the reader's zone."""
    utc = _aware(when).astimezone(UTC)
    return f"{format_date(utc, 'medium', locale=locale.value)}, {utc:%H:%M} UTC"


def format_age(when: datetime, locale: Locale, *, now: datetime | None = None) -> str:
    """How long ago: "2 minutes ago"; "just now" under 45 seconds, and for a clock that runs ahead."""
    age = (now or datetime.now(UTC)) - _aware(when)
    if age < timedelta(seconds=45):
        return gettext(locale, "just now")
    return format_timedelta(-age, add_direction=True, locale=locale.value)


def parse_decimal(text: str, locale: Locale) -> Decimal:
    """The number that `text` is in this locale; ValueError when it is none, or one only by guessing.

    Without `strict`, "1.5" read as Vietnamese would silently be 15.
    """
    return babel_parse_decimal(text.strip(), locale=locale.value, strict=True)


def _aware(when: datetime) -> datetime:
    """SQLite may hand back a naive value; every stored time is UTC."""
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _half_up(value: float, decimals: int) -> Decimal:
    """Rounded as a reader rounds; Babel alone rounds half to even, 1.125 to 1.12."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def _power_of_ten(value: float, locale: Locale) -> str:
    mantissa, exponent = f"{Decimal(repr(float(value))):.1e}".split("e")
    shown = format_decimal(Decimal(mantissa), format="0.0", locale=locale.value)
    return f"{shown}{TIMES}10{str(int(exponent)).translate(SUPERSCRIPTS)}"


def _fixed(value: float, decimals: int, locale: Locale, *, zero: str = "0") -> str:
    if abs(value) >= MOST:
        return _power_of_ten(value, locale)
    pattern = "#,##0" + ("." + zero * decimals if decimals else "")
    return format_decimal(_half_up(value, decimals), format=pattern, locale=locale.value)


def _significant(value: float, digits: int, locale: Locale, *, keep_zeros: bool = True) -> str:
    if not math.isfinite(value):
        return format_number(value, locale)
    magnitude = math.floor(math.log10(abs(value))) if value else 0
    if abs(_half_up(value / 10.0**magnitude, digits - 1)) >= 10:  # noqa: PLR2004 - 9.996 is shown as 10.0
        magnitude += 1
    return _fixed(value, max(0, digits - 1 - magnitude), locale, zero="0" if keep_zeros else "#")
