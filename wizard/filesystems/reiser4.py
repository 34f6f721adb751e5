"""Reiser4: never part of Linux; its patches followed the kernel until 5.16."""

from wizard.filesystems.kind import RecognisedKind
from wizard.model.said import t

KIND = RecognisedKind(
    name="reiser4",
    title="Reiser4",
    kernel_names=("reiser4",),
    why_not=t(
        "It never was part of Linux, and nobody keeps its patches up: no kernel of a "
        "distribution can mount it."
    ),
    way_off=t(
        "Copy the files off on the system that made it, or one with a patched "
        "kernel. Check them there with fsck.reiser4 of reiser4progs first. It cannot "
        "be converted in place."
    ),
)
