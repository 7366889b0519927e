"""Fixtures for every test, by what they bring: see each module of tests/support."""

pytest_plugins = [
    "tests.support.databases",
    "tests.support.clients",
    "tests.support.site",
    "tests.support.workers",
    "tests.support.browser",
]
