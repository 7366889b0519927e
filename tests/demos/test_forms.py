import pytest

from app.demos.forms import local_path


@pytest.mark.parametrize("path", ["/en/lab/trade", "/hi/attempts/a/questions/3?option=x#why", "/"])
def test_a_path_of_this_site_is_where_one_may_go_back_to(path: str) -> None:
    assert local_path(path) == path


@pytest.mark.parametrize(
    "elsewhere",
    [
        "",
        "lab",
        "//evil.example/",
        "///evil.example/",
        "/\\evil.example",
        "\\/evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/en\r\nSet-Cookie: a=b",
        "/\tevil",
        "//[",
    ],
)
def test_anything_else_is_nowhere(elsewhere: str) -> None:
    assert local_path(elsewhere) == ""
