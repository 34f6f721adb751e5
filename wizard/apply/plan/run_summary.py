"""Summaries of a finished run, the same in all interfaces."""

import shlex
from collections.abc import Iterable, Sequence

from wizard.apply.engine import record
from wizard.apply.run import job, journal
from wizard.apply.run.journal import RunState
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.run.progress_log import how_far
from wizard.model.errors import ExitCode, printable, typed_word
from wizard.model.layout import NO_PLACE
from wizard.model.run import Event, JournalEntry
from wizard.model.said import Message, Sentence, join, t, tn
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import volume_sizes
from wizard.plan.request.volume_request import places_of

RESULTS = {
    RunState.DONE: Sentence("Set up as shown, and checked: {drives:and}."),
    RunState.UNDONE: Sentence(
        "The run was undone: the old contents of {drives:and} are restored bit for bit."
    ),
    RunState.KEPT: Sentence("Kept, and checked: {drives:and}. Undo is no longer possible."),
    RunState.RUNNING: Sentence("The run on {drives:and} is still in progress."),
}
"""The result of a run by state. Follows the headline."""

EARLY = {
    RunState.FAILED: Sentence("The run failed"),
    RunState.STOPPED: Sentence("The run stopped as requested"),
    RunState.REFUSED: Sentence("The run was refused"),
    RunState.INTERRUPTED: Sentence("The run was interrupted"),
}
"""How sentences start about unfinished runs."""

SETTLED = job.ENDED | {RunState.WAITING}
"""States in which the steps need not be listed: all are done or undone."""


def headline(plan: Plan, state: RunState) -> tuple[Message, ...]:
    """Return the most important results: sizes, places and writers of ready volumes, or that the result is
    not in use yet. Empty for runs that did not finish."""
    if state is RunState.WAITING:
        return (job.NOT_YET,)
    if state not in (RunState.DONE, RunState.KEPT):
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
        left = plan.after.partition(plan.part)
        return (
            t("{part} now has {size:size}, with all files.", part=plan.part_path, size=left.size_bytes)
            if left
            else t("{part} is deleted; the space is free.", part=plan.part_path),
        )
    used, sizes = [(volume, places_of(volume)) for volume in plan.volumes], volume_sizes(plan)
    ready = tuple(
        job.READY(
            size=sizes[at],
            places=tuple(places),
            who=volume.writer.shown,
        )
        for at, (volume, places) in enumerate(used)
        if places and NO_PLACE not in places
    )
    return ready or (
        t(
            "{size:size} ready on {devices:and}, not mounted.",
            size=sum(sizes.values()),
            devices=plan.devices if len(plan.volumes) > 1 else (plan.volumes[0].path,),
        ),
    )


def results(plan: Plan, state: RunState, phase: record.Phase | None = None) -> tuple[Message, ...]:
    """Summarise how the run ended. `phase` is the phase of a rehearsed plan, or None."""
    if state not in EARLY:
        # A waiting run has only a headline.
        result = RESULTS.get(state)
        return (*headline(plan, state), *((result(drives=plan.devices),) if result else ()))
    is_untouched = phase in record.UNTOUCHED if phase else state is RunState.REFUSED
    if is_untouched:
        result = Sentence("{ended} before the first write to {drives:and}.")
    elif phase is None:
        result = Sentence("{ended}. {drives:and} may be partly set up.")
    elif phase in record.GOING_BACK:
        result = Sentence("{ended} during undo. Finish the undo before you mount {drives:and}.")
    elif phase in (record.Phase.RELEASED, record.Phase.KEPT):
        result = Sentence("{ended} during keep. The contents shown are on {drives:and}.")
    else:
        result = Sentence("{ended} while writing. Finish or undo the run before you mount {drives:and}.")
    return (result(ended=EARLY[state](), drives=plan.devices),)


NO_LONGER = t("Undo is no longer possible: the result is in use, and the saved data was deleted.")
DIRECT = Sentence("The run {name} works directly on the drive, so it cannot be kept, undone or resumed.")


def direct_end(plan: Plan, entries: Sequence[JournalEntry]) -> Message:
    """Describe what can be done about a run that worked directly on the drives."""
    done = journal.done_steps(tuple(entries))
    if any(step.operation.writes and number not in done for number, step in enumerate(plan.steps, 1)):
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
    steps = len(plan.steps)
    if not begun:
        return join(how_far(done, steps), NOTHING_WRITTEN)
    number = max(begun)
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


def as_options(words: Iterable[str]) -> str:
    """Format words as `--confirm` options."""
    return " ".join(f"--confirm {shlex.quote(printable(word))}" for word in words)


def exit_code_of(state: RunState) -> ExitCode:
    """Return the wizard's exit code for a run in this state. A run in progress continues in the
    background."""
    ends = {
        RunState.REFUSED: ExitCode.REFUSED,
        RunState.FAILED: ExitCode.FAILED,
        RunState.STOPPED: ExitCode.INTERRUPTED,
        RunState.INTERRUPTED: ExitCode.INTERRUPTED,
    }
    return ends.get(state, ExitCode.DONE)
