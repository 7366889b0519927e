# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""The Meter: counts every storage that operators make, once, for as long as it lives.

It watches the operators below autograd and holds a weak reference to each storage, so it sees what is
alive and keeps nothing alive. It counts bytes from shapes alone and never from an allocator, which is why the
integers are the same on every device, at every number of threads, and on fake tensors that hold no data.
"""

import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor
from torch.utils import flop_counter
from torch.utils._python_dispatch import TorchDispatchMode  # documented, in spite of the underscore

from app.demos.recompute import is_recomputing
from app.demos.spec import Phase

aten = torch.ops.aten


def _attention_flops(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return int(flop_counter.sdpa_flop_count(query.shape, key.shape, value.shape))


def _attention_backward_flops(gradient: Any, query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return int(flop_counter.sdpa_backward_flop_count(gradient.shape, query.shape, key.shape, value.shape))


# PyTorch registers its attention kernels for CUDA; the one for CPU would count nothing.
_FLOP_FORMULAS: dict[Any, Callable[..., int]] = {
    **flop_counter.flop_registry,
    aten._scaled_dot_product_flash_attention_for_cpu: _attention_flops,  # noqa: SLF001 - its name
    aten._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward_flops,  # noqa: SLF001
}
_VIEWS_BY_ANOTHER_NAME = {aten._unsafe_view.default}  # noqa: SLF001 - shares its storage, and is not marked so


@dataclass(frozen=True, slots=True)
class Op:
    """One operator call: what it is called, when, and what it made."""

    phase: Phase
    name: str
    new_bytes: int  # of storages that did not exist before
    flops: int  # a multiply-add is 2
    is_view: bool


@dataclass(slots=True, eq=False)
class Held:
    """A storage that is or was alive under the meter."""

    nbytes: int
    made_by: str
    is_counted: bool  # not a parameter, a buffer, an input, a gradient or optimizer state


@dataclass(frozen=True, slots=True)
class Count:
    """What one step held and did, in exact integers.

    `saved_bytes`: alive when the forward pass ended. `peak_bytes`: the most alive at any time, first
    reached in `peak_phase`. Both leave out what the meter was told to leave out. `live_bytes[i]`: alive
    after `ops[i]`.
    """

    saved_bytes: int
    saved_by_op: dict[str, int]
    peak_bytes: int
    peak_phase: Phase
    ops: tuple[Op, ...]
    live_bytes: tuple[int, ...]

    def flops(self) -> dict[Phase, int]:
        """Floating-point operations by phase."""
        return {phase: sum(op.flops for op in self.ops if op.phase is phase) for phase in Phase}

    def op_counts(self) -> dict[Phase, int]:
        """Operator calls by phase, views left out."""
        return {phase: len(self.list_ops(phase)) for phase in Phase}

    def list_ops(self, phase: Phase) -> list[Op]:
        """The operators of a phase in their order, views left out."""
        return [op for op in self.ops if op.phase is phase and not op.is_view]


class Meter(TorchDispatchMode):
    """Counts storages while it is entered.

        with Meter() as meter:
            meter.leave_out(parameters)
            step.run(enter=meter.enter)
            meter.leave_out(gradients)
        count = meter.count()

    What is left out is so from the beginning, also when it is only named at the end: while a gradient is
    being made nobody can tell that it will be one. A view pins its whole storage and adds nothing. `block`
    rounds every storage up to a multiple, as CUDA's allocator does to 512 bytes.
    """

    def __init__(self, *, block: int = 1) -> None:
        super().__init__()
        self._block = block
        self._phase = Phase.FORWARD
        self._ops: list[Op] = []
        self._events: list[tuple[int, Held, int]] = []  # (number of ops before it, storage, +1 or -1)
        self._forward_end = -1
        # The same storage is the same Python object for as long as it lives; then the number is given away
        # again, so the weak reference has the last word.
        self._alive: dict[int, tuple[weakref.ref[torch.UntypedStorage], Held]] = {}

    def enter(self, phase: Phase) -> None:
        """Say that a phase begins; recomputation is noticed by itself, and forward ends only once."""
        if self._phase is Phase.FORWARD and phase is not Phase.FORWARD:
            self._forward_end = len(self._events)
        self._phase = phase

    def leave_out(self, tensors: Iterable[Tensor]) -> None:
        """Do not count the storages of `tensors`, whether they were there before or were made meanwhile."""
        for tensor in tensors:
            storage = tensor.untyped_storage()
            held = self._find(storage) or self._watch(storage, made_by="")
            held.is_counted = False

    def count(self) -> Count:
        """What was counted, after the meter was left."""
        forward_end = self._forward_end if self._forward_end >= 0 else len(self._events)
        saved_by_op: Counter[str] = Counter()
        live_bytes = [0] * len(self._ops)
        live = peak = peak_at = position = 0
        for number, (op_index, held, sign) in enumerate(self._events):
            while position < op_index:
                live_bytes[position] = live
                position += 1
            if not held.is_counted:
                continue
            live += sign * held.nbytes
            if live > peak:
                peak, peak_at = live, op_index
            if number < forward_end:
                saved_by_op[held.made_by] += sign * held.nbytes
        live_bytes[position:] = [live] * (len(self._ops) - position)
        return Count(
            saved_bytes=saved_by_op.total(),
            saved_by_op={name: nbytes for name, nbytes in saved_by_op.items() if nbytes},
            peak_bytes=peak,
            peak_phase=self._ops[peak_at].phase if self._ops else Phase.FORWARD,
            ops=tuple(self._ops),
            live_bytes=tuple(live_bytes),
        )

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operator and take down what came of it."""
        out = func(*args, **(kwargs or {}))
        name, is_view, formula = _describe(func)
        storages = (tensor.untyped_storage() for tensor in _tensors_in(out))
        new_bytes = sum(self._watch(s, made_by=name).nbytes for s in storages if self._find(s) is None)
        self._ops.append(
            Op(
                phase=Phase.RECOMPUTE if is_recomputing() else self._phase,
                name=name,
                new_bytes=new_bytes,
                flops=formula(*args, **(kwargs or {}), out_val=out) if formula else 0,
                is_view=is_view,
            )
        )
        return out

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop counting: what dies later is not part of the step."""
        super().__exit__(kind, error, trace)
        self._alive.clear()  # a weak reference that is gone calls nobody

    def __enter__(self) -> Self:
        super().__enter__()
        return self

    def _find(self, storage: torch.UntypedStorage) -> Held | None:
        reference, held = self._alive.get(id(storage), (None, None))
        return held if reference is not None and reference() is storage else None

    def _watch(self, storage: torch.UntypedStorage, *, made_by: str) -> Held:
        key = id(storage)
        held = Held(-(-storage.nbytes() // self._block) * self._block, made_by, is_counted=True)

        def forget(_: object) -> None:
            self._alive.pop(key, None)
            self._events.append((len(self._ops), held, -1))

        self._alive[key] = (weakref.ref(storage, forget), held)
        self._events.append((len(self._ops), held, +1))
        return held


def unique_bytes(tensors: Iterable[Tensor]) -> int:
    """Bytes of the storages behind `tensors`, each once."""
    storages = [tensor.untyped_storage() for tensor in tensors]  # held, so that no number is given away twice
    return sum({id(storage): storage.nbytes() for storage in storages}.values())


@cache  # asked for every call, and it does not change
def _describe(func: Any) -> tuple[str, bool, Callable[..., int] | None]:
    """An operator's name without its overload, whether it only makes views, and its FLOP formula if any."""
    packet = func.overloadpacket
    return str(packet), func.is_view or func in _VIEWS_BY_ANOTHER_NAME, _FLOP_FORMULAS.get(packet)


def _tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for each in value:
            yield from _tensors_in(each)
