"""Formulas of authors: MathML of known elements, or a refusal that names what is wrong."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.language import Quantity
from app.core.markdown import render_markdown
from app.core.mathml import FORMULA_LIMIT, TAGS, FormulaError, to_mathml
from app.i18n.language import get_language
from app.i18n.locales import Locale

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
PIECES = st.sampled_from(
    [
        *r"{}[]^_&<>'\"+-()ab12 ",
        *(r"\frac", r"\sqrt", r"\text", r"\left", r"\right", r"\sum", r"\binom", r"\color", r"\href"),
        *(r"\begin{matrix}", r"\end{matrix}", r"\\", r"\limits", r"\middle", r"\unknown"),
    ]
)


def words(mathml: str) -> str:
    return "".join(ET.fromstring(mathml).itertext())  # noqa: S314 - our own markup


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"2\sqrt{n}", "2√n"),
        (r"\sqrt{64}", "√64"),
        (r"\sqrt{1 - m}", "√(1\N{MINUS SIGN}m)"),
        (r"\sqrt{\sqrt{n}}", "√(√n)"),
    ],
)
def test_a_root_is_seen_without_a_font_for_it(formula: str, shown: str) -> None:
    root = ET.fromstring(to_mathml(formula))  # noqa: S314
    assert (root.tag, root.get("display")) == (f"{NAMESPACE}math", "inline")
    assert words(to_mathml(formula)) == shown


def test_a_line_of_its_own_is_a_block() -> None:
    assert 'display="block"' in to_mathml(r"\frac{a}{b}", is_display=True)


@pytest.mark.parametrize(
    "formula",
    [
        r"\sum_{i=1}^{k} a_i \le M",
        r"O(\log n)",
        r"\binom{a+b}{a}",
        r"M_{\text{peak}}",
        r"\lceil \frac{n}{k} \rceil \cdot 2",
        r"\left( x \right) \approx 1{,}5",
    ],
)
def test_what_guides_write_can_be_shown(formula: str) -> None:
    assert words(to_mathml(formula))


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        (r"\foo", r"unknown command \foo"),
        (r"\href{javascript:alert(1)}{x}", "attribute href"),
        (r"\color{red}x", "<mstyle>"),
        (r"\text{<script>}", "in text"),
        (r"a & b", "&"),
        (r"\frac", "cannot be read"),
        (r"\frac{1}", "<mfrac> has 1 parts"),
        ("", "cannot be read"),
        ("x" * (FORMULA_LIMIT + 1), "longer than"),
    ],
)
def test_what_cannot_be_shown_is_named(formula: str, problem: str) -> None:
    with pytest.raises(FormulaError, match=problem.replace("\\", r"\\")):
        to_mathml(formula)


@given(st.lists(PIECES, max_size=20).map("".join))
def test_whatever_is_written_only_known_elements_come_out(formula: str) -> None:
    try:
        made = to_mathml(formula)
    except FormulaError:
        return
    tags = {element.tag.removeprefix(NAMESPACE) for element in ET.fromstring(made).iter()}  # noqa: S314
    assert tags <= TAGS


def test_in_markdown_a_formula_is_mathml_and_a_faulty_one_is_code() -> None:
    language, none = get_language(Locale.EN), dict[str, Quantity]()
    html = render_markdown("About $\\sqrt{n}$, not $\\foo$.\n\n$$\n\\frac{a}{b}\n$$\n", language, none)
    assert "√</mo><mi>n</mi>" in html
    assert '<code translate="no">\\foo</code>' in html
    assert '<p><math display="block">' in html


def test_money_and_code_are_no_formulas() -> None:
    html = render_markdown("`$x$` is code, and it costs $5 or $6.", get_language(Locale.EN))
    assert "<math" not in html
    assert "costs $5 or $6" in html
