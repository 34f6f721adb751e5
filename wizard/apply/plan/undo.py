"""Putting back what a run saved, byte for byte, as long as no filesystem was begun; and proving that it is
back."""

import os
from collections.abc import Mapping
from pathlib import Path

from wizard.apply.block.devices import forget_caches, read_bytes, tell_kernel, write_bytes
from wizard.apply.block.extents import without
from wizard.apply.engine.exchange import mark_over_changes
from wizard.apply.plan import drive_digests, rehearsed
from wizard.apply.plan.drive_digests import no_way_back
from wizard.apply.plan.guard import NOTHING_WRITTEN, check_operations, check_root, check_unused, plain
from wizard.apply.plan.resume import (
    UNDOING,
    begun_steps,
    check_made,
    check_on_array,
    done_steps,
    own_drives,
    quietly,
)
from wizard.apply.plan.start import begin, lock_all, named
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.run.journal import Journal, RunState, follow, read_entries, state
from wizard.apply.run.lock import lock_run, unlock
from wizard.apply.run.process import Purpose
from wizard.apply.run.runs import called, check_owner, load_environment, load_plan
from wizard.apply.run.vault import Saved, Vault, mark_durably, write_durably
from wizard.apply.steps.layers import bring_back, check_apart, own_uses, take_apart
from wizard.apply.system import fstab
from wizard.apply.system.crypttab import take_from_crypttab
from wizard.apply.system.edited_file import kept_as
from wizard.apply.table.compare import kernel_differences
from wizard.layout.planner import layout_of
from wizard.model.encryption import AddCrypttabLine
from wizard.model.errors import DiskwrightError, Failed, Refused
from wizard.model.journal import Event
from wizard.model.machine import Extent
from wizard.model.plan import AddFstabLine, Member, Plan
from wizard.probe.machine import probe_drive


def undo_run(run: Path, *, over_changes: bool = False) -> None:
    """Put back what the run changed, and return when that is proven. Raises Refused where it cannot be,
    Failed where it did not work.

    With `over_changes` also over what another program wrote to the drive since.

    A detached process does it, so that a closed terminal leaves nothing half put back.
    """
    check_root()
    check_owner(run)
    run_lock = lock_run(run)
    try:
        plan = load_plan(run)
        is_rehearsed = rehearsed.is_rehearsed(run)
        if is_rehearsed:
            rehearsed.check_takes_back(run)
            mark_over_changes(run, over_changes)
        elif over_changes:
            raise Refused(
                f"The run {run.name} wrote to the drive directly: it is not undone over what changed since. "
                f"{NOTHING_WRITTEN}"
            )
        else:
            check_undoable(run, plan)
        drive_locks = lock_all(plan, where=own_drives(run, plan).where)
        try:
            if not is_rehearsed:
                _check_drives(run, plan)
            seen = len(read_entries(run))
            begin(run, Purpose.UNDO, f"Putting back what was on {named(plan)}.", drive_locks, run_lock)
        finally:
            unlock(drive_locks)
    finally:
        os.close(run_lock)
    await_undone(run, seen)


def await_undone(run: Path, seen: int) -> None:
    """Follow the run's journal behind its first `seen` entries until the undoing has ended; raises Failed
    unless it is undone then."""
    last = list(follow(run, seen))[-1]
    if state(run) is not RunState.UNDONE:
        raise Failed(
            last.sentence
            if last.event is Event.FAILED
            else f"Undoing was interrupted; run `diskwright undo {called(run)}` again."
        )


def check_undoable(run: Path, plan: Plan) -> None:
    """Raises Refused, with the reason, where there is nothing to put back or it would not be whole."""
    if state(run) is RunState.UNDONE:
        raise Refused(f"The run {run.name} is undone already.")
    begun = begun_steps(read_entries(run))
    if not begun:
        raise Refused(f"The run {run.name} wrote nothing, so there is nothing to undo.")
    if what := no_way_back(plan, begun):
        raise Refused(
            f"The run {run.name} cannot be undone: {what} was begun, and what that wrote over is lost. "
            f"{NOTHING_WRITTEN}"
        )


def _check_drives(run: Path, plan: Plan) -> None:
    """Raises Refused unless they are the same drives, unused but for the run's own array, and still as the
    run left them."""
    check_operations(plan, load_environment(run).only)
    entries = read_entries(run)
    begun, done, back = begun_steps(entries), done_steps(entries), _put_back(run)
    # The array was taken apart before the first drive was put back: what stands on that one since then is its
    # owner's.
    used = frozenset() if back else own_uses(plan, begun, quietly)
    drives = own_drives(run, plan).probe(back)
    for drive in drives:
        if drive.path not in back:
            check_unused(drive, used)
    if (run / UNDOING).exists():
        if not back:
            check_apart(plan, quietly)
        return
    check_made(plan, drives, begun, done)
    bring_back(plan, begun, done, quietly)
    check_apart(plan, quietly)
    check_on_array(run, plan, begun, done)
    if place := drive_digests.changed(run, plan, begun):
        raise Refused(
            f"{place[0]} was changed at byte {place[1].start_bytes} since the run {run.name} ended; putting "
            f"back what was there before could destroy that. {NOTHING_WRITTEN}"
        )


def put_back(run: Path, drive_locks: tuple[int, ...]) -> None:
    """What the detached process does. Never raises for what a person can meet: the journal says how it
    ended."""
    journal = Journal(run)
    try:
        if rehearsed.is_rehearsed(run):
            event, sentence = Event.UNDONE, rehearsed.take_back(run, journal)
        else:
            event, sentence = Event.UNDONE, _put_back_saved(run, journal)
    except Refused as error:
        event, sentence = Event.FAILED, str(error)
    except DiskwrightError as error:
        event, sentence = (
            Event.FAILED,
            f"{error} Run `diskwright undo {called(run)}` again; it can be repeated.",
        )
    unlock(drive_locks)
    journal.end(event, sentence)


def _put_back_saved(run: Path, journal: Journal) -> str:
    plan = load_plan(run)
    check_undoable(run, plan)
    _check_drives(run, plan)
    return _restore(run, plan, journal)


def _restore(run: Path, plan: Plan, journal: Journal) -> str:
    vault = Vault(run / "saved")
    contents = {saved: vault.read(saved) for saved in vault.all()}
    back = _put_back(run)
    mark_durably(run / UNDOING)
    _restore_fstab(run, plan)
    if not back:
        take_apart(plan, quietly)
    said = [
        f"{member.drive.path} was put back before." for member in plan.members if member.drive.path in back
    ]
    for member in plan.members:
        if member.drive.path in back:
            continue
        said.append(_restore_drive(plan, member, vault, contents, journal))
        write_durably(run / UNDOING, f"{member.drive.path}\n".encode(), os.O_APPEND)
    return " ".join(said)


def _put_back(run: Path) -> frozenset[str]:
    """The drives that an earlier attempt has put back and proven: whatever they hold since then is their
    owner's again."""
    file = run / UNDOING
    return frozenset(file.read_text().splitlines()) if file.exists() else frozenset()


def _restore_drive(
    plan: Plan, member: Member, vault: Vault, contents: Mapping[Saved, bytes], journal: Journal
) -> str:
    """Write back what was saved of one drive, and prove that it is there; a sentence that says so."""
    drive = member.drive.path
    saved = vault.of(plan, drive)
    # In reverse, so that where a place was saved twice the oldest bytes are written last.
    for one in reversed(saved):
        write_bytes(drive, one.offset_bytes, contents[one])
    forget_caches(drive)
    journal.add(Event.COMMAND, f"Wrote {len(saved)} saved regions back to {drive}.")
    tell_kernel(drive, anew=True)
    covered: list[Extent] = []
    for one in saved:
        for piece in without(one.extent, covered):
            begin = piece.start_bytes - one.offset_bytes
            if (
                read_bytes(drive, piece.start_bytes, piece.size_bytes)
                != contents[one][begin : begin + piece.size_bytes]
            ):
                raise Failed(f"{drive} does not read as it was written at byte {piece.start_bytes}.")
        covered.append(one.extent)
    return _proven(member)


def _restore_fstab(run: Path, plan: Plan) -> None:
    environment = load_environment(run)
    path = environment.fstab
    keep = kept_as(path, run.name)
    for step in reversed(plan.steps):
        if isinstance(step.operation, AddFstabLine):
            fstab.remove_line(path, step.operation, keep)
        elif isinstance(step.operation, AddCrypttabLine):
            take_from_crypttab(environment.crypttab, step.operation, run.name)


def _proven(member: Member) -> str:
    """The drive probed afresh holds what the plan found; raises Failed where it does not."""
    drive = probe_drive(member.drive.path, seconds=LOOK_SECONDS)
    if member.drive.content_digest is not None and drive.content_digest != member.drive.content_digest:
        raise Failed(
            f"The saved bytes are back on {drive.path}, but its table or a mark is not what the plan found."
        )
    now = layout_of(drive)
    if now is None or plain(now) != plain(member.before):
        raise Failed(
            f"The saved bytes are back on {drive.path}, but its layout is not the one that the plan found."
        )
    late = kernel_differences(member.before, drive)
    return f"{drive.path} holds what it held before, byte for byte." + (
        " The kernel takes that over at a restart." if late else ""
    )
