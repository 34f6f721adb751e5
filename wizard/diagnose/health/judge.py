"""A verdict on a drive's health, and at most five short sentences. Pure.

A pending sector or a failed self-test says that data cannot be read, a replaced one that the drive copes.
Drives with either fail far more often than others (Pinheiro, Weber, Barroso: Failure Trends in a Large Disk
Drive Population, FAST 2007). NVMe's percentage used is the maker's estimate: at 100 it has come to its end,
and has not failed (Base Specification 2.0, log page 02h).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wizard.model.drive_facts import NO_HEALTH, Health
from wizard.model.finding import Finding, Severity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.said import Said, t, tn

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
        verdict, first = Verdict.FAILING, t("Failing: copy everything off it now.")
    elif used_up:
        verdict, first = Verdict.WORN, t("Worn: it works, but plan to replace it.")
    elif smart.passed:
        verdict, first = Verdict.GOOD, t("Good: the drive reports no problem.")
    else:
        verdict, first = Verdict.UNKNOWN, _unknown(drive)
    said = (first, *_failing(drive), *lost, *used_up, *_cable(health), *_life(health))
    return Judged(verdict, said[:MOST_SENTENCES])


def _unknown(drive: Drive) -> Said:
    why = next((unread.why for unread in drive.unread if unread.what == "smart"), None)
    return t("Unknown: {why}", why=why) if why else t("Unknown: the drive gives no verdict on itself.")


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
        yield t("Its own health check has failed.")
    if names := tuple(printable(name, 40) for name in drive.smart.health.failing):
        yield tn(
            "{names:and} has fallen to the maker's limit.",
            "{names:and} have fallen to the maker's limit.",
            names=names,
            count=len(names),
        )


def _unreadable(health: Health) -> Iterator[Said]:
    # Both count the same sectors, as found in use and as found by a scan.
    if count := max(health.pending or 0, health.lost or 0):
        yield tn(
            "One sector cannot be read; what it held may be lost.",
            "{count} sectors cannot be read; what they held may be lost.",
            count=count,
        )
    if health.test_passed is False:
        yield t("Its last self-test found errors.")


def _worn(health: Health) -> Iterator[Said]:
    if health.media_errors:
        yield tn(
            "Once it could not give back what was stored.",
            "{count} times it could not give back what was stored.",
            count=health.media_errors,
        )
    if health.reallocated:
        yield tn(
            "It has replaced one bad sector with a spare.",
            "It has replaced {count} bad sectors with spares.",
            count=health.reallocated,
        )
    if health.used_percent is not None and health.used_percent >= NEARLY_USED_PERCENT:
        yield t("{percent} % of the writing it was made for is used up.", percent=health.used_percent)
    if health.spare_percent is not None and (health.alarms or 0) & FEW_SPARES:
        yield t("Only {percent} % of its spare blocks are left.", percent=health.spare_percent)


def _cable(health: Health) -> Iterator[Said]:
    """No word on the drive: the count never falls, and a cable that was changed leaves it as it was."""
    if health.cable_errors:
        yield tn(
            "Once data came damaged over the cable; if that goes on, change the cable.",
            "{count} times data came damaged over the cable; if that goes on, change the cable.",
            count=health.cable_errors,
        )


def _life(health: Health) -> Iterator[Said]:
    if health.hours is not None:
        years = round(health.hours / HOURS_A_YEAR, 1)
        yield (
            t("It was on for {years} years ({count} hours).", years=years, count=health.hours)
            if years >= 1
            else tn("It was on for one hour.", "It was on for {count} hours.", count=health.hours)
        )
    if health.celsius is not None:
        yield t("It is at {celsius} °C.", celsius=health.celsius)
    if health.test_passed and health.hours is not None and health.test_hours is not None:
        yield tn(
            "Its last self-test passed one hour of power ago.",
            "Its last self-test passed {count} hours of power ago.",
            count=(health.hours - health.test_hours) % TEST_CLOCK_HOURS,
        )


def find_health(drive: Drive) -> Iterator[Finding]:
    """What is bad of it; that its own check failed is told by `find_use`."""
    health = drive.smart.health
    for code, severity, why, said in (
        (
            "health-unreadable",
            Severity.DANGER,
            t("More sectors usually follow, and files are lost with them."),
            tuple(_unreadable(health)),
        ),
        (
            "health-worn",
            Severity.WARNING,
            t("Worn drives fail more often than others."),
            tuple(_worn(health)),
        ),
    ):
        if said:
            found, remedy = (
                t("{drive}: {sentences:row}", drive=drive.path, sentences=said),
                t(
                    "Copy what matters elsewhere and replace the drive. `smartctl -x {drive}` shows all.",
                    drive=drive.path,
                ),
            )
            yield Finding(
                code,
                severity,
                drive.path,
                found,
                why,
                t("smartctl: the drive's own counts and self-tests"),
                remedy,
            )
