"""Rehearse a plan with the real tools on scratch copies, and verify the result. Writes to no drive."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block.devices import read_bytes
from wizard.apply.block.extents import merged
from wizard.apply.block.scratch_device import NoScratchDeviceError
from wizard.apply.engine import record, scratch_copies, stores
from wizard.apply.engine.changes import collected, discards, unknown_data
from wizard.apply.engine.signatures import SignatureHider, in_release_order
from wizard.apply.engine.writable_copy import WritableCopy
from wizard.apply.plan.readonly_look import NO_SCRATCH_COPY
from wizard.apply.plan.run import execute
from wizard.apply.resize.resized import check_resizable
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import STEP_FAILED, STOPPED, RunWork
from wizard.apply.run.process import NOTHING_WRITTEN, STOP, Stopped
from wizard.apply.run.progress_log import noting, part_of
from wizard.apply.run.runs import run_argument
from wizard.apply.steps import arrays
from wizard.apply.steps.containers import keep_headers
from wizard.apply.steps.layers import layer_nodes
from wizard.apply.steps.step_context import StepContext, told_in
from wizard.apply.table import write
from wizard.apply.table.proof import in_order
from wizard.filesystems.partition_types import is_extended
from wizard.model.errors import DiskwrightError, Failed, Refused, partition_path
from wizard.model.finding import Notice
from wizard.model.layout import MAPPER, Layout, Member, NewTable, Slot
from wizard.model.machine import Extent
from wizard.model.run import Event
from wizard.model.said import format_capacity, t
from wizard.operations.filesystem import Resize
from wizard.operations.layers import MakeArray
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.probe.content.notices import notices


class Rehearsed(Struct, frozen=True):
    """A drive of the plan, and the scratch copy."""

    plan: Plan
    member: Member
    scratch: Member

    @property
    def table(self) -> NewTable:
        """The planned partition table."""
        return table_of(self.plan, self.member)

    @property
    def room(self) -> list[Extent]:
        """Space without preserved data: new partitions, or what resizing gains or gives up."""
        old, new = (_changed(self.plan, layout) for layout in (self.member.before, self.member.after))
        if not self.plan.resizes:
            return [slot.extent for slot in new]
        ends = sorted(slot.end_bytes for slot in (*old, *new))
        return [Extent(ends[0], ends[-1] - ends[0])]

    def hider(self, context: StepContext) -> SignatureHider:
        """Return what removes signatures from the scratch copy."""
        block = self.scratch.drive.geometry.logical_block_bytes
        return SignatureHider(self.scratch.drive.path, block, context.environment.patience_seconds)

    def marks(self, hider: SignatureHider, slots: list[Slot]) -> tuple[record.SavedSignature, ...]:
        """Remove the signatures of partitions and, if the table is new, of the drive. Return them."""
        drive = self.scratch.drive
        found = [
            place
            for slot in slots
            for place in hider.hide(partition_path(drive.path, slot.number), slot.extent)[0]
        ]
        whole, table = hider.hide(drive.path, Extent(0, drive.size_bytes)) if self.table.fresh else ((), ())
        return in_release_order((*found, *whole), table, drive.geometry.logical_block_bytes)


def rehearse(plan: Plan, work: RunWork, environment: Environment) -> record.Record:
    """Execute all operations on scratch copies, and save the old bytes of every place that will change. The
    drives stay unchanged. Raises Failed, Stopped, and Refused without scratch copies."""
    wanted = [wanted_for(plan, member) for member in plan.members]
    try:
        with scratch_copies.scratch_copies_of(work.run, wanted) as copies:
            with explained(copies):
                drives, old, new = _rehearse_on([copy.node for copy in copies], plan, work, environment)
            written = [copy.written() for copy in copies]
    except NoScratchDeviceError as error:
        raise Refused(NO_SCRATCH_COPY(drives=plan.devices, why=str(error))) from None
    work.journal.add(
        Event.COMMAND,
        t("Read and saved the blocks of {drives:and} that will change.", drives=plan.devices),
    )
    progress = noting(work.run)
    changes = [
        collected(
            work.run,
            number,
            plan,
            one,
            written[number],
            old[number],
            new[number],
            part_of(progress, number / len(wanted), (number + 1) / len(wanted)),
        )
        for number, one in enumerate(wanted)
    ]
    for said in unknown_data(work.run, plan, changes):
        work.journal.add(Event.COMMAND, str(said))
    if not all(change.blank for change in changes):
        made = _changed(plan, plan.after, entries=True)
        about = partial(
            Notice,
            run=run_argument(work.run),
            begun=datetime.now(UTC).isoformat(timespec="seconds"),
            told=", ".join(
                f"{slot.filesystem or 'nothing'} of {format_capacity(slot.size_bytes)}" for slot in made
            ),
            plan=PLANS.render(plan),
        )
        for number, (change, drive, one) in enumerate(zip(changes, drives, wanted, strict=True)):
            noted = stores.with_notice(work.run, number, change, drive.room, about, one.block_bytes)
            given_up = discards(work.run, number, plan, noted, one.block_bytes)
            changes[number] = replace(noted, discards=given_up)
    return record.Record(record.Phase.SAVED, tuple(changes))


Marks = list[tuple[record.SavedSignature, ...]]
"""The signatures of each drive."""


def _rehearse_on(
    nodes: Sequence[str], plan: Plan, work: RunWork, environment: Environment
) -> tuple[list[Rehearsed], Marks, Marks]:
    """Execute all operations on scratch copies at these nodes. Return the drives with their old and new
    signatures. Raises Failed and Stopped."""
    there = plan.on_nodes(dict(zip(plan.devices, nodes, strict=True)) | arrays.scratch_nodes(plan))
    context = StepContext(there, 0, work, environment, rehearsed=True)
    drives = [Rehearsed(plan, *pair) for pair in zip(plan.members, there.members, strict=True)]
    for drive in drives:
        parts = [slot for slot in drive.member.before.partitions if not is_extended(slot)]
        scratch_copies.have_partitions(drive.scratch.drive.path, parts)
    for number, (step, other) in enumerate(zip(plan.steps, there.steps, strict=True), 1):
        if isinstance(step.operation, Resize):
            check_resizable(step.operation, other.operation.devices[0], replace(context, step=number).seconds)
    old = [_old_marks(drive, context) for drive in drives]
    mapped = [Path(node).name for node in layer_nodes(there) if node.startswith(MAPPER)]
    with (
        arrays.unseen_array(there, told_in(work.journal)),
        scratch_copies.mapped_without_udev(work.run, nodes, mapped),
    ):
        _carry_out(plan, context)
        keep_headers(there, work.run)
        for array in there.arrays:
            arrays.leave_uncopied(array, told_in(work.journal))
        resized = (step.operation for step in there.steps if isinstance(step.operation, Resize))
        for operation in (*there.filesystems, *resized):
            if operation.filesystem == "btrfs":
                for device in operation.devices:
                    scratch_copies.forget_btrfs(device)
    return drives, old, [_new_marks(drive, context) for drive in drives]


@contextmanager
def explained(copies: Sequence[scratch_copies.SparseCopy | WritableCopy]) -> Iterator[None]:
    """Report an unreadable drive or a full store instead of the error of a program. Raises Failed and
    FullError."""
    try:
        yield
    except Failed:
        for copy in copies:
            try:
                copy.check()
            except Failed as cause:
                raise type(cause)(cause.said, NOTHING_WRITTEN) from None
        raise


def wanted_for(plan: Plan, member: Member) -> scratch_copies.ScratchRequest:
    """Return which places of a drive the scratch copy shows, and which may change."""
    path, size = member.drive.path, member.drive.size_bytes
    block = member.drive.geometry.logical_block_bytes
    slots = (*_changed(plan, member.before), *_changed(plan, member.after))
    changing = tuple(slot.extent for slot in slots)
    records = write.record_places(member.drive)
    if table_of(plan, member).fresh:
        return scratch_copies.ScratchRequest(path, size, block, changing, (Extent(0, size),), records)
    # A partition can end where the backup of the table begins.
    allowed = merged((*changing, *write.table_regions(member)), block, size)
    # If the plan changes only one partition, the others may be mounted.
    others = (slot for slot in member.before.partitions if plan.part not in (0, slot.number))
    in_use = tuple(slot.extent for slot in others if not is_extended(slot))
    resized = plan.part_path if plan.resizes else ""
    return scratch_copies.ScratchRequest(path, size, block, changing, allowed, records, in_use, resized)


def table_of(plan: Plan, member: Member) -> NewTable:
    """Return the partition table that the plan writes to a drive. Raises Failed."""
    found = next((table for table in plan.tables if table.device == member.drive.path), None)
    if found is None:
        raise Failed(t("The plan writes no table to {drive}.", drive=member.drive.path), NOTHING_WRITTEN)
    return found


def _changed(plan: Plan, layout: Layout, *, entries: bool = False) -> list[Slot]:
    """Return all partitions that are not preserved, and the one whose contents change, or with `entries`
    whose entry changes."""
    part = plan.part if entries or not plan.only_table else 0
    return [
        slot for slot in layout.partitions if not is_extended(slot) and (not slot.kept or slot.number == part)
    ]


def _carry_out(plan: Plan, rehearsal: StepContext) -> None:
    """Execute the steps on scratch copies. Raises Failed and Stopped."""
    there, work = rehearsal.plan, rehearsal.work
    for number, step in there.rehearsed_steps():
        if (work.run / STOP).exists():
            raise Stopped(STOPPED(step=number))
        # The rehearsal closes containers again, so opening them must not count as done.
        is_step = step.operation.writes
        if is_step:
            work.journal.add(Event.STEP_STARTED, step.sentence, step=number)
        try:
            said = execute(replace(rehearsal, step=number))
            if isinstance(step.operation, MakeArray):
                arrays.show_beneath(plan, step.operation)
        except (DiskwrightError, OSError) as error:
            work.journal.add(Event.STEP_FAILED, str(error), step=number)
            failed = STEP_FAILED(step=number, steps=len(there.steps))
            raise Failed(f"{failed} {error}", NOTHING_WRITTEN) from None
        work.journal.add(Event.STEP_DONE if is_step else Event.COMMAND, said, step=number)


def _old_marks(drive: Rehearsed, context: StepContext) -> tuple[record.SavedSignature, ...]:
    """Remove the old signatures from the scratch copy and return them, with labels of other runs, which would
    be misread later. If the table is preserved, only the changed partition has any."""
    hider = drive.hider(context)
    marks = drive.marks(hider, _changed(drive.plan, drive.member.before))
    if not drive.table.fresh:
        if drive.plan.resizes:
            hider.restore()
        return marks
    path, size = drive.member.drive.path, drive.member.drive.size_bytes
    labels = notices(lambda start, length: read_bytes(path, start, min(length, size - start)), size)
    return (*(record.SavedSignature(one.start_bytes, one.room_bytes) for one, _ in labels), *marks)


def _new_marks(drive: Rehearsed, context: StepContext) -> tuple[record.SavedSignature, ...]:
    """Remove the new signatures from the scratch copy, verify that none are left, restore and return them,
    with the blocks that turn a preserved table into the new one, in an order that survives a power cut."""
    hider = drive.hider(context)
    new = _changed(drive.plan, drive.member.after)
    marks = drive.marks(hider, new)
    for slot in new:
        node = partition_path(drive.scratch.drive.path, slot.number)
        hider.refuse_recognised(node, slot.filesystem)
    hider.restore()
    if drive.table.fresh:
        return marks
    regions = write.table_regions(drive.member)
    before, wanted = (
        write.image_of(one.drive.path, regions, one.drive) for one in (drive.member, drive.scratch)
    )
    blocks = in_order(drive.table.table, before, wanted)
    return (*marks, *(record.SavedSignature(start, len(data), stays=True) for start, data in blocks))
