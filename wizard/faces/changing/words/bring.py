"""The sentences of `diskwright bring`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.changing.bring.says",
    "Copy a folder or a filesystem to a volume, and compare. Overwrites nothing; only reads the source.",
)
SOURCE = Sentence("faces.changing.bring.source", "a folder, or the device of a filesystem")
TARGET = Sentence("faces.changing.bring.target", "a folder on the volume, or the device of a mounted volume")
INTO = Sentence("faces.changing.bring.into", "copy into this folder of the target, created if missing")
TAKE_PLACE = Sentence(
    "faces.changing.bring.take-place",
    "mount the volume in place of SOURCE from the next start on",
)
CONFIRM = Sentence("faces.changing.bring.confirm", "do it: the serial number of the target's drive")
DRY_RUN = Sentence("faces.changing.bring.dry-run", "check everything; write nothing")
ABOUT = Sentence(
    "faces.changing.bring.about",
    "What is in SOURCE comes to lie in TARGET, with all that the target can hold of it. Before that it says "
    "what cannot be kept.",
)
ABOUT_COMPARED = Sentence(
    "faces.changing.bring.about-compared",
    "What changes meanwhile is copied again, or named. In the end all is read back from the drive and "
    "compared.",
)
ABOUT_PLACE = Sentence(
    "faces.changing.bring.about-place",
    "With --take-place the difference of fstab is shown first. The old filesystem stays, and its line "
    "becomes a comment.",
)
ABOUT_UNDO = Sentence(
    "faces.changing.bring.about-undo",
    "After a power cut `diskwright resume` goes on behind what is copied. `diskwright undo` removes what was "
    "brought, as far as the source still holds the same.",
)
KEEPS_ALL = Sentence("faces.changing.bring.keeps-all", "The copy keeps all that the files are.")
ADDS = Sentence("faces.changing.bring.adds", "Files are added to {folder}; nothing there is overwritten.")
ITS_DRIVE = Sentence("faces.changing.bring.its-drive", "the drive of the target")
ONE_DRIVE = Sentence("faces.changing.bring.one-drive", "files are brought to one drive at a time")
