"""Screen for the quick test for shingled recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wizard.benchmark.access import MeasureProgress
from wizard.benchmark.smr_judge import UNCONFIRMED
from wizard.benchmark.smr_probe import SECONDS, WRITES, block_bytes, run_smr_probe
from wizard.model.said import Sentence, t
from wizard.model.verdict import USUAL_SECONDS, DisplacedVerdict
from wizard.ui.desk import Desk
from wizard.ui.dialogs.measuring import Measuring, ask_token
from wizard.ui.view import GAP, Action, Block, Piece, Tone, Values, para

if TYPE_CHECKING:
    from wizard.model.machine import Drive

NOT_PROOF = t("This test cannot prove that a drive is not shingled.")


class ShingledTest(Measuring[DisplacedVerdict]):
    """Quick test. The result is added to the facts about the drive."""

    place = "displaced"
    file = "shingled-test"
    title = Sentence("Is {drive} shingled?")
    help = (
        t("Blocks form adjacent pairs. One block of each pair is written, chosen at random."),
        t("On a conventional drive, both blocks then read alike, regardless of speed, age or load."),
        t(
            "Some server drives also store small writes elsewhere, but move them back "
            "soon. So the test checks twice."
        ),
        NOT_PROOF,
        UNCONFIRMED,
    )

    def __init__(self, desk: Desk, drive: Drive) -> None:
        super().__init__(desk, drive, desk.services.quick_tested(drive))

    @property
    def _obstacle(self) -> str:
        return self.services.obstacle or self.services.quick_test_obstacle(self.drive)

    def ways(self) -> Iterator[Action]:
        """Yield the action to start the test."""
        over = bool(self.verdict or self.services.obstacle)
        label = t("test again") if self.verdict else t("test, about {seconds} s", seconds=USUAL_SECONDS)
        yield Action("test", "p" if over else "enter", label, self._obstacle)

    def possible_blocks(self) -> Iterator[Block]:
        """Describe the test."""
        if self._obstacle:
            yield para(Piece(t("Not possible here:"), Tone.WARN), self._obstacle)
            yield GAP
        yield from self._preview()
        yield GAP
        yield para(Piece(UNCONFIRMED, Tone.WARN))
        yield para(NOT_PROOF)

    def _preview(self) -> Iterator[Block]:
        size = WRITES * (block_bytes(self.drive) if self.drive.geometry else 0)
        yield para(
            t("A shingled drive first writes small pieces to another place. This test looks for that effect.")
        )
        yield para(
            t(
                "The test reads {count} small blocks across free space and writes the same "
                "bytes back, {size:exact} in all.",
                count=WRITES,
                size=size,
            )
        )
        yield para(
            t(
                "Then it reads the blocks and their neighbours again and compares times. "
                "Expect about {usual} s, at most {most} s.",
                usual=USUAL_SECONDS,
                most=round(SECONDS),
            )
        )
        yield para(
            t("No byte changes. Partitions are not touched, and the drive's write cache is not disabled.")
        )
        yield para(
            t(
                "A power loss during the test may damage data in free space, such as files "
                "you hope to recover."
            )
        )

    def act_test(self, _row: str, _values: Values) -> None:
        """Start the test after confirmation with the token."""
        ask_token(self.desk, self.drive, t("Test by writing?"), tuple(self._preview()), self._start)

    def _start(self) -> None:
        def measure(
            on_progress: Callable[[MeasureProgress], None], stop: Callable[[], bool]
        ) -> DisplacedVerdict:
            verdict = self.services.measure(
                self.drive,
                run_smr_probe,
                self.drive,
                on_progress=on_progress,
                stop=stop,
                patterns=self.services.patterns,
            )
            self.services.remember_test(self.drive, verdict)
            return verdict

        self.start(measure, writes=True)

    def settled(self, verdict: DisplacedVerdict) -> None:
        """Have the drives read again, with the result."""
        self.desk.touched = True
