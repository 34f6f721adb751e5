"""The sentences of `diskwright export`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.planning.export.says",
    "Export a plan's layout for another tool. Writes to no drive.",
)
PLAN = Sentence("faces.planning.export.plan", "a plan saved with -o")
FORMAT = Sentence(
    "faces.planning.export.format", "a dump for sfdisk, or a folder of definitions for systemd-repart"
)
DEVICE = Sentence("faces.planning.export.device", "one drive of a plan with several")
OUTPUT = Sentence(
    "faces.planning.export.output", "the file of a dump, else stdout; the folder of definitions"
)
ABOUT_SFDISK = Sentence(
    "faces.planning.export.about-sfdisk",
    "`sfdisk DEVICE < DUMP` makes that very table: places, types, names, attributes, and the GUIDs of "
    "partitions that stay. It destroys what the drive holds, and asks nobody.",
)
ABOUT_REPART = Sentence(
    "faces.planning.export.about-repart",
    "`systemd-repart --definitions=FOLDER --empty=require --dry-run=no DEVICE` makes it on an empty drive, "
    "with the filesystems that it knows.",
)
ABOUT_LACKING = Sentence(
    "faces.planning.export.about-lacking", "Features without a counterpart are listed on stderr."
)
DUMP = Sentence("faces.planning.export.dump", "The dump")
DEFINITION = Sentence("faces.planning.export.definition", "The definition")
FOLDER = Sentence("faces.planning.export.folder", "Definitions are several files: name a folder with -o.")
NO_FOLDER = Sentence("faces.planning.export.no-folder", "{folder} cannot be used: {why}.")
NOT_ALONE = Sentence(
    "faces.planning.export.not-alone",
    "{folder} has definitions already, such as {file}; all of a folder count together. Name a new one.",
)
