"""Run and verify the steps of a conversion on a scratch copy, and save the change. The device is only read.

An interrupted rehearsal starts over: the scratch copy ends with the process.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from wizard.apply.block.devices import read_bytes
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.conversion.commit import NO_EXT, Note, save_change
from wizard.apply.conversion.guard import check_as_looked_at, drive_now
from wizard.apply.conversion.state import NEW, drop_folder, phase_of
from wizard.apply.conversion.verify import (
    MigratingSite,
    device_checks,
    keep_manifest,
    manifest_checks,
    operate,
)
from wizard.apply.engine.record import Phase, Record, save_record
from wizard.apply.engine.stores import FOLDER
from wizard.apply.engine.writable_copy import WritableCopy, scratch_copy_of
from wizard.apply.run.job import STEP_FAILED, STOPPED, Outcome
from wizard.apply.run.process import NOTHING_WRITTEN, STOP
from wizard.apply.run.progress_log import noting
from wizard.apply.run.runs import make_private
from wizard.ext4.assessment import FIRST_BYTES, is_mounting_blocked
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import Refused
from wizard.model.run import Event
from wizard.model.said import t
from wizard.operations.ext4 import CheckFiles, OnDevice
from wizard.operations.fstab import EditFstab


@contextmanager
def rehearsing(run: Path, device: str, note: Note) -> Iterator[tuple[WritableCopy, Callable[[], None]]]:
    """Yield a scratch copy of a filesystem, and a function that saves the change in the run's folder. Without
    a call of that function, nothing is left.

    Raises Refused or Failed. The drive is unchanged then.
    """
    first = read_bytes(device, 0, FIRST_BYTES)
    if read_ext(first[START_BYTES:]) is None:
        raise Refused(NO_EXT(device=device))
    if is_mounting_blocked(first):
        raise Refused(
            t(
                "{device} is in the middle of another run's change: resume or undo that run. "
                "Nothing was written.",
                device=device,
            )
        )
    folder = run / FOLDER
    drop_folder(folder)
    make_private(folder)
    save_record(run, Record(Phase.REHEARSING, waits=False))
    try:
        with scratch_copy_of(device, folder / NEW) as copy:
            yield copy, partial(_save, run, device, copy, note)
    finally:
        # Free the space first, since the journal may be on the same full volume.
        if phase_of(run) is Phase.REHEARSING:
            drop_folder(folder)


def _save(run: Path, device: str, copy: WritableCopy, note: Note) -> None:
    written = copy.written()
    with DeviceMedium(device) as drive:
        save_change(run, device, drive, written, note, noting(run))


def rehearse(site: MigratingSite) -> Outcome | None:
    """Run the steps on a scratch copy, verify the result, and save the change. Return the last event and
    message if the run ends here. Raises Failed or Refused."""
    migration = site.migration
    check_as_looked_at(migration)
    with rehearsing(site.run, migration.device, site.journal.add) as (copy, save):
        for number, step in enumerate(migration.steps, 1):
            operation = step.operation
            if isinstance(operation, EditFstab):
                continue
            if (site.run / STOP).exists():
                return Event.STOPPED, f"{STOPPED(step=number)} {NOTHING_WRITTEN}"
            drive_now(migration)
            work = partial(_operate, operation, copy, replace(site, step=number))
            if why := site.journal.step(number, step.sentence, work):
                failed = STEP_FAILED(step=number, steps=len(migration.steps))
                return Event.FAILED, f"{failed} {why} {NOTHING_WRITTEN}"
        checks = chain(device_checks(copy.node, site), manifest_checks(copy.node, site))
        if wrong := site.journal.verify(checks):
            return Event.FAILED, f"{wrong} {NOTHING_WRITTEN}"
        save()
    return None


def _operate(operation: OnDevice, copy: WritableCopy, site: MigratingSite) -> str:
    """Run a step on the scratch copy, and return a result message. Raises Failed."""
    try:
        # Repairs by a check, such as a journal replay, come before the comparison.
        if not isinstance(operation, CheckFiles):
            keep_manifest(copy.node, site)
        message = operate(operation, copy.node, site)
    finally:
        # An unreadable drive or a full store explains an error of the program.
        copy.check()
    used = t(
        "The scratch copy uses {used:exact}; {device} is unchanged.",
        used=copy.used_bytes,
        device=site.migration.device,
    )
    return f"{message} {used}"
