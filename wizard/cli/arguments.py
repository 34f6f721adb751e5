"""Arguments of several commands."""

from dataclasses import replace

from wizard.cli.command import Argument
from wizard.model.said import t

RUN = Argument(
    "run RUN?", t("a name from `diskwright status`, or a run's folder; optional if one run is open")
)
JOURNAL = Argument(
    "--journal DIR", t("folder for runs (/var/lib/diskwright/runs)"), convert="wizard.cli.command:folder"
)
FSTAB = Argument("--fstab FILE", t("another fstab, for a system mounted elsewhere"), default="/etc/fstab")
CONFIRM = Argument(
    "--confirm TOKEN+", t("confirm with the drive's serial number, or the device name if the drive has none")
)
CONFIRM_ONCE = replace(CONFIRM, spec="--confirm TOKEN")
DRY_RUN = Argument("--dry-run", t("run all checks without writing"))
JSON = Argument("--json", t("print a JSON document"))
OUTPUT = Argument("-o --output FILE", t("save the document in this file"))
MACHINE = Argument("--machine FILE", t("use a machine recorded by `inspect --save`"))
PASSPHRASE_FILE = Argument(
    "--passphrase-file FILE",
    t("read the passphrase from this file, or from stdin for -; a final newline is ignored"),
)
FROM_DRIVE = Argument(
    "--from-drive DEVICE", t("the drive of a run whose folder is lost or on another computer")
)
WORKLOAD = Argument("--workload ID", t("a workload, see `diskwright workloads`"), required=True)
WRITABLE = Argument(
    "--writable WHO",
    t("who may write: user, group:NAME, everyone, root"),
    convert="wizard.probe.host.environment:writer_named",
)
PLAN_FILE = Argument("plan PLAN.json", t("a file saved with -o, or - for stdin"))
DRIVE = Argument("device DEVICE", t("a drive, such as /dev/sdb"))
VOLUME = Argument("device DEVICE", t("a partition, or a drive without a partition table"))
PLAIN = Argument("--plain", t("ask line by line, with numbered answers (default with TERM=dumb)"))

STARTS = (CONFIRM, DRY_RUN, OUTPUT, JSON, JOURNAL)
"""Options of commands that show a document, and start the run if confirmed."""
