"""The quick test whether this very drive is shingled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wizard.benchmark.smr_probe import WRITES, ProbePhase, ProbeProgress
from wizard.benchmark.smr_run import SECONDS, block_bytes, medians
from wizard.model.said import Sentence, format_nanoseconds, t
from wizard.model.verdict import USUAL_SECONDS, Displaced, DisplacedVerdict, ProbeComparison, Statistics
from wizard.ui.components.reasons import Reason
from wizard.ui.dialogs.measuring import Measuring
from wizard.ui.view import GAP, Action, Banner, Block, Figures, Piece, Progress, Tone, Values, para, strong

if TYPE_CHECKING:
    from wizard.model.machine import Drive
    from wizard.ui.desk import Desk

UNCONFIRMED = t("No real drive has confirmed this test yet. It was tried on simulated drives only.")
NOT_PROOF = t("It never says that a drive is not shingled: nothing found is no proof.")

DOING = {
    ProbePhase.READING: Sentence("Reading what will be written back"),
    ProbePhase.WRITING: Sentence("Writing the same bytes back"),
    ProbePhase.STREAMING: Sentence("Reading elsewhere, to empty the drive's memory"),
    ProbePhase.LOOKING: Sentence("Comparing"),
    ProbePhase.IDLING: Sentence("Something shows. Leaving the drive alone for ten seconds"),
    ProbePhase.LOOKING_AGAIN: Sentence("Comparing again"),
}


class ShingledTest(Measuring[ProbeProgress, DisplacedVerdict]):
    """What it finds joins what is known of the drive."""

    place = "displaced"
    title = Sentence("Is {drive} shingled?")
    help = (
        t("Blocks come in pairs that lie side by side. A coin says which one of each pair is written."),
        t("On a conventional drive both are read alike afterwards, however fast, old or busy it is."),
        t("Some server drives keep small writes elsewhere too, and bring them home soon. So it looks twice."),
        NOT_PROOF,
        UNCONFIRMED,
    )

    def __init__(self, desk: Desk, drive: Drive) -> None:
        super().__init__(desk, drive, desk.services.quick_tested(drive))

    @property
    def _obstacle(self) -> str:
        return self.services.obstacle or self.services.quick_test_obstacle(self.drive)

    def banner(self, verdict: DisplacedVerdict) -> Banner:
        """What was found, and that no real drive has confirmed such a finding."""
        tone = Tone.WARN if verdict.outcome is Displaced.LIKELY else Tone.ACCENT
        return Banner(verdict.sentence, (UNCONFIRMED,), tone)

    def ways(self) -> Iterator[Action]:
        """The one test."""
        over = bool(self.verdict or self.services.obstacle)
        label = t("test again") if self.verdict else t("test, about {seconds} s", seconds=USUAL_SECONDS)
        yield Action("test", "p" if over else "enter", label, self._obstacle)

    def possible_blocks(self) -> Iterator[Block]:
        """What it does, before it does it."""
        if self._obstacle:
            yield para(Piece(t("Not possible on this drive:"), Tone.WARN), self._obstacle)
            yield GAP
        yield from self._preview()
        yield GAP
        yield para(Piece(UNCONFIRMED, Tone.WARN))
        yield para(NOT_PROOF)

    def _preview(self) -> Iterator[Block]:
        size = WRITES * (block_bytes(self.drive) if self.drive.geometry else 0)
        yield para(
            t(
                "A shingled drive keeps what is written in small pieces in another place at "
                "first. This test looks for that."
            )
        )
        yield para(
            t(
                "It reads {count} small blocks all over free space, and writes the same "
                "bytes back: {size:exact} in all.",
                count=WRITES,
                size=size,
            )
        )
        yield para(
            t(
                "Then it reads them and their neighbours again, and compares the times. That "
                "takes about {usual} s, {most} s at most.",
                usual=USUAL_SECONDS,
                most=round(SECONDS),
            )
        )
        yield para(
            t(
                "Every byte stays as it is. Partitions are not touched, nor is the drive's "
                "write cache switched off."
            )
        )
        yield para(
            t(
                "If the power goes meanwhile, what lies in free space may be damaged, such "
                "as files you hope to recover."
            )
        )

    def progress_blocks(self) -> Iterator[Block]:
        """What is being done, and the time that is left."""
        if self.progress is None:
            yield Progress(None, t("Starting ..."))
            return
        doing, left = DOING[self.progress.phase](), max(0.0, self.progress.seconds_left)
        yield Progress(
            min(1.0, self.progress.share),
            t("{doing}, at most {seconds:time} left", doing=doing, seconds=left),
        )

    def result_blocks(self, verdict: DisplacedVerdict) -> Iterator[Block]:
        """The usual times, and what is to be kept in mind."""
        look = verdict.timings.look_after_idle or verdict.timings.look
        if look is not None and (figures := _medians(look)) is not None:
            yield figures
            yield GAP
        took = t(
            "It wrote {written:size} and read {read:size} in {seconds:.0f} s.",
            written=verdict.written_bytes,
            read=verdict.read_bytes,
            seconds=verdict.seconds,
        )
        yield para(took)
        yield from (para(caveat, hang=2) for caveat in verdict.caveats)

    def act_test(self, _row: str, _values: Values) -> None:
        """After the token."""
        self.ask_token(t("Test by writing?"), tuple(self._preview()), self._start)

    def _start(self) -> None:
        def measure(
            on_progress: Callable[[ProbeProgress], None], stop: Callable[[], bool]
        ) -> DisplacedVerdict:
            return self.services.quick_test(self.drive, on_progress=on_progress, stop=stop)

        self.start(measure, writes=True)

    def document(self, verdict: DisplacedVerdict) -> tuple[str, str]:
        """With every time."""
        from wizard.benchmark.alignment import render_displaced_verdict

        return render_displaced_verdict(verdict), "shingled-test"

    def reasons(self, verdict: DisplacedVerdict) -> tuple[Reason, ...]:
        """The statistics of both looks."""
        looks = (
            (Sentence("Before the drive was left alone"), verdict.statistics),
            (Sentence("After it was left alone"), verdict.statistics_after_idle),
        )
        behind = [
            block
            for caption, statistics in looks
            if statistics is not None
            for block in (para(strong(caption())), *_told(statistics), GAP)
        ]
        caveats = (Reason(Piece(caveat), (para(NOT_PROOF),)) for caveat in verdict.caveats)
        return (Reason(Piece(verdict.sentence), tuple(behind) or (para(NOT_PROOF),)), *caveats)

    def settled(self, verdict: DisplacedVerdict) -> None:
        """The drives are looked at anew, with what is known now."""
        self.desk.touched = True


def _medians(look: ProbeComparison) -> Figures | None:
    times = medians(look)
    shown = tuple(format_nanoseconds(time) for _, time in times)
    return Figures(t("What a read usually takes (median)"), times, shown) if times else None


def _told(statistics: Statistics) -> Iterator[Block]:
    if statistics.t is not None and statistics.ratio is not None:
        yield para(
            t(
                "At random places, written takes {ratio:.2f} times as long (Welch's t {t:.1f}).",
                ratio=statistics.ratio,
                t=statistics.t,
            ),
            indent=2,
        )
    if statistics.distance is not None:
        yield para(
            t(
                "In the order of writing, the times lie {distance:.1f} apart "
                "(Kolmogorov-Smirnov; by chance 1.4).",
                distance=statistics.distance,
            ),
            indent=2,
        )
    if statistics.from_memory is not None:
        yield para(
            t(
                "{percent:.0f} % of the written blocks came from a memory.",
                percent=100 * statistics.from_memory,
            ),
            indent=2,
        )
