"""Fixtures for every test, by what they bring: see each module of tests/support."""

pytest_plugins = ["tests.support.clients", "tests.support.databases"]
