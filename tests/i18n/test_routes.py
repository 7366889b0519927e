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
def test_the_first_page_is_in_the_readers_language(app_client: TestClient, asked: str, given: str) -> None:
    answer = app_client.get("/", headers={"accept-language": asked}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (302, given)


def test_the_language_that_was_read_last_is_remembered(app_client: TestClient) -> None:
    app_client.get("/vi/", headers={"accept-language": "en"})
    assert (
        app_client.get("/", headers={"accept-language": "en"}, follow_redirects=False).headers["location"]
        == "/vi/"
    )


def test_a_static_file_or_an_unknown_language_changes_nothing(app_client: TestClient) -> None:
    app_client.get("/vi/")
    app_client.get("/xx/")
    app_client.get("/healthz")
    assert app_client.get("/", follow_redirects=False).headers["location"] == "/vi/"
