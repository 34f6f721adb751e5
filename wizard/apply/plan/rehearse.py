"""Rehearse a plan with the real tools on scratch copies, and verify the result. Writes to no drive."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from wizard.apply.block.devices import read_bytes
from wizard.apply.block.extents import merged, without
from wizard.apply.conversion.messages import STOPPED
from wizard.apply.engine.changes import collected, discards, unknown_data, zeros_wanted
from wizard.apply.engine.record import Phase, Record, SavedSignature
from wizard.apply.engine.scratch_copies import ScratchRequest, have_partitions, mapped_unseen, standing_in_for
from wizard.apply.engine.signatures import Marking, in_release_order
from wizard.apply.engine.stores import NoticeText, new_file, with_notice
from wizard.apply.resize.resized import RESIZERS, check_files_stay
from wizard.apply.resize.showing import Showing, shown_with
from wizard.apply.run.backup_store import Environment, Vault
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import STOP
from wizard.apply.run.progress_log import noting, part_of
from wizard.apply.run.runs import run_argument
from wizard.apply.steps.array_checks import leave_uncopied, show_beneath, stand_in_nodes, unseen_array
from wizard.apply.steps.containers import keep_headers
from wizard.apply.steps.layers import layer_nodes
from wizard.apply.steps.step_context import StepContext, told_in
from wizard.apply.table.proof import in_order
from wizard.apply.table.write import image_of, record_places, table_regions
from wizard.model.errors import DiskwrightError, Failed, partition_path
from wizard.model.ext import Event
from wizard.model.machine import Extent
from wizard.model.operations import MAPPER, MakeArray, MakeFilesystem, OpenContainer
from wizard.model.plan import Layout, Member, Plan, Resizing, Slot, WriteTable
from wizard.model.said import Message, format_capacity, t, tn
from wizard.plan.check import render_plan
from wizard.plan.free_space import is_container
from wizard.plan.rehearsed import on_nodes, rehearsed_steps
from wizard.plan.undo_policy import is_bare
from wizard.probe.content.notices import notices
from wizard.process.program import run as run_command

NOTHING_YET = t("Nothing was written to the drive.")

Execute = Callable[[StepContext], Message | str]
"""Carries out the operation of a site; a sentence on what came of it. Raises Failed."""


class StoppedError(Exception):
    """The rehearsal was asked to stop; the sentence says before which step."""


@dataclass(frozen=True, slots=True)
class RehearsalWorkspace:
    """Where a run rehearses: its folder, what it was told to work with, its journal, what carries out a
    step, and the passphrase of what is encrypted."""

    run: Path
    environment: Environment
    journal: Journal
    execute: Execute
    secret: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A drive of the plan, what stands in for it, and the table that the plan writes on it: a plan that is
    rehearsed has one for each."""

    member: Member
    stand_in: Member
    table: WriteTable
    part: int = 0

    @property
    def old(self) -> list[Slot]:
        """The partitions that do not stay as they are."""
        return _changed(self.member.before, self.part)

    @property
    def new(self) -> list[Slot]:
        """The partitions that are made, or have otherwise what they have."""
        return _changed(self.member.after, self.part)

    @property
    def room(self) -> list[Extent]:
        """Where nothing lies that stays: the partitions that are made, or what one gains that grows, or gives
        up that shrinks."""
        if not self.resizes:
            return [slot.extent for slot in self.new]
        ends = sorted(slot.end_bytes for slot in (*self.old, *self.new))
        return [Extent(ends[0], ends[-1] - ends[0])]

    @property
    def resizes(self) -> bool:
        """Whether what is in the one partition that changes stays in it."""
        return any(slot.number == self.part and slot.kept for slot in self.member.before.partitions)

    def node(self, slot: Slot) -> str:
        """The node of a partition on the stand-in."""
        return partition_path(self.stand_in.drive.path, slot.number)


def rehearse(plan: Plan, ground: RehearsalWorkspace) -> Record:
    """Carry out everything that the plan does to its drives on stand-ins, and keep the old bytes of what is
    to change.

    Raises Failed, NoStandInError where none can be had, and StoppedError: the drives have not changed then.
    """
    wanted = [wanted_for(plan, member) for member in plan.members]
    with standing_in_for(ground.run, wanted) as nodes:
        there = on_nodes(plan, dict(zip(plan.paths, nodes, strict=True)) | stand_in_nodes(plan))
        drives = [
            Rehearsed(member, stand_in, table_of(plan, member), plan.part)
            for member, stand_in in zip(plan.members, there.members, strict=True)
        ]
        for drive in drives:
            parts = [slot for slot in drive.member.before.partitions if not is_container(slot)]
            have_partitions(drive.stand_in.drive.path, parts)
        if showing := _showing(plan, there, ground, wanted[0]):
            wanted[0] = _shown(plan, showing, wanted[0])
        old = [_old_marks(drive, ground) for drive in drives]
        with (
            unseen_array(there, told_in(ground.journal)),
            mapped_unseen(ground.run, nodes, _mapped_names(there)),
        ):
            _carry_out(plan, there, ground)
            if showing:
                check_files_stay(_resizing(plan), showing, wanted[0].allowed)
            keep_headers(there, ground.run)
            leave_uncopied(there, told_in(ground.journal))
            _forget(there)
        new = [_new_marks(drive, ground) for drive in drives]
    ground.journal.add(
        Event.COMMAND,
        str(
            tn(
                "Read and saved the blocks of {drives:and} that will change.",
                "Read and saved the blocks of {drives:and} that will change.",
                drives=plan.paths,
                count=len(plan.paths),
            )
        ),
    )
    progress, drives_count = noting(ground.run), len(wanted)
    changes = [
        collected(
            ground.run,
            number,
            one,
            old[number],
            new[number],
            blank=is_bare(member.before) and not old[number],
            zeros_in=zeros_wanted(plan, member),
            progress=part_of(progress, number / drives_count, (number + 1) / drives_count),
        )
        for number, (one, member) in enumerate(zip(wanted, plan.members, strict=True))
    ]
    for said in unknown_data(ground.run, plan, changes):
        ground.journal.add(Event.COMMAND, str(said))
    if not all(change.blank for change in changes):
        told = NoticeText(
            run_argument(ground.run),
            datetime.now(UTC).isoformat(timespec="seconds"),
            _made(plan),
            render_plan(plan),
        )
        changes = [
            with_notice(ground.run, number, change, drive.room, told, one.block_bytes)
            for number, (change, drive, one) in enumerate(zip(changes, drives, wanted, strict=True))
        ]
        changes = [
            replace(change, discards=discards(ground.run, number, plan, change, one.block_bytes))
            for number, (change, one) in enumerate(zip(changes, wanted, strict=True))
        ]
    return Record(Phase.SAVED, tuple(changes))


def _showing(plan: Plan, there: Plan, ground: RehearsalWorkspace, wanted: ScratchRequest) -> Showing | None:
    """The filesystem that stays and changes its size on the only drive of the plan; None where none does."""
    for step, other in zip(plan.steps, there.steps, strict=True):
        if isinstance(step.operation, Resizing) and isinstance(other.operation, Resizing):
            seconds = ground.environment.patience_seconds + 10 * step.seconds
            return Showing(
                real=step.operation.device,
                stand_in=other.operation.device,
                volume=next(slot.extent for slot in plan.before.partitions if slot.number == plan.part),
                size_bytes=step.operation.size_bytes,
                drive=wanted.path,
                file=new_file(ground.run, 0),
                run=ground.run,
                do=told_in(ground.journal, seconds=seconds),
                seconds=seconds,
            )
    return None


def _resizing(plan: Plan) -> Resizing:
    return next(step.operation for step in plan.steps if isinstance(step.operation, Resizing))


def _shown(plan: Plan, showing: Showing, wanted: ScratchRequest) -> ScratchRequest:
    """Have the stand-in show what may move; then nothing else may change in its files. Raises Failed."""
    seen = shown_with(RESIZERS[_resizing(plan).filesystem].show, showing)
    beside = (place for one in wanted.allowed for place in without(one, (showing.volume,)))
    return replace(wanted, allowed=merged((*beside, *seen), wanted.block_bytes, wanted.size_bytes))


def _made(plan: Plan) -> str:
    """What the plan makes, in a few words without names."""
    sizes = [(slot.filesystem, slot.size_bytes) for slot in _changed(plan.after, plan.part)]
    return ", ".join(f"{filesystem or 'nothing'} of {format_capacity(size)}" for filesystem, size in sizes)


def wanted_for(plan: Plan, member: Member) -> ScratchRequest:
    """What a stand-in for this drive of the plan is to show, and what may change on it. Reads the drive's
    table."""
    path, size = member.drive.path, member.drive.size_bytes
    block = member.drive.geometry.logical_block_bytes
    slots = (*_changed(member.before, plan.part), *_changed(member.after, plan.part))
    going = tuple(slot.extent for slot in slots)
    records = tuple(record_places(path, size, block))
    if table_of(plan, member).fresh:
        return ScratchRequest(path, size, block, going, (Extent(0, size),), records)
    # A volume that reaches the end of the drive meets the table's copy there.
    allowed = merged((*going, *table_regions(member, fresh=False)), block, size)
    return ScratchRequest(path, size, block, going, allowed, records, _in_use(plan, member))


def _in_use(plan: Plan, member: Member) -> tuple[Extent, ...]:
    """The partitions that stay where only one is changed: they may be mounted."""
    if not plan.part:
        return ()
    stay = (slot for slot in member.before.partitions if slot.number != plan.part and not is_container(slot))
    return tuple(slot.extent for slot in stay)


def table_of(plan: Plan, member: Member) -> WriteTable:
    """The table that the plan writes on a drive; raises Failed where it writes none."""
    tables = [step.operation for step in plan.steps if isinstance(step.operation, WriteTable)]
    found = next((table for table in tables if table.device == member.drive.path), None)
    if found is None:
        raise Failed(t("The plan writes no table to {drive}.", drive=member.drive.path), str(NOTHING_YET))
    return found


def _changed(layout: Layout, part: int) -> list[Slot]:
    """The partitions of a layout that do not stay, or are the one that changes."""
    return [
        slot
        for slot in layout.partitions
        if not is_container(slot) and (not slot.kept or slot.number == part)
    ]


def _carry_out(plan: Plan, there: Plan, ground: RehearsalWorkspace) -> None:
    vault = Vault(ground.run / "saved")
    for number, step in rehearsed_steps(there):
        site = StepContext(
            there,
            number,
            False,
            ground.run.name,
            ground.environment,
            ground.journal,
            vault,
            (),
            ground.secret,
            rehearsed=True,
        )
        if (ground.run / STOP).exists():
            raise StoppedError(STOPPED(step=number))
        # What is opened here is closed again: as a step that is done counts what opens it for use.
        is_step = not isinstance(step.operation, OpenContainer)
        if is_step:
            ground.journal.add(Event.STEP_STARTED, step.sentence, step=number)
        try:
            said = ground.execute(site)
            if isinstance(step.operation, MakeArray):
                show_beneath(plan, there)
        except (DiskwrightError, OSError) as error:
            ground.journal.add(Event.STEP_FAILED, str(error), step=number)
            failed = t("Step {step} of {steps} failed in the rehearsal:", step=number, steps=len(there.steps))
            raise Failed(f"{failed} {error}", str(NOTHING_YET)) from None
        ground.journal.add(Event.STEP_DONE if is_step else Event.COMMAND, said, step=number)


def _mapped_names(there: Plan) -> tuple[str, ...]:
    """What the device mapper is to have meanwhile, by its own names."""
    nodes = (*layer_nodes(there), *(one.opened for one in there.containers))
    return tuple(Path(node).name for node in nodes if node.startswith(MAPPER))


def _marking(drive: Rehearsed, ground: RehearsalWorkspace) -> Marking:
    identity = drive.stand_in.drive
    return Marking(
        identity.path,
        identity.size_bytes,
        identity.geometry.logical_block_bytes,
        ground.environment.patience_seconds,
    )


def _old_marks(drive: Rehearsed, ground: RehearsalWorkspace) -> tuple[SavedSignature, ...]:
    """What the drive is recognised by now, taken away from its stand-in; where its table stays, that of the
    partition that is changed, if one is."""
    marking = _marking(drive, ground)
    if not drive.table.fresh:
        marks = _marks(drive, marking, drive.old)
        if drive.resizes:
            marking.put_back()
        return marks
    return (*_notices(drive.member), *_marks(drive, marking, drive.old))


def _notices(member: Member) -> Iterator[SavedSignature]:
    """Where another run left a notice on the drive, which would speak for what is made now."""
    path, size = member.drive.path, member.drive.size_bytes
    for notice, _ in notices(lambda start, length: read_bytes(path, start, min(length, size - start)), size):
        yield SavedSignature(notice.start_bytes, notice.room_bytes)


def _new_marks(drive: Rehearsed, ground: RehearsalWorkspace) -> tuple[SavedSignature, ...]:
    """What the drive is to be recognised by: taken away from the stand-in, proven to be all, and put back
    there."""
    marking = _marking(drive, ground)
    marks = _marks(drive, marking, drive.new)
    for slot in drive.new:
        marking.refuse_recognised(drive.node(slot), slot.filesystem)
    marking.put_back()
    return marks if drive.table.fresh else (*marks, *_table_marks(drive))


def _marks(drive: Rehearsed, marking: Marking, slots: list[Slot]) -> tuple[SavedSignature, ...]:
    """Those of partitions, and where its table is a new one of the drive itself."""
    found = [place for slot in slots for place in marking.volume(drive.node(slot), slot.extent)]
    whole, table = marking.drive() if drive.table.fresh else ((), ())
    return in_release_order((*found, *whole), table, drive.stand_in.drive.geometry.logical_block_bytes)


def _table_marks(drive: Rehearsed) -> tuple[SavedSignature, ...]:
    """The blocks that make the new table out of one that stays in force until then, in the order that no
    power cut can hurt."""
    regions = table_regions(drive.member, fresh=False)
    before, wanted = (image_of(one.drive.path, regions, one.drive) for one in (drive.member, drive.stand_in))
    return tuple(
        SavedSignature(offset, len(data), stays=True)
        for offset, data in in_order(drive.table.table, before, wanted)
    )


def _forget(there: Plan) -> None:
    """Have the kernel forget a Btrfs that it saw on stand-ins: the drive's will have the same UUID."""
    for _, step in rehearsed_steps(there):
        operation = step.operation
        if isinstance(operation, MakeFilesystem | Resizing) and operation.filesystem == "btrfs":
            others = operation.others if isinstance(operation, MakeFilesystem) else ()
            for device in (operation.device, *others):
                with suppress(Failed):
                    run_command(("btrfs", "device", "scan", "--forget", device), seconds=60)
