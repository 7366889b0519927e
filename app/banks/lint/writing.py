"""Rules of item writing, on one question in one language: what tells the key to who does not know it.

Each docstring says what its source says. Haladyna & Rodriguez (2013), Developing and Validating Test Items,
gives the guidelines anew at length; Gierl, Bulut, Guo & Zhang (2017), Developing, analyzing, and using
distractors for multiple-choice tests in education, Review of Educational Research 87(6), reviews what is
known of wrong options.
"""

import re
from collections.abc import Callable, Collection, Iterator
from itertools import combinations, pairwise

from app.banks.lint import rules
from app.banks.lint.drafts import ItemText
from app.banks.lint.findings import Finding, Place, Rule
from app.banks.lint.glossary import folded
from app.banks.lint.tokens import GAP, WORD, has_words, tokenize
from app.banks.lint.translation import without_transliterated
from app.banks.lint.words import WORDS, Words
from app.i18n.locales import Locale

LONGER_TIMES, LONGER_CHARACTERS = 1.25, 8  # by far: a quarter more than the next, and not a word or so of it
MEANT_LETTERS = 4  # of a word of the stem, below which it is seldom one that gives something away


def lint_writing(
    item: ItemText, keys: Collection[str], locale: Locale, language: Locale | None = None
) -> list[Finding]:
    """What a question breaks in one language; `language` is the one it is written in, where that differs."""
    options = _Options(item, keys, locale, WORDS[language or locale])
    return [finding for check in _CHECKS for finding in check(options)]


class _Options:
    """The options of a question, apart by whether they are right."""

    def __init__(self, item: ItemText, keys: Collection[str], locale: Locale, words: Words) -> None:
        self.item, self.locale, self.words = item, locale, words
        self.texts = [option.text.strip() for option in item.options]
        self.right = [number for number, option in enumerate(item.options) if option.id in keys]
        self.wrong = [number for number in range(len(self.texts)) if number not in self.right]
        self.is_single = len(self.right) == 1 and bool(self.wrong)

    @property
    def key(self) -> str:
        """The right option of a question that has one."""
        return self.texts[self.right[0]]

    @property
    def distractors(self) -> list[str]:
        """The wrong options."""
        return [self.texts[number] for number in self.wrong]

    def of_key(self, rule: Rule, **values: object) -> Finding:
        """A finding on the right option."""
        return self.of_option(rule, self.right[0], **values)

    def of_option(self, rule: Rule, number: int, **values: object) -> Finding:
        """A finding on one option."""
        place: Place = ("options", number, "text")
        return Finding(rule, place, self.locale, values)


def _key_longest(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): options of about equal length."""
    if not options.is_single or not any(has_words(tokenize(text).prose) for text in options.texts):
        return
    length = visible_length(options.key)
    longest = max(map(visible_length, options.distractors))
    if length >= LONGER_TIMES * longest and length - longest >= LONGER_CHARACTERS:
        yield options.of_key(rules.KEY_LONGEST, length=length, next=longest)


def _only_key_qualified(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): options built alike, and no right one that stands out.

    Qualified is: a hedge, two things joined by «and», a list, an aside in parentheses. A gloss in another
    script or another language is no aside.
    """
    if not options.is_single:
        return
    for qualifier in (_hedge, _coordination, _list, _aside):
        found = qualifier(options.key, options)
        if found and not any(qualifier(text, options) for text in options.distractors):
            yield options.of_key(rules.KEY_QUALIFIED, found=found)
            return


def _hedge(text: str, options: _Options) -> str | None:
    return _first(options.words.hedge, text)


def _coordination(text: str, options: _Options) -> str | None:
    return _first(options.words.coordination, text)


def _list(text: str, _options: _Options) -> str | None:
    prose = tokenize(text).prose
    return text if len(re.findall(r"[,;](?=\s)", prose)) > 1 else None


def _aside(text: str, options: _Options) -> str | None:
    for found in re.findall(r"\(([^()]+)\)", tokenize(text).prose):
        is_gloss = options.locale is not Locale.EN and found.isascii()
        if not is_gloss and has_words(found):
            return f"({found})"
    return None


def _only_key_punctuated(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): no right option that stands out; a full stop is enough."""
    if not options.is_single or len(options.wrong) < 2:  # noqa: PLR2004 - of two options neither is the odd one
        return
    marks = {number: _ending(text) for number, text in enumerate(options.texts)}
    others = {marks[number] for number in options.wrong}
    key = marks[options.right[0]]
    if len(others) == 1 and key not in others:
        yield options.of_key(rules.KEY_PUNCTUATED, found=key or others.pop())


def _ending(text: str) -> str:
    return text[-1] if text and text[-1] in ".।!;" else ""


def _absolutes(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): no clue by words like always, never and completely."""
    if not options.right or any(_first(options.words.absolute, options.texts[at]) for at in options.right):
        return
    for number in options.wrong:
        found = _first(options.words.absolute, options.texts[number])
        if found:
            yield options.of_option(rules.ABSOLUTE, number, found=found)


def _above(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): no «all of the above», and «none of the above» with care."""
    for number, text in enumerate(options.texts):
        found = options.words.above.search(folded(text))
        if found:
            yield options.of_option(rules.ABOVE, number, found=found[0])


def _same_or_overlapping(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): independent options that do not overlap."""
    words = [_compared(text) for text in options.texts]
    for one, other in combinations(range(len(words)), 2):
        if words[one] == words[other] and words[one]:
            yield options.of_option(rules.DUPLICATE, other, other=one + 1)
            continue
        shared = _overlap(options.texts[one], options.texts[other]) or _contained(words[one], words[other])
        if shared:
            yield options.of_option(rules.OVERLAP, other, other=one + 1, found=shared)


def _compared(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\s.,;:!?।()«»\"'`*]+", folded(text)))


def _contained(one: tuple[str, ...], other: tuple[str, ...]) -> str | None:
    """The shorter option, where the longer one says all of it and more."""
    short, long = sorted((one, other), key=len)
    if len(short) > 1 and f" {' '.join(short)} " in f" {' '.join(long)} ":
        return " ".join(short)
    return None


_RANGE = re.compile(r"(\d+(?:\.\d+)?)\s?[–-]\s?(\d+(?:\.\d+)?)")


def _overlap(one: str, other: str) -> str | None:
    """Two ranges of numbers that share more than a bound, in options that differ in nothing else."""
    left, right = _RANGE.search(one), _RANGE.search(other)
    if not left or not right or _RANGE.sub("", one).split() != _RANGE.sub("", other).split():
        return None
    low, high = max(float(left[1]), float(right[1])), min(float(left[2]), float(right[2]))
    return f"{low:g}–{high:g}" if low < high else None


def _negation(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): ask positively; where a negative word must be, set it off.

    Only the sentence that asks is looked at, without what is emphasised in it or said in parentheses.
    """
    stem = _SET_OFF.sub(GAP, options.item.stem)
    asking = re.split(r"(?<=[.!?।])\s+", stem.strip())[-1]
    found = options.words.negation.search(folded(tokenize(asking).plain))
    if found:
        yield Finding(rules.NEGATION, ("stem",), options.locale, {"found": found[0]})


_SET_OFF = re.compile(r"\*\*.+?\*\*|__.+?__|\([^()]*\)|\b(?:NOT|EXCEPT|LEAST|NEVER|INCORRECT|FALSE)\b")


def _stem_word_in_key(options: _Options) -> Iterator[Finding]:
    """Haladyna, Downing & Rodriguez (2002): no clang, that is, no option that sounds like the stem.

    A wrong option may repeat the stem: it draws who goes by the sound, which is what it is for.
    """
    if not options.is_single:
        return
    stem = _content_words(options.item.stem, options.words)
    elsewhere = {word for text in options.distractors for word in _content_words(text, options.words)}
    shared = [
        word for word in _content_words(options.key, options.words) if word in stem and word not in elsewhere
    ]
    if shared:
        yield options.of_key(rules.CLANG, found=shared[0])


def _content_words(text: str, words: Words) -> dict[str, None]:
    """The words that mean something, in order; in Vietnamese the pairs of syllables that make most words."""
    tokens = tokenize(text)
    prose = without_transliterated(tokens.prose)
    found = [folded(word) for word in WORD.findall(prose)]
    if words.is_syllabic:
        clauses = re.split(rf"[^\w\s]|{GAP}", folded(prose))
        pairs = [pair for clause in clauses for pair in pairwise(clause.split())]
        found = [" ".join(pair) for pair in pairs if not words.stop.intersection(pair)]
    else:
        found = [_stem(word) for word in found if word not in words.stop and len(word) >= MEANT_LETTERS]
    return dict.fromkeys([*found, *tokens.names, *tokens.symbols])


def _stem(word: str) -> str:
    """Singular and plural are one word in English; other endings stay."""
    return word[:-1] if word.isascii() and word.endswith("s") and not word.endswith("ss") else word


def visible_length(text: str) -> int:
    """How many characters a reader sees: marks of Markdown are none, nor are vowel signs above and below."""
    return len(re.sub(r"[`*\u093c\u0900-\u0902\u0941-\u0948\u094d\u200c\u200d]", "", text))


def _first(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(folded(tokenize(text).prose))
    return found[0] if found else None


_CHECKS: tuple[Callable[[_Options], Iterator[Finding]], ...] = (
    _key_longest,
    _only_key_qualified,
    _only_key_punctuated,
    _absolutes,
    _above,
    _same_or_overlapping,
    _negation,
    _stem_word_in_key,
)
