from dataclasses import dataclass

from app.demos import spec
from app.demos.declare import step_metrics
from app.demos.spec import N_, Demo, Metric, VariantSpec, bounded


@dataclass(frozen=True, slots=True)
class Params(spec.Params):
    """The most segments are the fewest layers.

    The worst case, 32 layers of 512 by 512 at batch 128, computes 8 GFLOP and moves 48 MiB a step.
    """

    depth: int = bounded(16, low=8, high=32, label=N_("Layers"))
    width: int = bounded(128, low=32, high=512, label=N_("Width of a layer"))
    batch: int = bounded(64, low=8, high=128, label=N_("Batch size"))
    segments: int = bounded(4, low=2, high=8, label=N_("Segments"))


DEMO = Demo(
    id="offload",
    title=N_("Activations moved to the host or to files"),
    summary=N_(
        "One chain trained plainly, with its saved tensors copied to the host's memory, with the boundaries "
        "of checkpointed segments copied there, and with its activations written to files: what leaves the "
        "device, and what does it cost?"
    ),
    finding=N_(
        "Written to {{file.files}} files, {{file.moved_bytes}} of activations left the device, which kept "
        "{{file.saved_bytes}} in place of {{plain.saved_bytes}} and computed nothing again; a step took "
        "{{file.time_ratio}} the time. `save_on_cpu` moved {{host.moved_bytes}}, because it copies a tensor "
        "for each operator that saves it, and weights too; around checkpoints it moved only "
        "{{boundaries.moved_bytes}}, for {{boundaries.flops_ratio}} the computation."
    ),
    params=Params,
    variants=(
        VariantSpec("plain", N_("Plain")),
        VariantSpec("host", N_("Saved tensors on the host")),
        VariantSpec("boundaries", N_("Checkpoint boundaries on the host")),
        VariantSpec("file", N_("Activations in files")),
    ),
    metrics=(
        *step_metrics("plain", first=True),
        *step_metrics("host"),
        *step_metrics("boundaries"),
        *step_metrics("file"),
        Metric("activation_bytes", "bytes", N_("One activation")),
        Metric("host.moved_bytes", "bytes", N_("Moved to the host")),
        Metric("host.activation_bytes_moved", "bytes", N_("Moved to the host, each activation once")),
        Metric("boundaries.moved_bytes", "bytes", N_("Moved to the host, boundaries alone")),
        Metric("boundaries.flops_ratio", "ratio", N_("Computation with checkpoints against plain")),
        Metric("file.moved_bytes", "bytes", N_("Written to files")),
        Metric("file.files", "count", N_("Files written")),
        Metric("file.files_left", "count", N_("Files left after the step")),
    ),
    picture="bars",
)
