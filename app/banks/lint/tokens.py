"""What of a text is no prose and must survive translation: code, math, numbers, names; and the prose.

One expression takes a text apart, its alternatives in order of precedence: what stands in code is code,
whatever it looks like.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

GAP = "\ufffc"  # stands in the prose where a token was taken out: no word runs across it

_UNITS = (
    r"%|×|[KMGTP]i?B|B|[µmn]?s|min|[KMGT]?Hz|[GMKT]?W|[KMGTP]?FLOPS?|[KMGTP]?FLOPs|[KMGTP]?FLOP/s"
    r"|[KMGT]i?B/s|[KMG]?bit/s"
)
_NUMBER = r"\d+(?:[.,]\d+)*"
_PATTERN = re.compile(
    rf"""
    (?P<fence> ^[ ]{{0,3}}(?P<ticks>`{{3,}}|~{{3,}})[^\n]*\n (?:.*?\n)? [ ]{{0,3}}(?P=ticks)[ \t]*$ )
  | (?P<code> (?<!`)(?P<tick>`+)(?!`) .+? (?<!`)(?P=tick)(?!`) )
  | (?P<math> (?<!\\)\$\$ .+? \$\$ | (?<![\\$])\$ (?=[^\s$]) [^$\n]+? (?<=[^\s\\]) \$ (?!\d) )
  | (?P<placeholder> \{{\{{ \s* [A-Za-z0-9_.:-]+ \s* \}}\}} )
  | (?P<link> (?<=\]) \( [^()\s]* (?: \([^()\s]*\) [^()\s]* )* (?: \s "[^"]*" )? \) )
  | (?P<anchor> (?<=[ ]) \{{ \# [a-z0-9-]+ \}} [ \t]* $ )
  | (?P<url> https?:// [^\s<>()\[\]"']* [^\s<>()\[\]"'.,;:!?…।] )
  | (?P<path> (?<![\w.]) --[a-z][a-z0-9-]+ (?![\w])
      | (?<![\w.]) [A-Za-z_][A-Za-z0-9_]* (?: \.[A-Za-z_][A-Za-z0-9_]* )+ (?: \(\) )? (?![^\W\d_])
      | (?<!\w) [A-Za-z0-9]*_[A-Za-z0-9_]+ (?: \(\) )? (?!\w)
      | (?<!\w) [A-Za-z][A-Za-z0-9]* \(\) )
  | (?P<number> (?: (?<![\w.,]) [+\u2212-] )? (?<![^\W\d_]) {_NUMBER} (?: [–/-] {_NUMBER} )?
      (?: [\s\u00a0\u202f]? (?P<unit> {_UNITS} ) (?![^\W_]) )? )
  | (?P<name> (?<![\w]) (?: [A-Z][A-Za-z]*[A-Z0-9][A-Za-z0-9]* | [a-z]+[A-Z0-9][A-Za-z0-9]* ) (?!\w) )
  | (?P<symbol> √\w | (?<!\w) O\([^()\n]{{0,30}}(?:\([^()\n]{{0,30}}\))?[^()\n]{{0,30}}\)
      | (?<![\w'\u2019.-]) [B-HJ-Zb-hj-z] (?![\w'\u2019-]|\.\w) )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
# \w leaves out the vowel signs of Devanagari, so a word of any language is spelled out.
WORD = re.compile(r"[^\W\d_][\w\u0900-\u0963\u0971-\u097f\u0300-\u036f\u200c\u200d]*")
_TWO_LETTERS = re.compile(r"[^\W\d_]{2}|[^\W\d_][\u0900-\u0963]")
_ABBREVIATION = re.compile(r"[A-Za-z](?:\.[A-Za-z])+")  # e.g. and i.e. are no names of code
_SHOUTED = {"NOT", "EXCEPT", "ALL", "NONE", "AND", "OR", "ONLY", "LEAST", "BEST", "MOST"}
_MATH_WORDS = re.compile(r"\\text\s*\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Tokens:
    """What stands in a text beside prose, each kind in order; `prose` is the text with a gap for each."""

    code: tuple[str, ...]
    math: tuple[str, ...]
    placeholders: tuple[str, ...]
    urls: tuple[str, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    quantities: tuple[str, ...]  # numbers with a unit
    symbols: tuple[str, ...]
    digits: tuple[str, ...]  # numbers written in digits of another script, as they were written
    prose: str
    plain: str  # the prose with link texts, quotations and parentheses left out

    def all(self) -> tuple[str, ...]:
        """Every token as it is compared."""
        exact = (*self.code, *self.math, *self.placeholders, *self.urls)
        return (*exact, *self.names, *self.numbers, *self.quantities, *self.symbols)


@lru_cache(maxsize=4096)
def tokenize(text: str) -> Tokens:
    """Take a text apart, in NFC; the same text is taken apart once."""
    found: dict[str, list[str]] = {kind: [] for kind in _KINDS}

    def take(match: re.Match[str]) -> str:
        kind, token = _classify(match)
        if kind is None:
            return match[0]
        if kind in {"numbers", "quantities"} and not token.isascii():
            western = _western(token)
            if western != token:
                found["digits"].append(token)
            token = western
        if token:
            found[kind].append(token)
        return GAP

    prose = _PATTERN.sub(take, unicodedata.normalize("NFC", text))
    plain = _ASIDES.sub(GAP, prose)
    return Tokens(prose=prose, plain=plain, **{kind: tuple(tokens) for kind, tokens in found.items()})


_KINDS = ("code", "math", "placeholders", "urls", "names", "numbers", "quantities", "symbols", "digits")
_ASIDES = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|«[^«»]*»|“[^“”]*”|\"[^\"\n]*\"")


def _classify(match: re.Match[str]) -> tuple[str | None, str]:
    """The kind of a token and its text as it is compared; no kind where it is a word after all."""
    token, group = match[0], match.lastgroup or ""
    if (group == "path" and _ABBREVIATION.fullmatch(token)) or (group == "name" and token in _SHOUTED):
        return None, ""
    if group == "number" and match["unit"]:
        return "quantities", _spaced(token)
    kind, compared = _GROUPS[group]
    return kind, compared(token)


def _singular(name: str) -> str:
    """GPUs is GPU."""
    return name[:-1] if name.endswith("s") and name[:-1].isupper() else name


def _spaced(quantity: str) -> str:
    return re.sub(r"[\s\u00a0\u202f]", " ", quantity)


def _western(number: str) -> str:
    return "".join(str(unicodedata.digit(each)) if each.isdigit() else each for each in number)


_GROUPS: dict[str, tuple[str, Callable[[str], str]]] = {
    "fence": ("code", str.strip),
    "code": ("code", lambda token: token.strip("`").strip()),
    "math": ("math", lambda token: _MATH_WORDS.sub(r"\\text{}", token)),
    "placeholder": ("placeholders", lambda token: token.strip("{} \t\n")),
    "link": ("urls", lambda token: token[1:-1].split(' "')[0].strip()),
    "url": ("urls", str),
    "anchor": ("urls", lambda _token: ""),
    "path": ("names", str),
    "number": ("numbers", str),
    "name": ("names", _singular),
    "symbol": ("symbols", str),
}


def has_words(prose: str) -> bool:
    """Whether prose holds a word of two letters or more."""
    return _TWO_LETTERS.search(prose) is not None
