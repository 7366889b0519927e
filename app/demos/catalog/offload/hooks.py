# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""Where saved tensors go in place of the device: to the host's memory, or to files."""

import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor  # documented, in spite of the underscore
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks

Pack = Callable[[Tensor], Any]


class Moving(Protocol):
    """What is done with the tensors that a step saves, and what has been moved so far."""

    moved_bytes: int

    def hooks(self) -> AbstractContextManager[object]:
        """The context in which tensors that are saved are moved. A new step begins."""

    def elsewhere(self) -> Iterable[Tensor]:
        """The copies that are not in the device's memory."""


@dataclass(slots=True)
class Nowhere:
    """Everything stays where it is."""

    moved_bytes: int = 0

    @contextmanager
    def hooks(self) -> Iterator[None]:
        """No hook at all."""
        yield

    def elsewhere(self) -> Iterable[Tensor]:
        """Nothing."""
        return ()


@dataclass(slots=True)
class OnHost:
    """`torch.autograd.graph.save_on_cpu`, watched: every tensor that is saved is copied, weights too.

    On a CPU it would hand back the tensor itself, so there a copy is made that counts as the host's.
    """

    is_cpu: bool
    left_out: tuple[Tensor, ...]  # what is no activation: weights and the network's input
    moved_bytes: int = 0
    activation_bytes: int = 0  # each storage once, without what is left out
    _copies: list[Tensor] = field(default_factory=list)  # alive till the step is counted
    _seen: "weakref.WeakSet[torch.UntypedStorage]" = field(default_factory=weakref.WeakSet)

    def hooks(self) -> AbstractContextManager[object]:
        """Copies to the host, and back to where it was when it is needed."""
        self.moved_bytes = self.activation_bytes = 0
        self._copies.clear()
        self._seen = weakref.WeakSet(tensor.untyped_storage() for tensor in self.left_out)
        original = save_on_cpu()
        pack: Pack = _copy_in_place if self.is_cpu else original.pack_hook
        unpack = _copy_back if self.is_cpu else original.unpack_hook

        def pack_and_count(tensor: Tensor) -> Any:
            self._count(tensor)
            packed = pack(tensor)
            self._copies.append(packed[1])
            return packed

        return saved_tensors_hooks(pack_and_count, unpack)

    def elsewhere(self) -> Iterable[Tensor]:
        """The host's copies of this step."""
        return self._copies

    def _count(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        self.moved_bytes += tensor.nbytes
        if storage not in self._seen:
            self._seen.add(storage)
            self.activation_bytes += storage.nbytes()


@dataclass(slots=True)
class InFiles:
    """Every activation goes to a file of its own, once, and the device lets it go.

    The files are temporary ones without a name: whatever becomes of this process, none is left.
    """

    left_out: tuple[Tensor, ...]
    moved_bytes: int = 0
    files: int = 0
    _by_storage: "weakref.WeakKeyDictionary[torch.UntypedStorage, Stored]" = field(
        default_factory=weakref.WeakKeyDictionary
    )
    _open: "weakref.WeakSet[Stored]" = field(default_factory=weakref.WeakSet)

    @property
    def files_left(self) -> int:
        """Files that still exist."""
        return len(self._open)

    def hooks(self) -> AbstractContextManager[object]:
        """Writes what is saved, and reads it when it is needed."""
        self.moved_bytes = self.files = 0
        self._by_storage.clear()
        kept = {id(tensor.untyped_storage()) for tensor in self.left_out}  # alive as long as the step

        def pack(tensor: Tensor) -> "Tensor | Packed":
            storage = tensor.untyped_storage()
            if id(storage) in kept:
                return tensor
            stored = self._by_storage.get(storage)
            if stored is None:
                stored = self._by_storage[storage] = Stored(tensor)
                self._open.add(stored)
                self.moved_bytes += storage.nbytes()
                self.files += 1
            return Packed(stored, tensor.size(), tensor.stride(), int(tensor.storage_offset()))

        def unpack(packed: "Tensor | Packed") -> Tensor:
            return packed if isinstance(packed, Tensor) else packed.read()

        return saved_tensors_hooks(pack, unpack)

    def elsewhere(self) -> Iterable[Tensor]:
        """Nothing in any memory."""
        return ()


class Stored:
    """A storage in a file, which goes when nobody needs it any more. A fake tensor has nothing to write."""

    def __init__(self, tensor: Tensor) -> None:
        self._device, self._dtype = tensor.device, tensor.dtype
        self._elements = tensor.untyped_storage().nbytes() // tensor.element_size()
        self._file = None if isinstance(tensor, FakeTensor) else _open_file()
        if self._file is not None:
            whole = tensor.detach().as_strided((self._elements,), (1,), 0)
            torch.save(whole, self._file)

    def read(self) -> Tensor:
        """The whole storage as a vector, on the device that it came from."""
        if self._file is None:
            return torch.empty(self._elements, dtype=self._dtype, device=self._device)
        self._file.seek(0)
        whole: Tensor = torch.load(self._file, map_location=self._device, weights_only=True)
        return whole

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self._file.close()  # type: ignore[union-attr] # just looked


@dataclass(frozen=True, slots=True)
class Packed:
    """A tensor as a view of a stored storage."""

    stored: Stored
    size: torch.Size
    stride: tuple[int, ...]
    offset: int

    def read(self) -> Tensor:
        """The tensor, in memory that is new."""
        return self.stored.read().as_strided(self.size, self.stride, self.offset)


def _open_file() -> IO[bytes]:
    """A file without a name in the folder that `TMPDIR` names; it is gone when it is closed."""
    return tempfile.TemporaryFile()


def _copy_in_place(tensor: Tensor) -> tuple[torch.device, Tensor]:
    return tensor.device, tensor.detach().clone()


def _copy_back(packed: tuple[torch.device, Tensor]) -> Tensor:
    return packed[1].clone()
