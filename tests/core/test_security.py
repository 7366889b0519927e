"""What every response carries, and what no request gets past."""

import pytest
from starlette.testclient import TestClient

from tests.support.clients import Visitor


@pytest.mark.parametrize("path", ["/", "/en/", "/en/none", "/healthz", "/static/none.css", "/xx/"])
def test_every_response_carries_the_strict_headers(app_client: TestClient, path: str) -> None:
    headers = app_client.get(path, follow_redirects=False).headers
    policy = headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "strict-transport-security" not in headers


class TestCookie:
    def test_it_is_signed_and_hidden_from_scripts(self, app_client: TestClient) -> None:
        cookie = next(
            c for c in app_client.get("/en/").headers.get_list("set-cookie") if c.startswith("rematch=")
        )
        assert "HttpOnly" in cookie
        assert "SameSite=Lax" in cookie
        assert "Secure" not in cookie

    def test_under_tls_it_is_bound_to_the_host(self, app_client: TestClient) -> None:
        secure = TestClient(app_client.app, base_url="https://testserver").get("/en/")
        cookie = next(c for c in secure.headers.get_list("set-cookie") if "rematch=" in c)
        assert cookie.startswith("__Host-rematch=")
        assert "Secure" in cookie
        assert "strict-transport-security" in secure.headers

    @pytest.mark.parametrize("forged", ["visitor", "visitor.AAAA", "", ".", "é", "a" * 3000])
    def test_a_forged_one_is_another_visitor(
        self, visitor: Visitor, app_client: TestClient, forged: str
    ) -> None:
        attempt = visitor.start()
        thief = TestClient(app_client.app, base_url="http://testserver")
        sent = thief.get(f"{attempt}/questions/1", headers={"cookie": f"rematch={forged}".encode()})
        assert sent.status_code == 404


class TestRequests:
    @pytest.mark.parametrize(
        "headers",
        [
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"origin": "https://elsewhere.example"},
            {"origin": "null"},
        ],
    )
    def test_a_post_from_another_site_is_refused(self, visitor: Visitor, headers: dict[str, str]) -> None:
        attempt = visitor.start()
        assert visitor.answer(attempt, 1, "a", **headers).status_code == 403

    def test_a_post_from_this_site_passes(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        assert visitor.answer(attempt, 1, "a", **{"sec-fetch-site": "same-origin"}).status_code == 200
        assert visitor.answer(attempt, 2, "a", origin="http://testserver").status_code == 200

    def test_a_body_over_the_limit_is_refused_declared_or_not(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        assert visitor.answer(attempt, 1, "a" * 70_000).status_code == 413
        streamed = visitor.client.post(f"{attempt}/responses", content=(b"x" * 10_000 for _ in range(10)))
        assert streamed.status_code == 413

    def test_more_fields_than_any_form_has_are_refused(self, visitor: Visitor) -> None:
        attempt = visitor.start()
        fields: dict[str, object] = {f"f{n}": n for n in range(200)}
        assert visitor.post(f"{attempt}/responses", fields).status_code == 400

    def test_a_method_that_a_page_does_not_have_is_405_in_words(self, visitor: Visitor) -> None:
        visitor.get("/en/")
        refused = visitor.post("/en/attempts/")
        assert refused.status_code == 405
        assert "cannot be used in that way" in refused.text


class TestErrors:
    def test_htmx_gets_an_error_as_a_part_for_the_notice(self, visitor: Visitor) -> None:
        answer = visitor.get("/en/quizzes/none", **{"HX-Request": "true"})
        assert answer.status_code == 404
        assert answer.headers["hx-retarget"] == "#notice"
        assert "<html" not in answer.text

    def test_an_unexpected_error_is_a_page_without_its_trace(self, app_client: TestClient) -> None:
        def fail() -> None:
            raise ZeroDivisionError("the secret reason")

        app_client.app.add_api_route("/en/fails", fail)  # type: ignore[attr-defined]
        quiet = TestClient(app_client.app, base_url="http://testserver", raise_server_exceptions=False)
        answer = quiet.get("/en/fails")
        assert answer.status_code == 500
        assert "secret reason" not in answer.text
        assert "content-security-policy" in answer.headers

    def test_what_is_echoed_is_escaped(self, visitor: Visitor) -> None:
        hostile = "<script>alert(1)</script>"
        attempt = visitor.start()
        for path in (f"/en/quizzes/{hostile}", f"{attempt}/questions/1?option={hostile}", f"/en/{hostile}"):
            assert hostile not in visitor.get(path).text
