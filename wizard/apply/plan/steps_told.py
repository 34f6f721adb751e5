"""How a run ended, in words, the same on every face."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wizard.apply.engine.record import GOING_BACK, UNTOUCHED, Phase
from wizard.apply.migration.words import RESULT_RUNNING
from wizard.apply.plan.drive_digests import no_way_back
from wizard.apply.plan.words import told as words
from wizard.apply.run.decision import Choice, Decision, Settling
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import called
from wizard.apply.words import DELETED, GROWN, NOT_YET, READY, READY_UNMOUNTED, SEVERAL_READY
from wizard.layout.told.inside import volume_bytes
from wizard.layout.told.promise import WORD, wants_word
from wizard.layout.wishes.subvolumes import places_of
from wizard.layout.wishes.words import OPENED_TO_KEEP
from wizard.layout.words import who
from wizard.model.errors import ExitCode
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.model.plan import NO_PLACE, Mount, Plan
from wizard.model.said import Said, in_a_row, joined

RESULTS = {
    RunState.DONE: words.DONE,
    RunState.STOPPED: words.STOPPED,
    RunState.REFUSED: words.REFUSED,
    RunState.INTERRUPTED: words.INTERRUPTED,
    RunState.UNDONE: words.UNDONE,
    RunState.KEPT: words.KEPT,
}
"""What is said of a drive, or of several, in each state, behind the headline of the run."""

ALIKE = {RunState.FAILED: words.FAILED, RunState.RUNNING: RESULT_RUNNING}
"""What is said however many drives there are."""


SETTLED = frozenset({RunState.DONE, RunState.KEPT, RunState.WAITING, RunState.UNDONE})
"""All steps were carried out, or all was put back: there is nothing to be told of single steps."""


def headline(plan: Plan, state: RunState) -> tuple[Said, ...]:
    """What matters most of how a run ended: how much is ready where, for whom, or that it is not in use yet;
    nothing where it came to no such end."""
    if state is RunState.WAITING:
        return (NOT_YET(),)
    if state not in (RunState.DONE, RunState.KEPT):
        return ()
    if not plan.volumes:
        left = next((slot for slot in plan.after.partitions if slot.number == plan.part), None)
        return (GROWN(part=plan.part_path, size=left.size_bytes) if left else DELETED(part=plan.part_path),)
    used = [(volume, places_of(volume.mount_point, volume.subvolumes)) for volume in plan.volumes]
    ready = tuple(
        READY(
            size=volume_bytes(plan, at) or 0,
            places=tuple(printable(place, 200) for place in places),
            who=who(volume.writer),
        )
        for at, (volume, places) in enumerate(used)
        if places and NO_PLACE not in places
    )
    if ready:
        return ready
    if len(plan.volumes) > 1:
        return (SEVERAL_READY(volumes=len(plan.volumes), drives=plan.paths),)
    return (READY_UNMOUNTED(size=volume_bytes(plan, 0) or 0, device=plan.volumes[0].path),)


def result_sentence(plan: Plan, state: RunState, phase: Phase | None = None) -> str:
    """How the run ended; `phase` is how far a rehearsed one is, None for one whose steps ran on the drive
    directly."""
    return joined((*headline(plan, state), *_result(plan, state, phase)))


def _result(plan: Plan, state: RunState, phase: Phase | None) -> Iterator[Said]:
    drives = len(plan.members)
    if phase is not None and (said := _rehearsed_result(state, phase, drives)):
        yield said
    elif state in ALIKE:
        yield ALIKE[state]()
    elif state in RESULTS:
        yield RESULTS[state](count=drives)


def _rehearsed_result(state: RunState, phase: Phase, drives: int) -> Said | None:
    """What `RESULTS` cannot say of a rehearsed run; None where it can."""
    if state is RunState.UNDONE:
        return words.UNDONE_WHOLE()
    if state not in EARLY:
        return None
    ended = EARLY[state]()
    if phase in UNTOUCHED:
        return words.BEFORE_WRITING(ended=ended, count=drives)
    if phase in GOING_BACK:
        return words.WHILE_GOING_BACK(ended=ended, count=drives)
    if phase in (Phase.RELEASED, Phase.KEPT):
        return words.WHILE_PUT_TO_USE(ended=ended, count=drives)
    return words.WHILE_WRITING(ended=ended, count=drives)


EARLY = {
    RunState.FAILED: words.EARLY_FAILED,
    RunState.STOPPED: words.EARLY_STOPPED,
    RunState.REFUSED: words.EARLY_REFUSED,
    RunState.INTERRUPTED: words.EARLY_INTERRUPTED,
}
"""How a sentence begins on a run that did not come to its end."""


def undo_sentence(
    plan: Plan, run: Path, state: RunState, entries: Sequence[Entry], phase: Phase | None = None
) -> str:
    """Whether the run can be undone, and by what; `phase` as in `result_sentence`."""
    return str(_undo_said(plan, run, state, entries, phase))


def _undo_said(plan: Plan, run: Path, state: RunState, entries: Sequence[Entry], phase: Phase | None) -> Said:
    begun = frozenset(entry.step for entry in entries if entry.event is Event.STEP_STARTED)
    if phase is Phase.UNDONE or phase in UNTOUCHED:
        return words.NOTHING_TO_UNDO()
    if phase is Phase.KEPT:
        return words.SAVED_DELETED()
    if phase is not None:
        return words.BACK_WHOLE(run=called(run))
    if state is RunState.REFUSED or not begun:
        return words.NOTHING_TO_UNDO()
    if final := no_way_back(plan, begun):
        lost = any(number in begun and step.destroys for number, step in enumerate(plan.steps, 1))
        return words.BEGUN_LOST(final=final) if lost else words.BEGUN(final=final)
    return words.BACK_TABLE(run=called(run))


def decision_of(plan: Plan, state: RunState) -> Decision:
    """What is left to a person about a run in this state, in the wizard that has begun it."""
    if state is not RunState.WAITING:
        return Decision()
    places = tuple(
        printable(step.operation.mount_point, 200) for step in plan.steps if isinstance(step.operation, Mount)
    )
    where = (plan.part_path,) if plan.part else plan.paths
    used = words.USED_AT(places=places) if places else words.USED()
    loses, drives = any(step.destroys for step in plan.steps), len(plan.members)
    kept = in_a_row(used, words.LOST_THEN(count=drives) if loses else words.NO_WAY_BACK())
    why_secret = str(OPENED_TO_KEEP()) if plan.takes_passphrase else ""
    keep = Choice(Settling.KEEP, str(words.KEEP_IT(drives=where)), str(kept), why_secret)
    undo = Choice(Settling.UNDO, str(words.UNDO_IT(drives=where)), str(words.PUT_BACK(count=drives)))
    return Decision((keep, undo))


def waiting_sentence(plan: Plan, name: str) -> Said:
    """What a run says that waits for a decision; `name` is how a command calls it."""
    return words.WAITING(drives=plan.paths, run=name)


def confirmation(plan: Plan, why_direct: str = "") -> str:
    """The options that confirm every drive of the plan, and where there is no way back that one knows it, as
    a shell reads them. `why_direct` is why no stand-in can be had, as a clause."""
    return as_options((*plan.tokens, WORD) if wants_word(plan, why_direct) else plan.tokens)


def as_options(words: Iterable[str]) -> str:
    """What confirms something, as options of a command."""
    return " ".join(f"--confirm {shlex.quote(printable(word))}" for word in words)


def exit_code_of(state: RunState) -> ExitCode:
    """How a wizard ends that began a run. One that is still at work goes on by itself."""
    ends = {
        RunState.RUNNING: ExitCode.DONE,
        RunState.DONE: ExitCode.DONE,
        RunState.UNDONE: ExitCode.DONE,
        RunState.KEPT: ExitCode.DONE,
        RunState.WAITING: ExitCode.DONE,
        RunState.REFUSED: ExitCode.REFUSED,
        RunState.STOPPED: ExitCode.INTERRUPTED,
        RunState.INTERRUPTED: ExitCode.INTERRUPTED,
    }
    return ends.get(state, ExitCode.FAILED)
