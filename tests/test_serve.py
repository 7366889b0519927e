"""`./rematch run` as a person meets it: start, restart, stop, and what it says when it cannot."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import psutil
import pytest

from app.core.settings import ROOT
from tests.support.site import run_site


def serve(data: Path, *options: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Try to start where it cannot; the process ends by itself."""
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "serve", "--no-worker", f"--data={data}", *options],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": ""} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_web_process_that_is_killed_is_replaced_and_no_request_is_refused(tmp_path: Path) -> None:
    with run_site(tmp_path, "--no-worker") as site:
        (web,) = psutil.Process(site.process.pid).children()
        web.kill()
        assert httpx2.get(f"{site.url}/healthz", timeout=30).status_code == 200


def test_ctrl_c_stops_it_and_leaves_no_process(tmp_path: Path) -> None:
    with run_site(tmp_path, "--no-worker") as site:
        children = psutil.Process(site.process.pid).children(recursive=True)
        site.process.send_signal(signal.SIGINT)
        assert site.process.wait(15) == 0
        assert children
        assert not any(child.is_running() for child in children)


@pytest.mark.skipif(
    sys.platform != "linux", reason="the kernel tells children of their parent's death on Linux"
)
def test_children_go_when_their_parent_is_killed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = [sys.executable, "-m", "app.cli", "serve", "--no-worker", "--port=0", f"--data={data}"]
    parent = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | {"DATABASE_URL": ""}, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert "http://127.0.0.1:" in parent.stdout.readline()
    children = psutil.Process(parent.pid).children(recursive=True)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert children
    wait_until(lambda: not any(child.is_running() for child in children))


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = serve(tmp_path, f"--port={port}")
    said = f"rematch: port {port} on 127.0.0.1 is taken (Address already in use)"
    assert ended.returncode == 1
    assert ended.stderr == f"{said}: stop what uses it, or choose another with --port.\n"


def test_a_port_that_is_none_is_one_sentence(tmp_path: Path) -> None:
    ended = serve(tmp_path, "--port=70000")
    assert (ended.returncode, len(ended.stderr.strip().splitlines())) == (1, 1)
    assert "70000 is not a port" in ended.stderr


def test_data_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ended = serve(tmp_path / "file" / "data", "--port=0")
    assert (ended.returncode, len(ended.stderr.strip().splitlines())) == (1, 1)
    assert "choose another with --data" in ended.stderr


def test_quizzes_with_faults_are_named_by_file_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "quizzes" / "broken"
    folder.mkdir(parents=True)
    (folder / "quiz.yaml").write_text("format: 1\nslug: broken\nlevel: hopeless\n", encoding="utf-8")
    ended = serve(tmp_path / "data", "--port=0", REMATCH_QUIZZES=str(tmp_path / "quizzes"))
    assert ended.returncode == 1
    assert f"{folder / 'quiz.yaml'}:3: level:" in ended.stderr


def test_a_file_of_measurements_with_a_fault_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "quizzes" / "measurements" / "nvidia-h200.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 1}', encoding="utf-8")
    ended = serve(tmp_path / "data", "--port=0", REMATCH_QUIZZES=str(tmp_path / "quizzes"))
    assert ended.returncode == 1
    assert ended.stderr == f"rematch: {path}: results: Field required\n"
