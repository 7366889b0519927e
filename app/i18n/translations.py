"""gettext from `.po` files, read once with Babel: nothing compiled is kept in git or needed at start."""

from functools import cache
from pathlib import Path

from babel.core import Locale as Plurals
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from app.i18n.locales import SOURCE_LOCALE, Locale

CATALOGUES = Path(__file__).parent / "locale"


def catalogue_path(locale: Locale) -> Path:
    """Where a language's wording lies; the source language has none."""
    return CATALOGUES / f"{locale.value}.po"


def read_catalogue(locale: Locale) -> Catalog:
    """A language's catalogue as it lies on disk; an empty one when there is no file yet."""
    path = catalogue_path(locale)
    if not path.exists():
        return Catalog(locale=locale.value)
    with path.open("rb") as file:
        return read_po(file, locale=locale.value, abort_invalid=True)


def gettext(locale: Locale, msgid: str) -> str:
    """The wording of `msgid` in a locale; the msgid itself where there is none."""
    return _wordings(locale).get(msgid, (msgid,))[0]


def ngettext(locale: Locale, singular: str, plural: str, n: float) -> str:
    """The wording for `n` things, by the locale's own plural rule."""
    forms = _wordings(locale).get(singular)
    if forms is None:
        return singular if n == 1 else plural
    one = Plurals.parse(locale.value).plural_form(n) == "one"
    return forms[0 if one else min(1, len(forms) - 1)]


@cache
def _wordings(locale: Locale) -> dict[str, tuple[str, ...]]:
    if locale is SOURCE_LOCALE:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for message in read_catalogue(locale):
        singular = message.id if isinstance(message.id, str) else message.id[0]
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ())
        if singular and forms and all(forms) and not message.fuzzy:
            found[singular] = forms
    return found
