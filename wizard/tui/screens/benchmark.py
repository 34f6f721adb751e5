"""Step 6: measure on this very drive whether alignment matters. May be left out."""

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.model.verdict import Outcome, Verdict
from wizard.services.session import Next
from wizard.trial.alignment import Progress, confirm_scratch
from wizard.trial.document import render_verdict
from wizard.tui.dialogs.questions import AskToken
from wizard.tui.saving import save_text
from wizard.tui.step import StepScreen
from wizard.tui.text.reasontext import verdict_reasons
from wizard.tui.text.verdicttext import progress_blocks, verdict_blocks
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Block, Prose, Words, gap, para

BUDGET_SECONDS = 30.0
HIDING = (
    "By its own word the drive has blocks of 512 bytes, so that nothing can be beside them. "
    "Drives that hide larger ones exist: 4 measures as if they were of 4096 bytes."
)


@dataclass
class Measured(Message):
    """How far the probe is."""

    progress: Progress


@dataclass
class Finished(Message):
    """The probe's result."""

    verdict: Verdict


@dataclass
class Failing(Message):
    """The probe could not be done."""

    sentence: str


class BenchmarkScreen(StepScreen):
    """Start, watch, stop, read; or go on without."""

    NUMBER = 6
    TITLE = "Benchmark"
    INTRO = (
        "Optional: half a minute of reading shows whether aligned access is faster on this drive. Enter goes "
        "on without it."
    )
    HELP = """
The probe reads pairs of small pieces, one on a block boundary and one beside it, directly from the drive, one
right after the other, so that whatever else slows the drive down meets both alike. It ends as soon as the
answer is sure, or after 30 seconds.

Interval: 1.8x (1.6-2.0, 95 %) means that the true factor lies between 1.6 and 2.0 in 95 of 100 such
measurements.

Result: how many pairs took how much longer when misaligned; e says how it was measured and shows what others
have found.

Reading alone never clears a drive: the price of misalignment is paid in writing. On a drive that is empty, or
has free space, w measures writing too; it writes back exactly the bytes that it read there.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "measure", show=False, id="bench.measure"),
        Binding("4", "measure(4096)", show=False, id="bench.assume"),
        Binding("w", "write", show=False, id="bench.write"),
        Binding("s", "stop", show=False, id="bench.stop"),
        Binding("e", "reasons", show=False, id="bench.reasons"),
    ]

    def body(self) -> ComposeResult:
        """The result, or how far it is."""
        yield Words(id="result")

    def begin(self) -> None:
        """What was measured before is still true."""
        self._measuring = False
        self._halt = threading.Event()
        self.query_one(Words).focus()
        if self.session.others and self.session.drive:
            self.query_one("#intro", Prose).update(
                f"{self.INTRO} It measures {self.session.drive.path}, the first of the drives."
            )
        self._show(self.session.verdict)

    def on_unmount(self) -> None:
        """A probe does not outlive its screen."""
        self._halt.set()

    def keys(self) -> Pairs:
        """What can be done now."""
        if self._measuring:
            return (("s", "stop measuring"),)
        if self.services.obstacle:
            return (("Enter", "go on"),)
        write = (("w", "by writing"),) if not self._obstacle_to_writing() else ()
        hidden = (("4", "as 4096-byte blocks"),) if self._may_hide else ()
        kept = (("s", "save"), ("e", "reasons")) if self.session.verdict else ()
        return (("Enter", "go on"), ("m", "measure by reading"), *hidden, *write, *kept)

    def _obstacle_to_writing(self) -> str:
        """Why there is nowhere to write, or empty."""
        assert self.session.drive is not None
        return self.services.scratch_obstacle(self.session.drive)

    def action_measure(self, physical_bytes: int | None = None) -> None:
        """Read only; as if the blocks were larger than the drive says, where that is asked for."""
        if physical_bytes is None or self._may_hide:
            self._start(write=False, physical_bytes=physical_bytes)

    @property
    def _may_hide(self) -> bool:
        """Whether the drive claims blocks of 512 bytes; there are drives that do so and have larger ones."""
        drive = self.session.drive
        return drive is not None and drive.geometry is not None and drive.geometry.physical_block_bytes == 512

    def action_write(self) -> None:
        """After a question."""
        drive = self.session.drive
        if self._measuring or self.services.obstacle or drive is None:
            return
        if reason := self._obstacle_to_writing():
            self.say(reason, "yellow")
            return
        text = (
            "Pieces of the drive's free space are read, and the very same bytes are written back there. "
            f"Partitions are not touched. To allow it, type the drive's token: {printable(drive.token, 40)}"
        )
        ask = AskToken("Measure by writing?", text, drive.token, lambda token: confirm_scratch(drive, token))
        self.app.push_screen(ask, lambda token: self._start(write=True) if token else None)

    def action_reasons(self) -> None:
        """How the result came about, and what others have measured."""
        if (verdict := self.session.verdict) is not None and not self._measuring:
            self.show_reasons("Reasons of the result", lambda: verdict_reasons(verdict))

    def action_stop(self) -> None:
        """End the probe early; when there is a result, keep it."""
        verdict = self.session.verdict
        if self._measuring:
            self._halt.set()
            self.say("Stopping ..")
        elif verdict is not None:
            proposal = f"{Path(verdict.drive).name}-benchmark.json"
            save_text(
                self,
                "Save the result",
                render_verdict(verdict),
                proposal,
                lambda path: self.say(f"The result is saved in {path}.", "green"),
            )

    def action_next(self) -> None:
        """Not while the drive is being measured."""
        if self._measuring:
            self.say("The drive is being measured; s stops that.")
            return
        self.dismiss(Next(self.session))

    def action_back(self) -> None:
        """Not while the drive is being measured."""
        if self._measuring:
            self.say("The drive is being measured; s stops that.")
            return
        super().action_back()

    def _start(self, *, write: bool, physical_bytes: int | None = None) -> None:
        drive = self.session.drive
        if self._measuring or self.services.obstacle or drive is None:
            return
        self._measuring, self._halt = True, threading.Event()
        stop = self._halt
        self.draw_keys()
        self.say("")
        self.query_one(Words).show([para("Starting ..")])

        def work() -> None:
            try:
                verdict = self.services.measure(
                    drive,
                    write=write,
                    physical_bytes=physical_bytes,
                    on_progress=lambda progress: self._post(Measured(progress)),
                    stop=stop.is_set,
                )
            except DiskwrightError as error:
                self._post(Failing(str(error)))
            else:
                self._post(Finished(verdict))

        self.in_background(work)

    def _post(self, message: Message) -> None:
        if self.is_attached:
            self.post_message(message)

    @on(Measured)
    def measured(self, message: Measured) -> None:
        """Draw how far it is."""

        def draw() -> None:
            if self._measuring:
                self.query_one(Words).show(progress_blocks(message.progress, BUDGET_SECONDS), stay=True)

        self.in_time(draw)

    @on(Finished)
    def finished(self, message: Finished) -> None:
        """Draw the result and keep it."""
        self.session = replace(self.session, verdict=message.verdict)
        self._end()
        self._show(message.verdict)

    @on(Failing)
    def failing(self, message: Failing) -> None:
        """Say why."""
        self._end()
        self._show(self.session.verdict)
        self.say(message.sentence, "yellow")

    def after_crash(self) -> None:
        """m measures again."""
        self._measuring = False
        self.draw_keys()

    def _end(self) -> None:
        self._measuring = False
        self.say("")
        self.draw_keys()

    def _show(self, verdict: Verdict | None) -> None:
        blocks: list[Block] = []
        if verdict is not None:
            blocks = verdict_blocks(verdict)
            if verdict.outcome is not Outcome.NOT_POSSIBLE:
                blocks += [gap(), para("m measures again.")]
        elif self.services.obstacle:
            blocks = [
                para(
                    Text("Not possible here. ", "yellow").append(
                        printable(self.services.obstacle, 300), "default"
                    )
                )
            ]
            if self.services.needs_root:
                blocks.append(para("Start the wizard by sudo diskwright to measure."))
        else:
            blocks = [
                para(
                    "Not measured yet. m measures by reading, which changes nothing and takes up to half a "
                    "minute."
                )
            ]
            if self._may_hide:
                blocks.append(para(HIDING))
            if reason := self._obstacle_to_writing():
                blocks.append(para(f"Writing cannot be measured: {printable(reason, 300)}"))
            else:
                blocks.append(
                    para(
                        "The drive has room that nothing uses: w measures by writing there, which says more."
                    )
                )
        self.query_one(Words).show(blocks)
