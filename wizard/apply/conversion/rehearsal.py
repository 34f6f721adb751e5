"""Run and verify the steps of a conversion on a scratch copy, and save the change. The device is only read.

An interrupted rehearsal starts over: the scratch copy ends with the process.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.block.extents import DeviceMedium
from wizard.apply.conversion import boot, commit, guard
from wizard.apply.conversion.commit import Note, save_change
from wizard.apply.engine import record
from wizard.apply.engine.stores import FOLDER, new_file
from wizard.apply.engine.writable_copy import WritableCopy, scratch_copy_of
from wizard.apply.run import progress_log
from wizard.apply.run.job import Outcome, RunWork, carry_steps
from wizard.apply.run.process import NOTHING_WRITTEN, refused
from wizard.apply.run.runs import load_environment, make_private
from wizard.apply.settings.states import How
from wizard.apply.steps.step_context import journalled
from wizard.apply.tree import manifest
from wizard.apply.tree.differences import differences
from wizard.apply.tree.mount_read_only import mounted_read_only
from wizard.ext4.assessment import FIRST_BYTES, is_mounting_blocked
from wizard.ext4.blockers import BLOCKED
from wizard.model.errors import Failed
from wizard.model.run import Check, Event
from wizard.model.said import Message, format_duration, joined, t
from wizard.operations import ext4
from wizard.operations.operation import OWN_FSTAB, Setting
from wizard.plan.changes import Migration
from wizard.process.output import listening
from wizard.process.program import Result

PASSES = (0.0, 0.70, 0.90, 0.92, 0.95, 1.0)
"""Progress after each of e2fsck's five passes, as in e2fsck's bar (e2fsck/unix.c)."""

_PROGRESS = re.compile(r"([1-5]) (\d+) (\d+) ")


class MigratingSite(RunWork, frozen=True, kw_only=True):
    """A conversion as its own process sees it. `step` counts from 1; 0 is for work on all steps."""

    migration: Migration
    step: int = 0

    def command(
        self,
        argv: Sequence[str],
        *,
        accept: Sequence[int] = (0,),
        part: tuple[float, float] = progress_log.WHOLE,
    ) -> Result:
        """Run a command under the drive's lock and journal it. The progress, which only e2fsck reports,
        covers `part` of the step. Raises Failed if the exit status is not accepted."""
        steps = self.migration.steps[self.step - 1 : self.step] if self.step else self.migration.steps
        seconds = load_environment(self.run).patience_seconds + 10 * sum(step.seconds for step in steps)

        with listening(progress_parser(progress_log.noting(self.run, self.step, part))) as reported:
            reports = ("-C", str(reported)) if argv[0] == ext4.CHECKER else ()
            kept_open = (*self.drive_locks, reported)
            full_argv = (argv[0], *reports, *argv[1:])
            return journalled(
                full_argv, self.journal, self.step, seconds, kept_open, accept=accept, shown=tuple(argv)
            )


def progress_parser(tell: progress_log.Progress) -> Callable[[str], None]:
    """Return a parser of e2fsck's progress lines (e2fsck(8), -C) that reports the completed share."""

    def parse(line: str) -> None:
        if found := _PROGRESS.match(line):
            turn, done, total = map(int, found.groups())
            before, after = PASSES[turn - 1 : turn + 1]
            tell(before + (after - before) * (min(done / total, 1.0) if total else 1.0))

    return parse


def _copy_checks(node: str, site: MigratingSite) -> Iterator[Check]:
    """Yield the checks of the filesystem on `node`, last that all files are unchanged, if the conversion
    requires it. Raises Failed or BadInput if something cannot be read."""
    migration = site.migration
    checker, *rest = ext4.proof(node)
    checked = site.command((checker, "-v", *rest), accept=range(256))
    yield Check(str(ext4.SOUND()), checked.status == 0, checked.last_words)
    now = devices.facts_on(node)
    kept, was = (
        (one.uuid, one.label, one.block_bytes, one.blocks, one.inodes) for one in (now, migration.before)
    )
    what = t("The UUID, label and sizes of the filesystem are unchanged.")
    yield Check(str(what), kept == was, f"UUID {now.uuid}")
    for operation in migration.on_device:
        if (check := operation.verify(now, checked.output)) is not None:
            yield check
    for line in migration.own_lines:
        is_new = boot.own_state(line, migration, node) is How.AFTER
        yield Check(joined(line.holds), is_new, line.new)
    yield from boot.grub_checks(node, site.command)
    if not migration.manifest:
        return
    entries = _save_manifest(node, site, manifest.AFTER)
    # A separate check covers the file whose content the conversion changes.
    changed = os.fsencode(OWN_FSTAB[1:]) if migration.own_lines else None
    # A conversion in place preserves everything, including inode numbers.
    found = differences(
        manifest.changed_entries(site.run / manifest.BEFORE, site.run / manifest.AFTER),
        seen_as=lambda entry: entry._replace(digest="") if entry.path == changed else entry,
    )
    seen = joined(found) or str(
        t("{entries} entries match in every byte, hole and attribute", entries=entries)
    )
    yield Check(str(t("All files, folders and links are unchanged.")), not found, seen)


def _save_manifest(node: str, site: MigratingSite, file: str) -> int:
    with mounted_read_only(node) as place:
        return manifest.take_manifest(place, site.run / file, on_progress=progress_log.noting(site.run))


@contextmanager
def rehearsing(run: Path, device: str, note: Note) -> Iterator[tuple[WritableCopy, Callable[[], None]]]:
    """Yield a scratch copy of a filesystem, and a function that saves the change. Without a call, nothing is
    left. Raises Refused or Failed."""
    if is_mounting_blocked(devices.read_bytes(device, 0, FIRST_BYTES)):
        raise refused(BLOCKED(device=device))
    commit.delete_saved(run)
    make_private(run / FOLDER)
    record.save_record(run, record.Record(record.Phase.REHEARSING, waits=False))
    try:
        with scratch_copy_of(device, new_file(run, 0)) as copy:

            def save() -> None:
                written = copy.written()
                with DeviceMedium(device) as drive:
                    save_change(run, device, drive, written, note, progress_log.noting(run))

            yield copy, save
    finally:
        # Free the space first, since the journal may be on the same full volume.
        if commit.phase_of(run) is record.Phase.REHEARSING:
            commit.delete_saved(run)


def rehearse(site: MigratingSite) -> Outcome | None:
    """Run the steps on a scratch copy, verify the result, and save the change. Return the outcome if the run
    ends here. Raises Failed or Refused."""
    migration = site.migration
    guard.check_as_looked_at(migration)
    with rehearsing(site.run, migration.device, site.journal.add) as (copy, save):
        steps = (
            (number, step.sentence, partial(_operate, step.operation, copy, replace(site, step=number)))
            for number, step in enumerate(migration.steps, 1)
            if not isinstance(step.operation, Setting)
        )
        total = len(migration.steps)
        if ended := carry_steps(site, total, steps, lambda: NOTHING_WRITTEN):
            return ended
        devices.forget_caches(copy.node)
        if wrong := site.journal.verify(_copy_checks(copy.node, site)):
            return Event.FAILED, f"{wrong} {NOTHING_WRITTEN}"
        save()
    return None


def _operate(operation: ext4.OnDevice, copy: WritableCopy, site: MigratingSite) -> Message | str:
    """Run an operation on a scratch copy, and return a result message. Raises Failed if a program fails."""
    migration, node, repaired = site.migration, copy.node, False
    device = migration.device
    try:
        # Repairs by a check, such as a journal replay, come before the comparison.
        before = site.run / manifest.BEFORE
        if migration.manifest and not isinstance(operation, ext4.CheckFiles) and not before.exists():
            begun = monotonic()
            message = t(
                "All files were read before the first change: {entries} entries in {duration}.",
                entries=_save_manifest(node, site, manifest.BEFORE),
                duration=format_duration(monotonic() - begun),
            )
            site.journal.add(Event.SAVED, message)
        commands = operation.commands(node)
        if isinstance(operation, ext4.SetOwnFstabType):
            boot.set_own_type(operation, migration, node, site.command)
            commands = ()
        for number, argv in enumerate(commands):
            # By default, tune2fs -I fills /var/lib/e2fsprogs with undo files.
            prefix = ("env", "E2FSPROGS_UNDO_DIR=none") if isinstance(operation, ext4.WidenInodes) else ()
            accept = range(256) if argv == ext4.proof(node) else ext4.accepted(argv)
            part = (number / len(commands), (number + 1) / len(commands))
            result = site.command((*prefix, *argv), accept=accept, part=part)
            if result.status not in ext4.accepted(argv):
                raise Failed(
                    t(
                        "{device} is damaged; no repairs were made. First e2fsck finding: {found} Make a "
                        "backup, then repair with undo: `diskwright migrate {device} --repair`.",
                        device=device,
                        found=guard.first_error(result.output),
                    )
                )
            repaired = repaired or result.status != 0
        # The next program would have to read everything again without the cache.
        devices.flush(node)
    finally:
        # An unreadable drive or a full store explains an error of the program.
        copy.check()
    used = t(
        "The scratch copy uses {used:exact}; {device} is unchanged.", used=copy.used_bytes, device=device
    )
    return f"{operation.repaired}. {used}" if repaired else used
