"""A guide's page: numbers in its sentences, live demos, and the way to questions and back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from app.banks.content import QuizCache
from app.banks.queries import list_quizzes, list_wanted_measurements
from app.core.settings import Settings
from app.demos.catalog import all_demos
from tests.support.clients import Visitor, open_site
from tests.support.measurements import store_measurement
from tests.support.quizzes import prepare_quiz, quiz_data, with_guide

GUIDE = "/en/quizzes/small/guide"
DEMO = f"{GUIDE}/demos/spacing"


@pytest.fixture
def guided(settings: Settings, tmp_path: Path) -> Iterator[Visitor]:
    data = with_guide(quiz_data(), tmp_path / "quizzes")
    data["items"][1]["read"] = "kept"
    prepare_quiz(settings, tmp_path / "quizzes", data)
    with open_site(settings) as client:
        yield Visitor(client)


class TestGuide:
    def test_has_sections_contents_formulas_and_a_time_to_read(self, guided: Visitor) -> None:
        html = guided.get(GUIDE).text
        assert '<h2 id="kept" tabindex="-1">What is kept</h2>' in html
        assert '<a href="#kept">What is kept</a>' in html
        assert "√</mo><mi>n</mi>" in html
        assert "1 minute to read" in html
        assert "```" not in html
        assert "{#" not in html

    def test_without_a_measurement_says_so_in_the_sentence(self, guided: Visitor) -> None:
        assert "क्या रखा जाता है" in guided.get("/hi/quizzes/small/guide").text
        assert re.search(
            r'It kept <span class="unmeasured">not yet measured</span> at', guided.get(GUIDE).text
        )

    def test_places_what_its_demo_has_measured(self, guided: Visitor, settings: Settings) -> None:
        store_measurement(settings, {"segments.peak_bytes": 1_048_576})
        html = guided.get(GUIDE).text
        assert 'It kept <data class="measured" value="1048576"' in html
        region = html[html.index('id="demo-spacing"') :]
        assert 'class="provenance"' in region
        assert 'hx-get="/en/quizzes/small/guide/demos/spacing/evidence?' in region

    def test_leads_to_the_questions_on_a_part_and_they_lead_back(self, guided: Visitor) -> None:
        assert 'href="/en/quizzes/small#question-2"' in guided.get(GUIDE).text
        quiz = guided.get("/en/quizzes/small").text
        assert 'id="question-2"' in quiz
        assert f'href="{GUIDE}#kept"' in quiz

    def test_is_404_where_there_is_none(self, visitor: Visitor) -> None:
        for path in (GUIDE, DEMO, f"{DEMO}/evidence", "/en/quizzes/nothing/guide"):
            assert visitor.get(path).status_code == 404, path

    def test_ids_stand_once(self, guided: Visitor) -> None:
        ids = re.findall(r' id="([^"]+)"', guided.get(GUIDE).text)
        assert len(ids) == len(set(ids))


class TestLiveDemo:
    def test_is_a_part_for_htmx_and_a_page_without_scripts(self, guided: Visitor) -> None:
        part = guided.get(f"{DEMO}?depth=16&segments=4", **{"HX-Request": "true"}).text
        assert part.lstrip().startswith('<div id="demo-spacing"')
        page = guided.get(f"{DEMO}?depth=16&segments=4").text
        assert "<html" in page
        assert f'href="{GUIDE}#demo-spacing"' in page
        for html in (part, page):
            assert 'name="param.depth" value="16"' in html

    def test_keeps_the_guides_parameters_that_are_not_given(self, guided: Visitor) -> None:
        html = guided.get(f"{DEMO}?depth=16", **{"HX-Request": "true"}).text
        assert 'name="param.segments" value="2"' in html

    @pytest.mark.parametrize("query", ["depth=9999", "depth=x", "height=2", "depth=१६", "depth=%00"])
    def test_a_parameter_out_of_bounds_is_refused_beside_its_field(self, guided: Visitor, query: str) -> None:
        page = guided.get(f"{DEMO}?{query}")
        assert page.status_code == 400
        assert 'role="alert"' in page.text
        assert guided.get(f"{DEMO}/evidence?{query}").status_code == 400

    def test_a_wrong_value_stays_in_its_field(self, guided: Visitor) -> None:
        html = guided.get(f"{DEMO}?depth=9999", **{"HX-Request": "true"}).text
        assert 'value="9999"' in html
        assert 'aria-invalid="true"' in html

    def test_an_unknown_one_is_404(self, guided: Visitor) -> None:
        assert guided.get(f"{GUIDE}/demos/nothing").status_code == 404

    def test_is_measured_before_anyone_asks(self, guided: Visitor) -> None:
        app = guided.client.app  # type: ignore[attr-defined]
        with Session(app.state.engine) as session:
            wanted = list_wanted_measurements(iter(list_quizzes(session, QuizCache())))
        trade = all_demos()["trade"]
        assert wanted == [(trade, trade.parse_params({"depth": 8, "segments": 2}))]


class TestReadThisPart:
    def test_is_offered_after_a_wrong_answer_and_not_after_a_right_one(self, guided: Visitor) -> None:
        attempt = guided.start()
        link = f'href="{GUIDE}#kept"'
        assert link not in guided.get(f"{attempt}/questions/2").text
        assert link not in guided.answer(attempt, 2, "b").text  # the key
        other = Visitor(TestClient(guided.client.app, base_url="http://testserver"))  # type: ignore[attr-defined]
        attempt = other.start()
        wrong = other.answer(attempt, 2, "a").text
        assert "Read this part of the guide: What is kept" in wrong
        assert link in wrong

    def test_stands_in_the_result(self, guided: Visitor) -> None:
        attempt = guided.start()
        for number in (1, 2, 3):
            guided.answer(attempt, number, "a")
        result = guided.post(f"{attempt}/finish").text
        assert result.count(f'href="{GUIDE}#kept"') == 1
