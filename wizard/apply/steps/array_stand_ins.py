"""An md array on stand-ins: seen by nobody, made without md's first copying, and left as one that is still to
be copied.

The first copying of a mirror writes over all of a drive but the first, from end to end. On a stand-in it
would fill the run's folder with what is no use to anybody, and no way back could keep what it writes over. So
the array is made with --assume-clean, and before anything is saved it is marked as what it is: not copied
yet. That takes two marks, since its halves are equal only where the rehearsal wrote:

- Every bit of the bitmap is set. md copies just the places whose bits are set, and those are cleared soon
  after a write: with no bit set it calls the whole array copied at once and copies nothing (tried: Linux 6.1,
  mdadm 4.2).
- The place up to which it is copied, resync_offset in the superblock, is 0. From there on md reads the first
  drive only, and there it begins to copy when it runs and may be written. Setting the bits moves that place
  in the kernel, which does not always write it before an array is stopped, so mdadm writes it too
  (`--update=resync`, read-only, so that nothing begins).

A RAID0 has no copies, so nothing is to be said about it. RAID5 and RAID6 are not planned; they would have to
be marked the same way, as their parity is wrong wherever the rehearsal did not write.
Sources: Linux drivers/md/md-bitmap.c (md_bitmap_dirty_bits, md_bitmap_init_from_disk), drivers/md/raid1.c
(raid1_sync_request, read_balance), Documentation/admin-guide/md.rst; mdadm(8).
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wizard.apply.block.devices import (
    SYS_BLOCK,
    forget_caches,
    kernel_name,
    read_bytes,
    wait_for,
    write_bytes,
)
from wizard.apply.block.extents import chunks, merged
from wizard.apply.block.unseen import heed, ignore
from wizard.apply.engine.stand_ins import HEAD_BYTES, TAIL_BYTES
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.steps.array_checks import examined_offset
from wizard.apply.steps.arrays import array_parts, stop_own_array, taken_arrays
from wizard.apply.steps.lvm import Do
from wizard.apply.steps.words.devices import NO_NODE
from wizard.layout.rehearsed import array_node
from wizard.layout.several.striping import HIGHEST_ARRAY
from wizard.layout.steps.commands import array_uuid
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.operations.arrays import MakeArray
from wizard.model.plan import Plan
from wizard.model.said import t
from wizard.model.units import KIB
from wizard.tools.program import run

RULE = "array"
_UNSEEN = (
    'SUBSYSTEM=="block", KERNEL=="{name}", ENV{{UDISKS_IGNORE}}="1", ENV{{SYSTEMD_READY}}="0", '
    'ENV{{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}}="1", SYMLINK:="", OPTIONS:="nowatch"'
)
"""udev takes no heed of locks on md arrays (systemd, src/udev/udev-util.c, udev_get_whole_disk). mdadm's own
rules (63-md-raid-arrays.rules) ask for links by UUID, which are not made once that is settled."""


def stand_in_nodes(plan: Plan) -> dict[str, str]:
    """For the md array that a plan makes, the node that it has on stand-ins: a number that no array has, nor
    is to have. Empty for another plan."""
    planned = array_node(plan)
    if not planned:
        return {}
    taken = {planned, *taken_arrays()}
    free = (f"/dev/md{number}" for number in range(HIGHEST_ARRAY, -1, -1))
    return {planned: next(node for node in free if node not in taken)}


@contextmanager
def unseen_array(there: Plan, do: Do) -> Iterator[None]:
    """While this lasts udev leaves the array on the stand-ins of this plan alone; at its end it is stopped.
    Raises Failed."""
    node = array_node(there)
    if not node:
        yield
        return
    try:
        ignore(RULE, [_UNSEEN.format(name=kernel_name(node))])
    except OSError as error:
        raise Failed(
            t("udev could not be told to leave {node} alone: {why}.", node=node, why=str(error.strerror))
        ) from None
    try:
        yield
    finally:
        try:
            stop_own_array(there, do)
        finally:
            heed(RULE)


def without_copying(argv: Sequence[str], operation: MakeArray) -> tuple[str, ...]:
    """The command that makes an array, so that md copies nothing yet. Pure."""
    return (*argv, "--assume-clean") if operation.level == "raid1" else (*argv,)


def keep_quiet(operation: MakeArray) -> None:
    """Have md begin nothing by itself, and pass on no discard: what is discarded on a stand-in is a hole, and
    counts as never touched, while the drive would still show what it held there. Raises Failed."""
    folder = SYS_BLOCK / kernel_name(operation.device)
    _write(folder / "queue/discard_max_bytes", "0")
    if operation.level == "raid1":
        _write(folder / "md/sync_action", "frozen")


def show_beneath(plan: Plan, there: Plan) -> None:
    """Show on the array of stand-ins what the makers of filesystems would find on that of the drives: its
    data begin further in than the ends of its parts, which the stand-ins show. Of a mirror that is the first
    drive's, from which md copies. Raises Failed.
    """
    mirrors = plan.stripe is not None and plan.stripe.mirrors
    for member, part in zip(plan.members, array_parts(there), strict=True):
        shown = plan.members[0] if mirrors else member
        (slot,), (source,) = member.after.partitions, shown.after.partitions
        offset = examined_offset(run(("mdadm", "--examine", part), seconds=LOOK_SECONDS).output)
        if offset is None:
            raise Failed(t("mdadm does not say where the data of {part} begin.", part=part))
        room = slot.size_bytes - offset
        head, tail = min(HEAD_BYTES, room), min(TAIL_BYTES, room)
        ends = (Extent(offset, head), Extent(slot.size_bytes - tail, tail))
        for chunk in chunks(merged(ends, member.drive.geometry.logical_block_bytes, slot.size_bytes)):
            data = read_bytes(shown.drive.path, source.start_bytes + chunk.start_bytes, chunk.size_bytes)
            write_bytes(part, chunk.start_bytes, data)
    forget_caches(array_node(there))


def leave_uncopied(there: Plan, do: Do) -> None:
    """Stop the array on the stand-ins of this plan, marked as what it will be on the drives: a mirror that is
    not copied yet. Nothing for a plan without an array. Raises Failed where that is not what is there then.
    """
    node = array_node(there)
    if not node:
        return
    folder, parts = SYS_BLOCK / kernel_name(node) / "md", array_parts(there)
    mirrors = there.stripe is not None and there.stripe.mirrors
    if mirrors:
        each, size = int(_read(folder / "bitmap/chunksize")), int(_read(folder / "component_size")) * KIB
        _write(folder / "bitmap_set_bits", f"0-{-(-size // each) - 1}")
    do(("mdadm", "--wait-clean", node))
    stop_own_array(there, do)
    if not mirrors or there.stripe is None:
        return
    uuid = array_uuid(there.stripe.uuids[0])
    do(("mdadm", "--assemble", "--readonly", "--update=resync", node, f"--uuid={uuid}", *parts))
    if missing := wait_for((node,)):
        raise Failed(NO_NODE(node=missing))
    stop_own_array(there, do)
    for part in parts:
        forget_caches(part)
        if not is_uncopied(
            do(("mdadm", "--examine", part)).output, do(("mdadm", "--examine-bitmap", part)).output
        ):
            raise Failed(t("mdadm calls {part} copied already, which it is not.", part=part))


def is_uncopied(said: str, bitmap: str) -> bool:
    """Whether md has all of an array to copy, by what mdadm says of a part and of its bitmap. Pure.

    mdadm calls an array active that is copied up to some place only, also while it does not run.
    """
    return (
        re.search(r"(?m)^\s*State : active$", said) is not None
        and re.search(r"(?m)^\s*Bitmap : (\d+) bits \(chunks\), \1 dirty", bitmap) is not None
    )


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise Failed(
            t("{file} did not take {text}: {why}.", file=str(file), text=text, why=str(error.strerror))
        ) from None


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError as error:
        raise Failed(t("{file} could not be read: {why}.", file=str(file), why=str(error.strerror))) from None
