"""Restore saved bytes of a run and verify them. Impossible once a filesystem was started."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from wizard.apply.block.devices import (
    FORGET_SECONDS,
    forget_caches,
    partition_nodes,
    read_bytes,
    tell_kernel,
    tell_of,
    write_bytes,
)
from wizard.apply.block.extents import without
from wizard.apply.block.scratch_device import NoStandInError, attached
from wizard.apply.conversion.messages import UNDONE, WROTE_NOTHING
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.engine.scratch_copies import have_partitions, left_over, release_left
from wizard.apply.engine.stores import Store, new_file
from wizard.apply.plan import drive_digests
from wizard.apply.plan.drive_digests import no_way_back
from wizard.apply.plan.guard import check_operations, check_unused, without_planning
from wizard.apply.plan.resume import check_made, check_on_array, own_drives, quietly
from wizard.apply.run.backup_store import LOOK_SECONDS, Saved, Vault, mark_durably, write_durably
from wizard.apply.run.job import check_root
from wizard.apply.run.journal import Journal, RunState, begun_steps, done_steps, read_entries, state
from wizard.apply.run.process import UNDOING, lock_run
from wizard.apply.run.runs import check_owner, load_environment, load_plan
from wizard.apply.steps.layers import bring_back, check_apart, own_uses, take_apart
from wizard.apply.system import fstab
from wizard.apply.system.crypttab import take_from_crypttab
from wizard.apply.system.edited_file import kept_as
from wizard.apply.system.mounts import read_mounts
from wizard.apply.table.proof import kernel_differences
from wizard.filesystems.registry import MADE
from wizard.model.errors import DiskwrightError, Failed, Refused
from wizard.model.ext import Event
from wizard.model.machine import Extent
from wizard.model.operations import AddCrypttabLine, MakeFilesystem
from wizard.model.plan import AddFstabLine, Member, Plan
from wizard.model.said import Message, join, joined, t, tn
from wizard.plan.dangers import layout_of
from wizard.plan.rehearsed import on_nodes
from wizard.probe.machine import probe_drive
from wizard.process.program import run
from wizard.process.program import run as run_command


def check_undoable(run: Path, plan: Plan) -> None:
    """Raises Refused if there is nothing to undo, or if it cannot be undone completely."""
    if state(run) is RunState.UNDONE:
        raise Refused(UNDONE(name=run.name))
    begun = begun_steps(read_entries(run))
    if not begun:
        raise Refused(WROTE_NOTHING(name=run.name))
    if final := no_way_back(plan, begun):
        raise Refused(
            t(
                "The run {name} cannot be undone: {final} has started, and the overwritten "
                "data is lost. Nothing was written.",
                name=run.name,
                final=final,
            )
        )


def check_drives(run: Path, plan: Plan) -> None:
    """Raises Refused unless the drives are the same, contain what the run left, and are used only by its own
    array."""
    check_operations(plan, load_environment(run).only)
    entries = read_entries(run)
    begun, done, back = begun_steps(entries), done_steps(entries), _restored_drives(run)
    # The array was stopped before the first drive was restored. Anything on that drive since belongs to
    # others.
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
        device, where = place
        raise Refused(
            t(
                "{device} changed at byte {byte} after the run {run} ended; undo could "
                "destroy that change. Nothing was written.",
                device=device,
                byte=where.start_bytes,
                run=run.name,
            )
        )


def put_back_saved(run: Path, journal: Journal) -> str:
    """Restore the saved bytes and return a summary. Raises DiskwrightError."""
    plan = load_plan(run)
    check_undoable(run, plan)
    check_drives(run, plan)
    return _restore(run, plan, journal)


def _restore(run: Path, plan: Plan, journal: Journal) -> str:
    vault = Vault(run / "saved")
    contents = {saved: vault.read(saved) for saved in vault.all()}
    back = _restored_drives(run)
    mark_durably(run / UNDOING)
    _restore_fstab(run, plan)
    if not back:
        take_apart(plan, quietly)
    sentences = [
        t("{drive} was already restored.", drive=member.drive.path)
        for member in plan.members
        if member.drive.path in back
    ]
    for member in plan.members:
        if member.drive.path in back:
            continue
        sentences.append(_restore_drive(plan, member, vault, contents, journal))
        write_durably(run / UNDOING, f"{member.drive.path}\n".encode(), os.O_APPEND)
    return joined(sentences)


def _restored_drives(run: Path) -> frozenset[str]:
    """Return drives that an earlier attempt restored and verified. Their contents may have changed since."""
    file = run / UNDOING
    return frozenset(file.read_text().splitlines()) if file.exists() else frozenset()


def _restore_drive(
    plan: Plan, member: Member, vault: Vault, contents: Mapping[Saved, bytes], journal: Journal
) -> Message:
    """Restore and verify the saved bytes of one drive, and return a summary."""
    drive = member.drive.path
    saved = vault.of(plan, drive)
    # In reverse, so the oldest bytes of a place saved twice are written last.
    for one in reversed(saved):
        write_bytes(drive, one.offset_bytes, contents[one])
    forget_caches(drive)
    journal.add(
        Event.COMMAND,
        str(
            tn(
                "Restored {count} saved region of {drive}.",
                "Restored {count} saved regions of {drive}.",
                count=len(saved),
                drive=drive,
            )
        ),
    )
    tell_kernel(drive, anew=True)
    covered: list[Extent] = []
    for one in saved:
        for piece in without(one.extent, covered):
            begin = piece.start_bytes - one.offset_bytes
            if (
                read_bytes(drive, piece.start_bytes, piece.size_bytes)
                != contents[one][begin : begin + piece.size_bytes]
            ):
                raise Failed(
                    t(
                        "Verification of {drive} failed at byte {byte}: the data read back differs "
                        "from the data written.",
                        drive=drive,
                        byte=piece.start_bytes,
                    )
                )
        covered.append(one.extent)
    return _verify_restored(member)


def _restore_fstab(run: Path, plan: Plan) -> None:
    environment = load_environment(run)
    path = environment.fstab
    keep = kept_as(path, run.name)
    for step in reversed(plan.steps):
        if isinstance(step.operation, AddFstabLine):
            fstab.remove_line(path, step.operation, keep)
        elif isinstance(step.operation, AddCrypttabLine):
            take_from_crypttab(environment.crypttab, step.operation, run.name)


def _verify_restored(member: Member) -> Message:
    """Probe the drive and compare it with the plan's old state. Raises Failed."""
    drive = probe_drive(member.drive.path, seconds=LOOK_SECONDS)
    if member.drive.content_digest is not None and drive.content_digest != member.drive.content_digest:
        raise Failed(
            t(
                "The saved bytes of {drive} are restored, but the table or a signature "
                "differs from the plan's old state.",
                drive=drive.path,
            )
        )
    now = layout_of(drive)
    if now is None or without_planning(now) != without_planning(member.before):
        raise Failed(
            t(
                "The saved bytes of {drive} are restored, but the layout differs from the plan's old state.",
                drive=drive.path,
            )
        )
    back = t("{drive} is restored byte for byte.", drive=drive.path)
    late = kernel_differences(member.before, drive)
    return join(back, t("The kernel reads the restored table at the next restart.")) if late else back


UNMOUNT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class ShownFilesystem:
    """A filesystem on the scratch copy at `node`, which represents `device`.

    `mount` is the command that mounts it, without the mount point; empty if it cannot be mounted.
    """

    node: str
    device: str
    filesystem: str
    mount: tuple[str, ...]


class ReadonlyLook:
    """A read-only look at a waiting result. Call `end` before closing."""

    def __init__(self, nodes: tuple[str, ...], shown: tuple[ShownFilesystem, ...]) -> None:
        self.shown = shown
        self._nodes = nodes

    def end(self) -> None:
        """Unmount the shown filesystems. Raises Failed if one is in use."""
        parts = [part for node in self._nodes for part in (node, *partition_nodes(node))]
        for mounted in reversed(read_mounts()):
            if mounted.source in parts:
                run_command(("umount", mounted.mount_point), seconds=UNMOUNT_SECONDS)
        for one in self.shown:
            if one.filesystem == "btrfs":
                # The filesystem on the drive will have the same UUID.
                with suppress(Failed):
                    run_command(("btrfs", "device", "scan", "--forget", one.node), seconds=UNMOUNT_SECONDS)


@contextmanager
def looked_at(run: Path) -> Iterator[ReadonlyLook]:
    """Attach the waiting result to loop devices, read-only. Raises Refused if nothing is waiting, and Failed
    if loop devices are unavailable."""
    check_root()
    check_owner(run)
    with ExitStack() as stack:
        stack.callback(os.close, lock_run(run))
        record = load_record(run)
        if record is None or record.phase is not Phase.HIDDEN:
            raise Refused(
                t(
                    "The run {name} has no waiting result to look at. Nothing was written.",
                    name=run.name,
                )
            )
        plan = load_plan(run)
        nodes = []
        for number, member in enumerate(plan.members):
            store = stack.enter_context(Store(new_file(run, number)))
            try:
                node = stack.enter_context(attached(store.fd, member.drive.geometry.logical_block_bytes))
            except NoStandInError as error:
                raise Failed(
                    t("Cannot show the result: {why}. Nothing was written.", why=str(error))
                ) from None
            forget_caches(node)
            have_partitions(node, (slot for slot in member.after.partitions if not slot.kept))
            nodes.append(node)
        look = ReadonlyLook(tuple(nodes), tuple(_shown(plan, tuple(nodes))))
        try:
            yield look
        finally:
            look.end()


def _shown(plan: Plan, nodes: tuple[str, ...]) -> Iterator[ShownFilesystem]:
    there = on_nodes(plan, dict(zip(plan.paths, nodes, strict=True)))
    for step, other in zip(plan.steps, there.steps, strict=True):
        real, one = step.operation, other.operation
        if not isinstance(real, MakeFilesystem) or not isinstance(one, MakeFilesystem):
            continue
        options = ",".join(("ro", *(f"device={device}" for device in one.others)))
        mount = ("mount", "-o", options, one.device) if MADE[one.filesystem].mounts else ()
        yield ShownFilesystem(one.device, real.device, one.filesystem, mount)


def end_looks(run: Path) -> None:
    """Detach loop devices that a killed process has left. Requires the run's lock. Raises Refused if one is
    still mounted or in use."""
    with suppress(Failed):
        release_left(run)
    if node := left_over(run):
        raise Refused(
            t(
                "{node} shows the waiting result of the run {name} and is still in use. End "
                "that program, and unmount everything mounted from the device. Nothing was "
                "written.",
                node=node,
                name=run.name,
            )
        )


def tell_of_one(plan: Plan) -> None:
    """Add, resize or remove the plan's partition in the kernel, without touching its neighbours. The result
    is checked later. Raises Failed."""
    drive, number, part = plan.drive.path, plan.part, plan.part_path
    forget_caches(drive)
    entry = next((one for one in probe_drive(drive).partitions if one.number == number and one.type), None)
    exists = Path(part).exists()
    if entry is not None and not exists:
        tell_of(drive, (number,))
    elif entry is None and exists:
        _partx("--delete", drive, number)
    elif entry is not None and entry.kernel_size_bytes != entry.size_bytes:
        _partx("--update", drive, number)
    if Path(part).exists():
        forget_caches(part)


def _partx(action: str, drive: str, number: int) -> None:
    """Retry while the partition is busy: udev and others open it for moments."""
    until = monotonic() + FORGET_SECONDS
    with suppress(DiskwrightError):
        while True:
            try:
                run(("partx", action, "--nr", f"{number}:{number}", drive), seconds=30)
                return
            except Failed:
                if monotonic() > until:
                    return
                sleep(0.2)
