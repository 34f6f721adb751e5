"""Run and verify the steps of a conversion on a scratch copy, and save the change. The device is only read.

An interrupted rehearsal starts over: the scratch copy ends with the process.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import read_bytes
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.conversion.commit import NO_EXT, Note, save_change
from wizard.apply.conversion.guard import check_as_looked_at, drive_now
from wizard.apply.conversion.state import NEW, drop_folder, phase_of, store_of
from wizard.apply.conversion.verify import (
    MigratingSite,
    device_checks,
    keep_manifest,
    manifest_checks,
    operate,
)
from wizard.apply.engine.record import Phase, Record, save_record
from wizard.apply.engine.writable_copy import WritableCopy, scratch_copy_of
from wizard.apply.run.job import STEP_FAILED, STOPPED
from wizard.apply.run.process import NOTHING_WRITTEN, STOP
from wizard.apply.run.progress_log import noting
from wizard.apply.run.runs import is_root_only, refuse_open_folder
from wizard.ext4.assessment import FIRST_BYTES, is_mounting_blocked
from wizard.ext4.superblock import START_BYTES, read_ext
from wizard.model.errors import DiskwrightError, Refused
from wizard.model.migration import CheckFiles, OnDevice, SetFstabType
from wizard.model.run import Check, Event
from wizard.model.said import Sentences, t

CHECKS = Sentences("A check failed.", "{count} checks failed.")


@contextmanager
def rehearsing(
    run: Path, device: str, folder: Path, note: Note
) -> Iterator[tuple[WritableCopy, Callable[[], None]]]:
    """Yield a scratch copy of a filesystem with the store in `folder`, and a function that saves the change.
    Without a call of that function, nothing is left.

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
    _make_folder(folder)
    save_record(run, Record(Phase.REHEARSING, waits=False))
    try:
        with scratch_copy_of(device, folder / NEW) as copy:
            yield copy, partial(_save, run, folder, device, copy, note)
    finally:
        # Free the space first, since the journal may be on the same full volume.
        if phase_of(run) is Phase.REHEARSING:
            drop_folder(folder)


def _save(run: Path, folder: Path, device: str, copy: WritableCopy, note: Note) -> None:
    written = copy.written()
    with DeviceMedium(device) as drive:
        save_change(run, folder, device, drive, written, note, noting(run))


def _make_folder(folder: Path) -> None:
    """Make the new folder of the stores. Raises Refused unless only root can write to it."""
    drop_folder(folder)
    try:
        for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
            missing.mkdir(mode=0o700)
        refuse_open_folder(folder.parent)
    except OSError as error:
        raise Refused(
            t(
                "Cannot create {folder}: {why}. Nothing was written.",
                folder=str(folder),
                why=str(error.strerror),
            )
        ) from None
    if not is_root_only(folder):
        raise Refused(t("{folder} is not exclusively root's. Nothing was written.", folder=str(folder)))


def rehearse(site: MigratingSite) -> tuple[Event, str] | None:
    """Run the steps on a scratch copy, verify the result, and save the change. Return the last event and
    message if the run ends here. Raises Failed or Refused."""
    run, device = site.run, site.migration.device
    check_as_looked_at(site.migration)
    folder = store_of(Path(site.migration.store), run.name)
    with rehearsing(run, device, folder, site.journal.add) as (copy, save):
        for number, step in enumerate(site.migration.steps, 1):
            operation = step.operation
            if not isinstance(operation, SetFstabType) and (
                ended := _run_step(operation, step.sentence, copy, replace(site, step=number))
            ):
                return ended
        checks = [*device_checks(copy.node, site), *manifest_checks(copy.node, site)]
        if failed := count_failures(checks, site):
            return Event.FAILED, str(CHECKS(count=failed))
        save()
    return None


def _run_step(
    operation: OnDevice, sentence: str, copy: WritableCopy, site: MigratingSite
) -> tuple[Event, str] | None:
    journal = site.journal
    if (site.run / STOP).exists():
        return Event.STOPPED, f"{STOPPED(step=site.step)} {NOTHING_WRITTEN}"
    drive_now(site.migration)
    journal.add(Event.STEP_STARTED, sentence, step=site.step)
    try:
        try:
            message = _operate(operation, copy, site)
        finally:
            # An unreadable drive or a full store explains an error of the program.
            copy.check()
    except (DiskwrightError, OSError) as error:
        journal.add(Event.STEP_FAILED, str(error), step=site.step)
        failed = STEP_FAILED(step=site.step, steps=len(site.migration.steps))
        return Event.FAILED, f"{failed} {error} {NOTHING_WRITTEN}"
    journal.add(Event.STEP_DONE, message, step=site.step)
    return None


def _operate(operation: OnDevice, copy: WritableCopy, site: MigratingSite) -> str:
    """Run a step on the scratch copy, and return a result message. Raises Failed."""
    # Repairs by a check, such as a journal replay, come before the comparison.
    if not isinstance(operation, CheckFiles):
        keep_manifest(copy.node, site)
    message = operate(operation, copy.node, site)
    used = t(
        "The scratch copy uses {used:exact}; {device} is unchanged.",
        used=copy.used_bytes,
        device=site.migration.device,
    )
    return f"{message} {used}"


def count_failures(checks: Sequence[Check], site: MigratingSite) -> int:
    """Journal all checks, and return the number of failures."""
    for check in checks:
        site.journal.add(
            Event.VERIFIED if check.holds else Event.NOT_VERIFIED, check.what.rstrip("."), output=check.seen
        )
    return sum(not check.holds for check in checks)
