"""The index on both databases: it finds the same there, follows each revision, and knows no answer."""

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select
from sqlalchemy.orm import Session

from app.banks import loader, search_queries
from app.banks.search import read_query
from app.banks.search_models import SearchDocument
from app.banks.search_queries import Results, list_sections
from app.banks.search_service import index_quizzes
from app.core.db import make_engine, writing
from app.core.settings import Settings
from app.i18n.locales import Locale
from tests.support.quizzes import Data, in_all, load_quiz, quiz_data, with_guide

GUIDES = {
    "en": (
        "# Memory guide\n\nIntro: `torch.utils.checkpoint`.\n\n"
        "## Peak memory {#peak}\n\nThe peak of 'bytes'.\n\n## Other {#other}\n\nSomething else.\n"
    ),
    "hi": (
        "# मेमोरी गाइड\n\nपरिचय `torch.utils.checkpoint`.\n\n## पीक मेमोरी {#peak}\n\n"
        "हिन्दी में लाज़मी बात, √N।\n\n"
        "## अन्य {#other}\n\nकुछ और।\n"
    ),
    "vi": (
        "# Hướng dẫn\n\nMở đầu, bỏ nhỏ dính. `torch.utils.checkpoint`.\n\n"
        "## Bộ nhớ đỉnh {#peak}\n\nBộ nhớ đỉnh.\n\n"
        "## Khác {#other}\n\nbo nho dinh\n"
    ),
}


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    made = make_engine(settings.app_database_url)
    yield made
    made.dispose()


def load(engine: Engine, folder: Path, data: Data | None = None) -> None:
    load_quiz(engine, folder, with_guide(data or quiz_data(), folder, GUIDES))


def search(engine: Engine, typed: str, locale: str = "en", page: int = 1) -> Results:
    with Session(engine) as session:
        return search_queries.search(session, read_query(typed), Locale(locale), page)


def urls(results: Results) -> list[str]:
    return [hit.url.replace("/quizzes/small", "") for hit in results.hits]


def test_both_databases_find_the_same_in_the_same_order(engine: Engine, tmp_path: Path) -> None:
    """The expectations are the same for SQLite and PostgreSQL: this test runs on each."""
    load(engine, tmp_path)
    assert urls(search(engine, "bo nho dinh", "vi")) == ["/vi/guide#peak", "/vi/guide", "/vi/guide#other"]
    assert urls(search(engine, "bộ nhớ đỉnh", "vi")) == ["/vi/guide#peak", "/vi/guide", "/vi/guide#other"]
    assert urls(search(engine, "bỏ nhỏ dính", "vi")) == ["/vi/guide", "/vi/guide#peak", "/vi/guide#other"]
    assert urls(search(engine, "हिंदी लाजमी", "hi")) == ["/hi/guide#peak"]
    assert urls(search(engine, "हिन्दी", "hi")) == ["/hi/guide#peak"]
    assert urls(search(engine, "मेमो", "hi")) == ["/hi/guide", "/hi/guide#peak"]
    assert urls(search(engine, "मोमे", "hi")) == []
    assert urls(search(engine, "√N", "hi")) == urls(search(engine, "sqrt(n)", "hi")) == ["/hi/guide#peak"]
    for part in ("torch.utils.checkpoint", "utils.checkpoint", "torch.uti", "checkpoint", "UTILS"):
        assert urls(search(engine, part)) == ["/en/guide"], part
    assert urls(search(engine, "stem of item-1")) == ["/en#question-2"]


def test_each_place_is_found_once_in_the_readers_language_where_it_can_be(
    engine: Engine, tmp_path: Path
) -> None:
    load(engine, tmp_path)
    assert urls(search(engine, "torch.utils.checkpoint", "vi")) == ["/vi/guide"]
    other = search(engine, "bytes", "hi")
    assert (urls(other), other.hits[0].locale, other.count) == (["/en/guide#peak"], Locale.EN, 1)


def test_where_nothing_has_every_word_what_has_the_most_is_found(engine: Engine, tmp_path: Path) -> None:
    load(engine, tmp_path)
    found = search(engine, "where is the peak of bytes kept")
    assert (urls(found), found.word_count, found.word_total) == (["/en/guide#peak"], 4, 7)
    assert search(engine, "xyzzy plugh").hits == []
    assert search(engine, "").hits == search(engine, "* ( ) \" '").hits == []


def test_neither_key_nor_feedback_nor_explanation_is_found(engine: Engine, tmp_path: Path) -> None:
    data = quiz_data(items=1)
    data["items"][0]["explanation"] = in_all("Secretexplanation")
    data["items"][0]["options"][0]["feedback"] = in_all("Secretfeedback")
    data["items"][0]["key"] = data["items"][0]["options"][0]["id"] = "secretkey"
    load(engine, tmp_path, data)
    for secret in ("secretexplanation", "secretfeedback", "secretkey"):
        assert search(engine, secret).count == 0, secret
    assert search(engine, "option a").count == 1


def test_the_index_follows_a_new_revision_and_keeps_nothing_stale(engine: Engine, tmp_path: Path) -> None:
    load(engine, tmp_path)
    with writing(engine) as session:
        assert index_quizzes(session) == 0
        before = session.scalar(select(func.count()).select_from(SearchDocument))
    changed = copy.deepcopy(quiz_data())
    changed["items"][1]["stem"] = in_all("A question about rematerialization?")
    load(engine, tmp_path, changed)
    assert urls(search(engine, "rematerialization")) == ["/en#question-2"]
    assert urls(search(engine, "stem of item-1")) == [
        "/en#question-1",
        "/en#question-3",
    ]  # three of four words
    with Session(engine) as session:
        assert session.scalar(select(func.count()).select_from(SearchDocument)) == before


def test_documents_of_an_earlier_format_are_made_again(engine: Engine, tmp_path: Path) -> None:
    load(engine, tmp_path)
    with writing(engine) as session:
        for document in session.scalars(select(SearchDocument)):
            document.format = 0
            document.terms = "outdated"
    assert search(engine, "outdated").count > 0
    with writing(engine) as session:
        assert index_quizzes(session) == 1
    assert search(engine, "outdated").count == 0
    assert search(engine, "bytes").count == 1


def test_a_load_that_fails_leaves_the_index_as_it_was(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(engine, tmp_path)

    def fail(session: Session) -> int:
        index_quizzes(session)
        raise RuntimeError

    monkeypatch.setattr(loader, "index_quizzes", fail)
    changed = copy.deepcopy(quiz_data())
    changed["items"][1]["stem"] = in_all("Rematerialization?")
    with pytest.raises(RuntimeError):
        load(engine, tmp_path, changed)
    assert search(engine, "rematerialization").count == 0
    assert urls(search(engine, "stem of item-1")) == ["/en#question-2"]


def test_results_come_in_pages_that_share_no_place(engine: Engine, tmp_path: Path) -> None:
    load(engine, tmp_path, quiz_data(items=23))
    pages = [search(engine, "stem", page=number) for number in (1, 2, 3)]
    found = [url for results in pages for url in urls(results)]
    assert [len(results.hits) for results in pages] == [10, 10, 3]
    assert len(set(found)) == pages[0].count == 23
    assert search(engine, "stem", page=30).page == 3


def test_sections_to_begin_with_are_those_of_the_readers_language(engine: Engine, tmp_path: Path) -> None:
    load(engine, tmp_path)
    with Session(engine) as session:
        found = list_sections(session, Locale.VI)
    assert [(title, [each.url for each in sections]) for title, sections in found.items()] == [
        ("Hướng dẫn", ["/vi/quizzes/small/guide#peak", "/vi/quizzes/small/guide#other"])
    ]
