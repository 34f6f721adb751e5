"""Everything that is concluded about one drive, most severe first."""

from collections.abc import Iterator

from wizard.diagnose.alignment import find_alignment
from wizard.diagnose.contradictions import find_contradictions
from wizard.diagnose.geometry import find_geometry
from wizard.diagnose.health.judge import find_health
from wizard.diagnose.nosize import find_no_size
from wizard.diagnose.nvme import find_nvme
from wizard.diagnose.patterns import Pattern
from wizard.diagnose.recording import find_recording, judge_recording
from wizard.diagnose.rungs import rungs_of
from wizard.diagnose.tables import find_tables
from wizard.diagnose.use import find_use
from wizard.model.displaced import DisplacedVerdict
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.machine import Drive, Machine
from wizard.model.said import t

SOURCE = t("serial number and WWN of every attached drive, in sysfs and udev's database")


def diagnose(
    machine: Machine, drive: Drive, patterns: tuple[Pattern, ...], probed: DisplacedVerdict | None = None
) -> Diagnosis:
    """The recording's verdict and all findings on `drive`, danger first; within a severity in the order of
    themes and of the table. `probed` is what the quick probe for shingled recording said of it."""
    rungs = rungs_of(drive, patterns, probed)
    recording = judge_recording(drive, rungs)
    findings = [
        *find_alignment(drive),
        *find_tables(drive),
        *find_geometry(drive),
        *find_no_size(drive),
        *find_nvme(drive),
        *find_recording(drive, recording, rungs),
        *find_contradictions(drive, recording, rungs),
        *find_health(drive),
        *find_identity(drive),
        *find_use(drive, root=machine.root),
    ]
    order = list(Severity)
    return Diagnosis(
        drive.path, recording, tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))
    )


def find_identity(drive: Drive) -> Iterator[Finding]:
    """By two names where nothing tells them apart; else that the serial number alone does not."""
    told_apart = drive.same_serial if drive.wwn is not None else ()
    apart = tuple(path for path in told_apart if path not in drive.same_wwn)
    alike = tuple(path for path in drive.same_serial if path not in apart)
    if drive.serial is None:
        alike = drive.same_wwn
    if alike:
        yield Finding(
            "identity-same-drive",
            Severity.WARNING,
            drive.path,
            t(
                "{drive} and {others:list} tell the same numbers: it may be one drive by "
                "several names, or a copy.",
                drive=drive.path,
                others=alike,
            ),
            t(
                "If it is one drive, what is written by one name changes under the other. Of "
                "a copy, nobody knows which is meant."
            ),
            SOURCE,
            t(
                "See by `lsblk -o NAME,SIZE,HCTL,WWN {drive}` how each is attached. Let "
                "`multipath` join the paths to one drive, and detach a copy.",
                drive=drive.path,
            ),
        )
    if apart:
        yield Finding(
            "identity-same-serial",
            Severity.INFO,
            drive.path,
            t(
                "{drive} and {others:list} tell the same serial number, {serial}.",
                drive=drive.path,
                others=apart,
                serial=drive.serial or "",
            ),
            t(
                "Volumes of one array, namespaces of one NVMe drive and some enclosures do "
                "so. The number does not tell them apart."
            ),
            SOURCE,
            t(
                "Nothing to do. diskwright asks for the name, {name}, to confirm it.",
                name=drive.path.removeprefix("/dev/"),
            ),
        )
