"""A document as Review and Work show it, whatever its kind."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from msgspec import Struct

from wizard.model.errors import printable
from wizard.model.said import t
from wizard.plan.changes import RunDocument
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import who

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.apply.run.progress_log import Decision
    from wizard.host.services import Services
    from wizard.model.geometry import Identity
    from wizard.model.run import JournalEntry
    from wizard.plan.undo_policy import UndoSpace

LOST_NOW = t("Deleted when applied")
WILL_BE_DONE = t("What will be done")
D = TypeVar("D", bound=RunDocument, covariant=True)


class RunOutcome(Struct, frozen=True):
    """State of an inactive run: the main result, details and possible decisions."""

    banner: ui.Banner
    more: tuple[ui.Text, ...]
    decision: Decision


class Job(Generic[D]):
    """A document to confirm and start. Only `start` writes, in a separate process."""

    title: ui.Text
    """Short title for banner and header."""

    suffix: ClassVar[str]
    """End of the name of a saved document."""

    keep = False
    """True if the result is kept as soon as it is written, without waiting."""

    def __init__(self, document: D) -> None:
        self.document = document

    @property
    def drives(self) -> tuple[Identity, ...]:
        """Drives to confirm by token, in this order."""
        return self.document.drives

    def lost(self) -> tuple[ui.Text, ...]:
        """Return a sentence for each loss. Empty if the job destroys nothing."""
        return ()

    @property
    def verb(self) -> ui.Text:
        """Label of the key that applies the job."""
        return t("overwrite and apply") if self.lost() else t("apply")

    @property
    def checked(self) -> ui.Text:
        """Summary of the final checks. If empty, every check is listed."""
        return ""

    @property
    def keeps_all(self) -> bool:
        """True if the job is known to preserve all data, such as growing a partition."""
        return False

    def risk(self, services: Services) -> ui.Text:
        """Return the remaining risk of a job without losses: power failure or no undo. Empty if protected."""
        return ""

    def lost_when(self, services: Services) -> ui.Text:
        """Return the heading for the time of the loss."""
        return LOST_NOW

    def undo_texts(self, services: Services) -> tuple[ui.Text, ...]:
        """Describe how long undo is possible, and the effect of a power failure."""
        raise NotImplementedError

    def restores_nothing(self, services: Services) -> bool:
        """Return True if undo has no contents to restore, so that no space estimate is needed."""
        return False

    @property
    def doubts(self) -> tuple[ui.Text, ...]:
        """Uncertainties of the job, and what the user should know."""
        return self.document.doubts

    @property
    def bars(self) -> tuple[ui.Bar, ...]:
        """Layouts before and after the job. Empty if the layout does not change."""
        return ()

    @property
    def sentences(self) -> tuple[ui.Text, ...]:
        """A sentence for each step."""
        return self.document.sentences

    @property
    def brief(self) -> tuple[ui.Text, ...]:
        """The important steps, shown on Review."""
        return self.sentences

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step, in seconds."""
        return tuple(1.0 for _ in self.sentences)

    @property
    def read_seconds(self) -> float:
        """Estimated time to read the drive before and after all steps, in seconds."""
        return 0.0

    @property
    def total_seconds(self) -> float:
        """Estimated duration of the whole job, in seconds."""
        return sum(self.seconds) + self.read_seconds

    def commands(self, services: Services) -> tuple[ui.Block, ...]:
        """Return every step with commands, undo and checks."""
        raise NotImplementedError

    def word(self, services: Services) -> str:
        """Return the extra word to type if undo is impossible, or an empty string."""
        return ""

    @property
    def takes_passphrase(self) -> bool:
        """True if the job needs a new passphrase."""
        return False

    @property
    def unread(self) -> bool:
        """True if a drive was not read, which prevents the start."""
        return False

    def rehearses(self, services: Services) -> bool:
        """Return True if `room` rehearses the job."""
        return False

    def room(self, services: Services) -> UndoSpace:
        """Return the space needed for undo. May be slow."""
        raise NotImplementedError

    def saved(self) -> tuple[str, str]:
        """Return the document as the text of a file, with a suggested name."""
        from wizard.apply.run.kinds import render_any

        return render_any(self.document), f"{Path(self.document.devices[0]).name}-{self.suffix}.json"

    def command(self, services: Services, file: str) -> str:
        """Return the command that applies the saved document as root."""
        confirmed = (word for token in self._words(services) for word in ("--confirm", printable(token)))
        return shlex.join(("sudo", "diskwright", "apply", file, *confirmed))

    def _words(self, services: Services) -> tuple[str, ...]:
        return (*self.document.tokens, *filter(None, (self.word(services),)))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the run and return its folder. Writes to the drives."""
        return services.as_root().start(self.document, tokens, secret)

    def stop_means(self, services: Services) -> ui.Text:
        """Describe the effect of stopping."""
        return t("The current step finishes first. Then you can go on or undo.")

    @property
    def places(self) -> tuple[str, ...]:
        """New mount points that can receive files."""
        return ()

    def power(self, told: str, working: int | None, *, begun: bool) -> ui.Text:
        """Describe the effect of a power failure during step `working`, counted from 1, of which the run
        reports `told`. Empty if unknown."""
        return told

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return the state of the run."""
        raise NotImplementedError

    def banner(self, services: Services, *, final: bool) -> ui.Banner:
        """Return the losses or risks. `final`: undo is impossible.

        The good banner requires that power failures and undo are covered too.
        """
        if lost := self.lost():
            return ui.Banner(self.lost_when(services), lost, ui.Tone.DANGER)
        if risk := self.risk(services) or (
            t("No data is lost unless something fails. This cannot be undone.") if final else ""
        ):
            return ui.Banner(risk, (), ui.Tone.WARN)
        return ui.Banner(t("Nothing is lost."), (), ui.Tone.GOOD)

    def panes(self, services: Services) -> tuple[ui.Pane, ui.Pane]:
        """Return the steps in short, and the limits of undo."""
        # Unnumbered, since `commands` and Work number every step.
        steps: list[ui.Block] = [ui.para("-", sentence) for sentence in self.brief]
        steps.append(ui.para(ui.muted(messages.TAKES(seconds=self.total_seconds))))
        back: list[ui.Block] = [ui.para(said, hang=2) for said in self.undo_texts(services)]
        doubts = (*self.doubts, *services.journal_doubts())
        if doubts:
            back += [ui.GAP, ui.para(ui.muted(t("Notes and unknowns")))]
            back += [ui.para("-", ui.warn(doubt)) for doubt in doubts]
        return ui.Pane(WILL_BE_DONE, tuple(steps)), ui.Pane(messages.UNDO_TITLE, tuple(back))

    def page(self, services: Services) -> Iterator[ui.Block]:
        """Yield the whole document as one text: drives, losses, layouts, undo, and every step with its
        commands."""
        yield from self.consequences(services)
        if self.bars:
            yield ui.GAP
            yield from self.bars
        yield ui.GAP
        yield ui.para(ui.strong(WILL_BE_DONE), messages.TAKES(seconds=self.total_seconds))
        yield from self.commands(services)

    def consequences(self, services: Services) -> Iterator[ui.Block]:
        """Yield the drives, the losses or risks, the limits of undo, and notes."""
        yield ui.para(ui.strong(self.title))
        yield from (ui.para(who(drive)) for drive in self.drives)
        yield ui.GAP
        if self.unread:
            yield ui.para(ui.warn(messages.READ_FIRST))
        yield self.banner(services, final=bool(self.word(services)))
        yield ui.GAP
        yield from self.panes(services)[1].blocks


AnyJob = Job[RunDocument]
