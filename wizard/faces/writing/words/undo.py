"""The sentences of `diskwright undo`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.writing.undo.says",
    "Restore everything a run changed, unless it was kept. Needs no name if one run is open.",
)
OVER_CHANGES = Sentence(
    "faces.writing.undo.over-changes",
    "overwrite data that another program wrote to the drive since `apply`",
)
CONFIRM = Sentence("faces.writing.undo.confirm", "with --over-changes: each drive's serial number")
ABOUT_BITS = Sentence(
    "faces.writing.undo.about-bits",
    "The old content is restored bit for bit, read back and compared. After an interruption, run it again.",
)
ABOUT_DIRECT = Sentence(
    "faces.writing.undo.about-direct",
    "After a plan that ran directly on the drive, undo restores the table, signatures and "
    "fstab. It works until the first filesystem is created.",
)
ABOUT_TUNE = Sentence(
    "faces.writing.undo.about-tune",
    "Settings are reverted unless someone changed them since.",
)
ABOUT_MIGRATION = Sentence(
    "faces.writing.undo.about-migration",
    "A conversion to ext4 is undone bit for bit until it is kept or mounted for writing.",
)
OVER_BAD_SECTORS = Sentence(
    "faces.writing.undo.over-bad-sectors",
    "of a move that stopped on its way back at unreadable sectors: go on, with zeros in their place",
)
