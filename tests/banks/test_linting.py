"""The lint on files: a finding has its file, line and field; the command fails on an error."""

import time
from pathlib import Path

import pytest
import yaml

from app import cli
from app.banks.lint import ItemDraft, ItemText, OptionText, lint_item
from app.banks.lint.tokens import tokenize
from app.banks.linting import Found, item_draft, lint_guides, lint_source, read_glossary
from app.banks.source import parse_quiz, read_folder
from app.core.settings import ROOT
from tests.support.quizzes import Data, quiz_data, with_evidence, write_quiz

QUIZZES = ROOT / "quizzes"


def found_in(data: Data) -> tuple[list[Found], list[str]]:
    text = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=1000)
    source = parse_quiz(text.encode(), file="quiz.yaml")
    return lint_source(source, read_glossary(QUIZZES)), text.splitlines()


def test_a_small_right_quiz_has_no_finding() -> None:
    assert found_in(with_evidence(quiz_data()))[0] == []


def test_a_finding_names_file_line_and_field() -> None:
    data = quiz_data()
    data["items"][1]["options"][2]["feedback"]["vi"] = "Độ dốc của tiếng Việt"
    data["items"][1]["options"][2]["feedback"]["en"] = "The gradient"
    [found] = [each for each in found_in(data)[0] if each.finding.rule.id == "term-banned"]
    assert (found.file, found.field) == ("quiz.yaml", "items[1].options[2].feedback.vi")
    assert "Độ dốc" in found_in(data)[1][found.line - 1]


def test_the_description_is_linted_too() -> None:
    data = quiz_data()
    data["description"]["hi"] = data["description"]["en"]
    assert {(each.finding.rule.id, each.field) for each in found_in(data)[0]} == {
        ("untranslated", "description.hi")
    }


def guide_quiz(folder: Path, texts: dict[str, str]) -> Path:
    path = write_quiz(folder, quiz_data() | {"guide": "guide"}).parent
    for locale in ("en", "hi", "vi"):
        (path / f"guide.{locale}.md").write_text(texts[locale], encoding="utf-8")
    return path


def test_a_guide_s_finding_has_the_line_of_its_file(tmp_path: Path) -> None:
    texts = {
        "en": "# Memory\n\nIt took {{trade:plain.bytes}}.\n\n```demo\nid: trade\n```\n",
        "hi": "# मेमोरी\n\n\nइसमें {{trade:plain.bytes}} लगे।\n\n```demo\nid: trade\n```\n",
        "vi": "# Bộ nhớ\n\nNó chiếm {{trade:plain.bytes}}.\n\n```demo\nid: trade\n```\n",
    }
    source = read_folder(guide_quiz(tmp_path, texts))
    found = lint_guides(source, read_glossary(QUIZZES))
    assert {(Path(each.file).name, each.line, each.finding.rule.id) for each in found} == {
        ("guide.en.md", 3, "placeholder-unknown"),
        ("guide.hi.md", 4, "placeholder-unknown"),
        ("guide.vi.md", 3, "placeholder-unknown"),
    }


def test_the_command_prints_each_finding_and_fails_on_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REMATCH_QUIZZES", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C")
    data = quiz_data()
    write_quiz(tmp_path, data)
    assert cli.main(["lint-content"]) == 0
    data["items"][0]["options"][1]["text"]["en"] = "Always option b"
    write_quiz(tmp_path, data)
    assert cli.main(["lint-content"]) == 0
    assert cli.main(["lint-content", "--strict"]) == 1
    data["items"][0]["options"][1]["text"]["vi"] = "Lựa chọn\u200b b"
    path = write_quiz(tmp_path, data)
    assert cli.main(["lint-content"]) == 1
    printed = capsys.readouterr().out
    assert f"{path}:" in printed
    assert "error zero-width: An invisible character stands in the text: U+200B." in printed
    assert "    Delete it" in printed
    assert "1 errors" in printed


def test_our_own_texts_have_no_finding() -> None:
    glossary = read_glossary(QUIZZES)
    sources = [read_folder(path.parent) for path in sorted(QUIZZES.glob("*/quiz.yaml"))]
    found = [
        each
        for source in sources
        for each in (*lint_source(source, glossary), *lint_guides(source, glossary))
    ]
    assert [f"{each.file}:{each.line}: {each.finding.why(str)}" for each in found] == []


def test_a_question_of_six_options_in_three_languages_is_linted_at_once() -> None:
    """An editor lints as one types: under 20 ms, the best of a few, for other tests run beside this one."""
    source = read_folder(QUIZZES / "activation-recomputation")
    draft = item_draft(source.form, source.form.items[5])
    more = {
        locale: ItemText(text.stem, (*text.options, *_again(text.options[:2])), text.explanation)
        for locale, text in draft.texts.items()
    }
    draft = ItemDraft(draft.keys, more, draft.metrics)
    glossary = read_glossary(QUIZZES)
    lint_item(draft, glossary)
    seconds = []
    for _ in range(7):
        tokenize.cache_clear()
        begin = time.perf_counter()
        lint_item(draft, glossary)
        seconds.append(time.perf_counter() - begin)
    assert min(seconds) < 0.020


def _again(options: tuple[OptionText, ...]) -> list[OptionText]:
    return [OptionText(f"{each.id}-2", f"{each.text} 2", f"{each.feedback} 2") for each in options]
