"""Markdown that opens and does not close, found where the parser left a mark standing in the text."""

import re
from functools import lru_cache

from markdown_it import MarkdownIt

from app.banks.lint.tokens import GAP

_MARKS = re.compile(r"[`*_\[~$]")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)
_ESCAPED = re.compile(r"\\[\\`*_\[\]$~(){}#+.!-]")
# What the parser leaves of a mark that has no partner: ` ** * __ [text](… and $.
_W = r"[\w\u0900-\u0963]"  # the signs of Devanagari too
_LEFT = re.compile(
    rf"`+|\*\*|(?<!{_W})\*(?={_W})|(?<={_W})\*(?!{_W})|(?<!{_W})_{{1,2}}(?={_W})|(?<={_W})_{{1,2}}(?!{_W})"
    r"|\[[^\[\]]*\]\((?![^()\s]*\))|\$\$"
)
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
_MATH = re.compile(r"(?<!\\)\$\$.+?\$\$|(?<![\\$])\$(?=[^\s$])[^$\n]+?(?<=[^\s\\])\$(?!\d)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{\{\s*[A-Za-z0-9_.:-]+\s*\}\}")


@lru_cache(maxsize=4096)
def unbalanced(text: str) -> str | None:
    """A mark without its partner, or None."""
    if _MARKS.search(text) is None and "{{" not in text and "}}" not in text:
        return None
    found = _open_fence(text)
    if found is not None:
        return found
    bare = _PLACEHOLDER.sub(GAP, _MATH.sub(GAP, _CODE.sub(GAP, _without_fences(text))))
    for brace in ("{{", "}}"):
        if brace in bare:
            return brace
    # An escaped mark is meant as itself: the parser would show it bare.
    for words in _shown(_ESCAPED.sub(GAP, bare)):
        left = _LEFT.search(words)
        if left is not None:
            return left[0]
    return None


def _open_fence(text: str) -> str | None:
    opened = ""
    for found in _FENCE.finditer(text):
        if not opened:
            opened = found[1]
        elif found[1].startswith(opened):
            opened = ""
    return opened or None


def _without_fences(text: str) -> str:
    kept, fence = [], ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        elif not fence:
            kept.append(line)
    return "\n".join(kept)


def _shown(text: str) -> list[str]:
    """The words that a reader would see, each piece between marks."""
    return [
        each.content
        for token in _parser().parse(text)
        for each in token.children or ()
        if each.type == "text"
    ]


@lru_cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
