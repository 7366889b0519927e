"""The check of a machine's GPU, tried on a CPU: one file, in which what failed is named."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.core.settings import ROOT
from app.demos import check
from app.demos.catalog import all_demos
from app.demos.measuring import Device, ForkParent
from tests.demos.test_isolation import OTHERS, WITHOUT

DEVICE = Device("cpu", "cpu", "a cpu", "fake 1, harness 1")


class TestPlan:
    def test_on_a_gpu_every_demo_runs_at_its_defaults_and_then_as_large_as_it_goes(self) -> None:
        planned = check.plan(all_demos().values(), is_cuda=True)
        ids = list(all_demos())
        assert [each.demo.id for each in planned] == ids + ids
        assert planned[0].params == planned[0].demo.params()
        largest = {each.demo.id: each.params.to_json() for each in planned[len(ids) :]}
        assert largest["trade"] == {"depth": 32, "width": 512, "batch": 128, "segments": 8}
        assert largest["budget"]["budget"] == 50  # a budget is no size

    def test_on_a_cpu_only_at_its_defaults(self) -> None:
        assert len(check.plan(all_demos().values(), is_cuda=False)) == len(all_demos())


def test_without_a_gpu_it_says_so_and_writes_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.json"
    assert check.main(["--device=auto", f"--output={path}"]) == 0
    assert "There is no CUDA device here" in capfd.readouterr().out
    assert not path.exists()


def test_on_a_bare_pytorch_it_writes_results_with_their_provenance(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    program = f"""
import sys
from app.demos import check
code = check.main(["--device=cpu", "--demo=replay", "--demo=rng", "--output={path}"])
assert not {OTHERS!r} & sys.modules.keys()
sys.exit(code)
"""
    source = WITHOUT.format(names=OTHERS) + program
    subprocess.run([sys.executable, "-c", source], cwd=ROOT, check=True, timeout=120)
    report = json.loads(path.read_text(encoding="utf-8"))
    assert report["format"] == 1
    assert report["failures"] == []
    assert [result["demo"] for result in report["results"]] == ["replay", "rng"]
    for result in report["results"]:
        assert result["provenance"]["device_class"] == report["device_class"] == "cpu"
        assert result["provenance"]["device_name"] == report["device_name"]


class TestFailures:
    def test_a_run_that_fails_is_named_and_the_rest_go_on(self) -> None:
        demo = all_demos()["trade"]
        failing = demo.parse_params({"depth": 9})  # the fake lab sees to that
        with started() as parent:
            planned = [check.Planned(demo, failing), check.Planned(all_demos()["rng"], small_rng())]
            report = check.check(parent, DEVICE, planned, 60)
        assert [failure["demo"] for failure in report["failures"]] == ["trade", "rng"]
        assert report["failures"][0]["params"] == failing.to_json()
        assert {failure["failure"] for failure in report["failures"]} == {"failed"}
        assert report["results"] == []

    def test_what_there_is_no_time_for_is_named(self) -> None:
        demo = all_demos()["trade"]
        with started() as parent:
            report = check.check(parent, DEVICE, [check.Planned(demo, demo.params())], 0)
        assert [failure["failure"] for failure in report["failures"]] == ["not_run"]


def small_rng() -> Any:
    return all_demos()["rng"].parse_params({"features": 16})


class started:  # noqa: N801 - reads as a context
    """The engine's parent with the fake lab, in which these runs fail."""

    def __enter__(self) -> ForkParent:
        self.parent = ForkParent(lab="tests.demos.fake_lab", device="cpu")
        self.parent.start()
        return self.parent

    def __exit__(self, *_: object) -> None:
        self.parent.close()


@pytest.mark.parametrize(
    ("name", "slug"),
    [("NVIDIA H200", "nvidia-h200"), ("AMD EPYC 9(R) @ 2", "amd-epyc-9-r-2"), ("—", "device")],
)
def test_a_file_is_named_after_its_device(name: str, slug: str) -> None:
    named: Callable[[str], str] = check.slug
    assert named(name) == slug
