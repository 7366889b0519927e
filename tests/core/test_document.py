"""Long texts: sections, anchors, places for something live, and what is wrong with a formula."""

from app.core.document import Live, Prose, SectionEnd, read_document
from app.core.language import Quantity
from app.i18n.language import get_language
from app.i18n.locales import Locale

TEXT = """
An introduction with $n$.

## Why `code` is kept {#why-kept}

It kept {{spacing:plain.saved_bytes}}.

```demo
name: spacing
id: sqrt-segments
```

### Deeper {#deeper}

```python
## no heading
```

# Another

$$
\\foo
$$
"""


def test_sections_have_their_anchors_headings_and_lines() -> None:
    document = read_document(TEXT)
    assert [(each.anchor, each.heading, each.line) for each in document.sections] == [
        ("why-kept", "Why code is kept", 4),
        ("section-2", "Another", 19),
    ]
    assert document.anchors == ("why-kept", "section-2")
    assert document.introduction == "An introduction with $n$."
    assert document.sections[0].body.startswith("It kept")
    assert "## no heading" in document.sections[0].body


def test_parts_come_in_order_and_a_demo_is_no_code() -> None:
    parts = read_document(TEXT).parts
    assert [type(part) for part in parts] == [Prose, Prose, Live, Prose, SectionEnd, Prose, SectionEnd]
    assert parts[2] == Live("name: spacing\nid: sqrt-segments\n", 8)
    assert parts[4] == SectionEnd("why-kept")


def test_prose_places_numbers_by_the_name_of_their_demo() -> None:
    prose = read_document(TEXT).parts[1]
    assert isinstance(prose, Prose)
    numbers = {"spacing:plain.saved_bytes": Quantity(2048, "bytes")}
    html = prose.html(get_language(Locale.EN), numbers)
    assert '<h2 id="why-kept" tabindex="-1">Why <code translate="no">code</code> is kept</h2>' in html
    assert 'value="2048"' in html
    assert "{#" not in html


def test_a_heading_below_a_section_may_have_an_anchor_too() -> None:
    prose = read_document(TEXT).parts[3]
    assert isinstance(prose, Prose)
    assert '<h3 id="deeper">Deeper</h3>' in prose.html(get_language(Locale.EN), {})


def test_a_formula_that_cannot_be_shown_is_named_with_its_line() -> None:
    [faulty] = read_document(TEXT).faulty_formulas
    assert (faulty.formula, faulty.line) == ("\\foo", 21)
    assert "unknown command" in faulty.problem


def test_words_are_counted_without_code_and_formulas() -> None:
    assert read_document("one two $x y z$\n\n```python\na b c\n```\n\nthree").word_count == 3
    assert read_document("").minutes == 1
    assert read_document("word " * 1800).minutes == 10


def test_any_text_is_a_document() -> None:
    document = read_document("")
    assert (document.sections, document.parts, document.introduction) == ((), (), "")
    assert read_document("\x00 \ue000x\ue001\r\n## A\r\n").anchors == ("section-1",)
