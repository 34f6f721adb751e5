"""A plan as a job."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.model.said import Sentence, t
from wizard.operations.mounts import Mount
from wizard.plan.plan import Plan
from wizard.plan.preview import danger_of
from wizard.plan.steps.render import described_as_direct
from wizard.plan.text import background_work, brief, inside_sentences
from wizard.plan.undo_policy import WORD, losses, lost_when, needs_word, promise, shows_nothing
from wizard.ui.components.drive_rows import plan_bars
from wizard.ui.components.reasons import command_blocks
from wizard.ui.jobs import of_changes
from wizard.ui.jobs.of_changes import Job, RunOutcome
from wizard.ui.view import Banner, Bar, Block, Text, Tone

if TYPE_CHECKING:
    from wizard.apply.run.journal import RunState
    from wizard.host.services import Services
    from wizard.model.ext import JournalEntry
    from wizard.model.geometry import Identity
    from wizard.plan.request.volume_request import VolumeSpec
    from wizard.plan.undo_policy import UndoSpace

WAITS = t("After writing, you decide: keep the result, or undo and restore the old contents.")

TONES = {
    "done": Tone.GOOD,
    "kept": Tone.GOOD,
    "waiting": Tone.GOOD,
    "undone": Tone.GOOD,
    "failed": Tone.DANGER,
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


class PlanJob(Job):
    """Job that sets up drives or changes one partition.

    `specs` are the requested volumes, used for reasons.
    """

    def __init__(self, plan: Plan, specs: tuple[VolumeSpec, ...] = ()) -> None:
        self.plan, self.specs = plan, specs
        self._unknown: tuple[str, ...] = ()
        what = plan.part_path or ", ".join(plan.paths)
        self.title = _named(plan)(what=what)

    @property
    def drives(self) -> tuple[Identity, ...]:
        """All drives of the plan."""
        return tuple(member.drive for member in self.plan.members)

    def lost(self) -> tuple[Text, ...]:
        """Return the losses of the plan and any unknown data found by the rehearsal."""
        return (*losses(self.plan), *self._unknown)

    @property
    def keeps_all(self) -> bool:
        """True if no contents are lost. Current contents of whole drives are unknown."""
        return bool(self.plan.part or self.plan.only_table) and not self.lost()

    def lost_when(self, services: Services) -> Text:
        """Return the heading: deleted at keep, or when applied."""
        return (
            t("Deleted when you choose Keep")
            if lost_when(self.plan, services.why_direct(self.plan))
            else of_changes.LOST_NOW
        )

    def undo_texts(self, services: Services) -> tuple[Text, ...]:
        """Describe undo, after the risks of a stripe."""
        direct = services.why_direct(self.plan)
        danger = danger_of(self.plan)
        if self.restores_nothing(services):
            said: tuple[Text, ...] = (t("No old contents to restore, so the result is used right away."),)
        elif not direct:
            said = (WAITS, t("Keep asks for the passphrase.")) if self.plan.takes_passphrase else (WAITS,)
        else:
            said = (promise(self.plan, direct),)
        return (*((danger,) if danger else ()), *inside_sentences(self.plan), *said)

    def restores_nothing(self, services: Services) -> bool:
        """Return True if undo has no contents to restore: no signatures and no unknown data."""
        return not (self._unknown or services.why_direct(self.plan)) and shows_nothing(self.plan)

    @property
    def doubts(self) -> tuple[Text, ...]:
        """The plan's doubts."""
        return self.plan.doubts

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Layouts of every drive."""
        return plan_bars(self.plan)

    @property
    def sentences(self) -> tuple[Text, ...]:
        """The steps of the plan."""
        return tuple(step.sentence for step in self.plan.steps)

    @property
    def brief(self) -> tuple[Text, ...]:
        """The steps without preparations."""
        return (*brief(self.plan), *background_work(self.plan))

    @property
    def seconds(self) -> tuple[float, ...]:
        """Estimated duration of each step, in seconds."""
        return tuple(step.seconds for step in self.plan.steps)

    def commands(self, services: Services) -> tuple[Block, ...]:
        """Return the commands to apply and undo the plan, on the drive itself without a scratch copy."""
        return command_blocks(described_as_direct(self.plan, services.why_direct(self.plan)).steps)

    def word(self, services: Services) -> str:
        """Return the confirmation word if undo is impossible."""
        return WORD if needs_word(self.plan, services.why_direct(self.plan)) else ""

    @property
    def takes_passphrase(self) -> bool:
        """True if the plan creates encrypted volumes."""
        return self.plan.takes_passphrase

    @property
    def unread(self) -> bool:
        """True if the plan includes an unread drive."""
        return bool(self.plan.unread)

    def rehearses(self, services: Services) -> bool:
        """Return True if the plan can be rehearsed."""
        return services.rehearses(self.plan)

    def room(self, services: Services) -> UndoSpace:
        """Return the space needed for undo, measured by a rehearsal if possible."""
        room = services.undo_space(self.plan)
        self._unknown = room.lost
        return room

    def document(self) -> tuple[str, str]:
        """Return the plan as a file for `diskwright apply`."""
        from wizard.plan.check import render_plan

        return render_plan(self.plan), f"{Path(self.plan.drive.path).name}-plan.json"

    def command(self, services: Services, file: str) -> str:
        """Return the command with the tokens of all drives."""
        from wizard.apply.plan.run_summary import confirmation

        options = confirmation(self.plan, services.why_direct(self.plan))
        return str(of_changes.APPLY_COMMAND(file=shlex.quote(file), options=options))

    def start(self, services: Services, tokens: Sequence[str], secret: bytes | None) -> Path:
        """Start the plan."""
        return services.start(self.plan, tokens, secret)

    def stop_means(self, services: Services) -> Text:
        """Describe the effect of stopping, which ends a direct run."""
        if services.why_direct(self.plan):
            return t("The current step finishes first. Then the run is over: set up the drive again.")
        return super().stop_means(services)

    @property
    def places(self) -> tuple[str, ...]:
        """Mount points of the volumes."""
        return tuple(one.operation.mount_point for one in self.plan.steps if isinstance(one.operation, Mount))

    def outcome(
        self, services: Services, run: Path, state: RunState, entries: Sequence[JournalEntry]
    ) -> RunOutcome:
        """Return headline, state and next steps."""
        from wizard.apply.plan.run_summary import decision_of, headline, result_sentence, undo_sentence

        phase = services.phase(run)
        head = headline(self.plan, state)
        sentence = result_sentence(self.plan, state, phase)
        rest = sentence.removeprefix(" ".join(map(str, head))).strip()
        first: Text = head[0] if head else rest
        detail: tuple[Text, ...] = (*head[1:], rest) if head else ()
        more = () if state.value == "waiting" else (undo_sentence(self.plan, run, state, entries, phase),)
        banner = Banner(first, tuple(text for text in detail if text), TONES.get(state.value, Tone.WARN))
        return RunOutcome(banner, more, decision_of(self.plan, state))
