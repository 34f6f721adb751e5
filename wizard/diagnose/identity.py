"""Whether the numbers that a drive tells are its own: one drive can be there under two names, and two drives
can tell one serial number."""

from collections.abc import Iterator

from wizard.diagnose.words import identity as words
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive


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
            words.ALIKE(drive=drive.path, others=alike),
            words.ALIKE_WHY(),
            words.SOURCE(),
            words.ALIKE_REMEDY(drive=drive.path),
        )
    if apart:
        yield Finding(
            "identity-same-serial",
            Severity.INFO,
            drive.path,
            words.APART(drive=drive.path, others=apart, serial=drive.serial or ""),
            words.APART_WHY(),
            words.SOURCE(),
            words.APART_REMEDY(name=drive.path.removeprefix("/dev/")),
        )
