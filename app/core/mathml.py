r"""LaTeX formulas of authors as MathML, made on the server: no script, and a screen reader can speak it.

Only what is listed here may come out. A command that the library does not know would be shown as it is
written, so it is refused, as are commands that make links or colours.

A root is drawn as √ and what it is of: browsers draw `<msqrt>` with a font for mathematics, and where there
is none, as on most phones, they leave the sign out.
"""

import re
from functools import lru_cache
from xml.etree import ElementTree as ET

import latex2mathml.converter

FORMULA_LIMIT = 1000  # characters
TAGS = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms"),
    *("mfrac", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
    *("mtable", "mtr", "mtd"),
}
ATTRIBUTES = {
    "math": {"display"},
    "mi": {"mathvariant"},
    "mo": {"stretchy", "fence", "form", "separator", "minsize", "maxsize", "movablelimits"},
    "mspace": {"width", "linebreak"},
    "mfrac": {"linethickness"},
    "mover": {"accent"},
    "munder": {"accentunder"},
}
_CHILDREN = {
    **dict.fromkeys(("mfrac", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
_MATHML = "http://www.w3.org/1998/Math/MathML"
_NAMESPACE = f"{{{_MATHML}}}"
_MARKUP_IN_TEXT = re.compile(r"\\(?:text|mbox|hbox)\w*\s*\{[^}]*[<>&]")


class FormulaError(ValueError):
    """A formula that cannot be shown; the message is for its author, in English, and short."""


@lru_cache(maxsize=1024)
def to_mathml(formula: str, *, is_display: bool = False) -> str:
    """The `<math>` element of a formula, on a line of its own where `is_display`. Raises FormulaError."""
    if len(formula) > FORMULA_LIMIT:
        raise FormulaError(f"longer than {FORMULA_LIMIT} characters")
    if "&" in formula or _MARKUP_IN_TEXT.search(formula):
        raise FormulaError("&, or < and > in text")
    try:
        made = latex2mathml.converter.convert(formula, display="block" if is_display else "inline")
        root = ET.fromstring(made)  # noqa: S314 - no document type can come out of the converter
    except Exception as error:  # the library raises many kinds for what it cannot read, bare ones too
        raise FormulaError(f"cannot be read ({type(error).__name__})") from error
    for element in list(root.iter(f"{_NAMESPACE}msqrt")):
        _spell_root(element)
    for element in root.iter():
        _check(element)
    ET.register_namespace("", _MATHML)
    return ET.tostring(root, encoding="unicode")


def _spell_root(root: ET.Element) -> None:
    radicand = list(root)
    while len(radicand) == 1 and radicand[0].tag == f"{_NAMESPACE}mrow":
        radicand = list(radicand[0])
    is_one = len(radicand) == 1 and radicand[0].tag in {f"{_NAMESPACE}mi", f"{_NAMESPACE}mn"}
    root.tag = f"{_NAMESPACE}mrow"
    root[:] = [_sign("√"), *radicand] if is_one else [_sign("√"), _sign("("), *radicand, _sign(")")]


def _sign(text: str) -> ET.Element:
    made = ET.Element(f"{_NAMESPACE}mo", stretchy="false")
    made.text = text
    return made


def _check(element: ET.Element) -> None:
    tag = element.tag.removeprefix(_NAMESPACE)
    if tag not in TAGS:
        raise FormulaError(f"what becomes <{tag}> is not allowed")
    unknown = element.attrib.keys() - ATTRIBUTES.get(tag, set())
    if unknown:
        raise FormulaError(f"the attribute {min(unknown)} is not allowed")
    if len(element) != _CHILDREN.get(tag, len(element)):
        raise FormulaError(f"<{tag}> has {len(element)} parts")
    if "\\" in (element.text or ""):
        raise FormulaError(f"unknown command {element.text}")
