"""What waits on drives, to be looked at: the stand-in that it was made on, read-only, for as long as somebody
looks.

It goes with the process that shows it. Until then nobody hears of it: the loop device is locked, so udev
takes up no event of it, and the run is locked, so nobody keeps or undoes it meanwhile.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from wizard.apply.block.devices import forget_caches, partition_nodes
from wizard.apply.block.stand_in import NoStandInError, attached
from wizard.apply.engine.record import Phase, load_record
from wizard.apply.engine.stand_ins import have_partitions, left_over, release_left
from wizard.apply.engine.stores import Store, new_file
from wizard.apply.run.begin import check_root
from wizard.apply.run.lock import lock_run
from wizard.apply.run.runs import check_owner, load_plan
from wizard.apply.system.mounts import read_mounts
from wizard.filesystems.registry import MADE
from wizard.layout.rehearsed import on_nodes
from wizard.model.errors import Failed, Refused
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import Plan
from wizard.model.said import t
from wizard.tools.program import run as run_command

UNMOUNT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Shown:
    """A filesystem on the stand-in: `node`, where a mount takes it from, and which `device` it is to be.
    `mount` is the command that shows its files, without the place; empty where there is nothing to be
    mounted.
    """

    node: str
    device: str
    filesystem: str
    mount: tuple[str, ...]


class Look:
    """What is shown of a run; `end` before it is closed."""

    def __init__(self, nodes: tuple[str, ...], shown: tuple[Shown, ...]) -> None:
        self.shown = shown
        self._nodes = nodes

    def end(self) -> None:
        """Unmount what was mounted of it. Raises Failed where a program still uses that."""
        parts = [part for node in self._nodes for part in (node, *partition_nodes(node))]
        for mounted in reversed(read_mounts()):
            if mounted.source in parts:
                run_command(("umount", mounted.mount_point), seconds=UNMOUNT_SECONDS)
        for one in self.shown:
            if one.filesystem == "btrfs":
                # The drive's will have the same UUID.
                with suppress(Failed):
                    run_command(("btrfs", "device", "scan", "--forget", one.node), seconds=UNMOUNT_SECONDS)


@contextmanager
def looked_at(run: Path) -> Iterator[Look]:
    """Show what waits of a run for as long as the block lasts. Raises Refused where nothing waits, and Failed
    where no loop device can be had."""
    check_root()
    check_owner(run)
    with ExitStack() as stack:
        stack.callback(os.close, lock_run(run))
        record = load_record(run)
        if record is None or record.phase is not Phase.BARRED:
            raise Refused(
                t(
                    "Nothing of the run {name} waits to be kept: there is nothing to look at. "
                    "Nothing was written.",
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
                raise Failed(t("It cannot be shown: {why}. Nothing was written.", why=str(error))) from None
            forget_caches(node)
            have_partitions(node, (slot for slot in member.after.partitions if not slot.kept))
            nodes.append(node)
        look = Look(tuple(nodes), tuple(_shown(plan, tuple(nodes))))
        try:
            yield look
        finally:
            look.end()


def _shown(plan: Plan, nodes: tuple[str, ...]) -> Iterator[Shown]:
    there = on_nodes(plan, dict(zip(plan.paths, nodes, strict=True)))
    for step, other in zip(plan.steps, there.steps, strict=True):
        real, one = step.operation, other.operation
        if not isinstance(real, MakeFilesystem) or not isinstance(one, MakeFilesystem):
            continue
        options = ",".join(("ro", *(f"device={device}" for device in one.others)))
        mount = ("mount", "-o", options, one.device) if MADE[one.filesystem].mounts else ()
        yield Shown(one.device, real.device, one.filesystem, mount)


def end_looks(run: Path) -> None:
    """See that nobody looks at what a run keeps any more: one whose process was killed can still be mounted.
    Needs the run's lock. Raises Refused where a program holds on to it."""
    with suppress(Failed):
        release_left(run)
    if node := left_over(run):
        raise Refused(
            t(
                "{node} shows what waits of the run {name}, and a program still uses it. End "
                "that program, and unmount what is mounted from there. Nothing was written.",
                node=node,
                name=run.name,
            )
        )
