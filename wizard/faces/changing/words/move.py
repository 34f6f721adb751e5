"""What `diskwright move` says."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.changing.move.says", "Move a partition, or all misaligned ones, with all data.")
ABOUT = Sentence(
    "faces.changing.move.about",
    "Without a token it shows what would be done. All of a partition is read first, then it is moved, and "
    "compared. A power cut costs nothing: `diskwright resume` goes on, `diskwright undo` moves it back.",
)
PART = Sentence(
    "faces.changing.move.part",
    "the partition, or a drive with misaligned ones; the drive must be unused",
)
ALIGN = Sentence("faces.changing.move.align", "to the best aligned place nearby (default)")
TO = Sentence(
    "faces.changing.move.to", "to this start, from the beginning of the drive: 1MiB, 2048s, or bytes"
)
