from enum import StrEnum


class Locale(StrEnum):
    """The languages of the site. Adding one is adding a member, a `.po` file and the texts."""

    EN = "en"
    HI = "hi"
    VI = "vi"

    @property
    def endonym(self) -> str:
        """The language's name in itself, for the language switch."""
        return _ENDONYMS[self]


_ENDONYMS = {Locale.EN: "English", Locale.HI: "हिन्दी", Locale.VI: "Tiếng Việt"}

SOURCE_LOCALE = Locale.EN
