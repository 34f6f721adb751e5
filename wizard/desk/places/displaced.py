"""The quick test whether this very drive is shingled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wizard.desk.asides.measuring import Measuring
from wizard.desk.parts.reasons import Reason
from wizard.desk.place import Values
from wizard.desk.places.words import displaced as words
from wizard.desk.view import GAP, Action, Banner, Block, Figures, Piece, Progress, Tone, para, strong
from wizard.model.displaced import USUAL_SECONDS, Displaced, DisplacedVerdict, Look, Statistics
from wizard.model.units import format_nanoseconds
from wizard.trial.displaced.pairs import WRITES
from wizard.trial.displaced.possible import block_bytes
from wizard.trial.displaced.probe import Phase, ProbeProgress
from wizard.trial.displaced.run import SECONDS
from wizard.trial.displaced.told import medians

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.model.machine import Drive

DOING = {
    Phase.READING: words.READING,
    Phase.WRITING: words.WRITING,
    Phase.STREAMING: words.STREAMING,
    Phase.LOOKING: words.LOOKING,
    Phase.IDLING: words.IDLING,
    Phase.LOOKING_AGAIN: words.LOOKING_AGAIN,
}


class ShingledTest(Measuring[ProbeProgress, DisplacedVerdict]):
    """What it finds joins what is known of the drive."""

    place = "displaced"
    title = words.TITLE
    help = (words.HELP_PAIRS(), words.HELP_ALIKE(), words.HELP_IDLE(), words.NOT_PROOF(), words.UNCONFIRMED())

    def __init__(self, desk: Desk, drive: Drive) -> None:
        super().__init__(desk, drive, desk.services.quick_tested(drive))

    @property
    def _obstacle(self) -> str:
        return self.services.obstacle or self.services.quick_test_obstacle(self.drive)

    def banner(self, verdict: DisplacedVerdict) -> Banner:
        """What was found, and that no real drive has confirmed such a finding."""
        tone = Tone.WARN if verdict.outcome is Displaced.LIKELY else Tone.ACCENT
        return Banner(verdict.sentence, (words.UNCONFIRMED(),), tone)

    def ways(self) -> Iterator[Action]:
        """The one test."""
        over = bool(self.verdict or self.services.obstacle)
        label = words.AGAIN() if self.verdict else words.TEST_ABOUT(seconds=USUAL_SECONDS)
        yield Action("test", "p" if over else "enter", label, self._obstacle)

    def possible_blocks(self) -> Iterator[Block]:
        """What it does, before it does it."""
        if self._obstacle:
            yield para(Piece(words.NOT_POSSIBLE(), Tone.WARN), self._obstacle)
            yield GAP
        yield from self._preview()
        yield GAP
        yield para(Piece(words.UNCONFIRMED(), Tone.WARN))
        yield para(words.NOT_PROOF())

    def _preview(self) -> Iterator[Block]:
        size = WRITES * (block_bytes(self.drive) if self.drive.geometry else 0)
        yield para(words.WHAT())
        yield para(words.READS(count=WRITES, size=size))
        yield para(words.COMPARES(usual=USUAL_SECONDS, most=round(SECONDS)))
        yield para(words.UNCHANGED())
        yield para(words.CUT())

    def progress_blocks(self) -> Iterator[Block]:
        """What is being done, and the time that is left."""
        if self.progress is None:
            yield Progress(None, words.STARTING())
            return
        doing, left = DOING[self.progress.phase](), max(0.0, self.progress.seconds_left)
        yield Progress(min(1.0, self.progress.share), words.LEFT(doing=doing, seconds=left))

    def result_blocks(self, verdict: DisplacedVerdict) -> Iterator[Block]:
        """The usual times, and what is to be kept in mind."""
        look = verdict.timings.look_after_idle or verdict.timings.look
        if look is not None and (figures := _medians(look)) is not None:
            yield figures
            yield GAP
        took = words.TOOK(written=verdict.written_bytes, read=verdict.read_bytes, seconds=verdict.seconds)
        yield para(took)
        yield from (para(caveat, hang=2) for caveat in verdict.caveats)

    def act_test(self, _row: str, _values: Values) -> None:
        """After the token."""
        self.ask_token(words.ALLOW(), tuple(self._preview()), self._start)

    def _start(self) -> None:
        def measure(
            on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
        ) -> DisplacedVerdict:
            return self.services.quick_test(self.drive, on_progress=on_progress, stop=stop)

        self.start(measure, writes=True)

    def document(self, verdict: DisplacedVerdict) -> tuple[str, str]:
        """With every time."""
        from wizard.trial.document import render_displaced_verdict

        return render_displaced_verdict(verdict), "shingled-test"

    def reasons(self, verdict: DisplacedVerdict) -> tuple[Reason, ...]:
        """The statistics of both looks."""
        looks = (
            (words.BEFORE_IDLE, verdict.statistics),
            (words.AFTER_IDLE, verdict.statistics_after_idle),
        )
        behind = [
            block
            for caption, statistics in looks
            if statistics is not None
            for block in (para(strong(caption())), *_told(statistics), GAP)
        ]
        caveats = (Reason(Piece(caveat), (para(words.NOT_PROOF()),)) for caveat in verdict.caveats)
        return (Reason(Piece(verdict.sentence), tuple(behind) or (para(words.NOT_PROOF()),)), *caveats)

    def settled(self, verdict: DisplacedVerdict) -> None:
        """The drives are looked at anew, with what is known now."""
        self.desk.touched = True


def _medians(look: Look) -> Figures | None:
    times = medians(look)
    shown = tuple(format_nanoseconds(time) for _, time in times)
    return Figures(words.TIMES(), times, shown) if times else None


def _told(statistics: Statistics) -> Iterator[Block]:
    if statistics.t is not None and statistics.ratio is not None:
        yield para(words.AT_RANDOM(ratio=statistics.ratio, t=statistics.t), indent=2)
    if statistics.distance is not None:
        yield para(words.IN_ORDER(distance=statistics.distance), indent=2)
    if statistics.from_memory is not None:
        yield para(words.FROM_MEMORY(percent=100 * statistics.from_memory), indent=2)
