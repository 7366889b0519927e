"""The site's languages, as `app/core/language.py` asks for them."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from app.core.language import Value
from app.i18n import formats, translations
from app.i18n.locales import Locale


@dataclass(frozen=True, slots=True)
class SiteLanguage:
    """One locale's words and number formats, bound to the locale."""

    locale: Locale

    @property
    def code(self) -> str:
        """BCP 47 tag."""
        return self.locale.value

    @property
    def endonym(self) -> str:
        """The language's name in itself."""
        return self.locale.endonym

    def gettext(self, msgid: str) -> str:
        """The wording of `msgid`; the msgid itself where there is none."""
        return translations.gettext(self.locale, msgid)

    def ngettext(self, singular: str, plural: str, n: float) -> str:
        """The wording for `n` things."""
        return translations.ngettext(self.locale, singular, plural, n)

    def quantity(self, value: Value, unit: str) -> str:
        """A measured value with its unit; a dash for None. `unit` is one of `app/demos/spec.py`'s."""
        if value is None:
            return formats.DASH
        if isinstance(value, bool) or unit == "boolean":
            return self.gettext("yes") if value else self.gettext("no")
        return _FORMATS.get(unit, formats.format_number)(value, self.locale)

    def exact(self, value: Value, unit: str) -> str:
        """The same without rounding: "1,048,580 bytes"; a dash for None."""
        if unit == "bytes" and isinstance(value, int):
            return formats.format_exact_bytes(value, self.locale)
        if unit == "flops" and isinstance(value, int):
            return f"{formats.format_number(value, self.locale)}{formats.NARROW_SPACE}FLOP"
        return self.quantity(value, unit)

    def spread(self, low_ms: float, high_ms: float) -> str:
        """From one duration to another, in one unit."""
        return formats.format_spread_ms(low_ms, high_ms, self.locale)

    def number(self, value: float) -> str:
        """A plain number."""
        return formats.format_number(value, self.locale)

    def percent(self, value: float) -> str:
        """A fraction as whole percent."""
        return formats.format_percent(value, self.locale)

    def elapsed(self, seconds: float) -> str:
        """A span of time as a person says it."""
        return formats.format_elapsed(seconds, self.locale)

    def moment(self, when: datetime) -> str:
        """A date and time, UTC."""
        return formats.format_datetime(when, self.locale)

    def age(self, when: datetime) -> str:
        """How long ago, in words."""
        return formats.format_age(when, self.locale)


_FORMATS = {
    "bytes": formats.format_bytes,
    "flops": formats.format_flops,
    "ratio": formats.format_ratio,
    "fraction": formats.format_fraction,
    "ms": formats.format_duration_ms,
}


@cache
def get_language(locale: Locale) -> SiteLanguage:
    """The language of a locale."""
    return SiteLanguage(locale)
