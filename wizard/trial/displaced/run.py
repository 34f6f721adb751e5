"""The quick probe on a real drive, from its claim to its verdict."""

from collections.abc import Callable
from random import Random

from wizard.diagnose.patterns import Pattern, load_patterns
from wizard.model.displaced import Basis, DisplacedVerdict, Timings
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.probe.machine import probe_drive
from wizard.trial.displaced.judge import Judgement, untold
from wizard.trial.displaced.pairs import draw_pairs, stream_start
from wizard.trial.displaced.possible import block_bytes, media_cache_family, probe_extents
from wizard.trial.displaced.probe import DisplacedProbe, ProbeProgress
from wizard.trial.displaced.subject import TimedDrive
from wizard.trial.displaced.told import caveats_for, known_sentence, sentence_for
from wizard.trial.measure import Clock
from wizard.trial.scratch import claimed

SECONDS = 58.0
"""Then what is being read ends within a moment: a minute in all."""


def run_displaced_trial(
    drive: Drive,
    *,
    on_progress: Callable[[ProbeProgress], None],
    stop: Callable[[], bool],
    seconds: float = SECONDS,
    probe: Callable[[str], Drive] = probe_drive,
    patterns: tuple[Pattern, ...] | None = None,
    random: Random | None = None,
) -> DisplacedVerdict:
    """Find out whether what is written is read from another place afterwards; within `seconds`, or until
    `stop` says so.

    The face has had the drive's token typed (`confirm_scratch`). A model that is known for a media cache is
    not tried. Raises Refused where it is not possible or writing is not safe, Failed where the drive does not
    answer.
    """
    probe_extents(drive)
    known = load_patterns() if patterns is None else patterns
    if (family := media_cache_family(drive, known)) is not None:
        judged = untold(Basis.MEDIA_CACHE)
        return _verdict(drive, judged, known_sentence(drive.path, family))
    assert drive.geometry is not None and drive.size_bytes is not None
    drawn, size = random or Random(), block_bytes(drive)
    with claimed(drive, probe, synchronous=True) as claim:
        pairs = draw_pairs(claim.extents, size, max(drive.geometry.alignment_offset_bytes, 0), drawn)
        written = frozenset(pair.written for pair in pairs.all)
        clock = Clock(seconds, stop)
        subject = TimedDrive(drive.path, claim.descriptor, size, claim.extents, claim.watch, clock, written)
        run = DisplacedProbe(subject, pairs, stream_start(drive.size_bytes, pairs, drawn), drawn, on_progress)
        judged = run.run()
        if judged.basis is Basis.TOO_SLOW and clock.ended_by_person:
            judged = untold(Basis.ENDED)
    return _verdict(
        drive,
        judged,
        sentence_for(drive.path, judged, run.timings, seconds),
        run,
        read_bytes=subject.read_bytes,
        seconds=clock.elapsed,
    )


def _verdict(
    drive: Drive,
    judged: Judgement,
    sentence: str,
    run: DisplacedProbe | None = None,
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
        outcome=judged.outcome,
        basis=judged.basis,
        sentence=sentence,
        caveats=caveats_for(drive.path, judged),
        block_bytes=block_bytes(drive),
        written_bytes=run.written_bytes if run else 0,
        read_bytes=read_bytes,
        seconds=round(seconds, 3),
        statistics=run.statistics if run else None,
        statistics_after_idle=run.statistics_after_idle if run else None,
        timings=run.timings if run else Timings(),
    )
