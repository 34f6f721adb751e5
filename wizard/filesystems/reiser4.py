"""Reiser4: never part of Linux; its patches followed the kernel until 5.16."""

from wizard.filesystems import words
from wizard.filesystems.kind import RecognisedKind

KIND = RecognisedKind(
    name="reiser4",
    title="Reiser4",
    kernel_names=("reiser4",),
    why_not=words.REISER4(),
    way_off=words.REISER4_OFF(),
)
