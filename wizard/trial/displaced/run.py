"""The quick probe on a real drive, from its claim to its verdict."""

from collections.abc import Callable, Sequence
from mmap import mmap
from random import Random
from time import sleep

from wizard.diagnose.patterns import Pattern, load_patterns
from wizard.model.displaced import Basis, DisplacedVerdict, Timings
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Extent
from wizard.model.names import printable
from wizard.model.said import t
from wizard.model.units import MIB
from wizard.probe.machine import probe_drive
from wizard.trial.access import Overseer, Reads, Writer
from wizard.trial.displaced.judge import Judgement, untold
from wizard.trial.displaced.pairs import draw_pairs, stream_start
from wizard.trial.displaced.possible import block_bytes, media_cache_family, probe_extents
from wizard.trial.displaced.probe import DisplacedProbe, OverError, ProbeProgress
from wizard.trial.displaced.told import caveats_for, known_sentence, sentence_for
from wizard.trial.measure import Clock
from wizard.trial.scratch import claimed


class TimedDrive:
    """What the first reading of a place brought is held, and written back there; later readings must bring
    the same."""

    def __init__(
        self,
        path: str,
        descriptor: int,
        block_bytes: int,
        extents: Sequence[Extent],
        watch: Overseer,
        clock: Clock,
        written: frozenset[int],
    ) -> None:
        self._path, self._clock, self._written = path, clock, written
        self._reads = Reads(path, descriptor, block_bytes)
        self._long = Reads(path, descriptor, MIB)
        self._writer = Writer(path, descriptor, extents, watch)
        # Direct writes want memory at whole pages.
        self._buffer = mmap(-1, block_bytes)
        self._held: dict[int, bytes] = {}
        self.read_bytes = 0

    def read(self, start_bytes: int) -> int:
        """Read one block; nanoseconds. Raises Failed where it holds something else than before."""
        took = self._reads.access(start_bytes)
        content = self._reads.last
        self.read_bytes += len(content)
        if start_bytes in self._written and self._held.setdefault(start_bytes, content) != content:
            raise Failed(
                str(
                    t(
                        "{drive}: byte {start} reads otherwise than it was written. Save what the "
                        "drive holds, and test its health.",
                        drive=self._path,
                        start=start_bytes,
                    )
                )
            )
        return took

    def write(self, start_bytes: int) -> int:
        """Write back what was read there; nanoseconds."""
        self._buffer[:] = self._held[start_bytes]
        return self._writer.write(start_bytes, memoryview(self._buffer))

    def stream(self, start_bytes: int, size_bytes: int) -> None:
        """Read much in a row."""
        for start in range(start_bytes, start_bytes + size_bytes, MIB):
            if self.is_over():
                raise OverError
            self._long.access(start)
            self.read_bytes += MIB

    def idle(self, seconds: float) -> None:
        """Ask nothing of it."""
        sleep(seconds)

    def is_over(self) -> bool:
        """Whether time is over or the person has had enough."""
        return self._clock.is_over()

    @property
    def seconds_left(self) -> float:
        """Until the limit."""
        return self._clock.left


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
