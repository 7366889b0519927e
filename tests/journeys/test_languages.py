"""A visitor is met in their own language, and may choose another."""

import pytest
from playwright.sync_api import expect

from app.i18n.locales import Locale
from tests.support.browser import NewPage

pytestmark = pytest.mark.journey


@pytest.mark.parametrize("locale", Locale)
def test_the_site_opens_in_the_language_of_the_browser(new_page: NewPage, locale: Locale) -> None:
    page = new_page(locale=locale)
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", locale)
    expect(page.get_by_role("link", name=locale.endonym)).to_have_attribute("aria-current", "true")


def test_a_language_that_was_chosen_is_remembered(new_page: NewPage) -> None:
    page = new_page(locale="en")
    page.goto("/")
    page.get_by_role("link", name=Locale.VI.endonym).click()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("lang", "vi")
