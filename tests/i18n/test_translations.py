import re

import pytest

from app.core.settings import ROOT
from app.i18n.catalog import check_catalogues, extract_messages
from app.i18n.locales import Locale
from app.i18n.translations import gettext, ngettext, read_catalogue

EN, HI, VI = Locale


class TestCatalogues:
    def test_have_every_msgid_no_stale_one_and_lose_no_field_or_code(self) -> None:
        assert check_catalogues() == []

    def test_extraction_reaches_templates_code_and_demos(self) -> None:
        messages = extract_messages()
        for found in ("Measure now", "just now", "{count} byte", "forward", "{name} must be a whole number."):
            assert found in messages, found

    def test_a_missing_wording_is_found(self) -> None:
        template = extract_messages()
        template.add("Nobody has translated this {name}.")
        faults = check_catalogues(template)
        assert faults == [
            f"{name}: missing: Nobody has translated this {{name}}." for name in ("hi.po", "vi.po")
        ]

    def test_a_stale_wording_is_found(self) -> None:
        template = extract_messages()
        template.delete("Why")
        assert "hi.po: stale: Why" in check_catalogues(template)

    @pytest.mark.parametrize("locale", [HI, VI])
    def test_digits_are_latin_in_every_wording(self, locale: Locale) -> None:
        for message in read_catalogue(locale):
            assert not re.search(r"[\u0966-\u096f]", str(message.string))

    def test_nothing_compiled_lies_about(self) -> None:
        assert not list((ROOT / "app/i18n").rglob("*.mo"))


class TestGettext:
    def test_gives_the_wording_and_else_the_msgid(self) -> None:
        assert gettext(HI, "Why") == "ऐसा क्यों"
        assert gettext(VI, "Why") == "Vì sao"
        assert gettext(EN, "Why") == "Why"
        assert gettext(HI, "no such msgid") == "no such msgid"

    def test_the_empty_msgid_is_empty_not_the_header(self) -> None:
        assert gettext(HI, "") == ""

    def test_plurals_follow_the_language(self) -> None:
        one, many = "In the queue: {n} run before this one.", "In the queue: {n} runs before this one."
        assert [ngettext(EN, one, many, n) == one for n in (0, 1, 2)] == [False, True, False]
        assert [ngettext(HI, one, many, n).endswith("है।") for n in (0, 1, 2)] == [True, True, False]
        assert len({ngettext(VI, one, many, n) for n in (0, 1, 2, 5)}) == 1
        assert ngettext(VI, "{n} unknown", "{n} unknowns", 2) == "{n} unknowns"
