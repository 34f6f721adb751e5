"""Show a waiting result read-only, and tell the kernel about one changed partition."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from msgspec import Struct

from wizard.apply.block import devices
from wizard.apply.block.scratch_device import NoScratchDeviceError, attached
from wizard.apply.engine import scratch_copies
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.engine.stores import Store, new_file
from wizard.apply.run.job import NOT_WAITING, check_root
from wizard.apply.run.process import lock_run, refused
from wizard.apply.run.runs import check_owner, load_plan
from wizard.model.errors import Failed, Refused, why_not
from wizard.model.said import Sentence, t
from wizard.plan.plan import Plan
from wizard.probe.machine import probe_drive
from wizard.process.program import run

NO_SCRATCH_COPY = Sentence("Cannot create a scratch copy of {drives:list}: {why}. Nothing was written.")


class ReadonlyLook(Struct, frozen=True):
    """A read-only look at a waiting result: its plan, and the plan on scratch copies. Call `end` before
    closing."""

    plan: Plan
    there: Plan

    def end(self) -> None:
        """Unmount the shown filesystems. Raises Failed if one is in use."""
        scratch_copies.unmount(
            [part for node in self.there.devices for part in (node, *devices.partition_nodes(node))]
        )
        for one in self.there.filesystems:
            if one.filesystem == "btrfs":
                scratch_copies.forget_btrfs(one.device)


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
            raise Refused(NOT_WAITING(name=run.name))
        plan = load_plan(run)
        nodes = []
        for number, member in enumerate(plan.members):
            store = stack.enter_context(Store(new_file(run, number)))
            try:
                node = stack.enter_context(attached(store.fd, member.drive.geometry.logical_block_bytes))
            except NoScratchDeviceError as error:
                raise Failed(NO_SCRATCH_COPY(drives=plan.devices, why=str(error))) from None
            devices.forget_caches(node)
            scratch_copies.have_partitions(node, member.after.changed)
            nodes.append(node)
        look = ReadonlyLook(plan, plan.on_nodes(dict(zip(plan.devices, nodes, strict=True))))
        try:
            yield look
        finally:
            look.end()


def end_looks(run: Path) -> None:
    """Detach loop devices that a killed process has left. Requires the run's lock. Raises Refused if one is
    still mounted or in use."""
    with suppress(Failed):
        scratch_copies.release_left(run)
    for node in scratch_copies.leftover_nodes(run):
        raise refused(
            t(
                "{node} shows the waiting result of the run {name} and is still in use. End that "
                "program, and unmount everything mounted from the device.",
                node=node,
                name=run.name,
            )
        )


def update_partition(plan: Plan) -> None:
    """Add, resize or remove the plan's partition in the kernel, without touching its neighbours. The result
    is checked later. Raises Failed."""
    drive, number, part = plan.drive.path, plan.part, plan.part_path
    devices.forget_caches(drive)
    entry = next((one for one in probe_drive(drive).partitions if one.number == number and one.type), None)
    exists = Path(part).exists()
    if entry is not None and not exists:
        devices.add_partitions(drive, (number,))
    elif exists and (entry is None or entry.kernel_size_bytes != entry.size_bytes):
        action, until = "--delete" if entry is None else "--update", monotonic() + devices.FORGET_SECONDS
        argv = ("partx", action, "--nr", f"{number}:{number}", drive)
        # Retry while the partition is busy: udev and others open it for moments.
        while why_not(run, argv, seconds=30) and monotonic() <= until:
            sleep(0.2)
    if Path(part).exists():
        devices.forget_caches(part)
