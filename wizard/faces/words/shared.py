"""The sentences that several commands say."""

from typing import TYPE_CHECKING

from wizard.model.names import printable
from wizard.model.said import Said, Sentence

if TYPE_CHECKING:
    from wizard.model.identity import Identity
    from wizard.model.machine import Machine

EXAMPLES = Sentence("faces.shared.examples", "examples:")

# Options.
RUN = Sentence("faces.shared.run", "a name from `diskwright status`, or a run's folder")
RUNS_IN = Sentence("faces.shared.runs-in", "folder of the runs, as in `apply --journal DIR`")
RUN_HERE = Sentence("faces.shared.run-here", "folder of the run (/var/lib/diskwright/runs)")
DOCUMENT = Sentence("faces.shared.document", "print a {schema} document")
RECORDED = Sentence("faces.shared.recorded", "use a machine recorded by `inspect --save`")
OTHER_FSTAB = Sentence("faces.shared.other-fstab", "another fstab, for a system mounted elsewhere")
HOLDING = Sentence("faces.shared.holding", "a partition, or a drive without a partition table")
WHOLE_DRIVE = Sentence("faces.shared.whole-drive", "a drive, such as /dev/sdb")

# A drive.
DRIVE = Sentence("faces.shared.drive", "{path}, {model}, token {token}")
MODEL_UNKNOWN = Sentence("faces.shared.model-unknown", "model unknown")

# What is refused.
NEEDS_ROOT = Sentence(
    "faces.shared.needs-root",
    "Applying needs root. Nothing was written. What you asked for, as root:",
)
NO_RUN = Sentence("faces.shared.no-run", "There is no run in {folder}.")
NOT_RECORDED = Sentence("faces.shared.not-recorded", "{file} has no drive {drive}; it has {known:list}.")
NONE = Sentence("faces.shared.none", "none")

# The parts of a document that is shown.
STEPS = Sentence("faces.shared.steps", "Steps:")
WHY = Sentence("faces.shared.why", "Why:")
GOOD_TO_KNOW = Sentence("faces.shared.good-to-know", "Good to know:")
UNDONE = Sentence("faces.shared.undone", "Undone:")
CHECKED = Sentence("faces.shared.checked", "Checked:")
PLAN_FILE = Sentence("faces.shared.plan-file", "The plan")
DOCUMENT_FILE = Sentence("faces.shared.document-file", "The document")
TO_CARRY_OUT = Sentence(
    "faces.shared.to-carry-out", "Nothing has been changed. To carry it out, exactly as shown:"
)


def drive_said(drive: "Identity") -> Said:
    """Which drive it is, and its token."""
    return DRIVE(path=drive.path, model=drive.model or MODEL_UNKNOWN(), token=drive.token)


def not_recorded(machine: "Machine", device: str, file: str) -> Said:
    """That the machine in a file has another drive than the one that was named."""
    known = tuple(drive.path for drive in machine.drives) or (NONE(),)
    return NOT_RECORDED(file=printable(file), drive=printable(device), known=known)
