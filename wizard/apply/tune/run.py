"""What the detached process does with changes: guard, steps in order, verify; and taking them back. All of it
is in the journal."""

from collections.abc import Set
from pathlib import Path

from wizard.apply.run.journal import Journal, RunState, begun_steps, done_steps, read_entries, state
from wizard.apply.run.process import STOP, UNDOING
from wizard.apply.run.runs import called, load_environment
from wizard.apply.run.telling import how_far
from wizard.apply.run.vault import mark_durably
from wizard.apply.run.words import NOTHING_WRITTEN
from wizard.apply.tune.current_value import standing
from wizard.apply.tune.guard import (
    LOST_AT_RESTART,
    check_new,
    check_own,
    check_standing,
    device_fault,
    is_powered_off,
    refusal,
)
from wizard.apply.tune.how import How
from wizard.apply.tune.of_run import load_changes
from wizard.apply.tune.ready import ready_said
from wizard.apply.tune.steps import TuningSite, make_change, take_back
from wizard.filesystems.registry import KINDS
from wizard.layout.changes.steps_of import stays
from wizard.model.documents.changes import (
    Changes,
    EditFstab,
    GrowMounted,
    SwitchOff,
    SwitchOnTimer,
    WriteRules,
)
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.journal import Event
from wizard.model.said import Said, Sentence, in_a_row, t, tn

CANNOT_GO_ON = Sentence("The run {run} cannot go on: {fault}.")


def make_changes(run: Path, journal: Journal, drive_locks: tuple[int, ...]) -> tuple[Event, Said]:
    """Carry changes out from the first that is not made: how the run ended. Raises DiskwrightError."""
    changes, environment = load_changes(run), load_environment(run)
    entries = read_entries(run)
    begun, done = begun_steps(entries), done_steps(entries)
    check_own(changes, environment)
    try:
        if begun:
            check_goes_on(run, changes)
        else:
            check_new(changes)
    except (BadInput, Failed) as error:
        raise Refused(str(error)) from None
    for number, step in enumerate(changes.steps, 1):
        if number in done and not isinstance(step.operation, LOST_AT_RESTART):
            continue
        if (run / STOP).exists():
            return Event.STOPPED, t(
                "Stopped before step {step} as asked. {far}", step=number, far=far(run, changes)
            )
        if not _is_off(changes, begun) and (fault := device_fault(changes)):
            raise Refused(refusal(CANNOT_GO_ON(run=run.name, fault=fault)))
        journal.add(Event.STEP_STARTED, step.sentence, step=number)
        try:
            said = make_change(
                step.operation, TuningSite(changes, number, run.name, environment, journal, drive_locks)
            )
        except (DiskwrightError, OSError) as error:
            journal.add(Event.STEP_FAILED, str(error), step=number)
            return Event.FAILED, t(
                "Step {step} of {steps} failed: {error} {far}",
                step=number,
                steps=len(changes.steps),
                error=str(error),
                far=far(run, changes),
            )
        journal.add(Event.STEP_DONE, str(said), step=number)
    return _verified(run, changes, journal)


def check_goes_on(run: Path, changes: Changes) -> None:
    """Raises Refused unless a run that was begun may go on: not undone, the same filesystem, and everything
    as the run left it."""
    if (run / UNDOING).exists():
        raise Refused(
            t(
                "The run {run} was being undone: it cannot go on. Run `diskwright undo "
                "{name}` to finish that.",
                run=run.name,
                name=called(run),
            )
        )
    if _is_off(changes, begun_steps(read_entries(run))):
        return
    if fault := device_fault(changes):
        raise Refused(refusal(CANNOT_GO_ON(run=run.name, fault=fault)))
    entries = read_entries(run)
    check_standing(changes, begun_steps(entries), done_steps(entries))


def _is_off(changes: Changes, begun: Set[int]) -> bool:
    """Whether the drive is gone because the last step powers it off, and was begun."""
    return len(changes.steps) in begun and is_powered_off(changes)


def _verified(run: Path, changes: Changes, journal: Journal) -> tuple[Event, Said]:
    failed = 0
    for step in changes.steps:
        try:
            found = standing(step.operation, changes.drive)
            holds, seen = found.how is How.AFTER, str(found.seen)
        except (BadInput, Failed) as error:
            holds, seen = False, str(error)
        journal.add(
            Event.VERIFIED if holds else Event.NOT_VERIFIED, " ".join(step.holds).rstrip("."), output=seen
        )
        failed += not holds
    if failed:
        return Event.FAILED, tn(
            "Every step was done, but 1 check does not hold.",
            "Every step was done, but {count} checks do not hold.",
            count=failed,
        )
    if isinstance(changes.wanted, SwitchOff):
        return Event.DONE, t("{device} is powered off: it can be unplugged.", device=changes.device)
    if any(stays(step.operation) for step in changes.steps):
        return Event.DONE, t(
            "{device} has grown as shown; every check holds. There is no way back.", device=changes.device
        )
    changed = t(
        "{device} is changed exactly as shown; every check holds. `diskwright undo {run}` undoes it.",
        device=changes.device,
        run=called(run),
    )
    return Event.DONE, in_a_row(*ready_said(changes), changed)


def far(run: Path, changes: Changes) -> Said | str:
    """Report which steps are done."""
    try:
        entries = read_entries(run)
    except BadInput as error:
        return str(error)
    said = how_far(done_steps(entries), len(changes.steps))
    return said if begun_steps(entries) else in_a_row(said, NOTHING_WRITTEN)


def check_takes_back(run: Path) -> None:
    """Raises Refused where there is nothing to take back."""
    if state(run) is RunState.UNDONE:
        raise Refused(t("The run {run} is undone already.", run=run.name))
    if not begun_steps(read_entries(run)):
        raise Refused(t("The run {run} wrote nothing, so there is nothing to undo.", run=run.name))
    if state(run) is RunState.DONE:
        for step in load_changes(run).steps:
            if isinstance(step.operation, GrowMounted) and stays(step.operation):
                title = KINDS[step.operation.filesystem].title
                raise Refused(
                    t(
                        "The run {run} cannot be undone: {title} does not shrink while it is mounted.",
                        run=run.name,
                        title=title,
                    )
                )


def take_all_back(run: Path, journal: Journal, drive_locks: tuple[int, ...]) -> tuple[Event, Said]:
    """Take back what was changed, the last change first: how that ended. Raises DiskwrightError.

    Files go back also where the drive is gone; what is the drive's own waits for it.
    """
    check_takes_back(run)
    changes, environment = load_changes(run), load_environment(run)
    begun = begun_steps(read_entries(run))
    check_own(changes, environment)
    mark_durably(run / UNDOING)
    said = []
    fault: Said | str | None = None
    for number in sorted(begun, reverse=True):
        operation = changes.steps[number - 1].operation
        fault = fault or device_fault(changes)
        if fault is not None and not isinstance(operation, EditFstab | WriteRules | SwitchOnTimer):
            continue
        said.append(
            take_back(operation, TuningSite(changes, number, run.name, environment, journal, drive_locks))
        )
        journal.add(Event.COMMAND, str(said[-1]), step=number)
    if fault is not None:
        raise Failed(
            t(
                "{said:row} What is the drive's own could not be undone: {fault}.",
                said=tuple(said),
                fault=fault,
            )
        )
    return Event.UNDONE, in_a_row(*said)
