"""A plan as a job."""

from collections.abc import Sequence
from pathlib import Path

from wizard.apply.run.journal import RunState
from wizard.host.services import Services
from wizard.model.run import JournalEntry
from wizard.model.said import Sentence, t
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import mirror_note
from wizard.plan.text import background_work, brief, danger_of, free_used, inside_sentences
from wizard.plan.undo_policy import WORD, UndoSpace, losses, lost_when, needs_word, promise, shows_nothing
from wizard.ui import view as ui
from wizard.ui.components.drive_bars import plan_bars
from wizard.ui.components.reasons import command_blocks
from wizard.ui.jobs.job import Job, RunOutcome

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

    def __init__(self, services: Services, plan: Plan) -> None:
        super().__init__(services, plan)
        self._unknown: tuple[str, ...] = ()
        self.lost: tuple[ui.Text, ...] = tuple(losses(plan))
        self.title = _named(plan)(what=plan.part_path or ", ".join(plan.devices))
        self.bars = plan_bars(plan)
        self.brief = (*brief(plan), *inside_sentences(plan))
        self.seconds = tuple(step.seconds for step in plan.steps)
        self.places = tuple(mount.mount_point for mount in plan.mounts)
        self.takes_passphrase, self.unread = plan.takes_passphrase, bool(plan.unread)
        parts = [t("the table and its alignment")] if plan.tables else []
        parts += [t("the filesystems")] if plan.filesystems else []
        parts += [t("the mounts")] if plan.mounts else []
        self.checked = t("As planned: {parts:and}.", parts=tuple(parts)) if parts else ""

    @property
    def keeps_all(self) -> bool:
        """True if no contents are lost. Current contents of whole drives are unknown."""
        return bool(self.document.part or self.document.only_table) and not self.lost

    @property
    def _direct(self) -> str:
        return self.services.why_direct(self.document)

    def banner(self, *, final: bool) -> ui.Banner:
        if not self.lost:
            return super().banner(final=final)
        return ui.Banner(self._lost_when(), self.lost, ui.Tone.DANGER)

    def _lost_when(self) -> ui.Text:
        """Name the lost partitions. They are deleted when kept, or when applied."""
        later = not self.keep and bool(lost_when(self.document, self._direct))
        lost = [
            slot for member in self.document.members for slot in member.before.partitions if not slot.kept
        ]
        if not lost or self.document.only_table:
            return t("Deleted when you choose Keep") if later else t("Deleted when applied")
        if len(lost) > MOST_NAMES:
            names: tuple[ui.Text, ...] = (t("{count} partitions", count=len(lost)),)
        else:
            names = tuple(
                slot.label or slot.name or t("Partition {number}", number=slot.number) for slot in lost
            )
        if later:
            return t("{names:and} will be deleted when you choose Keep", names=names)
        return t("{names:and} will be deleted", names=names)

    @property
    def verb(self) -> ui.Text:
        if not self.lost:
            return super().verb
        return t("delete and set up") if self.document.volumes else t("overwrite and apply")

    def undo_texts(self) -> tuple[ui.Text, ...]:
        """Describe undo, after the risks of a stripe."""
        danger = danger_of(self.document) or mirror_note(self.document)
        if self.restores_nothing():
            said: tuple[ui.Text, ...] = (t("No old contents to restore, so the result is used right away."),)
        elif not self._direct and not self.keep:
            said = (t("Undo restores the old contents until you choose Keep."),)
            said += (t("Keep asks for the passphrase."),) if self.takes_passphrase else ()
        else:
            said = (promise(self.document, self._direct, keep=self.keep),)
        return (*((danger,) if danger else ()), *free_used(self.document), *said)

    def restores_nothing(self) -> bool:
        """Return True if undo has no contents to restore: no signatures and no unknown data."""
        return not (self._unknown or self._direct) and shows_nothing(self.document)

    def commands(self) -> tuple[ui.Block, ...]:
        plan = self.document.described_as_direct(self._direct)
        steps = (plan.described_as_kept() if self.keep else plan).steps
        said: tuple[ui.Text, ...] = (*inside_sentences(plan), *background_work(plan))
        return (*map(ui.para, said), *command_blocks(steps))

    def word(self) -> str:
        return WORD if needs_word(self.document, self._direct) else ""

    def rehearses(self) -> bool:
        return self.services.rehearses(self.document)

    def room(self) -> UndoSpace:
        """Return the space needed for undo, measured by a rehearsal if possible. The rehearsal may find
        unknown data that will be lost."""
        room = self.services.undo_space(self.document)
        self._unknown = room.lost
        self.lost = (*losses(self.document), *room.lost)
        return room

    def stop_means(self) -> ui.Text:
        """Describe the effect of stopping, which ends a direct run."""
        if self._direct:
            return t("The current step finishes first. Then the run is over: set up the drive again.")
        return super().stop_means()

    def outcome(self, run: Path, state: RunState, entries: Sequence[JournalEntry]) -> RunOutcome:
        from wizard.apply.plan.run_summary import decision_of, headline, result_sentence, undo_sentence

        phase = self.services.runs.status(run).phase
        head = headline(self.document, state)
        sentence = result_sentence(self.document, state, phase)
        rest = sentence.removeprefix(" ".join(map(str, head))).strip()
        first: ui.Text = head[0] if head else rest
        detail: tuple[ui.Text, ...] = (*head[1:], rest) if head else ()
        more: tuple[ui.Text, ...] = ()
        if state.value not in ("waiting", "kept"):
            more = (undo_sentence(self.document, run, state, entries, phase),)
        if state.value in ("done", "kept"):
            more += background_work(self.document)
        banner = ui.Banner(
            first, tuple(text for text in detail if text), TONES.get(state.value, ui.Tone.WARN)
        )
        return RunOutcome(banner, more, decision_of(self.document, state))
