"""The two web pages that the quizzes grew from, read from their plain text into drafts for the lint."""

import re
from pathlib import Path

from app.banks.lint import ItemDraft, ItemText, OptionText, QuizDraft
from app.core.settings import ROOT
from app.i18n.locales import Locale

FOLDER = ROOT.parent / "shared" / "seeds"
HINDI, VIETNAMESE = "000_b020be6d5a019e26.txt", "001_057ca4c157705808.txt"
# Counted from 1, as the pages' own README works them out.
KEYS = {HINDI: (1, 2, 3, 4, 1, 2, 3, 4), VIETNAMESE: (2, 4, 1, 3, 4, 2, 3, 1)}
LOCALES = {HINDI: Locale.HI, VIETNAMESE: Locale.VI}
OPTIONS = 4


def read_seed(name: str, folder: Path = FOLDER) -> QuizDraft:
    """A page as it stands: its title, and eight questions of four options in the page's one language."""
    text = (folder / name).read_text(encoding="utf-8")
    locale = LOCALES[name]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    title = lines[0 if name == VIETNAMESE else 1]
    marked = [line for line in lines if re.match(r"(?:-|•|\d+\.)\s", line)]
    words = [re.sub(r"^(?:-|•|\d+\.)\s+", "", line) for line in marked]
    blocks = [words[at : at + 1 + OPTIONS] for at in range(0, len(words), 1 + OPTIONS)]
    items = tuple(
        _item(stem, options, key, locale) for (stem, *options), key in zip(blocks, KEYS[name], strict=True)
    )
    return QuizDraft({("title",): {locale: title}}, items)


def _item(stem: str, options: list[str], key: int, locale: Locale) -> ItemDraft:
    texts = tuple(OptionText(str(number), option) for number, option in enumerate(options, 1))
    return ItemDraft(frozenset({str(key)}), {locale: ItemText(stem, texts)})
