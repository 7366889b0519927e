import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from app.i18n import find_request_locale
from app.i18n.locales import Locale
from app.i18n.negotiation import negotiate


class TestNegotiate:
    @pytest.mark.parametrize(
        ("header", "expected"),
        [
            ("", "en"),
            ("hi", "hi"),
            ("hi-IN,en;q=0.8", "hi"),
            ("VI-vn", "vi"),
            ("fr,vi;q=0.5,en;q=0.4", "vi"),
            ("en;q=0.3,hi;q=0.7,vi;q=0.5", "hi"),
            ("vi;q=0.5,hi;q=0.5", "vi"),
            ("hi;q=0.5,vi;q=0.5", "hi"),
            ("*", "en"),
            ("fr, *;q=0.1", "en"),
            ("en;q=0, *;q=0.5", "hi"),
            ("hi;q=0, *", "en"),
            ("hi;q=0", "en"),
            ("hi;q=0,vi;q=0,en;q=0", "en"),
            ("vi ; q = 0.9 , hi;q=1.0", "hi"),
            ("hi;q=2,vi;q=0.1", "vi"),
            ("hi;q=nan,vi", "vi"),
            ("hi;q=-1,vi;q=0.1", "vi"),
            (";;;,,,q=1", "en"),
            ("hi_IN", "en"),
            ("zh-Hant-TW,ja", "en"),
            ("en-GB;q=0.2,en-US;q=0.9,vi;q=0.5", "en"),
        ],
    )
    def test_takes_the_highest_weight_and_then_the_first_named(self, header: str, expected: str) -> None:
        assert negotiate(header) == expected

    def test_what_the_reader_chose_before_wins(self) -> None:
        assert negotiate("vi", "hi") is Locale.HI

    @pytest.mark.parametrize("remembered", ["", "fr", "HI", "hi\n", None])
    def test_a_choice_that_is_none_is_passed_over(self, remembered: str | None) -> None:
        assert negotiate("vi", remembered) is Locale.VI

    @given(st.text(max_size=300))
    def test_any_header_gives_a_language(self, header: str) -> None:
        assert negotiate(header) in Locale

    def test_a_huge_header_is_read_only_so_far(self) -> None:
        assert negotiate("x," * 1_000_000 + "hi") is Locale.EN


class TestRequestLocale:
    @pytest.mark.parametrize(
        ("path", "headers", "expected"),
        [
            ("/vi/quizzes/x", [(b"accept-language", b"hi")], "vi"),
            ("/fr/x", [(b"accept-language", b"hi")], "hi"),
            ("/", [(b"cookie", b"locale=vi"), (b"accept-language", b"hi")], "vi"),
            ("/static/x", [], "en"),
        ],
    )
    def test_is_in_the_path_or_is_negotiated(
        self, path: str, headers: list[tuple[bytes, bytes]], expected: str
    ) -> None:
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
        assert find_request_locale(Request(scope)) == expected
