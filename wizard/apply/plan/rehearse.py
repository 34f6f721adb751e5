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
from wizard.apply.engine import record, scratch_copies, stores
from wizard.apply.engine.changes import collected, discards, unknown_data
from wizard.apply.engine.signatures import SignatureHider, in_release_order
from wizard.apply.engine.writable_copy import WritableCopy
from wizard.apply.plan.run import execute
from wizard.apply.resize.resized import check_resizable
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.job import STEP_FAILED, STOPPED
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import NOTHING_WRITTEN, STOP
from wizard.apply.run.progress_log import noting, part_of
from wizard.apply.run.runs import run_argument
from wizard.apply.steps import arrays
from wizard.apply.steps.containers import keep_headers
from wizard.apply.steps.layers import layer_nodes
from wizard.apply.steps.step_context import StepContext, told_in
from wizard.apply.table import write
from wizard.apply.table.proof import in_order
from wizard.filesystems.partition_types import is_extended
from wizard.model.errors import DiskwrightError, Failed, partition_path
from wizard.model.finding import Notice
from wizard.model.layout import MAPPER, Layout, Member, NewTable, Slot
from wizard.model.machine import Extent
from wizard.model.run import Event, WithSecret
from wizard.model.said import format_capacity, t
from wizard.operations.filesystem import Resize
from wizard.plan.plan import PLANS, Plan
from wizard.probe.content.notices import notices


class StoppedError(Exception):
    """A stop was requested during the rehearsal, before the step in the message."""


class RehearsalWorkspace(WithSecret, Struct, frozen=True):
    """The run's folder, settings and journal, and the passphrase of encrypted volumes."""

    run: Path
    environment: Environment
    journal: Journal
    secret: bytes | None = None


class Rehearsed(Struct, frozen=True):
    """A drive of the plan, its scratch copy, and the planned partition table. `part`: number of the only
    partition whose contents change, or 0."""

    member: Member
    scratch: Member
    table: NewTable
    part: int = 0

    @property
    def old(self) -> list[Slot]:
        """Old partitions that are deleted or changed."""
        return _changed(self.member.before, self.part)

    @property
    def new(self) -> list[Slot]:
        """New partitions, and partitions that change."""
        return _changed(self.member.after, self.part)

    @property
    def room(self) -> list[Extent]:
        """Space without preserved data: new partitions, or what resizing gains or gives up."""
        if not self.resizes:
            return [slot.extent for slot in self.new]
        ends = sorted(slot.end_bytes for slot in (*self.old, *self.new))
        return [Extent(ends[0], ends[-1] - ends[0])]

    @property
    def resizes(self) -> bool:
        """True if the one changed partition is resized with the data."""
        return any(slot.number == self.part and slot.kept for slot in self.member.before.partitions)

    def hider(self, workspace: RehearsalWorkspace) -> SignatureHider:
        """Return what removes signatures from the scratch copy."""
        block = self.scratch.drive.geometry.logical_block_bytes
        return SignatureHider(self.scratch.drive.path, block, workspace.environment.patience_seconds)

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


def rehearse(plan: Plan, workspace: RehearsalWorkspace) -> record.Record:
    """Execute all operations on scratch copies, and save the old bytes of every place that will change. The
    drives stay unchanged. Raises Failed, NoScratchDeviceError and StoppedError."""
    wanted = [wanted_for(plan, member) for member in plan.members]
    with scratch_copies.scratch_copies_of(workspace.run, wanted) as copies:
        with explained(copies):
            drives, old, new = _rehearse_on([copy.node for copy in copies], plan, workspace)
        written = [copy.written() for copy in copies]
    workspace.journal.add(
        Event.COMMAND,
        t("Read and saved the blocks of {drives:and} that will change.", drives=plan.devices),
    )
    progress = noting(workspace.run)
    changes = [
        collected(
            workspace.run,
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
    for said in unknown_data(workspace.run, plan, changes):
        workspace.journal.add(Event.COMMAND, str(said))
    if not all(change.blank for change in changes):
        made = _changed(plan.after, plan.part)
        about = partial(
            Notice,
            run=run_argument(workspace.run),
            begun=datetime.now(UTC).isoformat(timespec="seconds"),
            told=", ".join(
                f"{slot.filesystem or 'nothing'} of {format_capacity(slot.size_bytes)}" for slot in made
            ),
            plan=PLANS.render(plan),
        )
        for number, (change, drive, one) in enumerate(zip(changes, drives, wanted, strict=True)):
            noted = stores.with_notice(workspace.run, number, change, drive.room, about, one.block_bytes)
            given_up = discards(workspace.run, number, plan, noted, one.block_bytes)
            changes[number] = replace(noted, discards=given_up)
    return record.Record(record.Phase.SAVED, tuple(changes))


Marks = list[tuple[record.SavedSignature, ...]]
"""The signatures of each drive."""


def _rehearse_on(
    nodes: Sequence[str], plan: Plan, workspace: RehearsalWorkspace
) -> tuple[list[Rehearsed], Marks, Marks]:
    """Execute all operations on scratch copies at these nodes. Return the drives with their old and new
    signatures. Raises Failed and StoppedError."""
    there = plan.on_nodes(dict(zip(plan.devices, nodes, strict=True)) | arrays.scratch_nodes(plan))
    drives = [
        Rehearsed(member, scratch, table_of(plan, member), _changed_part(plan))
        for member, scratch in zip(plan.members, there.members, strict=True)
    ]
    for drive in drives:
        parts = [slot for slot in drive.member.before.partitions if not is_extended(slot)]
        scratch_copies.have_partitions(drive.scratch.drive.path, parts)
    for step, other in zip(plan.steps, there.steps, strict=True):
        if isinstance(step.operation, Resize):
            seconds = workspace.environment.patience_seconds + 10 * step.seconds
            check_resizable(step.operation, other.operation.devices[0], seconds)
    old = [_old_marks(drive, workspace) for drive in drives]
    layers = (*layer_nodes(there), *(one.opened for one in there.containers))
    mapped = [Path(node).name for node in layers if node.startswith(MAPPER)]
    with (
        arrays.unseen_array(there, told_in(workspace.journal)),
        scratch_copies.mapped_without_udev(workspace.run, nodes, mapped),
    ):
        _carry_out(plan, there, workspace)
        keep_headers(there, workspace.run)
        for array in there.arrays:
            arrays.leave_uncopied(array, told_in(workspace.journal))
        resized = (step.operation for step in there.steps if isinstance(step.operation, Resize))
        for operation in (*there.filesystems, *resized):
            if operation.filesystem == "btrfs":
                for device in operation.devices:
                    scratch_copies.forget_btrfs(device)
    return drives, old, [_new_marks(drive, workspace) for drive in drives]


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
    part = _changed_part(plan)
    slots = (*_changed(member.before, part), *_changed(member.after, part))
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


def _changed_part(plan: Plan) -> int:
    return 0 if plan.only_table else plan.part


def _changed(layout: Layout, part: int) -> list[Slot]:
    """Return the changing partition, and all that are not preserved."""
    return [
        slot for slot in layout.partitions if not is_extended(slot) and (not slot.kept or slot.number == part)
    ]


def _carry_out(plan: Plan, there: Plan, workspace: RehearsalWorkspace) -> None:
    for number, step in there.rehearsed_steps():
        context = StepContext(
            there,
            number,
            False,
            workspace.run.name,
            workspace.environment,
            workspace.journal,
            (),
            workspace.secret,
            rehearsed=True,
        )
        if (workspace.run / STOP).exists():
            raise StoppedError(STOPPED(step=number))
        # The rehearsal closes containers again, so opening them must not count as done.
        is_step = step.operation.writes
        if is_step:
            workspace.journal.add(Event.STEP_STARTED, step.sentence, step=number)
        try:
            said = execute(context)
            for array in there.arrays:
                if step.operation == array:
                    arrays.show_beneath(plan, array)
        except (DiskwrightError, OSError) as error:
            workspace.journal.add(Event.STEP_FAILED, str(error), step=number)
            failed = STEP_FAILED(step=number, steps=len(there.steps))
            raise Failed(f"{failed} {error}", NOTHING_WRITTEN) from None
        workspace.journal.add(Event.STEP_DONE if is_step else Event.COMMAND, said, step=number)


def _old_marks(drive: Rehearsed, workspace: RehearsalWorkspace) -> tuple[record.SavedSignature, ...]:
    """Remove the old signatures from the scratch copy and return them, with labels of other runs, which would
    be misread later. If the table is preserved, only the changed partition has any."""
    hider = drive.hider(workspace)
    marks = drive.marks(hider, drive.old)
    if not drive.table.fresh:
        if drive.resizes:
            hider.restore()
        return marks
    path, size = drive.member.drive.path, drive.member.drive.size_bytes
    labels = notices(lambda start, length: read_bytes(path, start, min(length, size - start)), size)
    return (*(record.SavedSignature(one.start_bytes, one.room_bytes) for one, _ in labels), *marks)


def _new_marks(drive: Rehearsed, workspace: RehearsalWorkspace) -> tuple[record.SavedSignature, ...]:
    """Remove the new signatures from the scratch copy, verify that none are left, restore and return them,
    with the blocks that turn a preserved table into the new one, in an order that survives a power cut."""
    hider = drive.hider(workspace)
    marks = drive.marks(hider, drive.new)
    for slot in drive.new:
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
