import os
import signal
import subprocess
import sys
import time
from typing import Any

import psutil
import pytest

from app.core.settings import ROOT
from app.demos.catalog.fsdp_amp.blocks import BLOCKS
from app.demos.catalog.fsdp_amp.ranks import RankError, run_ranks
from app.demos.catalog.fsdp_amp.spec import Params
from app.demos.spec import ParamError
from tests.demos.measured import measured

RANKS = 2
B, W = 64, 128
PARAMETERS = BLOCKS * (W * 4 * W + 4 * W + 4 * W * W + W)
TENSORS = 4 * BLOCKS
U = 4 * B * W
BOUNDARIES = (BLOCKS - 1) * U  # the first block's input is the network's


def metrics() -> dict[str, Any]:
    found: dict[str, Any] = measured("fsdp-amp")["metrics"]
    return found


@pytest.mark.parametrize(("variant", "ranks"), [("plain", 1), ("amp", 1), ("fsdp", RANKS), ("both", RANKS)])
def test_a_rank_holds_its_share_of_parameters_gradients_and_state(variant: str, ranks: int) -> None:
    assert metrics()[f"{variant}.parameter_bytes"] == 4 * PARAMETERS / ranks
    assert metrics()[f"{variant}.gradient_bytes"] == 4 * PARAMETERS / ranks
    assert metrics()[f"{variant}.state_bytes"] == 8 * PARAMETERS / ranks + 4 * TENSORS


@pytest.mark.parametrize(("variant", "halved"), [("plain", 1), ("fsdp", 1), ("amp", 2), ("both", 2)])
def test_bf16_halves_the_boundaries_and_sharding_leaves_them(variant: str, halved: int) -> None:
    assert metrics()[f"{variant}.boundary_bytes"] == BOUNDARIES / halved
    assert metrics()[f"{variant}.saved_bytes"] == (BOUNDARIES + 4) / halved


def test_the_shares_of_the_result() -> None:
    assert (metrics()["ranks"], metrics()["fsdp.parameter_share"]) == (RANKS, 0.5)
    assert metrics()["amp.boundary_share"] == 0.5


def test_sharded_gradients_are_equal_to_the_last_bit() -> None:
    assert metrics()["fsdp.gradients_equal"] is True


def test_every_variant_computes_as_much() -> None:
    assert {metrics()[f"{variant}.flops"] for variant in ("plain", "fsdp", "amp", "both")} == {
        (2 + 1 + 4) * BLOCKS * 2 * B * W * 4 * W - 2 * B * W * 4 * W  # the network's input has no gradient
    }


def test_what_ranks_did_not_measure_is_none() -> None:
    for variant in measured("fsdp-amp")["variants"]:
        is_sharded = variant["id"] in {"fsdp", "both"}
        assert (variant["peak_bytes"] is None) == is_sharded
        assert (variant["predicted"] is None) == is_sharded
        assert variant["allocator_peak_bytes"] > 0


def test_a_width_that_cannot_be_shared_is_refused() -> None:
    with pytest.raises(ParamError, match="multiple of 2"):
        Params(width=65)


def test_ranks_that_fail_say_why_and_leave_no_process() -> None:
    with pytest.raises(RankError, match="width"):
        run_ranks({"device_class": "cpu", "batch": 8})
    assert list_ranks(os.getpid()) == []


def test_ranks_go_when_their_asker_is_killed() -> None:
    code = "from app.demos.catalog.fsdp_amp.ranks import run_ranks; run_ranks({'device_class': 'cpu'})"
    asker = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    ranks: list[psutil.Process] = []
    try:
        wait_until(lambda: len(ranks.extend(list_ranks(asker.pid)) or ranks) >= RANKS)
    finally:
        asker.send_signal(signal.SIGKILL)
        asker.wait()
    wait_until(lambda: not any(rank.is_running() for rank in ranks))


def list_ranks(asker: int) -> list[psutil.Process]:
    children = psutil.Process(asker).children(recursive=True)
    return [child for child in children if "app.demos.catalog.fsdp_amp.rank" in child.cmdline()]


def wait_until(holds: Any, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)
