"""A guide's file: what its page could not show is named, with the line where it stands."""

from pathlib import Path

import pytest

from app.banks.guides import guide_faults, list_blocks, parse_block
from app.banks.loader import read_all
from app.banks.source import Fault, SourceFaultsError
from app.demos.catalog import find_demo
from app.i18n.locales import SOURCE_LOCALE
from app.i18n.translations import gettext
from tests.support.quizzes import GUIDE, quiz_data, with_guide, write_quiz

TEXT = """# A guide

## One {#one}

```demo
name: trade
id: trade
params:
  depth: 8
```

## Two {#two}

Words.
"""


def faults(text: str) -> list[tuple[int, str]]:
    return [(fault.line, words(fault)) for fault in guide_faults("guide.en.md", text)]


def words(fault: Fault) -> str:
    return gettext(SOURCE_LOCALE, fault.message).format(**fault.values)


def test_a_sound_guide_has_none() -> None:
    assert faults(TEXT) == []


def test_a_block_is_a_demo_with_its_parameters() -> None:
    [block] = list_blocks(TEXT)
    demo = find_demo("trade")
    assert demo is not None
    assert (block.name, block.demo, block.params) == ("trade", demo, demo.parse_params({"depth": 8}))


@pytest.mark.parametrize(
    ("old", "new", "line", "expected"),
    [
        ("id: trade", "id: nothing", 7, "There is no demo nothing."),
        ("name: trade", "name: A b", 6, "This is empty or has characters that are not allowed here."),
        ("name: trade\n", "", 6, "This field is missing."),
        ("depth: 8", "depth: 1000000", 9, "depth must be between 8 and 32."),
        ("depth: 8", "deep: 8", 9, "There is no parameter deep."),
        ("id: trade", "id: trade\nid: trade", 8, "the key 'id' stands twice"),
        ("id: trade", "id: *name", 7, "aliases are not used here"),
        ("{#two}", "{#one}", 12, "Two sections have the anchor one."),
        ("Words.", "Words $\\foo$.", 14, "This formula cannot be shown: \\foo (unknown command \\foo)."),
        ("Words.", "```demo\nname: trade\nid: sqrt-n\n```", 14, "Two demos have the name trade."),
        (
            "Words.",
            "```demo\nname: again\nid: trade\nparams:\n  depth: 8\n```",
            14,
            "The demo trade stands here twice with the same parameters.",
        ),
    ],
)
def test_each_fault_is_named_at_its_line(old: str, new: str, line: int, expected: str) -> None:
    [(found, text)] = faults(TEXT.replace(old, new))
    assert found == line
    assert expected in text


def test_a_block_that_is_too_long_is_refused() -> None:
    with pytest.raises(SourceFaultsError):
        parse_block("name: x\n" + "# \n" * 1000)


def test_a_question_cannot_send_to_a_section_that_is_not_there(tmp_path: Path) -> None:
    data = with_guide(quiz_data(), tmp_path)
    data["items"][0]["read"] = "three"
    write_quiz(tmp_path, data)
    with pytest.raises(SourceFaultsError) as refused:
        read_all(tmp_path)
    [fault] = refused.value.faults
    assert (words(fault), fault.field) == ("The guide has no section three.", "items[0].read")


def test_a_fault_in_a_guide_refuses_the_quiz(tmp_path: Path) -> None:
    write_quiz(
        tmp_path, with_guide(quiz_data(), tmp_path, {**GUIDE, "vi": GUIDE["vi"].replace("2\\sqrt", "\\foo")})
    )
    with pytest.raises(SourceFaultsError) as refused:
        read_all(tmp_path)
    assert any(Path(fault.file).name == "guide.vi.md" and fault.line == 3 for fault in refused.value.faults)
