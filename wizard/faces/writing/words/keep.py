"""The sentences of `diskwright keep`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.writing.keep.says",
    "Keep the result of a run for good, and delete the saved bytes. Needs no name if one run is open.",
)
FROM_DRIVE = Sentence(
    "faces.writing.keep.from-drive",
    "finish what waits on this drive though its run's folder is lost, by the drive's notice",
)
CONFIRM = Sentence(
    "faces.writing.keep.confirm",
    "with --from-drive: the drive's token; without it what would be written is only shown",
)
PASSPHRASE_FILE = Sentence(
    "faces.writing.keep.passphrase-file",
    "read the passphrase of what the run encrypted from this file, or from the input for -",
)
ABOUT_KEEPING = Sentence(
    "faces.writing.keep.about-keeping",
    "Writes the withheld signatures, mounts the volumes as planned, and makes every check.",
)
ABOUT_MIGRATION = Sentence(
    "faces.writing.keep.about-migration",
    "A migration is mounted where the running system's fstab has a line for the filesystem. `diskwright "
    "tune` tells which options suit what it is used for, and sets them.",
)
ABOUT_PASSPHRASE = Sentence("faces.writing.keep.about-passphrase", "Encrypted volumes need their passphrase.")
ABOUT_END = Sentence(
    "faces.writing.keep.about-end",
    "Deletes the saved bytes. The old content is then lost for good. After an interruption, run it again.",
)
ABOUT_FROM_DRIVE = Sentence(
    "faces.writing.keep.about-from-drive",
    "A drive that waits looks empty, also on another computer. Where the folder of its run is lost, "
    "--from-drive reads the notice that the drive carries. It shows every place that is to be written, "
    "and with --confirm finishes it and checks it. Nothing is mounted then. What the drive held before "
    "was kept in the folder, and is lost with it.",
)
ABOUT_WIZARD = Sentence(
    "faces.writing.keep.about-wizard",
    "In the wizard, press K on Drives.",
)
RUN_OR_DRIVE = Sentence(
    "faces.writing.keep.run-or-drive",
    "Say either a run or --from-drive DEVICE: the drive tells which run it is.",
)
NO_TOKEN = Sentence(
    "faces.writing.keep.no-token", "--confirm belongs to --from-drive: a run knows its drives."
)
NOT_ENCRYPTED = Sentence(
    "faces.writing.keep.not-encrypted", "--passphrase-file is for a run that encrypts, and this one does not."
)

# From the drive itself.
FINISHES = Sentence("faces.writing.keep.finishes", "Run {run} finishes it:")
NOT_MOUNTED = Sentence(
    "faces.writing.keep.not-mounted",
    "Nothing is mounted, and no line was added to fstab. What the drive held before is gone with the "
    "folder of the run {found}. `diskwright status {run}` shows every check.",
)
WAITS = Sentence(
    "faces.writing.keep.waits", "The run {run}, begun {begun:moment}, waits on {drives:list}: {told}."
)
WRITES = Sentence(
    "faces.writing.keep.writes",
    "Finishing it writes what was withheld, then zeros in the place of the notice, and reads it back:",
)
PLACE = Sentence("faces.writing.keep.place", "{path}: {size:exact} at byte {start}")
NO_WAY_BACK = Sentence(
    "faces.writing.keep.no-way-back",
    "Nothing else is written, and nothing is mounted. Afterwards there is no way back to what was there "
    "before: that was in the run's folder. Where that folder is found again, `undo` with it puts back every "
    "bit.",
)
