"""A running site for tests: the processes of `./rematch run`, on a free port, data in a folder of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.core.settings import ROOT

STOP_SECONDS = 20
_URL = re.compile(r"http://\S+?:\d+")


@dataclass(frozen=True, slots=True)
class LiveSite:
    """Where it answers, where its data lies, and the process that holds the others."""

    url: str
    data: Path
    process: "subprocess.Popen[str]"


@contextmanager
def run_site(data: Path, *options: str, environment: dict[str, str] | None = None) -> Iterator[LiveSite]:
    """Start the site and wait until it serves; stop it as a person would, and fail if it does not obey."""
    data.mkdir(parents=True, exist_ok=True)
    log = data / "site.log"
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "serve", "--port=0", f"--data={data}", *options],
            cwd=ROOT,
            env=os.environ | {"DATABASE_URL": ""} | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    try:
        announced = _URL.search(process.stdout.readline())
        if announced is None:
            pytest.fail(f"the site did not start:\n{log.read_text(encoding='utf-8')}")
        yield LiveSite(announced[0], data, process)
    finally:
        process.terminate()
        code = process.wait(STOP_SECONDS)
        process.stdout.close()
    assert code == 0, log.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def live_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """The site with a worker that measures, on SQLite; one for the whole test process."""
    with run_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="session")
def site_without_worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """The site where nothing measures."""
    with run_site(tmp_path_factory.mktemp("workerless"), "--no-worker") as site:
        yield site
