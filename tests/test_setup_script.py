"""`./rematch` on machines that lack something: one sentence that says what, and no half-made environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.settings import ROOT

NEEDED = [
    "bash",
    "cat",
    "cmp",
    "cp",
    "dirname",
    "env",
    "flock",
    "grep",
    "id",
    "mkdir",
    "mktemp",
    "rm",
    "tail",
]
CLOSED = "http://127.0.0.1:9"  # the discard port: nothing listens there


class Machine:
    """A fresh clone's set-up files, and a PATH with only what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.clone = folder / "clone"
        self.bin = folder / "bin"
        self.clone.mkdir()
        self.bin.mkdir()
        for name in ("rematch", "requirements.txt", "package.json", "package-lock.json"):
            shutil.copy(ROOT / name, self.clone)
        for name in NEEDED:
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)

    def add_python(self) -> None:
        (self.bin / "python3").symlink_to(os.path.realpath(sys.executable))

    def add_script(self, name: str, text: str) -> None:
        script = self.bin / name
        script.write_text(f"#!{self.bin}/bash\n{text}\n", encoding="utf-8")
        script.chmod(0o755)

    def rematch(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        settings = {"PATH": str(self.bin), "HOME": str(self.clone), "PIP_CONFIG_FILE": os.devnull}
        return subprocess.run(
            [self.clone / "rematch", *arguments],
            env=settings | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def last_sentence(ended: "subprocess.CompletedProcess[str]") -> str:
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    return ended.stderr.strip().splitlines()[-1]


def test_help_lists_every_task(machine: Machine) -> None:
    ended = machine.rematch("help")
    tasks = {"run", "test", "bench", "verify", "gpu-check", "lint", "messages", "migrate", "schema"}
    tasks |= {"import-measurements"}
    assert ended.returncode == 0
    assert tasks <= {line.split()[0] for line in ended.stdout.splitlines() if line.startswith("  ")}


def test_a_task_that_is_none_is_named(machine: Machine) -> None:
    assert last_sentence(machine.rematch("fly")) == "rematch: there is no task named 'fly'."


def test_without_python_it_says_which_one_to_install(machine: Machine) -> None:
    assert "no Python 3.11 to 3.14 was found" in last_sentence(machine.rematch("run"))


def test_an_old_python_is_no_python(machine: Machine) -> None:
    machine.add_script("python3", "exit 1")  # what `sys.exit(not (3, 11) <= version ...)` ends with
    assert "no Python 3.11 to 3.14 was found" in last_sentence(machine.rematch("run"))


def test_a_python_without_venv_is_named(machine: Machine) -> None:
    machine.add_script("python3", '[[ $1 == -c ]] || { echo "No module named venv" >&2; exit 1; }')
    assert "has no venv module" in last_sentence(machine.rematch("run"))
    assert not (machine.clone / ".venv").exists()


def test_without_a_network_it_says_that_the_index_cannot_be_reached(machine: Machine) -> None:
    machine.add_python()
    ended = machine.rematch("run", PIP_INDEX_URL=f"{CLOSED}/simple", PIP_RETRIES="0")
    assert "the Python package index cannot be reached" in last_sentence(ended)


@pytest.fixture
def installed(machine: Machine) -> Machine:
    """A machine whose Python packages are there already."""
    venv = machine.clone / ".venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "python").symlink_to(sys.executable)
    shutil.copy(ROOT / "requirements.txt", machine.clone / ".venv" / "installed-requirements.txt")
    return machine


def test_a_failed_build_without_a_compiler_is_explained(installed: Machine) -> None:
    (installed.clone / "requirements.txt").write_text("something-new==1.0\n", encoding="utf-8")
    installed.add_script("uv", "echo \"error: command 'gcc' failed: No such file or directory\"; exit 1")
    assert "there is no C compiler to build it" in last_sentence(installed.rematch("run"))


def test_an_npm_registry_that_is_away_is_named(installed: Machine) -> None:
    installed.add_script("node", "exit 0")
    installed.add_script("npm", "echo npm error code ECONNREFUSED; exit 1")
    assert "the npm registry cannot be reached" in last_sentence(installed.rematch("run"))


def test_what_is_installed_is_not_asked_for_again(installed: Machine) -> None:
    """A second start reaches the application without an installer; the stub fails if it is called."""
    installed.add_script("uv", "exit 1")
    installed.add_script("npm", "exit 1")
    vendor = installed.clone / "static" / "vendor"
    vendor.mkdir(parents=True)
    for name in ("htmx.min.js", "hx-sse.min.js"):
        (vendor / name).touch()
    for weight in (400, 600):
        (vendor / f"noto-sans-devanagari-devanagari-{weight}-normal.woff2").touch()
    (installed.clone / "node_modules").mkdir()
    lock = installed.clone / "node_modules" / ".installed-package-lock.json"
    shutil.copy(ROOT / "package-lock.json", lock)
    ended = installed.rematch("run")
    assert "rematch:" not in ended.stderr
    assert "app" in ended.stderr  # "No module named 'app'": this clone holds the script only
