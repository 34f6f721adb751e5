"""Everything that is concluded about one drive, most severe first."""

from wizard.diagnose.alignment import find_alignment
from wizard.diagnose.contradictions import find_contradictions
from wizard.diagnose.geometry import find_geometry
from wizard.diagnose.health.judge import find_health
from wizard.diagnose.identity import find_identity
from wizard.diagnose.nosize import find_no_size
from wizard.diagnose.nvme import find_nvme
from wizard.diagnose.patterns import Pattern
from wizard.diagnose.recording import find_recording, judge_recording
from wizard.diagnose.rungs import rungs_of
from wizard.diagnose.tables import find_tables
from wizard.diagnose.use import find_use
from wizard.model.displaced import DisplacedVerdict
from wizard.model.finding import Diagnosis, Severity
from wizard.model.machine import Drive, Machine


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
