"""The sentences of `diskwright undo`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.writing.undo.says",
    "Put back what a run changed, as long as it was not kept. It needs no name while a single run is open.",
)
OVER_CHANGES = Sentence(
    "faces.writing.undo.over-changes",
    "put it back also over what another program wrote to the drive since `apply`, which is lost then",
)
CONFIRM = Sentence(
    "faces.writing.undo.confirm", "with --over-changes: what confirms each drive, usually its serial number"
)
ABOUT_BITS = Sentence(
    "faces.writing.undo.about-bits",
    "What a drive held before goes back bit for bit, files and all, unless the run was kept. What is "
    "written is read back and compared. Undoing can be repeated where it was cut off.",
)
ABOUT_DIRECT = Sentence(
    "faces.writing.undo.about-direct",
    "Where a plan ran on the drive directly, which was said before, the table, signatures and fstab go "
    "back. Once a filesystem was begun there, nothing can be put back, and it says so.",
)
ABOUT_TUNE = Sentence(
    "faces.writing.undo.about-tune",
    "Of the changes that `diskwright tune` worked out, those go back that nobody has changed since.",
)
ABOUT_MIGRATION = Sentence(
    "faces.writing.undo.about-migration",
    "A migration to ext4 is undone to the bit, until it is kept or mounted for writing.",
)
OVER_BAD_SECTORS = Sentence(
    "faces.writing.undo.over-bad-sectors",
    "of a move that stopped on its way back at unreadable sectors: go on, with zeros in their place",
)
