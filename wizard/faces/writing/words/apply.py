"""The sentences of `diskwright apply`, and of following a run."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.writing.apply.says", "Apply a plan exactly as shown, and check the result.")
PLAN = Sentence(
    "faces.writing.apply.plan",
    "a file saved with -o",
)
CONFIRM = Sentence(
    "faces.writing.apply.confirm",
    "the drive's serial number, to confirm the right drive; one for each drive",
)
KEEP = Sentence("faces.writing.apply.keep", "do not wait for `keep`; undo is then impossible")
DRY_RUN = Sentence("faces.writing.apply.dry-run", "check everything and print every command; write nothing")
PASSPHRASE_FILE = Sentence(
    "faces.writing.apply.passphrase-file",
    "read the passphrase from this file, without its last line end, or from the input for -",
)
STORE = Sentence(
    "faces.writing.apply.store",
    "for a migration that was carried here: keep what changes here until it is proven",
)
UNDO_DIR = Sentence(
    "faces.writing.apply.undo-dir", "the same where no transaction is possible: keep what is replaced here"
)
JOURNAL = Sentence(
    "faces.writing.apply.journal",
    "folder of the run, not on the target drive (/var/lib/diskwright/runs)",
)

ABOUT_TOKEN = Sentence(
    "faces.writing.apply.about-token",
    "The token is the drive's serial number, or the device's name for a drive without one. "
    "`diskwright show media.json` names it. A plan for several drives wants the token of every one.",
)
ABOUT_WRITING = Sentence(
    "faces.writing.apply.about-writing",
    "Everything is checked again before the first write; a changed drive is refused. The "
    "steps are rehearsed on a scratch copy, the old bytes are saved, and the drive is "
    "written.",
)
ABOUT_WAITING = Sentence(
    "faces.writing.apply.about-waiting",
    "An empty drive is used right away. A drive with data waits: `diskwright keep` makes the "
    "result permanent, `diskwright undo` restores the old content, bit for bit. --keep does "
    "not wait, and undo is then impossible.",
)
ABOUT_DIRECT = Sentence(
    "faces.writing.apply.about-direct",
    "Plans for zoned drives, and LVM on several drives, write to the drive directly, as "
    "announced. Undo then works until the first filesystem is created.",
)
ABOUT_PASSPHRASE = Sentence(
    "faces.writing.apply.about-passphrase",
    "`apply` and `keep` ask for the passphrase of encrypted volumes, unless --passphrase-file is given.",
)
ABOUT_PROCESS = Sentence(
    "faces.writing.apply.about-process",
    "A background process does the work, even if you close the terminal. Ctrl+C stops it "
    "before the next step. `diskwright status` shows its progress.",
)

# What is refused before it begins.
NO_PASSPHRASE = Sentence(
    "faces.writing.apply.no-passphrase",
    "--passphrase-file is for a plan that encrypts; changes to a filesystem and migrations want none.",
)
NO_FOLDERS = Sentence(
    "faces.writing.apply.no-folders",
    "--store and --undo-dir are for a migration that was carried to a rescue medium: other plans name their "
    "folders.",
)
UNCONFIRMED = Sentence(
    "faces.writing.apply.unconfirmed",
    "Nothing was written. This would change {drives:list}; `diskwright show` has what it destroys. To go on, "
    "confirm the drive by its token:",
    "Nothing was written. This would change {drives:list}; `diskwright show` has what it destroys. To go on, "
    "confirm each drive by its token:",
)
FOLDER = Sentence(
    "faces.writing.apply.folder",
    "{file} is a directory; name a plan, such as one that `diskwright plan ... -o plan.json` wrote.",
)
NO_FILE = Sentence(
    "faces.writing.apply.no-file", "There is no file {file}; `diskwright plan ... -o {file}` would write one."
)
NO_ROOM = Sentence(
    "faces.writing.apply.no-room", "Nothing was written. To go on without a way back, confirm that too:"
)

# What is told before it begins.
KEPT_AT_ONCE = Sentence(
    "faces.writing.apply.kept-at-once",
    "Everything is tried out on a stand-in first. As --keep asks, it is put to use as soon as it is written: "
    "then what was there is lost.",
)
DESTROYED = Sentence("faces.writing.apply.destroyed", "What will be destroyed on {drives:semicolons}{when}:")
NOTHING_KNOWN = Sentence(
    "faces.writing.apply.nothing-known",
    "nothing that is recognised: it shows no table, partition or signature. Bytes without one are written "
    "over.",
)
NOTHING_LOST = Sentence(
    "faces.writing.apply.nothing-lost",
    "nothing that is recognised: all that shows there stays. Bytes in free space are written over.",
)
CHECKED = Sentence(
    "faces.writing.apply.checked", "Every check before the first write holds. Nothing was written."
)
UNCHECKED = Sentence(
    "faces.writing.apply.unchecked",
    "Without root it could not be checked what the drive holds and whether it is in use. Nothing was "
    "written.",
)

# While it runs.
THIS_RUN = Sentence("faces.writing.apply.this-run", "This is run {run}.")
NOT_FOLLOWED = Sentence("faces.writing.apply.not-followed", "The run {run} can no longer be followed.")
GOES_ON = Sentence(
    "faces.writing.apply.goes-on",
    "The run goes on by itself until its step is done; `diskwright status {run}` shows how it stands.",
)
STOPPING = Sentence(
    "faces.writing.apply.stopping",
    "Stopping: the step under way is finished first, so that nothing is left half done.",
)
CUT_OFF = Sentence("faces.writing.apply.cut-off", "The process that applies ended before its work was done.")
RESUME = Sentence("faces.writing.apply.resume", "`diskwright resume {run}` goes on.")
