# mypy: allow-untyped-calls
# (PyTorch types not all of its functions.)
"""A `torch.compile` backend without a C++ compiler: AOTAutograd cuts the graph, its halves run op by op.

It keeps within a budget as any other backend does, because the budget binds whoever cuts the graph, and that
comes before code is generated. It also tells the Meter which operators of the backward graph were copied
from the forward graph: those are recomputed.
"""

import copy
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, fx
from torch._functorch import config  # where PyTorch documents the budget

from app.demos.recompute import recomputing

Compiled = Callable[..., Any]


class Backend:
    """Compiles with one budget, a fraction of what the compiler would keep if it were free to.

    `predicted_saved_bytes[b]` is what the compiler means to keep with budget b: for its own, and for each of
    `also`, by which the same graph is cut for comparison alone.
    """

    def __init__(self, budget: float, also: Sequence[float] = ()) -> None:
        self.budget = budget
        self.predicted_saved_bytes: dict[float, int] = {}
        self._also = also
        self._forward_names: set[str] = set()

    def __call__(self, graph: fx.GraphModule, inputs: list[Tensor]) -> Compiled:
        """Compile a graph that `torch.compile` has captured."""
        from torch._dynamo.backends.common import aot_autograd  # noqa: PLC0415 - imports for two seconds

        compile_graph = aot_autograd(
            fw_compiler=self._compile_forward, bw_compiler=self._compile_backward, partition_fn=self._cut
        )
        with config.patch(activation_memory_budget=self.budget):
            compiled: Compiled = compile_graph(graph, inputs)
        return compiled

    def _cut(
        self, joint: fx.GraphModule, inputs: Any, **options: Any
    ) -> tuple[fx.GraphModule, fx.GraphModule]:
        """The forward and the backward graph of a joint one."""
        from functorch.compile import (  # type: ignore[import-untyped] # noqa: PLC0415 - as above
            min_cut_rematerialization_partition as cut,
        )

        for budget in self._also:
            with config.patch(activation_memory_budget=budget), warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", FutureWarning
                )  # PyTorch's own, of copying what it uses itself
                forward, _ = cut(copy.deepcopy(joint), inputs, **options)
            self.predicted_saved_bytes[budget] = count_saved_bytes(forward, options["num_fwd_outputs"])
        forward, backward = cut(joint, inputs, **options)
        self.predicted_saved_bytes[self.budget] = count_saved_bytes(forward, options["num_fwd_outputs"])
        self._forward_names = {node.name for node in forward.graph.nodes if node.op == "call_function"}
        return forward, backward

    def _compile_forward(self, graph: fx.GraphModule, _inputs: list[Tensor]) -> Compiled:
        return run_boxed(partial(fx.Interpreter, graph))

    def _compile_backward(self, graph: fx.GraphModule, _inputs: list[Tensor]) -> Compiled:
        return run_boxed(partial(MarkingInterpreter, graph, self._forward_names))


class MarkingInterpreter(fx.Interpreter):
    """Runs a backward graph. What was copied from the forward graph has kept its name: it is recomputed."""

    def __init__(self, graph: fx.GraphModule, forward_names: set[str]) -> None:
        super().__init__(graph)
        self._forward_names = forward_names

    def run_node(self, n: fx.Node) -> Any:
        """Run one node, marked if it is recomputed."""
        if n.name not in self._forward_names:
            return super().run_node(n)
        with recomputing():
            return super().run_node(n)


def run_boxed(make_interpreter: Callable[[], fx.Interpreter]) -> Compiled:
    """A function that takes its arguments in a list and empties it: each is let go after its last use.

    Each call has an interpreter of its own, which would hold on to the results.
    """

    def run(arguments: list[Any]) -> Any:
        return make_interpreter().boxed_run(arguments)

    run._boxed_call = True  # type: ignore[attr-defined] # noqa: SLF001 - how AOTAutograd knows such a function
    return run


def count_saved_bytes(forward: fx.GraphModule, results: int) -> int:
    """Bytes that a forward graph hands to its backward graph, besides its results and its own inputs."""
    (output,) = forward.graph.find_nodes(op="output")
    handed_on = output.args[0][results:]
    fakes = [node.meta["val"] for node in handed_on if isinstance(node, fx.Node) and node.op != "placeholder"]
    return sum(fake.untyped_storage().nbytes() for fake in fakes if isinstance(fake, Tensor))


def compile_with(backend: Backend, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, to be compiled at its first call, and never again for arguments of another kind.

    What is compiled is guarded by checks of the arguments, which fail under a dispatch mode such as the Meter
    and for fake tensors; `torch.compile` would then run the function eagerly without a word. So the guards
    are left out, and `as_compiled` watches.
    """
    return torch.compile(
        function,
        backend=backend,
        dynamic=False,
        fullgraph=True,
        options={"guard_filter_fn": lambda guards: [False for _ in guards]},
    )


def as_compiled() -> Any:
    """A context in which a function that is not compiled yet raises, and is not run eagerly."""
    return torch.compiler.set_stance("fail_on_recompile")
