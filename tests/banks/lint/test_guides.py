"""Guides: section beside section, every number measured or quoted, each finding with its line."""

from app.banks.lint import GuideDraft, lint_guide
from app.i18n.locales import Locale
from tests.banks.lint.drafts import EN, HI, OWN, VI

SOURCE = """# Where memory goes

An activation is kept.

## Why kept {#why-kept}

With `f(x)` it took {{trade:plain.bytes}}.

```demo
id: trade
```

## Sources {#sources}

- Chen et al. (2016). [Training Deep Nets with Sublinear Memory Cost](https://arxiv.org/abs/1604.06174).
"""
HINDI = """# मेमोरी कहाँ जाती है

एक्टिवेशन रखा जाता है।

## क्यों रखा जाए {#why-kept}

`f(x)` के साथ {{trade:plain.bytes}} लगे।

```demo
id: trade
```

## स्रोत {#sources}

- Chen et al. (2016). [Training Deep Nets with Sublinear Memory Cost](https://arxiv.org/abs/1604.06174).
"""
METRICS = {"trade": {"plain.bytes"}}


def findings(texts: dict[Locale, str]) -> list[tuple[str, str, int | None]]:
    return [
        (finding.rule.id, str(finding.locale), finding.line)
        for finding in lint_guide(GuideDraft(texts, METRICS), OWN)
    ]


def changed(before: str, after: str) -> list[tuple[str, str, int | None]]:
    assert before in HINDI
    return findings({EN: SOURCE, HI: HINDI.replace(before, after)})


def test_a_right_guide_has_no_finding() -> None:
    assert findings({EN: SOURCE, HI: HINDI}) == []
    assert findings({HI: HINDI}) == []


def test_what_differs_from_the_source_is_found_with_its_line() -> None:
    assert changed("`f(x)`", "`g(x)`") == [("code-differs", "hi", 7), ("code-differs", "hi", 7)]
    assert changed("plain.bytes", "whole.bytes") == [
        ("placeholder-unknown", "hi", 7),
        ("placeholder-differs", "hi", 7),
        ("placeholder-differs", "hi", 7),
    ]
    assert changed("abs/1604", "abs/1704") == [("url-differs", "hi", 15), ("url-differs", "hi", 15)]
    assert changed("id: trade", "id: rng") == [("code-differs", "hi", 9), ("code-differs", "hi", 9)]


def test_words_are_judged_paragraph_by_paragraph() -> None:
    assert changed("एक्टिवेशन रखा", "सक्रियण रखा") == [("term-banned", "hi", 3), ("term-missing", "hi", 1)]
    assert changed("एक्टिवेशन रखा जाता है।", "An activation is kept.") == [
        ("untranslated", "hi", 3),
        ("term-missing", "hi", 1),
    ]


def test_a_paragraph_more_is_compared_by_section() -> None:
    more = changed("लगे।\n", "लगे।\n\nऔर `y` भी।\n")
    assert more == [("code-differs", "hi", 9)]


def test_sections_must_be_the_same() -> None:
    assert ("sections-differ", "hi", 1) in changed("{#why-kept}", "{#why}")
    assert ("sections-differ", "hi", 1) in changed("## स्रोत {#sources}\n", "")


def test_a_quantity_is_measured_or_its_paragraph_has_a_link() -> None:
    for locale, said in (
        (EN, "It needs 16 GiB."),
        (EN, "It needs 16 bytes."),
        (EN, "About 20–30% more."),
        (HI, "इसे 16 बाइट चाहिए।"),
        (VI, "Nó cần 16 byte."),
        (VI, "Mất 3,5 giây."),
    ):
        title = {EN: "# It", HI: "# यह", VI: "# Nó là gì"}[locale]
        assert findings({locale: f"{title}\n\n{said}\n"}) == [("number-without-source", locale, 3)]
        assert findings({locale: f"{title}\n\n{said} [1](https://a.org)\n"}) == []
    for said in ("It has 16 layers.", "`16 GiB` of it.", "$16 bytes$ each.", "In 16 KiB\u2019s place `x`."):
        found = findings({EN: f"# It\n\n{said}\n"})
        assert (found == []) is ("KiB" not in said), said


def test_headings_fences_and_paragraphs_are_told_apart() -> None:
    text = "# A\ntext\n## B {#b}\n```python\n## no heading\n\nx = 1\n```\nmore 16 GiB\n"
    assert findings({EN: text}) == [("number-without-source", "en", 9)]
