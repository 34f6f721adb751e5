"""A document as Review and Work show it, whatever its kind."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct

from wizard.apply.run.journal import RunState
from wizard.apply.run.progress_log import Decision
from wizard.host.services import Services
from wizard.model.errors import printable
from wizard.model.run import JournalEntry
from wizard.model.said import t
from wizard.plan.changes import RunDocument
from wizard.plan.undo_policy import UndoSpace
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import who

WILL_BE_DONE = t("What will be done")
D = TypeVar("D", bound=RunDocument, covariant=True)


class RunOutcome(Struct, frozen=True):
    """State of an inactive run: the main result, details and possible decisions."""

    banner: ui.Banner
    more: tuple[ui.Text, ...]
    decision: Decision


class Job(Generic[D]):
    """A document to confirm and start. Only `start` writes, in a separate process.

    `keep`: the result is kept as soon as it is written. `brief` has the important steps, `bars` the layouts
    before and after if the layout changes, `places` the new mount points that can receive files. `risk`
    is the remaining risk without losses. `checked` sums up the final checks; if empty, every check is listed.
    `unread`: a drive was not read, which prevents the start.
    """

    title: ui.Text
    suffix: ClassVar[str]
    """End of the name of a saved document."""
    seconds: tuple[float, ...]
    """Estimated duration of each step, in seconds."""
    read_seconds = 0.0
    """Estimated time to read the drive before and after all steps, in seconds."""
    bars: tuple[ui.Bar, ...] = ()
    places: tuple[str, ...] = ()
    risk: ui.Text = ""
    checked: ui.Text = ""
    keep = takes_passphrase = unread = False

    def __init__(self, services: Services, document: D) -> None:
        self.services, self.document = services, document
        self.drives = document.drives
        self.brief: tuple[ui.Text, ...] = document.sentences
        self.sentences = document.sentences
        self.doubts: tuple[ui.Text, ...] = document.doubts

    @property
    def verb(self) -> ui.Text:
        """Label of the key that applies the job."""
        return t("apply")

    @property
    def keeps_all(self) -> bool:
        """True if the job is known to preserve all data, such as growing a partition."""
        return False

    def undo_texts(self) -> tuple[ui.Text, ...]:
        """Describe how long undo is possible, and the effect of a power failure."""
        raise NotImplementedError

    def restores_nothing(self) -> bool:
        """Return True if undo has no contents to restore, so that no space estimate is needed."""
        return False

    @property
    def total_seconds(self) -> float:
        """Estimated duration of the whole job, in seconds."""
        return sum(self.seconds) + self.read_seconds

    def commands(self) -> tuple[ui.Block, ...]:
        """Return every step with commands, undo and checks."""
        raise NotImplementedError

    def word(self) -> str:
        """Return the extra word to type if undo is impossible, or an empty string."""
        return ""

    def rehearses(self) -> bool:
        """Return True if `room` rehearses the job."""
        return False

    def room(self) -> UndoSpace:
        """Return the space needed for undo. May be slow."""
        raise NotImplementedError

    def saved(self) -> tuple[str, str]:
        """Return the document as the text of a file, with a suggested name."""
        from wizard.apply.run.kinds import render_any

        return render_any(self.document), f"{Path(self.document.devices[0]).name}-{self.suffix}.json"

    def command(self, file: str) -> str:
        """Return the command that applies the saved document as root."""
        words = (*self.document.tokens, *filter(None, (self.word(),)))
        confirmed = (word for token in words for word in ("--confirm", printable(token)))
        return shlex.join(("sudo", "diskwright", "apply", file, *confirmed))

    def start(self, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the run and return its folder. Writes to the drives."""
        return self.services.as_root().start(self.document, tokens, secret)

    def stop_means(self) -> ui.Text:
        """Describe the effect of stopping."""
        return t("The current step finishes first. Then you can go on or undo.")

    def power(self, told: str, working: int | None, *, begun: bool) -> ui.Text:
        """Describe the effect of a power failure during step `working`, counted from 1, of which the run
        reports `told`. Empty if unknown."""
        return told

    def outcome(self, run: Path, state: RunState, entries: Sequence[JournalEntry]) -> RunOutcome:
        """Return the state of the run."""
        raise NotImplementedError

    def banner(self, *, final: bool) -> ui.Banner:
        """Return the losses or risks. `final`: undo is impossible.

        The good banner requires that power failures and undo are covered too.
        """
        risk = self.risk
        if final and not risk:
            risk = t("No data is lost unless something fails. This cannot be undone.")
        return ui.Banner(risk, tone=ui.Tone.WARN) if risk else ui.Banner(t("Nothing is lost."))

    def panes(self) -> tuple[ui.Pane, ui.Pane]:
        """Return the steps in short, and the limits of undo."""
        # Unnumbered, since `commands` and Work number every step.
        steps = [ui.para("-", sentence) for sentence in self.brief]
        steps.append(ui.para(ui.muted(messages.TAKES(seconds=self.total_seconds))))
        back = [ui.para(said, hang=2) for said in self.undo_texts()]
        if doubts := (*self.doubts, *self.services.journal_doubts()):
            back += [ui.GAP, ui.para(ui.muted(t("Notes and unknowns")))]
            back += [ui.para("-", ui.warn(doubt)) for doubt in doubts]
        return ui.Pane(WILL_BE_DONE, tuple(steps)), ui.Pane(messages.UNDO_TITLE, tuple(back))

    def page(self) -> Iterator[ui.Block]:
        """Yield the whole document as one text: drives, losses, layouts, undo, and every step with its
        commands."""
        yield from self.consequences()
        if self.bars:
            yield ui.GAP
            yield from self.bars
        yield ui.GAP
        yield ui.para(ui.strong(WILL_BE_DONE), messages.TAKES(seconds=self.total_seconds))
        yield from self.commands()

    def consequences(self) -> Iterator[ui.Block]:
        """Yield the drives, the losses or risks, the limits of undo, and notes."""
        yield ui.para(ui.strong(self.title))
        yield from (ui.para(who(drive)) for drive in self.drives)
        yield ui.GAP
        if self.unread:
            yield ui.para(ui.warn(messages.READ_FIRST))
        yield self.banner(final=bool(self.word()))
        yield ui.GAP
        yield from self.panes()[1].blocks


AnyJob = Job[RunDocument]
