"""Fixtures for every test, by what they bring: see each module of tests/support."""

from hypothesis import settings

settings.register_profile("rematch", deadline=None)  # times are never asserted
settings.load_profile("rematch")

pytest_plugins = [
    "tests.support.databases",
    "tests.support.clients",
    "tests.support.site",
    "tests.support.workers",
    "tests.support.browser",
]
