"""Run the quick SMR probe on a real drive, from lock to verdict."""

from collections.abc import Callable, Sequence
from random import Random
from statistics import median

from wizard.benchmark.access import claimed
from wizard.benchmark.measure import Clock
from wizard.benchmark.scratch import refused, scratch_extents
from wizard.benchmark.smr_judge import MILLISECOND, outcome_of
from wizard.benchmark.smr_probe import (
    LEAST_FREE_BYTES,
    ProbedDrive,
    ProbePhase,
    ProbeProgress,
    SmrProbe,
    draw_pairs,
    free_bytes,
    stream_start,
)
from wizard.findings.geometry import Pattern, RecordingKind, fitting, load_patterns
from wizard.findings.smr_evidence import is_ata, is_emulated
from wizard.model.errors import Refused, printable
from wizard.model.machine import Drive, Extent
from wizard.model.said import Message, Sentence, t
from wizard.model.verdict import Basis, Displaced, DisplacedVerdict, ProbeComparison, Timings
from wizard.probe.machine import probe_drive

UNCONFIRMED = t("This test is unconfirmed on real drives. It was tested on simulated drives only.")

DOING = {
    ProbePhase.READING: Sentence("Reading the test blocks"),
    ProbePhase.WRITING: Sentence("Writing the same bytes back"),
    ProbePhase.STREAMING: Sentence("Reading elsewhere to flush the drive's cache"),
    ProbePhase.LOOKING: Sentence("Comparing"),
    ProbePhase.IDLING: Sentence("Signs found. Leaving the drive idle for ten seconds"),
    ProbePhase.LOOKING_AGAIN: Sentence("Comparing again"),
}

CANNOT_TELL = Sentence("{drive}: inconclusive; {why}.")

_REASONS = {
    Basis.STAYS: Sentence(
        "written blocks are read from a different place than their neighbours, even after idle time"
    ),
    Basis.UNWRITTEN: Sentence("unwritten blocks are answered without the platters, as on drives with TRIM"),
    Basis.CAME_HOME: Sentence(
        "written blocks were read from a different place, but moved back during idle "
        "time. Conventional drives with a media cache do this"
    ),
    Basis.FROM_MEMORY: Sentence(
        "too many written blocks came from a cache: the drive's own, a controller's, or flash"
    ),
    Basis.NO_PLATTERS: Sentence("response times do not match a rotating drive"),
    Basis.ENDED: Sentence("you stopped the test too early for a result"),
}


def sentence_for(path: str, basis: Basis, timings: Timings, seconds: float) -> str:
    """Describe the verdict in one or two sentences, claiming no more than was measured. `seconds` is the
    limit."""
    outcome = outcome_of(basis)
    if outcome is Displaced.NOTHING_FOUND:
        return str(
            t(
                "{drive}: no sign of shingling; written blocks were read like their "
                "neighbours. This does not prove that the drive is conventional.",
                drive=path,
            )
        )
    sentence = Sentence("{drive} is likely shingled: {why}.") if outcome is Displaced.LIKELY else CANNOT_TELL
    return str(sentence(drive=path, why=_why(basis, timings, seconds)))


def _known_sentence(path: str, family: str) -> str:
    """Describe a drive of a listed model, which is not tested."""
    why = t(
        "this model ({family}) may have a media cache, which looks the same. Nothing was written",
        family=family,
    )
    return str(CANNOT_TELL(drive=path, why=why))


def caveats_for(path: str, basis: Basis) -> tuple[str, ...]:
    """Return what a person must know to interpret the verdict."""
    caveats = [UNCONFIRMED]
    if basis is Basis.STAYS:
        caveats.append(
            t(
                "A conventional drive with a late-emptied media cache looks the same. This "
                "model is not in the list."
            )
        )
    if basis is not Basis.ENDED:
        caveats.append(
            t(
                "For a more reliable test, look for the write cliff: `diskwright bench "
                "{drive} --scratch --shingled`, for half an hour.",
                drive=path,
            )
        )
    if basis not in (Basis.ENDED, Basis.MEDIA_CACHE):
        caveats.append(
            t(
                "If you know the drive's recording method, send the report to the project. "
                "All measured times are included."
            )
        )
    return tuple(map(str, caveats))


def _kinds_of_reads(look: ProbeComparison) -> tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]:
    """Return the compared reads by name of their kind: nanoseconds, batch by batch."""
    return (
        (str(t("written, random")), look.written_at_random),
        (str(t("unwritten, random")), look.unwritten_at_random),
        (str(t("written, in order")), look.written_in_order),
        (str(t("unwritten, in order")), look.unwritten_in_order),
    )


def amounts(verdict: DisplacedVerdict) -> Message:
    """Describe how much the test wrote and read, and its duration."""
    return t(
        "Wrote {written:size} and read {read:size} in {seconds:.0f} s, including idle time.",
        written=verdict.written_bytes,
        read=verdict.read_bytes,
        seconds=verdict.seconds,
    )


def medians(look: ProbeComparison) -> tuple[tuple[str, float], ...]:
    """Return the median of each kind of read in nanoseconds."""
    return tuple(
        (name, median(time for batch in batches for time in batch))
        for name, batches in _kinds_of_reads(look)
        if batches
    )


def _why(basis: Basis, timings: Timings, seconds: float) -> Message:
    if basis is Basis.REWRITES:
        return t(
            "each small write takes {milliseconds} ms, as if rewriting a whole band",
            milliseconds=round(median(timings.writes) / MILLISECOND),
        )
    if basis is Basis.TOO_SLOW:
        return t(
            "the limit of {seconds} s was too short. Leave the drive idle, then try again",
            seconds=round(seconds),
        )
    return _REASONS[basis]()


BUSES = ("ata", "sata", "sas", "usb")
LARGEST_BLOCK_BYTES = 64 * 1024
LEAST_BLOCK_BYTES = 4096


def probe_extents(drive: Drive) -> tuple[Extent, ...]:
    """Return the extents where the probe may write. Raises Refused if there are none."""
    if reason := _unsuitable(drive):
        raise refused(reason)
    extents = scratch_extents(drive)
    if free_bytes(extents) < LEAST_FREE_BYTES:
        raise refused(
            t(
                "The quick test needs {least:exact} of free space on {drive}.",
                drive=drive.path,
                least=LEAST_FREE_BYTES,
            )
        )
    return extents


def quick_test_obstacle(drive: Drive, patterns: Sequence[Pattern]) -> str:
    """Return why the probe is impossible or would be inconclusive, or empty."""
    if reason := _unsuitable(drive):
        return str(reason)
    try:
        probe_extents(drive)
    except Refused as error:
        return str(error)
    family = media_cache_family(drive, patterns)
    return "" if family is None else _known_sentence(drive.path, family)


def media_cache_family(drive: Drive, patterns: Sequence[Pattern]) -> str | None:
    """Return the family of a model with a known media cache, which makes the probe inconclusive, or None."""
    found = next((one for one in fitting(drive, patterns) if one.kind is RecordingKind.MEDIA_CACHE), None)
    return None if found is None else printable(str(found.family) or drive.model or "", 80)


def block_bytes(drive: Drive) -> int:
    """Return the size of an access: a physical block, at least 4 KiB."""
    assert drive.geometry is not None
    return max(LEAST_BLOCK_BYTES, drive.geometry.physical_block_bytes)


def _unsuitable(drive: Drive) -> Message | None:
    """Return why the probe does not suit this drive, or None."""
    if drive.bus not in BUSES and not is_ata(drive):
        return t(
            "The quick test is for SATA, SAS and USB hard disks, not {drive} ({bus}), "
            "which may relocate writes.",
            drive=drive.path,
            bus=drive.bus or "?",
        )
    if is_emulated(drive):
        return t("{drive} is emulated. The test would not measure a drive's platters.", drive=drive.path)
    if drive.rotational is False:
        return t("{drive} has no platters, so tracks cannot overlap.", drive=drive.path)
    if drive.rotational is None:
        return t(
            "{drive} does not report rotation. Behind some USB bridges only smartctl can detect rotation.",
            drive=drive.path,
        )
    if drive.geometry is not None and block_bytes(drive) > LARGEST_BLOCK_BYTES:
        return t(
            "{drive} reports implausible physical blocks of {size} bytes.",
            drive=drive.path,
            size=drive.geometry.physical_block_bytes,
        )
    return None


SECONDS = 58.0
"""Time limit. The current read ends shortly after, within a minute in all."""


def run_smr_probe(
    drive: Drive,
    *,
    on_progress: Callable[[ProbeProgress], None],
    stop: Callable[[], bool],
    seconds: float = SECONDS,
    probe: Callable[[str], Drive] = probe_drive,
    patterns: tuple[Pattern, ...] | None = None,
    random: Random | None = None,
) -> DisplacedVerdict:
    """Detect whether written blocks are then read from another place, within `seconds` or until `stop`.

    The caller has confirmed the drive (`confirm_scratch`). Models with a known media cache are not tested.
    Raises Refused if the test is impossible or writing is unsafe, Failed if the drive does not answer.
    """
    probe_extents(drive)
    known = load_patterns() if patterns is None else patterns
    if (family := media_cache_family(drive, known)) is not None:
        return _verdict(drive, Basis.MEDIA_CACHE, _known_sentence(drive.path, family))
    assert drive.geometry is not None and drive.size_bytes is not None
    generator, size = random or Random(), block_bytes(drive)
    with claimed(drive, probe, size, synchronous=True) as timed:
        pairs = draw_pairs(timed.extents, size, max(drive.geometry.alignment_offset_bytes, 0), generator)
        written = frozenset(pair.written for pair in pairs.all)
        clock = Clock(seconds, stop)
        subject = ProbedDrive(timed, clock, written)
        run = SmrProbe(
            subject, pairs, stream_start(drive.size_bytes, pairs, generator), generator, on_progress
        )
        basis = run.run()
        if basis is Basis.TOO_SLOW and clock.ended_by_person:
            basis = Basis.ENDED
    return _verdict(
        drive,
        basis,
        sentence_for(drive.path, basis, run.timings, seconds),
        run,
        read_bytes=subject.read_bytes,
        seconds=clock.elapsed,
    )


def _verdict(
    drive: Drive,
    basis: Basis,
    sentence: str,
    run: SmrProbe | None = None,
    *,
    read_bytes: int = 0,
    seconds: float = 0.0,
) -> DisplacedVerdict:
    return DisplacedVerdict(
        drive=drive.path,
        model=printable(drive.model or "", 80),
        size_bytes=drive.size_bytes or 0,
        rotation_rate=drive.rotation_rate,
        bus=drive.bus or "",
        outcome=outcome_of(basis),
        basis=basis,
        sentence=sentence,
        caveats=caveats_for(drive.path, basis),
        block_bytes=block_bytes(drive),
        written_bytes=run.written_bytes if run else 0,
        read_bytes=read_bytes,
        seconds=round(seconds, 3),
        statistics=run.statistics if run else None,
        statistics_after_idle=run.statistics_after_idle if run else None,
        timings=run.timings if run else Timings(),
    )
