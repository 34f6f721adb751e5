"""What `diskwright move` says."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.changing.move.says", "Move a partition, or all that are misaligned, with everything in them."
)
ABOUT = Sentence(
    "faces.changing.move.about",
    "Without a token it shows what would be done. All of a partition is read first, then it is moved, and "
    "compared. A power cut costs nothing: `diskwright resume` goes on, `diskwright undo` moves it back.",
)
PART = Sentence(
    "faces.changing.move.part",
    "the partition, or the drive whose misaligned partitions move; nothing may use it meanwhile",
)
ALIGN = Sentence(
    "faces.changing.move.align", "to the best aligned place near it, which is what it does without --to, too"
)
TO = Sentence(
    "faces.changing.move.to", "to this start, from the beginning of the drive: 1MiB, 2048s, or bytes"
)
