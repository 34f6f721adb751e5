"""Job: the quick test distinguishes a shingled drive from a conventional one in real time, despite all
caches. It keeps its limits and changes no byte."""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.daily import one_in
from tests.lab.drives.fleet import MIB, EmulatedDrive, Fleet, TimingModel
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import diskwright, node_of, shown
from tests.lab.visits.drives.cliff import PLAIN, SHINGLED
from tests.verdicts import read_verdict
from wizard.benchmark.smr_probe import WRITES
from wizard.model.run import Check
from wizard.model.verdict import Basis, Displaced, DisplacedVerdict

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

MAX_SECONDS, MAX_BYTES = 60, 4_000_000
SIZE_BYTES = 2048 * MIB

LOGGING = replace(
    SHINGLED,
    name="logging",
    serial="LAB-TIMED-LOGGING",
    model="LAB Timed Logging",
    wwn=0x5000C500AAAA0303,
    size_bytes=SIZE_BYTES,
    media=TimingModel(shingled=True),
    identify=(),
)
"""Does not report itself as shingled."""

HOMING = replace(
    PLAIN,
    name="homing",
    serial="LAB-TIMED-HOMING",
    model="LAB Timed Homing",
    wwn=0x5000C500AAAA0304,
    size_bytes=SIZE_BYTES,
)

DISPLACED_FLEET = Fleet("displaced", (HOMING, LOGGING))


def displaced(fleet: Fleet) -> Iterator[Check]:
    """Test one of the two drives per day. Later the lab compares both images."""
    for drive in one_in(2, fleet.drives):
        words = ("bench", node_of(drive), "--scratch", "--shingled", "--quick", "--confirm", drive.serial)
        told = diskwright(*words, "--json")
        verdict = read_verdict(told.output, drive.name, DisplacedVerdict)
        yield _told_before(drive, told.errors)
        within = verdict.written_bytes <= MAX_BYTES and verdict.seconds <= MAX_SECONDS
        seen = f"{verdict.written_bytes} bytes written, {verdict.read_bytes} read, in {verdict.seconds} s"
        yield Check(f"{drive.name}: at most a minute and 4 MB ({seen})", within, seen)
        assert isinstance(drive.media, TimingModel)
        yield _of_shingled(drive, verdict) if drive.media.shingled else _of_plain(drive, verdict)
        unconfirmed = any("unconfirmed on real drives" in caveat for caveat in verdict.caveats)
        yield Check(
            f"{drive.name}: the verdict is marked as unconfirmed on real drives",
            unconfirmed,
            shown(verdict.caveats),
        )


def _told_before(drive: EmulatedDrive, said: str) -> Check:
    begins = " ".join(said.split())
    holds = f"{WRITES} blocks" in begins and "No byte changes" in begins
    return Check(f"{drive.name}: the method is printed before the start", holds, said)


def _of_shingled(drive: EmulatedDrive, verdict: DisplacedVerdict) -> Check:
    likely = verdict.outcome is Displaced.LIKELY and verdict.basis is Basis.STAYS
    return Check(f"{drive.name}: the verdict is likely shingled", likely, _seen(verdict))


def _of_plain(drive: EmulatedDrive, verdict: DisplacedVerdict) -> Check:
    nothing = verdict.outcome is Displaced.NOTHING_FOUND and "does not prove" in verdict.sentence
    return Check(f"{drive.name}: nothing is found, which is called no proof", nothing, _seen(verdict))


def _seen(verdict: DisplacedVerdict) -> str:
    return f"{verdict.sentence} {shown((verdict.statistics, verdict.statistics_after_idle))}"


def _fill(lab: "Laboratory") -> None:
    """Fill the drives, because zeros over zeros would go unnoticed."""
    lab.fill_free(Random(1025).randbytes(MIB))


JOBS = {"displaced": displaced}
VISITS = (
    Visit(
        "quick test for shingled drives, in real time",
        DISPLACED_FLEET,
        ("displaced",),
        600,
        udev=False,
        alone=True,
        keeps_every_byte=True,
        prepare=_fill,
    ),
)
