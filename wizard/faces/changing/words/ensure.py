"""The sentences of `diskwright ensure`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.changing.ensure.says",
    "Make drives match a file. Run it as often as you like: it changes only what differs.",
)
WANTED = Sentence("faces.changing.ensure.wanted", "file with drives and volumes")
EXAMPLE = Sentence("faces.changing.ensure.example", "print an example with every key explained")
NO_FILE = Sentence(
    "faces.changing.ensure.no-file",
    "{file} is no file. `diskwright ensure --example` prints one to begin with.",
)
CHECK = Sentence("faces.changing.ensure.check", "show changes; write nothing")
DETAILED = Sentence("faces.changing.ensure.detailed", "exit with 5 after a change, or if --check found one")
ABOUT_FILE = Sentence(
    "faces.changing.ensure.about-file",
    "Model, serial number, size, bus or path must match exactly one drive. Volumes have the "
    "keys of `plan --volume`.",
)
ABOUT_BLANK = Sentence(
    "faces.changing.ensure.about-blank",
    "A blank drive is planned, applied and put to use. On one that has the volumes, only a missing mount, "
    "line of fstab or mount option is added.",
)
ABOUT_REPLACE = Sentence(
    "faces.changing.ensure.about-replace",
    "A drive that holds anything else is refused. The refusal says which line `replace` in the file would "
    "allow losing exactly that, and nothing later.",
)
ABOUT_CODES = Sentence(
    "faces.changing.ensure.about-codes",
    "It ends with 0 whether something was changed or not, which --json says, or --detailed-exitcode. Where "
    "one drive is refused, none is changed.",
)
MEANT_TWICE = Sentence("faces.changing.ensure.meant-twice", "Two entries of the file mean {drive}.")
OTHER_DRIVES = Sentence(
    "faces.changing.ensure.other-drives", "The file meant {drives:and} before, and means {found:and} now."
)
RUN_ENDED = Sentence("faces.changing.ensure.run-ended", "The run {run} did not come to its end.")
NEVER_THERE = Sentence(
    "faces.changing.ensure.never-there", "Each change leads to another one; look at the runs."
)
AS_WANTED = Sentence(
    "faces.changing.ensure.as-wanted",
    "{name}: {drive:and} is as wanted; nothing was changed.",
    "{name}: {drive:and} are as wanted; nothing was changed.",
)
WOULD_CHANGE = Sentence("faces.changing.ensure.would-change", "{name}: {drive:and} would be changed.")
CHANGED = Sentence(
    "faces.changing.ensure.changed",
    "{name}: {drive:and} was changed, and is as wanted now.",
    "{name}: {drive:and} were changed, and are as wanted now.",
)
REFUSED = Sentence(
    "faces.changing.ensure.refused",
    "{name}: {drive:and} is refused; nothing was written.",
    "{name}: {drive:and} are refused; nothing was written.",
)
FAILED = Sentence("faces.changing.ensure.failed", "{name}: {drive:and} did not become as wanted.")
NO_DRIVE = Sentence(
    "faces.changing.ensure.no-drive", "{name}: no single drive is meant; nothing was written."
)
