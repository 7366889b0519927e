"""Marking a msgid where it is written, to be translated where it is shown."""


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for it
    """Mark `message` for extraction and return it untranslated."""
    return message
