"""Measuring on this very drive whether alignment matters."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from wizard.desk.asides.asking import Typing
from wizard.desk.asides.beside import Beside
from wizard.desk.parts.drive_rows import short
from wizard.desk.parts.figures import measured_blocks
from wizard.desk.place import Values
from wizard.desk.view import GAP, Action, Banner, Block, Field, Pane, Piece, Progress, Tone, View, para
from wizard.desk.words import trial as words
from wizard.desk.words.shared import BACK
from wizard.model.errors import BadInput
from wizard.model.verdict import Outcome

if TYPE_CHECKING:
    from wizard.desk.desk import Desk
    from wizard.model.errors import DiskwrightError
    from wizard.model.machine import Drive
    from wizard.model.verdict import Verdict
    from wizard.trial.alignment import Progress as Measured

BUDGET_SECONDS = 30.0
CLAIMED_BYTES, ASSUMED_BYTES = 512, 4096
"""What a drive may claim its blocks to be, and what they may be in truth."""

TONES = {Outcome.ALIGNED_FASTER: Tone.WARN, Outcome.NO_DIFFERENCE: Tone.GOOD}


class Trial(Beside):
    """Start, watch, stop, read. The result stays with what was settled of the drive."""

    def __init__(self, desk: Desk, drive: Drive) -> None:
        super().__init__(desk)
        self._drive = drive
        self._measuring = False
        self._stop = threading.Event()
        self._progress: Measured | None = None
        before = desk.session.verdict if desk.session.drive == drive else None
        self._verdict = before if before and before.drive == drive.path else None

    def left(self) -> None:
        """A trial does not outlive its place."""
        self._stop.set()

    @property
    def may_leave(self) -> bool:
        """Not while the drive is being measured."""
        return not self._measuring

    def view(self) -> View:
        """The result, how far it is, or what can be measured."""
        banner = (
            (Banner(self._verdict.sentence, (), TONES.get(self._verdict.outcome, Tone.ACCENT)),)
            if self._verdict and not self._measuring
            else ()
        )
        return View(
            "trial",
            self.at,
            words.TITLE(drive=short(self._drive.path)),
            tuple(self._actions()),
            above=banner,
            panes=(Pane("", tuple(self._blocks())),),
            busy=self._measuring,
            help=(
                words.HELP_PAIRS(),
                words.HELP_END(seconds=int(BUDGET_SECONDS)),
                words.HELP_INTERVAL(),
                words.HELP_WRITING(),
            ),
        )

    def _actions(self) -> Iterator[Action]:
        if self._measuring:
            yield Action("stop", "S", words.STOP(), ends=True)
            yield Action("back", "escape", BACK(), words.AT_WORK())
            return
        obstacle = self.services.obstacle
        if self._verdict or obstacle:
            yield Action("back", "enter", BACK())
        yield Action("measure", "m" if self._verdict or obstacle else "enter", words.READ(), obstacle)
        yield Action("write", "p", words.WRITE(), obstacle or self.services.scratch_obstacle(self._drive))
        yield Action(
            "as-large", "4", words.AS_LARGE(), obstacle or ("" if self._may_hide else words.NOT_512())
        )
        if self._verdict:
            yield Action("save", "s", words.SAVE())
            yield Action("why", "w", words.WHY())
        yield Action("back", "escape", BACK(), aside=bool(self._verdict or obstacle))

    @property
    def _may_hide(self) -> bool:
        """Whether the drive claims blocks of 512 bytes; there are drives that do so and have larger ones."""
        geometry = self._drive.geometry
        return geometry is not None and geometry.physical_block_bytes == CLAIMED_BYTES

    def _blocks(self) -> Iterator[Block]:
        if self._measuring:
            yield from _progress_blocks(self._progress)
        elif self._verdict:
            yield from measured_blocks(self._verdict)
            yield from (para(caveat, hang=2) for caveat in self._verdict.caveats)
        elif obstacle := self.services.obstacle:
            yield para(Piece(words.NOT_HERE(), Tone.WARN), obstacle)
            if self.services.needs_root:
                yield para(words.AS_ROOT())
        else:
            yield from self._possible()

    def _possible(self) -> Iterator[Block]:
        yield para(words.NOT_YET(), key="measure")
        if self._may_hide:
            yield GAP
            yield para(words.HIDING(), key="as-large")
        yield GAP
        if reason := self.services.scratch_obstacle(self._drive):
            yield para(words.NO_WRITING(), reason)
        else:
            yield para(words.CAN_WRITE(), key="write")

    def act_measure(self, _row: str, _values: Values) -> None:
        """By reading only."""
        self._start(write=False)

    def act_as_large(self, _row: str, _values: Values) -> None:
        """As if the blocks were larger than the drive says."""
        self._start(write=False, physical_bytes=ASSUMED_BYTES)

    def act_write(self, _row: str, _values: Values) -> None:
        """After the token."""

        def take(values: Values) -> Callable[[], None]:
            from wizard.trial.scratch import confirm_scratch

            token = values.get("token", "").strip()
            if not token:
                raise BadInput(words.NO_TOKEN(token=self._drive.token))
            confirm_scratch(self._drive, token)
            return partial(self._start, write=True)

        text = (para(words.ALLOW_TEXT()), para(words.ALLOW_PARTITIONS()), para(words.HELP_TOKEN()))
        field = Field("token", words.TOKEN(), hint=words.TOKEN_HINT(token=self._drive.token))
        self.desk.go(Typing(self.desk, words.ALLOW(), text, (field,), take, words.MEASURE()))

    def act_stop(self, _row: str, _values: Values) -> None:
        """End it early."""
        self._stop.set()
        self.tell(words.STOPPING())

    def act_save(self, _row: str, _values: Values) -> None:
        """The result, with every pair."""
        from wizard.desk.details.saving import save
        from wizard.trial.document import render_verdict

        if self._verdict:
            proposal = f"{short(self._verdict.drive)}-benchmark.json"
            save(self.desk, words.RESULT(), render_verdict(self._verdict), proposal)

    def act_why(self, _row: str, _values: Values) -> None:
        """How the result came about, and what others have measured."""
        from wizard.desk.asides.pages import Reasons, verdict_reasons

        if self._verdict:
            title = words.REASONS(drive=short(self._verdict.drive))
            self.desk.go(Reasons(self.desk, title, verdict_reasons(self._verdict)))

    def _start(self, *, write: bool, physical_bytes: int | None = None) -> None:
        if self._measuring:
            return
        self._measuring, self._progress, self._stop = True, None, threading.Event()
        stop = self._stop
        self.desk.measured_by_writing |= write

        def measure() -> Verdict:
            return self.services.measure(
                self._drive,
                write=write,
                physical_bytes=physical_bytes,
                on_progress=lambda progress: self._post(progress),
                stop=stop.is_set,
            )

        self.desk.later(self, measure, self._measured, self._failed)

    def _post(self, progress: Measured) -> None:
        self.desk.post(self, lambda: setattr(self, "_progress", progress))

    def _measured(self, verdict: Verdict) -> None:
        self._measuring, self._verdict = False, verdict
        self.tell("")
        if self.desk.session.drive == self._drive:
            self.desk.session = replace(self.desk.session, verdict=verdict)

    def _failed(self, error: DiskwrightError) -> None:
        self._measuring = False
        self.tell(str(error), Tone.WARN)


def _progress_blocks(progress: Measured | None) -> Iterator[Block]:
    if progress is None:
        yield Progress(None, words.STARTING())
        return
    left = max(0.0, progress.seconds_left)
    yield Progress(max(0.0, min(1.0, 1 - left / BUDGET_SECONDS)), words.LEFT(seconds=left))
    if progress.estimate:
        yield para(words.SO_FAR(count=progress.pairs, estimate=progress.estimate))
    else:
        yield para(words.NOTHING_YET(count=progress.pairs))
