"""A document as Review and Work show it, whatever its kind. A plan as a job."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.run.job import NextCommands
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import Purpose
from wizard.host.services import Services
from wizard.model.run import JournalEntry
from wizard.model.said import Sentence, join, t, tn
from wizard.operations.operation import NO_UNDO
from wizard.plan import text as plan_text
from wizard.plan.changes import RunDocument
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import mirror_note
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_bars import plan_bars
from wizard.ui.components.drive_rows import who
from wizard.ui.components.reasons import command_blocks

WILL_BE_DONE = t("What will be done")
D = TypeVar("D", bound=RunDocument, covariant=True)


class RunOutcome(Struct, frozen=True):
    """State of an inactive run: the main result, details, and the ways to settle it: keep, undo or both."""

    banner: ui.Banner
    more: ui.Texts
    ways: tuple[Purpose, ...]


class Job(Generic[D]):
    """A document to confirm and start. The job itself writes nothing.

    `keep`: the result is kept as soon as it is written. `brief` has the important steps, `bars` the layouts
    before and after if the layout changes, `places` the new mount points that can receive files. `back`
    is the text on undo, `risk` the remaining risk without losses. `keep_means` and `undo_means` are the
    effects of these commands. `checked` sums up the final checks; if empty, every check is listed. `unread`:
    a drive was not read, which prevents the start. `undoable`: undo is possible after a finished run.
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
    back: ui.Texts = ()
    risk: ui.Text = ""
    checked: ui.Text = ""
    keep_means: ui.Text = ""
    undo_means: ui.Text = t("The old state is restored and verified.")
    keep = takes_passphrase = unread = undoable = False

    def __init__(self, services: Services, document: D) -> None:
        self.services, self.document = services, document
        self.drives = document.drives
        self.brief: ui.Texts = document.sentences
        self.sentences = document.sentences
        self.doubts: ui.Texts = document.doubts

    @property
    def verb(self) -> ui.Text:
        """Label of the key that applies the job."""
        return t("apply")

    @property
    def keeps_all(self) -> bool:
        """True if the job is known to preserve all data, such as growing a partition."""
        return False

    def undo_texts(self) -> ui.Texts:
        """Describe how long undo is possible, and the effect of a power failure."""
        return self.back

    @property
    def total_seconds(self) -> float:
        """Estimated duration of the whole job, in seconds."""
        return sum(self.seconds) + self.read_seconds

    def commands(self) -> tuple[ui.Block, ...]:
        """Return every step with commands, undo and checks, if there are any."""
        return tuple(ui.para(f"{number}.", one, hang=3) for number, one in enumerate(self.sentences, 1))

    def word(self) -> str:
        """Return the extra word to type if undo is impossible, or an empty string."""
        return ""

    @property
    def restores_nothing(self) -> bool:
        """True if undo has neither signatures nor unknown data to restore."""
        return False

    def rehearses(self) -> bool:
        """Return True if `room` rehearses the job."""
        return False

    def room(self) -> plan_text.UndoSpace:
        """Return the space for undo. May be slow."""
        raise NotImplementedError

    def saved(self) -> tuple[str, str]:
        """Return the document as the text of a file, with a suggested name."""
        from wizard.apply.run.kinds import render_any

        return render_any(self.document), f"{Path(self.document.devices[0]).name}-{self.suffix}.json"

    def command(self, file: str) -> str:
        """Return the command that applies the saved document as root."""
        return f"sudo diskwright apply {shlex.quote(file)} {self.confirmation}"

    @property
    def confirmation(self) -> str:
        """Options that confirm the drives and, if undo is impossible, that the user knows."""
        from wizard.apply.plan.run_summary import as_options

        return as_options((*self.document.tokens, *filter(None, (self.word(),))))

    def stop_means(self) -> ui.Text:
        """Describe the effect of stopping."""
        return t("The current step finishes first. Then you can go on or undo.")

    def power(self, told: str, working: int | None) -> ui.Text:
        """Describe the effect of a power failure during step `working`, counted from 1, of which the run
        reports `told`. Empty if unknown."""
        return told

    def outcome(
        self, run: Path, state: RunState, entries: Sequence[JournalEntry], commands: NextCommands
    ) -> RunOutcome:
        """Return the state of the run, on which `commands` work now, with these commands and the undo of a
        finished run if possible."""
        # No decision is needed then, although undo is possible.
        settled = state is RunState.DONE and commands == NextCommands()
        undo = Purpose.UNDO in commands.names or (settled and self.undoable)
        keep = Purpose.KEEP in commands.names
        banner, more = self.result(run, state, entries, undo=undo)
        ways = (Purpose.KEEP,) * keep + (Purpose.UNDO,) * undo
        return RunOutcome(banner, more, ways)

    def result(
        self, run: Path, state: RunState, entries: Sequence[JournalEntry], *, undo: bool
    ) -> tuple[ui.Banner, ui.Texts]:
        """Return the main result of the run, and details. `undo`: undo is possible."""
        raise NotImplementedError

    @property
    def changed(self) -> tuple[str, ...]:
        """Nodes to keep or undo."""
        return self.document.devices

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
        steps.append(ui.label(messages.TAKES(seconds=self.total_seconds)))
        back = [ui.para(said, hang=2) for said in self.undo_texts()]
        if doubts := (*self.doubts, *self.services.journal_doubts()):
            back += [ui.GAP, ui.label(messages.NOTES)]
            back += [ui.para("-", ui.warn(doubt)) for doubt in doubts]
        return ui.Pane(WILL_BE_DONE, tuple(steps)), ui.Pane(messages.FIRST(what=messages.UNDO), tuple(back))

    def page(self) -> ui.Blocks:
        """Yield the whole document as one text: drives, losses, layouts, undo, and every step with its
        commands."""
        yield from self.consequences()
        if self.bars:
            yield ui.GAP
            yield from self.bars
        yield ui.GAP
        yield ui.heading(WILL_BE_DONE, messages.TAKES(seconds=self.total_seconds))
        yield from self.commands()

    def consequences(self) -> ui.Blocks:
        """Yield the drives, the losses or risks, the limits of undo, and notes."""
        yield ui.heading(self.title)
        yield from (ui.para(who(drive)) for drive in self.drives)
        yield ui.GAP
        if self.unread:
            yield ui.warning(messages.READ_FIRST)
        yield self.banner(final=bool(self.word()))
        yield ui.GAP
        yield from self.panes()[1].blocks


AnyJob = Job[RunDocument]

MOST_NAMES = 3
"""Most partitions to name in a headline."""

TONES = {
    "done": ui.Tone.GOOD,
    "kept": ui.Tone.GOOD,
    "waiting": ui.Tone.GOOD,
    "undone": ui.Tone.GOOD,
    "failed": ui.Tone.DANGER,
}


def _named(plan: Plan) -> Sentence:
    if not plan.part:
        return Sentence("Write back the table of {what}") if plan.only_table else Sentence("Set up {what}")
    if plan.volumes:
        return Sentence("Format {what}")
    sizes = [
        next((slot.size_bytes for slot in layout.partitions if slot.number == plan.part), 0)
        for layout in (plan.before, plan.after)
    ]
    if not sizes[1]:
        return Sentence("Delete {what}")
    return Sentence("Grow {what}") if sizes[1] > sizes[0] else Sentence("Shrink {what}")


class PlanJob(Job[Plan]):
    """Job that sets up drives or changes one partition. `lost` has a sentence for each loss."""

    suffix = "plan"

    def __init__(self, services: Services, plan: Plan, *, writers: bool = True) -> None:
        super().__init__(services, plan)
        self._unknown: ui.Texts = ()
        self.lost: ui.Texts = tuple(plan_text.losses(plan))
        self.risk = plan_text.danger_of(plan) or ""
        self.title = _named(plan)(what=plan.part_path or ", ".join(plan.devices))
        self.bars = plan_bars(plan)
        self.brief = (*plan_text.brief(plan), *plan_text.inside_sentences(plan, writers=writers))
        self.seconds = tuple(step.seconds for step in plan.steps)
        self.places = tuple(mount.mount_point for mount in plan.mounts)
        self.takes_passphrase, self.unread = plan.takes_passphrase, bool(plan.unread)
        if plan.tables or plan.filesystems or plan.mounts:
            self.checked = t("Everything is as planned.")
        used = (t("The result is mounted at {places:and}.", places=self.places),) if self.places else ()
        final = t("Undo is then no longer possible.")
        if any(step.destroys for step in plan.steps):
            final = t("The old contents of {drives:and} are then lost for good.", drives=plan.devices)
        self.keep_means = join(*used, final)
        self.undo_means = t(
            "The old contents of {drives:and} are restored bit for bit and compared. The new contents are "
            "lost.",
            drives=plan.devices,
        )

    @property
    def keeps_all(self) -> bool:
        """True if no contents are lost. Current contents of whole drives are unknown."""
        return bool(self.document.part or self.document.only_table) and not self.lost

    @property
    def changed(self) -> tuple[str, ...]:
        return (self.document.part_path,) if self.document.part else super().changed

    @property
    def _direct(self) -> str:
        return self.services.why_direct(self.document)

    @property
    def restores_nothing(self) -> bool:
        return not (self._unknown or self._direct) and plan_text.shows_nothing(self.document)

    def banner(self, *, final: bool) -> ui.Banner:
        if not self.lost:
            kept = self.document.volumes and any(one.before.partitions for one in self.document.members)
            detail = (t("All existing partitions are preserved, byte for byte."),) if kept else ()
            return replace(super().banner(final=final), detail=detail)
        # Partitions are deleted when kept, or when applied.
        later = not (self.keep or self.document.direct_reason or self._direct)
        lost = [slot for member in self.document.members for slot in member.before.changed]
        names = tuple(slot.label or slot.name or t("Partition {number}", number=slot.number) for slot in lost)
        if len(lost) > MOST_NAMES:
            names = (tn("1 partition", "{count} partitions", count=len(lost)),)
        if not lost or self.document.only_table:
            said = t("Deleted when you choose Keep") if later else t("Deleted when applied")
        elif later:
            said = t("{names:and} will be deleted when you choose Keep", names=names)
        else:
            said = t("{names:and} will be deleted", names=names)
        return ui.Banner(said, (*self.lost, *((self.risk,) if self.risk else ())), ui.Tone.DANGER)

    @property
    def verb(self) -> ui.Text:
        if not self.lost:
            return super().verb
        return t("delete and set up") if self.document.volumes else t("overwrite and apply")

    def undo_texts(self) -> ui.Texts:
        note = mirror_note(self.document)
        if self.restores_nothing:
            said: ui.Texts = (t("No old contents to restore, so the result is used right away."),)
        elif not self._direct and not self.keep:
            said = (t("Undo restores the old contents until you choose Keep."),)
            said += (t("Keep asks for the passphrase."),) if self.takes_passphrase else ()
        else:
            said = (plan_text.promise(self.document, self._direct, keep=self.keep),)
        return (*((note,) if note else ()), *plan_text.free_used(self.document), *said)

    def commands(self) -> tuple[ui.Block, ...]:
        plan = self.document
        if self._direct:
            plan = plan.with_undo_text(NO_UNDO)
        elif self.keep:
            plan = plan.with_undo_text(t("The result is kept immediately and cannot be undone."))
        said: tuple[ui.Text, ...] = (*plan_text.inside_sentences(plan), *plan_text.background_work(plan))
        return (*map(ui.para, said), *command_blocks(plan.steps))

    def word(self) -> str:
        return plan_text.WORD if plan_text.needs_word(self.document, self._direct) else ""

    def rehearses(self) -> bool:
        return self.services.rehearses(self.document)

    def room(self) -> plan_text.UndoSpace:
        # The rehearsal may find unknown data that will be lost.
        room = self.services.undo_space(self.document)
        self._unknown = room.lost
        self.lost = (*plan_text.losses(self.document), *room.lost)
        return room

    def stop_means(self) -> ui.Text:
        if self._direct:
            return t("The current step finishes first. Then the run is over: set up the drive again.")
        return super().stop_means()

    def result(
        self, run: Path, state: RunState, entries: Sequence[JournalEntry], *, undo: bool
    ) -> tuple[ui.Banner, ui.Texts]:
        from wizard.apply.plan.run_summary import NO_LONGER, direct_end, results

        phase = self.services.runs.status(run).phase
        first, *detail = results(self.document, state, phase)
        more: ui.Texts = ()
        if state is RunState.DONE:
            more = (NO_LONGER if phase else direct_end(self.document, entries),)
        if state in (RunState.DONE, RunState.KEPT):
            more += plan_text.background_work(self.document)
        return ui.Banner(first, tuple(detail), TONES.get(state, ui.Tone.WARN)), more
