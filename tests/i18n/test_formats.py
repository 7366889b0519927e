"""Numbers in three languages. Latin digits everywhere; only separators differ."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.i18n import formats
from app.i18n.language import get_language
from app.i18n.locales import Locale

EN, HI, VI = Locale
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


class TestBytes:
    @pytest.mark.parametrize(
        ("value", "english", "vietnamese"),
        [
            (0, "0 B", "0 B"),
            (4, "4 B", "4 B"),
            (1023, "1,023 B", "1.023 B"),
            (1024, "1.00 KiB", "1,00 KiB"),
            (1_048_063, "1,023 KiB", "1.023 KiB"),
            (1_048_064, "1.00 MiB", "1,00 MiB"),
            (1_179_648, "1.13 MiB", "1,13 MiB"),
            (18 * 2**30, "18.0 GiB", "18,0 GiB"),
            (-2048, "-2.00 KiB", "-2,00 KiB"),
        ],
    )
    def test_have_binary_units_and_three_digits(self, value: int, english: str, vietnamese: str) -> None:
        assert plain(formats.format_bytes(value, EN)) == english
        assert plain(formats.format_bytes(value, VI)) == vietnamese
        assert plain(formats.format_bytes(value, HI)) == english

    def test_exact_ones_are_grouped_as_the_locale_groups(self) -> None:
        assert formats.format_exact_bytes(1_048_580, EN) == "1,048,580 bytes"
        assert formats.format_exact_bytes(1_048_580, HI) == "10,48,580 बाइट"
        assert formats.format_exact_bytes(1_048_580, VI) == "1.048.580 byte"
        assert formats.format_exact_bytes(1, EN) == "1 byte"

    @given(st.integers(min_value=0, max_value=2**60), st.sampled_from(Locale))
    def test_are_never_more_than_half_a_percent_off(self, value: int, locale: Locale) -> None:
        number, unit = formats.format_bytes(value, locale).split("\xa0")
        power = formats.BINARY_UNITS.index(unit)
        shown = float(formats.parse_decimal(number, locale)) * 1024**power
        assert abs(shown - value) <= value * 0.005 + 0.5


class TestRatio:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (0.528, "0.53×"),
            (1.0, "1.00×"),
            (1.004, "1.00×"),
            (1.25, "1.25×"),
            (1.994, "1.99×"),
            (1.995, "2.0×"),
            (3.449, "3.4×"),
            (9.949, "9.9×"),
            (9.96, "10×"),
            (17.5, "18×"),
        ],
    )
    def test_has_as_many_digits_as_tell_it_apart(self, value: float, expected: str) -> None:
        assert formats.format_ratio(value, EN) == formats.format_ratio(value, HI) == expected
        assert formats.format_ratio(value, VI) == expected.replace(".", ",")


class TestNumbers:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (7, "7"),
            (6.0, "6"),
            (0.0, "0"),
            (0.5, "0.5"),
            (0.03125, "0.0313"),
            (0.494, "0.494"),
            (1.19e-7, "1.2×10⁻⁷"),
            (9.96e-5, "1.0×10⁻⁴"),
            (3.2e9, "3.2×10⁹"),
            (float("nan"), "—"),
            (float("inf"), "∞"),
        ],
    )
    def test_have_three_digits_and_powers_of_ten_at_the_ends(self, value: float, expected: str) -> None:
        assert formats.format_number(value, EN) == expected

    def test_flops_have_decimal_prefixes(self) -> None:
        shown = [
            plain(formats.format_flops(value, EN)) for value in (0, 999, 268_435_456, 1_073_741_824, 999_600)
        ]
        assert shown == ["0 FLOP", "999 FLOP", "268 MFLOP", "1.07 GFLOP", "1.00 MFLOP"]

    def test_shares_and_percents(self) -> None:
        assert formats.format_fraction(0.5312, VI) == "0,53"
        assert formats.format_percent(0.75, HI) == "75%"

    @pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
    def test_what_is_no_number_breaks_no_format(self, value: float) -> None:
        for write in (
            formats.format_number,
            formats.format_ratio,
            formats.format_fraction,
            formats.format_duration_ms,
            formats.format_bytes,
            formats.format_flops,
        ):
            assert write(value, EN)


class TestTimes:
    def test_a_duration_has_three_digits_and_turns_into_seconds(self) -> None:
        shown = [
            plain(formats.format_duration_ms(value, EN)) for value in (0.4567, 4.21, 999.4, 999.6, 12_345)
        ]
        assert shown == ["0.457 ms", "4.21 ms", "999 ms", "1.00 s", "12.3 s"]

    def test_a_spread_has_one_unit(self) -> None:
        assert plain(formats.format_spread_ms(4.02, 5.13, VI)) == "4,02–5,13 ms"
        assert plain(formats.format_spread_ms(998, 1030, EN)) == "0.998–1.03 s"

    def test_elapsed_time_is_said_as_people_say_it(self) -> None:
        assert [formats.format_elapsed(value, EN) for value in (0, 59.6, 552, 7500)] == [
            "0 s",
            "1 min 0 s",
            "9 min 12 s",
            "2 h 5 min",
        ]
        assert formats.format_elapsed(552, HI) == "9 मिनट 12 सेकंड"
        assert formats.format_elapsed(-3, VI) == "0 giây"

    def test_an_age_is_in_the_readers_words(self) -> None:
        then = NOW - timedelta(minutes=2)
        assert formats.format_age(then, EN, now=NOW) == "2 minutes ago"
        assert formats.format_age(then, HI, now=NOW) == "2 मिनट पहले"
        assert formats.format_age(then, VI, now=NOW) == "2 phút trước"

    def test_what_is_new_or_from_a_fast_clock_is_just_now(self) -> None:
        assert formats.format_age(NOW, EN, now=NOW) == "just now"
        assert formats.format_age(NOW + timedelta(hours=1), VI, now=NOW) == "vừa xong"

    def test_a_moment_is_in_utc_and_says_so_even_from_a_naive_clock(self) -> None:
        india = datetime.fromisoformat("2026-03-01T17:30:00+05:30")
        assert formats.format_datetime(india, EN) == "Mar 1, 2026, 12:00 UTC"
        assert formats.format_datetime(NOW.replace(tzinfo=None), VI) == "1 thg 3, 2026, 12:00 UTC"


class TestParse:
    @pytest.mark.parametrize(
        ("text", "locale", "expected"),
        [
            ("1.5", EN, "1.5"),
            ("1,5", VI, "1.5"),
            ("1.024", VI, "1024"),
            ("10,48,580", HI, "1048580"),
            (" 7 ", EN, "7"),
        ],
    )
    def test_reads_what_the_locale_writes(self, text: str, locale: Locale, expected: str) -> None:
        assert formats.parse_decimal(text, locale) == Decimal(expected)

    @pytest.mark.parametrize(
        ("text", "locale"), [("1.5", VI), ("1,5", EN), ("", EN), ("x", HI), ("1.2.3", EN)]
    )
    def test_never_guesses(self, text: str, locale: Locale) -> None:
        with pytest.raises(ValueError):  # noqa: PT011 - Babel's own subclass
            formats.parse_decimal(text, locale)


class TestQuantities:
    @pytest.mark.parametrize("locale", Locale)
    @pytest.mark.parametrize(
        "unit", ["bytes", "count", "flops", "ratio", "ms", "fraction", "number", "boolean", "?"]
    )
    def test_every_unit_has_a_form_and_none_is_a_dash(self, unit: str, locale: Locale) -> None:
        language = get_language(locale)
        assert language.quantity(None, unit) == language.exact(None, unit) == "—"
        assert language.quantity(1, unit)
        assert language.exact(12_345, unit)

    def test_a_boolean_is_said_in_words(self) -> None:
        assert get_language(HI).quantity(True, "boolean") == "हाँ"  # noqa: FBT003 - the value is the point
        assert get_language(VI).quantity(False, "number") == "không"  # noqa: FBT003
