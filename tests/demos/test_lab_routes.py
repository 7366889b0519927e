"""The lab's pages: every demo, its parameters within their bounds, and words beside one that is not."""

import pytest

from app.demos.catalog import all_demos
from tests.support.clients import Visitor


def test_the_lab_lists_every_demo(visitor: Visitor) -> None:
    page = visitor.get("/en/lab/")
    assert all(f'href="/en/lab/{demo_id}"' in page.text for demo_id in all_demos())


@pytest.mark.parametrize("demo_id", sorted(all_demos()))
def test_each_demo_has_a_page_in_each_language(visitor: Visitor, demo_id: str) -> None:
    for locale in ("en", "hi", "vi"):
        assert visitor.get(f"/{locale}/lab/{demo_id}").status_code == 200
    assert visitor.get(f"/en/lab/{demo_id}/evidence").status_code == 200


@pytest.mark.parametrize("query", ["depth=9999", "depth=x", "depth=", "height=2", "depth=-1", "depth=१६"])
def test_a_parameter_out_of_bounds_is_refused_in_words(visitor: Visitor, query: str) -> None:
    page = visitor.get(f"/en/lab/trade?{query}")
    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert visitor.get(f"/en/lab/trade/evidence?{query}").status_code == 400


def test_a_wrong_value_stays_in_its_field(visitor: Visitor) -> None:
    page = visitor.get("/en/lab/trade?depth=9999&width=64").text
    assert 'value="9999"' in page
    assert 'aria-invalid="true"' in page
    assert 'value="64"' in page


def test_an_unknown_demo_is_404(visitor: Visitor) -> None:
    assert visitor.get("/en/lab/no-such-demo").status_code == 404
    assert visitor.get("/en/lab/no-such-demo/evidence").status_code == 404
