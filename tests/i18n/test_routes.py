import pytest
from starlette.testclient import TestClient


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("hi", "/hi/"),
        ("vi;q=0.5, hi;q=0.4", "/vi/"),
        ("fr, de", "/en/"),
        ("hi-IN,en;q=0.9", "/hi/"),
        ("", "/en/"),
    ],
)
def test_the_first_page_is_in_the_readers_language(site: TestClient, asked: str, given: str) -> None:
    answer = site.get("/", headers={"accept-language": asked}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (302, given)


def test_the_language_that_was_read_last_is_remembered(site: TestClient) -> None:
    site.get("/vi/", headers={"accept-language": "en"})
    assert (
        site.get("/", headers={"accept-language": "en"}, follow_redirects=False).headers["location"] == "/vi/"
    )


def test_a_static_file_or_an_unknown_language_changes_nothing(site: TestClient) -> None:
    site.get("/vi/")
    site.get("/xx/")
    site.get("/healthz")
    assert site.get("/", follow_redirects=False).headers["location"] == "/vi/"
