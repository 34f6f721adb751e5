"""Findings that a key does something about: measuring, moving, testing."""

from collections.abc import Iterator, Sequence

from wizard.desk.parts.runs import runs_on, why_not_now
from wizard.desk.view import Action
from wizard.layout.moving.possible import why_not_move
from wizard.model.displaced import USUAL_SECONDS
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.said import t
from wizard.services.contract import Services
from wizard.services.session import OpenRun

TESTED = frozenset({"alignment-4096", "geometry-contradiction", "geometry-usb-4096"})
"""Findings that half a minute of measuring answers."""

MISALIGNED = frozenset({"alignment-physical", "alignment-4096"})
"""Findings that moving the partition answers; where it is a doubt, measuring comes first."""

DOUBTED = frozenset({"recording-unknown", "recording-shingled-likely", "recording-contradiction"})
"""Findings that the quick test for shingled recording may answer."""

ANSWERED = {"speed": TESTED, "move": MISALIGNED, "shingled": DOUBTED}
"""Findings, by the action whose key stands beside them."""


def answer_to(code: str) -> str:
    """The action that does something about a finding; empty where none does."""
    return next((name for name, codes in ANSWERED.items() if code in codes), "")


def misaligned_found(drive: Drive, diagnosis: Diagnosis, at: str) -> tuple[Partition, ...]:
    """The partitions that are misaligned, at this row or, at a drive's, all of them."""
    subjects = {finding.subject for finding in diagnosis.findings if finding.code in MISALIGNED}
    return tuple(part for part in drive.partitions if part.path in subjects and at in (drive.path, part.path))


def answers(
    services: Services, runs: Sequence[OpenRun], at: str, drive: Drive, diagnosis: Diagnosis
) -> Iterator[Action]:
    """What can be done about the findings at this row, beside measuring, which any drive has."""
    now = why_not_now(runs_on(runs, drive))
    hindered = services.obstacle or now
    if parts := misaligned_found(drive, diagnosis, at):
        label = t("move {count} partitions to aligned places", count=len(parts))
        if len(parts) == 1:
            label = t(
                "move {part} to an aligned place", part=printable(parts[0].path.removeprefix("/dev/"), 40)
            )
        reasons = [why_not_move(drive, part) for part in parts]
        why_not = services.apply_obstacle or now or (all(reasons) and reasons[0]) or ""
        yield Action("move", "f", label, why_not, aside=True)
    if any(finding.code in DOUBTED for finding in diagnosis.findings):
        obstacle = hindered or services.quick_test_obstacle(drive)
        yield Action(
            "shingled", "p", t("test, about {seconds} s", seconds=USUAL_SECONDS), obstacle, aside=True
        )
