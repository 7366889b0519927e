"""The loader is idempotent, makes immutable revisions, and loads all or nothing."""

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from app.banks.content import QuizCache, read_quiz_revision
from app.banks.models import Item, ItemRevision, QuizRevision
from app.banks.queries import get_current_quiz
from app.banks.source import SourceFaultsError
from app.core.db import make_engine
from app.core.settings import Settings
from app.i18n.locales import Locale
from tests.support.quizzes import load_quiz, quiz_data, write_quiz


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    made = make_engine(settings.app_database_url)
    yield made
    made.dispose()


def count(engine: Engine, table: type) -> int:
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(table)) or 0


def test_the_same_file_twice_makes_no_revision(engine: Engine, tmp_path: Path) -> None:
    [first] = load_quiz(engine, tmp_path, quiz_data())
    [second] = load_quiz(engine, tmp_path, quiz_data())
    assert (first.new_item_revisions, first.is_new_revision) == (3, True)
    assert (second.new_item_revisions, second.is_new_revision) == (0, False)
    assert count(engine, QuizRevision) == 1


def test_a_changed_word_makes_one_new_revision_and_keeps_the_old(engine: Engine, tmp_path: Path) -> None:
    load_quiz(engine, tmp_path, quiz_data())
    with engine.connect() as connection:
        before = get_current_quiz(connection, QuizCache(), "small")
    changed = copy.deepcopy(quiz_data())
    changed["items"][1]["stem"]["vi"] = "Một câu hỏi khác, số 1?"
    [loaded] = load_quiz(engine, tmp_path, changed)
    assert (loaded.new_item_revisions, loaded.is_new_revision) == (1, True)
    assert (count(engine, Item), count(engine, ItemRevision)) == (3, 4)
    with engine.connect() as connection:
        after = get_current_quiz(connection, QuizCache(), "small")
        assert read_quiz_revision(connection, before.revision_id) == before
    assert after.items[1].wording(Locale.VI).stem == "Một câu hỏi khác, số 1?"
    assert after.items[0] == before.items[0]
    assert after.items[1].item_id == before.items[1].item_id


def test_what_was_written_is_what_is_read(engine: Engine, tmp_path: Path) -> None:
    data = quiz_data()
    code = "`a < b && c`\n\n```python\nx = 1\n```"
    data["items"][0]["stem"] = {"en": f"Is {code}", "hi": f"क्या सही है {code}", "vi": f"Có đúng {code}"}
    load_quiz(engine, tmp_path, data)
    with engine.connect() as connection:
        quiz = get_current_quiz(connection, QuizCache(), "small")
    assert [item.slug for item in quiz.items] == ["item-0", "item-1", "item-2"]
    assert [item.key for item in quiz.items] == [("a",), ("b",), ("c",)]
    assert quiz.items[0].wording(Locale.HI).stem == data["items"][0]["stem"]["hi"]
    assert quiz.items[0].wording(Locale.VI).options["c"].feedback == "Feedback c tiếng Việt"
    assert quiz.items[0].evidence is None


def test_a_fault_in_one_quiz_loads_none(engine: Engine, tmp_path: Path) -> None:
    write_quiz(tmp_path, quiz_data() | {"slug": "other", "level": "hard"})
    with pytest.raises(SourceFaultsError):
        load_quiz(engine, tmp_path, quiz_data())
    assert count(engine, QuizRevision) == 0


def test_the_folder_and_the_slug_say_the_same(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    write_quiz(tmp_path, quiz_data()).rename(tmp_path / "elsewhere" / "quiz.yaml")
    with pytest.raises(SourceFaultsError) as refused:
        load_quiz(engine, tmp_path, quiz_data() | {"slug": "third"})
    assert refused.value.faults[0].field == "slug"
