"""Summaries of a finished run, the same in all interfaces."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase
from wizard.apply.run import job, journal
from wizard.apply.run.progress_log import Decision, DecisionChoice, Settling, how_far
from wizard.apply.run.runs import run_argument
from wizard.model.errors import ExitCode, printable, typed_word
from wizard.model.layout import NO_PLACE
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, Sentence, Sentences, join, joined, t, tn
from wizard.plan.plan import Plan
from wizard.plan.request.encryption import OPENED_TO_KEEP
from wizard.plan.request.subvolumes import places_of
from wizard.plan.steps import written_steps
from wizard.plan.text import volume_bytes
from wizard.plan.undo_policy import WORD, needs_word

NOTHING_TO_UNDO = t("Undo is not needed.")

RESULTS = {
    journal.RunState.DONE: Sentences(
        "The drive is set up as shown and was checked.",
        "The drives are set up as shown and were checked.",
    ),
    journal.RunState.STOPPED: Sentences(
        "The run stopped between two steps. The drive is partly set up.",
        "The run stopped between two steps. The drives are partly set up.",
    ),
    journal.RunState.REFUSED: Sentences(
        "The run was refused before the first write. The drive is unchanged.",
        "The run was refused before the first write. The drives are unchanged.",
    ),
    journal.RunState.INTERRUPTED: Sentences(
        "The run ended unfinished. The drive is partly set up.",
        "The run ended unfinished. The drives are partly set up.",
    ),
    journal.RunState.UNDONE: Sentences(
        "The run was undone: the old table and signatures are restored.",
        "The run was undone: the old tables and signatures are restored.",
    ),
    journal.RunState.KEPT: Sentences(
        "Kept: the drive is in use as planned and was checked. Undo is no longer possible.",
        "Kept: the drives are in use as planned and were checked. Undo is no longer possible.",
    ),
}
"""The result of a run by state, for one or several drives. Follows the headline."""

ALIKE = {
    journal.RunState.FAILED: Sentence("A step failed. Earlier steps are complete; later steps did not run."),
    journal.RunState.RUNNING: job.RESULT_RUNNING,
}
"""Results that do not depend on the number of drives."""


SETTLED = frozenset(
    {journal.RunState.DONE, journal.RunState.KEPT, journal.RunState.WAITING, journal.RunState.UNDONE}
)
"""States in which the steps need not be listed: all are done or undone."""


def headline(plan: Plan, state: journal.RunState) -> tuple[Message, ...]:
    """Return the most important results: sizes, places and writers of ready volumes, or that the result is
    not in use yet. Empty for runs that did not finish."""
    if state is journal.RunState.WAITING:
        return (job.NOT_YET,)
    if state not in (journal.RunState.DONE, journal.RunState.KEPT):
        return ()
    if plan.only_table and not plan.part:
        count = len(plan.after.partitions)
        return (
            tn(
                "{drive} has its table again, with {count} partition.",
                "{drive} has its table again, with {count} partitions.",
                drive=plan.drive.path,
                count=count,
            ),
        )
    if not plan.volumes:
        left = next((slot for slot in plan.after.partitions if slot.number == plan.part), None)
        return (
            t("{part} now has {size:size}, with all files.", part=plan.part_path, size=left.size_bytes)
            if left
            else t("{part} is deleted; the space is free.", part=plan.part_path),
        )
    used = [(volume, places_of(volume.mount_point, volume.subvolumes)) for volume in plan.volumes]
    ready = tuple(
        job.READY(
            size=volume_bytes(plan, at) or 0,
            places=tuple(places),
            who=volume.writer.shown,
        )
        for at, (volume, places) in enumerate(used)
        if places and NO_PLACE not in places
    )
    if ready:
        return ready
    if len(plan.volumes) > 1:
        return (
            t(
                "{volumes} volumes ready on {drives:and}, not mounted.",
                volumes=len(plan.volumes),
                drives=plan.devices,
            ),
        )
    return (
        t(
            "{size:size} ready on {device}, not mounted.",
            size=volume_bytes(plan, 0) or 0,
            device=plan.volumes[0].path,
        ),
    )


def result_sentence(plan: Plan, state: journal.RunState, phase: Phase | None = None) -> str:
    """Summarise how the run ended. `phase` is the phase of a rehearsed plan, or None."""
    return joined((*headline(plan, state), *_result(plan, state, phase)))


def _result(plan: Plan, state: journal.RunState, phase: Phase | None) -> Iterator[Message]:
    drives = len(plan.members)
    if phase is not None and (result := _rehearsed_result(state, phase, drives)):
        yield result
    elif state in ALIKE:
        yield ALIKE[state]()
    elif state in RESULTS:
        yield RESULTS[state](count=drives)


def _rehearsed_result(state: journal.RunState, phase: Phase, drives: int) -> Message | None:
    """Return the result of a rehearsed plan if it differs from `RESULTS`, or None."""
    if state is journal.RunState.UNDONE:
        return t("The run was undone: the old contents are restored bit for bit.")
    if state not in EARLY:
        return None
    ended = EARLY[state]()
    if phase in UNTOUCHED:
        return tn(
            "{ended} before the first write: only a scratch copy was used. The drive is unchanged.",
            "{ended} before the first write: only a scratch copy was used. The drives are unchanged.",
            ended=ended,
            count=drives,
        )
    if phase in GOING_BACK:
        return tn(
            "{ended} during undo. The drive cannot be mounted until the undo is finished.",
            "{ended} during undo. The drives cannot be mounted until the undo is finished.",
            ended=ended,
            count=drives,
        )
    if phase in (Phase.RELEASED, Phase.KEPT):
        return tn(
            "{ended} during keep. The drive has the contents shown.",
            "{ended} during keep. The drives have the contents shown.",
            ended=ended,
            count=drives,
        )
    return tn(
        "{ended} while writing the drive. The drive cannot be mounted until the run is finished or undone.",
        "{ended} while writing the drives. The drives cannot be mounted until the run is finished or undone.",
        ended=ended,
        count=drives,
    )


EARLY = {
    journal.RunState.FAILED: Sentence("The run failed"),
    journal.RunState.STOPPED: Sentence("The run stopped, as requested,"),
    journal.RunState.REFUSED: Sentence("The run was refused"),
    journal.RunState.INTERRUPTED: Sentence("The run was interrupted"),
}
"""How sentences start about unfinished runs."""


def undo_sentence(
    plan: Plan,
    run: Path,
    state: journal.RunState,
    entries: Sequence[JournalEntry],
    phase: Phase | None = None,
) -> str:
    """Describe if and how the run can be undone. `phase` is the phase of a rehearsed plan, or None."""
    return str(_undo_message(plan, run, state, entries, phase))


def _undo_message(
    plan: Plan, run: Path, state: journal.RunState, entries: Sequence[JournalEntry], phase: Phase | None
) -> Message:
    if phase is Phase.UNDONE or phase in UNTOUCHED:
        return NOTHING_TO_UNDO
    if phase is Phase.KEPT:
        return t("Undo is no longer possible: the result is in use, and the saved data was deleted.")
    if phase is not None:
        return t(
            "Undo: sudo diskwright undo {run} restores the old contents bit for bit.",
            run=run_argument(run),
        )
    return direct_end(plan, entries) if journal.begun_steps(tuple(entries)) else NOTHING_TO_UNDO


DIRECT = Sentence("The run {name} works directly on the drive, so it cannot be kept, undone or resumed.")


def direct_end(plan: Plan, entries: Sequence[JournalEntry]) -> Message:
    """Describe what can be done about a run that worked directly on the drives."""
    done = journal.done_steps(tuple(entries))
    if any(number not in done for number, _ in written_steps(plan)):
        return t(
            "The run cannot be undone or resumed. Set up {drives:list} again: `{command}`.",
            drives=plan.devices,
            command=" ".join(("diskwright plan", *map(typed_word, plan.devices), "--replace")),
        )
    if all(number in done for number, _ in enumerate(plan.steps, 1)):
        return t("The run cannot be undone.")
    return t("The run cannot be undone or resumed. The new volumes are complete but not all are in use.")


def direct_left(plan: Plan, entries: Sequence[JournalEntry]) -> Message | str:
    """Describe how far an ended run got directly on the drives, and what can be done."""
    begun, done = journal.begun_steps(tuple(entries)), journal.done_steps(tuple(entries))
    if not begun:
        return t("The run ended before the first step. The drive is unchanged.")
    number, steps = max(begun), len(plan.steps)
    failed = [entry for entry in entries if entry.event is Event.STEP_FAILED and entry.step == number]
    if failed:
        ended: Message | str = f"{job.STEP_FAILED(step=number, steps=steps)} {failed[-1].sentence}"
    elif number in done:
        ended = t("The run ended after step {step} of {steps}.", step=number, steps=steps)
    else:
        ended = t(
            "The run was interrupted in step {step} of {steps}: {doing}",
            step=number,
            steps=steps,
            doing=plan.steps[number - 1].sentence,
        )
    return f"{ended} {how_far(done, steps)} {direct_end(plan, entries)}"


def decision_of(plan: Plan, state: journal.RunState) -> Decision:
    """Return the user's choices for a run in this state, for the wizard that started it."""
    if state is not journal.RunState.WAITING:
        return Decision()
    places = tuple(mount.mount_point for mount in plan.mounts)
    where = (plan.part_path,) if plan.part else plan.devices
    used = (
        t("The result is mounted at {places:and}.", places=places)
        if places
        else t("The result can then be used.")
    )
    loses, drives = any(step.destroys for step in plan.steps), len(plan.members)
    kept = join(
        used,
        tn(
            "The drive's old contents are then lost for good.",
            "The drives' old contents are then lost for good.",
            count=drives,
        )
        if loses
        else t("Undo is then no longer possible."),
    )
    why_secret = str(OPENED_TO_KEEP) if plan.takes_passphrase else ""
    keep = DecisionChoice(
        Settling.KEEP, str(t("Keep the result on {drives:and}?", drives=where)), str(kept), why_secret
    )
    undo = DecisionChoice(
        Settling.UNDO,
        str(t("Undo the changes to {drives:and}?", drives=where)),
        str(
            tn(
                "The drive's old contents are restored bit for bit and compared. The new contents are lost.",
                "The drives' old contents are restored bit for bit and compared. The new contents are lost.",
                count=drives,
            )
        ),
    )
    return Decision((keep, undo))


def waiting_sentence(plan: Plan, name: str) -> Message:
    """Describe a waiting run. `name` is its name in commands."""
    return t(
        "Done, not in use yet: all data is on {drives:list}, written and read back. "
        "The result cannot be mounted until you decide. `diskwright keep {run}` "
        "accepts the result; `diskwright undo {run}` restores the old contents bit "
        "for bit.",
        drives=plan.devices,
        run=name,
    )


def confirmation(plan: Plan, why_direct: str = "") -> str:
    """Return the options that confirm the drives of a plan and, if undo is impossible, that the user knows.
    Quoted for the shell.

    `why_direct` is a clause on why scratch copies are impossible.
    """
    return as_options((*plan.tokens, WORD) if needs_word(plan, why_direct) else plan.tokens)


def as_options(words: Iterable[str]) -> str:
    """Format words as `--confirm` options."""
    return " ".join(f"--confirm {shlex.quote(printable(word))}" for word in words)


def exit_code_of(state: journal.RunState) -> ExitCode:
    """Return the wizard's exit code for a run in this state. A run in progress continues in the
    background."""
    ends = {
        journal.RunState.RUNNING: ExitCode.DONE,
        journal.RunState.DONE: ExitCode.DONE,
        journal.RunState.UNDONE: ExitCode.DONE,
        journal.RunState.KEPT: ExitCode.DONE,
        journal.RunState.WAITING: ExitCode.DONE,
        journal.RunState.REFUSED: ExitCode.REFUSED,
        journal.RunState.STOPPED: ExitCode.INTERRUPTED,
        journal.RunState.INTERRUPTED: ExitCode.INTERRUPTED,
    }
    return ends.get(state, ExitCode.FAILED)
