"""The sentences that several commands say."""

from typing import TYPE_CHECKING

from wizard.model.names import printable
from wizard.model.said import Said, Sentence, t

if TYPE_CHECKING:
    from wizard.model.identity import Identity
    from wizard.model.machine import Machine


# Options.
RUN = t("a name from `diskwright status`, or a run's folder")
RUNS_IN = t("folder of the runs, as in `apply --journal DIR`")
RUN_HERE = t("folder of the run (/var/lib/diskwright/runs)")
DOCUMENT = Sentence("print a {schema} document")
RECORDED = t("use a machine recorded by `inspect --save`")
OTHER_FSTAB = t("another fstab, for a system mounted elsewhere")
HOLDING = t("a partition, or a drive without a partition table")
WHOLE_DRIVE = t("a drive, such as /dev/sdb")

# A drive.
MODEL_UNKNOWN = t("model unknown")

# What is refused.
NEEDS_ROOT = t("Applying needs root. Nothing was written. What you asked for, as root:")
NO_RUN = Sentence("There is no run in {folder}.")

# The parts of a document that is shown.
STEPS = t("Steps:")
GOOD_TO_KNOW = t("Good to know:")
UNDONE = t("Undone:")
CHECKED = t("Checked:")
PLAN_FILE = t("The plan")
DOCUMENT_FILE = t("The document")


def drive_said(drive: "Identity") -> Said:
    """Which drive it is, and its token."""
    return t(
        "{path}, {model}, token {token}",
        path=drive.path,
        model=drive.model or MODEL_UNKNOWN,
        token=drive.token,
    )


def not_recorded(machine: "Machine", device: str, file: str) -> Said:
    """That the machine in a file has another drive than the one that was named."""
    known = tuple(drive.path for drive in machine.drives) or (t("none"),)
    return t(
        "{file} has no drive {drive}; it has {known:list}.",
        file=printable(file),
        drive=printable(device),
        known=known,
    )
