"""A verdict on a drive's health, and at most five short sentences. Pure.

A pending sector or a failed self-test says that data cannot be read, a replaced one that the drive copes.
Drives with either fail far more often than others (Pinheiro, Weber, Barroso: Failure Trends in a Large Disk
Drive Population, FAST 2007). NVMe's percentage used is the maker's estimate: at 100 it has come to its end,
and has not failed (Base Specification 2.0, log page 02h).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wizard.diagnose.health import words
from wizard.model.drive_facts import NO_HEALTH, Health
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.said import Said

MOST_SENTENCES = 5
NEARLY_USED_PERCENT = 90
FEW_SPARES = 1 << 0
"""In NVMe's critical warning: fewer are left than the maker's threshold. A drive that counts none says 0."""

HOURS_A_YEAR = 24 * 365.25
TEST_CLOCK_HOURS = 1 << 16
"""Self-test logs of ATA count hours in 16 bits."""


class Verdict(StrEnum):
    """In one word."""

    GOOD = "good"
    WORN = "worn"
    FAILING = "failing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict, and at most five sentences, the most important first."""

    verdict: Verdict
    said: tuple[Said, ...]


def judge_health(drive: Drive) -> Judged:
    """How well a drive is by its own word. Where it tells nothing that is no good news: unknown."""
    smart, health = drive.smart, drive.smart.health
    lost, used_up = tuple(_unreadable(health)), tuple(_worn(health))
    if smart.passed is False or health.failing or lost:
        verdict, first = Verdict.FAILING, words.FAILING()
    elif used_up:
        verdict, first = Verdict.WORN, words.WORN()
    elif smart.passed:
        verdict, first = Verdict.GOOD, words.GOOD()
    else:
        verdict, first = Verdict.UNKNOWN, _unknown(drive)
    said = (first, *_failing(drive), *lost, *used_up, *_cable(health), *_life(health))
    return Judged(verdict, said[:MOST_SENTENCES])


def _unknown(drive: Drive) -> Said:
    why = next((unread.why for unread in drive.unread if unread.what == "smart"), None)
    return words.NOT_TOLD(why=why) if why else words.UNKNOWN()


def is_told(drive: Drive) -> bool:
    """Whether there is anything to be said of its health: not of a drive that has none to tell, such as a
    loop device."""
    return (
        drive.smart.passed is not None
        or drive.smart.health != NO_HEALTH
        or any(unread.what == "smart" for unread in drive.unread)
    )


def _failing(drive: Drive) -> Iterator[Said]:
    if drive.smart.passed is False:
        yield words.FAILED_CHECK()
    if names := tuple(printable(name, 40) for name in drive.smart.health.failing):
        yield words.BELOW_THRESHOLD(names=names, count=len(names))


def _unreadable(health: Health) -> Iterator[Said]:
    # Both count the same sectors, as found in use and as found by a scan.
    if count := max(health.pending or 0, health.lost or 0):
        yield words.PENDING(count=count)
    if health.test_passed is False:
        yield words.FAILED_TEST()


def _worn(health: Health) -> Iterator[Said]:
    if health.media_errors:
        yield words.MEDIA_ERRORS(count=health.media_errors)
    if health.reallocated:
        yield words.REALLOCATED(count=health.reallocated)
    if health.used_percent is not None and health.used_percent >= NEARLY_USED_PERCENT:
        yield words.USED(percent=health.used_percent)
    if health.spare_percent is not None and (health.alarms or 0) & FEW_SPARES:
        yield words.SPARE(percent=health.spare_percent)


def _cable(health: Health) -> Iterator[Said]:
    """No word on the drive: the count never falls, and a cable that was changed leaves it as it was."""
    if health.cable_errors:
        yield words.CABLE(count=health.cable_errors)


def _life(health: Health) -> Iterator[Said]:
    if health.hours is not None:
        years = round(health.hours / HOURS_A_YEAR, 1)
        yield words.AGE(years=years, count=health.hours) if years >= 1 else words.AGE_NEW(count=health.hours)
    if health.celsius is not None:
        yield words.WARMTH(celsius=health.celsius)
    if health.test_passed and health.hours is not None and health.test_hours is not None:
        yield words.PASSED_TEST(count=(health.hours - health.test_hours) % TEST_CLOCK_HOURS)


def find_health(drive: Drive) -> Iterator[Finding]:
    """What is bad of it; that its own check failed is told by `find_use`."""
    health = drive.smart.health
    for code, severity, why, said in (
        ("health-unreadable", Severity.DANGER, words.WHY_UNREADABLE(), tuple(_unreadable(health))),
        ("health-worn", Severity.WARNING, words.WHY_WORN(), tuple(_worn(health))),
    ):
        if said:
            found, remedy = words.FOUND(drive=drive.path, sentences=said), words.REPLACE(drive=drive.path)
            yield Finding(code, severity, drive.path, found, why, words.SOURCE(), remedy)
