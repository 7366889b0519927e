"""A learner's path over HTTP, on both databases, without JavaScript and with htmx's fragments."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from app.attempts.models import Attempt, Response
from app.core.settings import Settings
from tests.support.clients import Visitor, open_site
from tests.support.quizzes import prepare_quiz, quiz_data

KEYS = {1: "a", 2: "b", 3: "c"}


def count(app_client: TestClient, table: type) -> int:
    with app_client.app.state.engine.connect() as connection:  # type: ignore[attr-defined]
        return connection.scalar(select(func.count()).select_from(table)) or 0


def shown_options(html: str) -> list[str]:
    return re.findall(r'name="option" value="(\w+)"', html)


class TestTaking:
    def test_a_whole_quiz_ends_with_its_score_and_every_key(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        for number, option in {1: "a", 2: "d", 3: "c"}.items():
            page = visitor.answer(attempt, number, option)
            assert page.status_code == 200
            assert ("Not right" in page.text) == (number == 2)
            assert f"Feedback {option}" in page.text
        result = visitor.post(f"{attempt}/finish")
        assert result.url.path == f"{attempt}/result"
        assert "2 of 3 right" in result.text
        assert "Option d" in result.text
        assert "Option b" in result.text

    def test_the_same_post_gives_the_whole_page_or_htmx_its_part(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        part = visitor.answer(attempt, 1, "a", **{"HX-Request": "true"})
        page = visitor.answer(attempt, 2, "b")
        assert "<html" not in part.text
        assert "Why item-0." in part.text
        assert len(part.content) <= 4096
        assert "<html" in page.text
        assert "Why item-1." in page.text

    def test_nothing_of_the_key_is_sent_before_the_answer(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        for page in (visitor.get("/en/quizzes/small"), visitor.get(f"{attempt}/questions/1")):
            assert "Feedback" not in page.text
            assert "Why item" not in page.text
            assert "is-key" not in page.text

    def test_options_stay_in_the_order_in_which_they_were_shuffled(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        orders = [shown_options(visitor.get(f"{attempt}/questions/{n}").text) for n in (1, 2, 3)]
        again = [shown_options(visitor.get(f"{attempt}/questions/{n}").text) for n in (1, 2, 3)]
        assert orders == again
        assert all(sorted(order) == list("abcd") for order in orders)
        orders_of_many = {
            tuple(shown_options(visitor.get(f"{visitor.start()}/questions/1").text)) for _ in range(12)
        }
        assert len(orders_of_many) > 1

    def test_the_language_changes_in_the_middle_and_the_attempt_stays(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        visitor.answer(attempt, 1, "a")
        hindi = visitor.get(attempt.replace("/en/", "/hi/") + "/questions/1")
        assert "Why item-0. हि" in hindi.text
        chosen = visitor.get(attempt.replace("/en/", "/vi/") + "/questions/2?option=b")
        assert re.search(r'value="b"[^>]*checked', chosen.text)
        vietnamese = visitor.answer(attempt.replace("/en/", "/vi/"), 2, "b")
        assert "Feedback b tiếng Việt" in vietnamese.text

    def test_coming_back_leads_to_the_first_open_question(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        visitor.answer(attempt, 1, "a")
        assert visitor.get(attempt).url.path == f"{attempt}/questions/2"
        assert attempt in visitor.get("/en/attempts/").text
        assert attempt in visitor.get("/en/").text

    def test_an_attempt_keeps_the_revision_that_it_began_with(
        self, settings: Settings, visitor: Visitor, tmp_path: Path
    ) -> None:
        attempt = visitor.start()
        changed = quiz_data()
        changed["items"][0]["stem"]["en"] = "A new stem of item-0?"
        prepare_quiz(settings, tmp_path / "quizzes", changed)
        assert "Stem of item-0?" in visitor.get(f"{attempt}/questions/1").text
        assert "A new stem of item-0?" in visitor.get(f"{visitor.start()}/questions/1").text


class TestAnsweringAgain:
    def test_a_second_answer_gives_the_first_result_and_changes_nothing(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        visitor.answer(attempt, 1, "b")
        again = visitor.answer(attempt, 1, "a")
        assert again.status_code == 200
        assert "Feedback b" in again.text
        assert "Not right" in again.text
        assert "The first answer counts" in again.text
        assert "The first answer counts" not in visitor.answer(attempt, 1, "b").text
        assert count(visitor.client, Response) == 1

    def test_many_posts_at_the_same_moment_make_one_response(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        with ThreadPoolExecutor(16) as threads:
            options = ["a", "b", "c", "d"] * 8
            pages = list(threads.map(lambda option: visitor.answer(attempt, 1, option), options))
        assert {page.status_code for page in pages} == {200}
        verdicts = {re.search(r"Feedback (\w)", page.text)[1] for page in pages}  # type: ignore[index]
        assert len(verdicts) == 1
        assert count(visitor.client, Response) == 1

    def test_after_the_end_an_answer_is_refused_and_the_score_stays(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        visitor.answer(attempt, 1, "a")
        visitor.post(f"{attempt}/finish")
        late = visitor.answer(attempt, 2, "b")
        assert late.status_code == 409
        assert "This attempt has ended" in late.text
        assert "1 of 3 right" in visitor.get(f"{attempt}/result").text
        assert "1 of 3 right" in visitor.post(f"{attempt}/finish").text

    def test_the_end_may_be_asked_for_again(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        first = visitor.post(f"{attempt}/finish").text
        assert re.findall(r'datetime="[^"]+"', visitor.post(f"{attempt}/finish").text) == re.findall(
            r'datetime="[^"]+"', first
        )


class TestBadInput:
    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"question": "1"}, "Choose one of the options first."),
            ({"question": "1", "option": "zzz"}, "Choose one of the options first."),
            ({"question": "one", "option": "a"}, "does not say which question"),
            ({"question": "-1", "option": "a"}, "does not say which question"),
            ({"question": "१", "option": "a"}, "does not say which question"),
            ({"option": "a"}, "does not say which question"),
        ],
    )
    def test_a_response_that_cannot_be_read_is_400_and_stores_nothing(
        self, visitor: Visitor, fields: dict[str, object], words: str
    ) -> None:
        attempt = visitor.start()
        refused = visitor.post(f"{attempt}/responses", fields)
        assert refused.status_code == 400
        assert words in refused.text
        assert count(visitor.client, Response) == 0

    def test_a_question_that_is_not_there_is_404(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        for path in (f"{attempt}/questions/4", f"{attempt}/questions/0", f"{attempt}/questions/x"):
            assert visitor.get(path).status_code == 404
        assert visitor.answer(attempt, 4, "a").status_code == 404

    def test_refusals_speak_the_readers_language(self, visitor: Visitor) -> None:
        attempt = visitor.start(locale="vi")
        refused = visitor.post(f"{attempt}/responses", {"question": "1"})
        assert '<html lang="vi"' in refused.text
        assert "Choose one" not in refused.text

    def test_a_file_in_place_of_a_field_is_400(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        refused = visitor.client.post(
            f"{attempt}/responses",
            data={"csrf_token": visitor.token, "option": "a"},
            files={"question": ("1", b"1")},
        )
        assert refused.status_code == 400


class TestPermission:
    def test_a_strangers_attempt_looks_absent(self, visitor: Visitor, stranger: Visitor) -> None:
        attempt = visitor.start()
        stranger.start()
        for path in ("", "/questions/1", "/questions/1/evidence", "/result"):
            assert stranger.get(attempt + path).status_code == 404
        assert stranger.answer(attempt, 1, "a").status_code == 404
        assert stranger.post(f"{attempt}/finish").status_code == 404
        assert count(visitor.client, Response) == 0
        assert attempt not in stranger.get("/en/attempts/").text

    def test_a_post_without_its_browsers_token_is_refused(self, visitor: Visitor, stranger: Visitor) -> None:
        attempt = visitor.start()
        stranger.get("/en/quizzes/small")
        for token in ("", "0" * 64, stranger.token, "é"):
            visitor.token = token
            assert visitor.answer(attempt, 1, "a").status_code == 403
        assert count(visitor.client, Response) == 0

    def test_reading_pages_stores_no_one(self, visitor: Visitor) -> None:
        visitor.get("/en/")
        visitor.get("/en/quizzes/small")
        assert count(visitor.client, Attempt) == 0


def test_a_site_without_quizzes_says_so(sqlite_settings: Settings) -> None:
    with open_site(sqlite_settings) as client:
        assert Visitor(client).get("/en/").status_code == 200
        assert Visitor(client).get("/en/quizzes/none").status_code == 404
