# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""One of the processes that share the network: `python -m app.demos.catalog.fsdp_amp.rank`.

Its order comes as a line of JSON, its answer is the last line that it prints. The order's stream stays open
for as long as the asker lives; when it ends, this process does too.
"""

import json
import os
import sys
import threading
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed import TCPStore  # type: ignore[attr-defined] # public, and not marked so
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

from app.demos.allocator import measure_allocation
from app.demos.catalog.fsdp_amp.blocks import count_boundaries, make_step
from app.demos.catalog.fsdp_amp.spec import RANKS
from app.demos.meter import Meter
from app.demos.provenance import SEED, THREADS
from app.demos.steps import TrainingStep
from app.demos.timing import REPEATS, WARMUPS, Spread, time_interleaved

PATIENCE = timedelta(seconds=40)  # for another rank, which may still import PyTorch

BATCH = 5  # steps between two looks at the clock
ENOUGH_MS = 4000.0  # on a busy machine every collective waits for the other rank to be given a core


def main() -> None:
    """Join the other rank, measure, answer."""
    order = json.loads(sys.stdin.readline())
    threading.Thread(target=end_with_asker, daemon=True).start()
    torch.set_num_threads(THREADS)
    rank, is_cuda = order["rank"], order["device_class"] == "cuda"
    device = torch.device("cuda", rank) if is_cuda else torch.device("cpu")
    if is_cuda:
        torch.cuda.set_device(device)
    store = TCPStore("127.0.0.1", order["port"], RANKS, is_master=False, timeout=PATIENCE)
    backend = "nccl" if is_cuda else "gloo"
    dist.init_process_group(backend, store=store, rank=rank, world_size=RANKS, timeout=PATIENCE)
    answer = {
        "fsdp": measure(order, device, amp=False),
        "both": measure(order, device, amp=True),
    }
    dist.destroy_process_group()
    print(json.dumps(answer), flush=True)  # noqa: T201 - for the asker


def end_with_asker() -> None:
    """End this process when whoever gave the order is gone, however that came about."""
    sys.stdin.read()
    os._exit(1)


def measure(order: dict[str, Any], device: torch.device, *, amp: bool) -> dict[str, Any]:
    """One rank's part of a step: its bytes, its work, its time, and its gradients if they were asked for."""
    step = build(order, device, amp=amp)
    boundary_bytes, loss_bytes = count_boundaries(step)
    step.run()
    with Meter() as meter:  # for the work alone: FSDP resizes storages, and the bytes would be wrong
        step.run(enter=meter.enter)
    count = meter.count()
    times_ms = time_together(step, device)
    step.model.zero_grad(set_to_none=True)
    allocation = measure_allocation(step.run, device)
    return {
        "boundary_bytes": boundary_bytes,
        "saved_bytes": boundary_bytes + loss_bytes,
        "parameter_bytes": count_local_bytes(step.model.parameters()),
        "gradient_bytes": count_local_bytes(step.gradients().values()),
        "state_bytes": count_local_bytes(step.state()),
        "allocator_peak_bytes": allocation.peak_bytes,
        "reserved_bytes": allocation.reserved_bytes,
        "flops": {phase.value: flops for phase, flops in count.flops().items()},
        "ops": {phase.value: number for phase, number in count.op_counts().items()},
        "step_ms": Spread.of(times_ms).to_json(),
        "gradients_equal": None if amp else are_gradients_equal(order, device),
    }


def time_together(step: TrainingStep, device: torch.device) -> list[float]:
    """Milliseconds of REPEATS steps, fewer where they are slow: the ranks agree when it has been enough."""
    times_ms: list[float] = []
    time_interleaved([step.run], device, lambda _: None, warmups=WARMUPS, repeats=0)
    while len(times_ms) < REPEATS:
        (more_ms,) = time_interleaved([step.run], device, lambda _: None, warmups=0, repeats=BATCH)
        times_ms += more_ms
        spent_ms = torch.tensor(sum(times_ms), device=device)
        dist.all_reduce(spent_ms, dist.ReduceOp.MAX)
        if float(spent_ms) > ENOUGH_MS:
            break
    return times_ms


def build(order: dict[str, Any], device: torch.device, *, amp: bool) -> TrainingStep:
    """The step of the whole network, of which this rank holds its shards. Every rank has the same batch."""
    mesh = init_device_mesh(device.type, (RANKS,))

    def shard(model: nn.Sequential) -> None:
        for block in model:
            fully_shard(block, mesh=mesh)
        fully_shard(model, mesh=mesh)

    torch.manual_seed(SEED)
    with device:
        return make_step(order["width"], order["batch"], amp=amp, shard=shard)


def are_gradients_equal(order: dict[str, Any], device: torch.device) -> bool:
    """Whether the shards together are the gradients of a network that is not sharded.

    The ranks have the same batch, so their mean is the gradient of each: halved and doubled without rounding.
    """
    sharded = build(order, device, amp=False)
    sharded.run()
    torch.manual_seed(SEED)
    with device:
        whole = make_step(order["width"], order["batch"], amp=False)
    whole.run()
    expected = whole.gradients()
    gathered = {
        name: gradient.full_tensor() if isinstance(gradient, DTensor) else gradient
        for name, gradient in sharded.gradients().items()
    }
    return all(torch.equal(gathered[name], expected[name]) for name in expected)


def count_local_bytes(tensors: Any) -> int:
    """Bytes of these tensors on this rank."""
    return sum(local(tensor).nbytes for tensor in tensors)


def local(tensor: Tensor) -> Tensor:
    """The rank's own shard of a tensor, or the tensor itself where it is not sharded."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


if __name__ == "__main__":
    main()
