"""Job: the write probe detects the speed drop of a shingled drive at the end of its cache, none on a
conventional drive, and changes no byte."""

from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet, TimingModel
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import diskwright, node_of, shown
from tests.verdicts import read_verdict
from wizard.model.run import Check
from wizard.model.verdict import CliffOutcome, CliffVerdict

if TYPE_CHECKING:
    from tests.lab.guest.machine import Laboratory

CACHE_BYTES = 8 * MIB
SECONDS = 40
MAX_BYTES = 64 * MIB
MIN_FACTOR = 8
"""The model drops at least 20 times. On a busy machine, the fast writes before the cliff are slower too."""

SHINGLED = EmulatedDrive(
    "shingled",
    Bus.SATA,
    serial="LAB-TIMED-SHINGLED",
    model="LAB Timed Shingled",
    wwn=0x5000C500AAAA0301,
    rotation_rate=7200,
    logical_block_bytes=512,
    physical_block_bytes=4096,
    size_bytes=2048 * MIB,
    media=TimingModel(shingled=True, cache_bytes=CACHE_BYTES),
    identify=((69, 0x4002),),
)
"""Reports itself as drive-managed. Much larger than its cache: rewriting a band frees hardly any space."""

PLAIN = replace(
    SHINGLED,
    name="plain",
    serial="LAB-TIMED-PLAIN",
    model="LAB Timed Plain",
    wwn=0x5000C500AAAA0302,
    media=TimingModel(shingled=False),
    identify=(),
    size_bytes=256 * MIB,
)
"""The same drive without shingles."""

CLIFF_FLEET = Fleet("cliff", (SHINGLED, PLAIN))


def cliff(fleet: Fleet) -> Iterator[Check]:
    """Run the probe. Later the lab compares the images."""
    for drive in fleet.drives:
        limits = ("--seconds", str(SECONDS), "--most-bytes", f"{MAX_BYTES // MIB}M")
        told = diskwright(
            "bench", node_of(drive), "--scratch", "--shingled", "--confirm", drive.serial, "--json", *limits
        )
        verdict = read_verdict(told.output, drive.name, CliffVerdict)
        yield _told_before(drive, told.errors)
        written = sum(window.written_bytes for window in verdict.windows)
        within = written <= MAX_BYTES and verdict.seconds <= SECONDS + 5
        yield Check(
            f"{drive.name}: the probe stays within its limits",
            within,
            f"{written} bytes in {verdict.seconds} s",
        )
        assert isinstance(drive.media, TimingModel)
        yield from (
            _of_shingled(drive.name, drive.media, verdict)
            if drive.media.shingled
            else _of_plain(drive.name, verdict)
        )


def _told_before(drive: EmulatedDrive, said: str) -> Check:
    begins = " ".join(said.split())
    holds = (
        f"at most {MAX_BYTES // MIB} MiB" in begins
        and f"at most about {SECONDS} s" in begins
        and "No byte changes" in begins
    )
    return Check(f"{drive.name}: the limits are printed before the start", holds, said)


def _of_shingled(name: str, model: TimingModel, verdict: CliffVerdict) -> Iterator[Check]:
    seen = (
        f"{verdict.sentence} "
        f"{shown([(w.phase[:1], round(w.seconds, 2), w.written_bytes // 1024) for w in verdict.windows])}"
    )
    yield Check(f"{name}: the cliff is found", verdict.outcome is CliffOutcome.FOUND, seen)
    if verdict.cliff is None:
        return
    near = model.cache_bytes / 2 <= verdict.cliff.after_bytes <= model.cache_bytes * 2
    yield Check(
        f"{name}: the cliff is at the end of the cache",
        near,
        f"{verdict.cliff.after_bytes} bytes, the cache {model.cache_bytes}",
    )
    yield Check(
        f"{name}: the speed drops at least {MIN_FACTOR} times",
        verdict.cliff.factor >= MIN_FACTOR,
        f"{verdict.cliff.factor:.1f}",
    )
    rates = verdict.sequential_before or 0.0, verdict.sequential_after or 0.0
    yield Check(f"{name}: sequential writes stay as fast", 0 < rates[0] <= 2 * rates[1], shown(rates))
    yield Check(
        f"{name}: the verdict is likely shingled", "likely shingled" in verdict.sentence, verdict.sentence
    )


def _of_plain(name: str, verdict: CliffVerdict) -> Iterator[Check]:
    seen = (
        f"{verdict.sentence} "
        f"{shown([(round(w.seconds, 2), w.written_bytes // 1024) for w in verdict.windows])}"
    )
    yield Check(f"{name}: no cliff is found", verdict.outcome is CliffOutcome.NONE_WITHIN, seen)
    yield Check(
        f"{name}: the verdict adds that this is no proof",
        "may still be shingled" in verdict.sentence,
        verdict.sentence,
    )


def _fill(lab: "Laboratory") -> None:
    """Fill the drives, because zeros over zeros would go unnoticed."""
    lab.fill_free(Random(1024).randbytes(MIB))


JOBS = {"cliff": cliff}
VISITS = (
    Visit(
        "write cliff of a shingled drive, in real time",
        CLIFF_FLEET,
        ("cliff",),
        600,
        udev=False,
        alone=True,
        keeps_every_byte=True,
        prepare=_fill,
    ),
)
