"""md arrays across the plan's drives: identify, create, assemble, stop, dismantle and verify.

An array belongs to the run if all members are partitions of the plan's drives, with the planned UUID.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import sleep

from wizard.apply.block import devices, scratch_device
from wizard.apply.block.extents import chunks, merged
from wizard.apply.engine.scratch_copies import HEAD_BYTES, TAIL_BYTES
from wizard.apply.run.process import UNWRITTEN
from wizard.apply.steps import step_context
from wizard.documents.files import UNREADABLE
from wizard.model.errors import Failed, Refused
from wizard.model.geometry import Geometry
from wizard.model.machine import Extent, Striping
from wizard.model.run import Check, differences
from wizard.model.said import KERNEL_SECTOR_BYTES, KIB, MIB, Message, failing, t
from wizard.operations.layers import MakeArray
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import HIGHEST_ARRAY
from wizard.probe.host import sysfs
from wizard.process.program import run

STOP_TRIES = 10
STOP_PAUSE_SECONDS = 0.3

WAITING_STATES = ("read-auto", "readonly")
"""States in which md copies nothing (Documentation/admin-guide/md.rst, array_state). On Debian, arrays start
in read-auto until the first write (start_ro)."""


def check_free_array(array: MakeArray) -> None:
    """Raises Refused if the node or UUID of a planned array is in use. mdadm does not check the UUID."""
    if _md_taken(array.device):
        raise Refused(step_context.TAKEN(what=array.device))
    uuid = array.mdadm_uuid
    if f"UUID={uuid}" in run(("mdadm", "--detail", "--scan")).output.split():
        raise Refused(step_context.TAKEN(what=f"UUID={uuid}"))


def taken_arrays() -> tuple[str, ...]:
    """Return the nodes of all existing md arrays."""
    found = (
        sysfs.node_of(entry.name)
        for entry in sorted(devices.SYS_BLOCK.glob("md*"))
        if not (entry / "partition").exists()
    )
    return tuple(node for node in found if _md_taken(node))


def _md_taken(node: str) -> bool:
    folder = devices.sysfs_folder(node)
    return folder.exists() and sysfs.text(folder / "md/array_state") != "clear"


def layers_on(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the md arrays and device-mapper nodes on these partitions and no others."""
    names = {devices.kernel_name(part) for part in parts}
    found = []
    for entry in sorted(Path("/sys/block").glob("*")):
        slaves = {slave.name for slave in (entry / "slaves").glob("*")}
        if slaves and slaves <= names and ((entry / "md").exists() or (entry / "dm").exists()):
            found.append(sysfs.node_of(entry.name))
    return tuple(found)


def running_array(array: MakeArray, do: step_context.Do) -> str | None:
    """Return the kernel node of the plan's running array, or None. Raises Failed if another array uses its
    members."""
    node = next(iter(layers_on(array.parts)), None)
    if node is None:
        return None
    # An array that was never started does not report its UUID, but its members do.
    output = do(("mdadm", "--detail", "--export", node)).output
    if f"MD_UUID={array.mdadm_uuid}" not in output.splitlines():
        raise step_context.foreign(node)
    return node


def is_node_of(device: str) -> bool:
    """Return True if the node is a block device with the number that the kernel uses for its name."""
    number = sysfs.text(devices.sysfs_folder(device) / "dev")
    return Path(device).is_block_device() and number == devices.device_number(device)


def stop_own_array(array: MakeArray, do: step_context.Do) -> None:
    """Stop the plan's array, under any number. Retry, since udev may open it for moments. Raises Failed if it
    is in use, or not the plan's own."""
    if (node := running_array(array, do)) is None:
        return
    for attempt in range(STOP_TRIES):
        devices.check_unclaimed(node)
        try:
            do(("mdadm", "--stop", node))
        except Failed:
            if attempt == STOP_TRIES - 1:
                raise
            sleep(STOP_PAUSE_SECONDS)
        else:
            return


def assemble_own(array: MakeArray, do: step_context.Do) -> None:
    """Run the plan's array under its own number, with all members, and start its resync, which md may delay
    until the first write. Raises Failed, and Refused if another array has that number."""
    device = array.device
    if running_array(array, do) != device:
        stop_own_array(array, do)
        check_free_array(array)
        do(("mdadm", "--assemble", device, f"--uuid={array.mdadm_uuid}", *array.parts))
        devices.wait_for(device)
    folder = devices.sysfs_folder(device)
    # If the power fails between the drives' last signatures, a mirror may have run with only one of them. md
    # then omits the other until it is added again and copied.
    for part in _missing_members(array, folder):
        do(("mdadm", device, "--re-add", part))
    if absent := _missing_members(array, folder):
        raise Failed(t("{device} runs without {parts:list}.", device=device, parts=tuple(absent)))
    if (folder / "md/array_state").read_text().strip() in WAITING_STATES:
        do(("mdadm", "--readwrite", device))


def _missing_members(array: MakeArray, folder: Path) -> list[str]:
    members = {slave.name for slave in (folder / "slaves").iterdir()}
    return [part for part in array.parts if devices.kernel_name(part) not in members]


def make_array(operation: MakeArray, context: step_context.StepContext) -> Message:
    """Create the array, and return a summary. Raises Failed."""
    check_free_array(operation)
    no_copy = ("--assume-clean",) if context.rehearsed and operation.copied else ()
    for argv in operation.commands():
        context.command((*argv, *no_copy))
    devices.wait_for(operation.device)
    if context.rehearsed:
        # A discard would make a hole in the scratch copy, which counts as unchanged, while the drive keeps
        # its old data.
        folder = devices.sysfs_folder(operation.device)
        _write(folder / "queue/discard_max_bytes", "0")
        if operation.copied:
            _write(folder / "md/sync_action", "frozen")
    if running_array(operation, context.command) != operation.device:
        raise step_context.foreign(operation.device)
    return context.confirm([_mdadm_check(operation, context)])


def _array_checks(operation: MakeArray, context: step_context.StepContext) -> Iterator[Check]:
    """Check the array with mdadm and the kernel."""
    yield _mdadm_check(operation, context)
    geometries = [member.drive.geometry for member in context.plan.members]
    yield kernel_check(read_geometry(operation.device), operation.striping, geometries)


def _mdadm_check(array: MakeArray, context: step_context.StepContext) -> Check:
    def find() -> Iterator[Message]:
        wanted = {"MD_LEVEL": array.level, "MD_DEVICES": str(len(array.parts)), "MD_UUID": array.mdadm_uuid}
        seen = exported(context.do(("mdadm", "--detail", "--export", array.device)).output)
        yield from differences((key, seen.get(key), value) for key, value in wanted.items())
        for member, part in zip(context.plan.members, array.parts, strict=True):
            said = context.do(("mdadm", "--examine", part)).output
            (slot,) = member.after.partitions
            yield from part_differences(part, said, array, slot.start_bytes, member.drive.geometry)

    return step_context.matched(find)


def part_differences(
    part: str, said: str, array: MakeArray, start_bytes: int, geometry: Geometry
) -> Iterator[Message]:
    """Yield differences from the plan of a member that starts at `start_bytes` of its drive, according to
    `mdadm --examine`: the array, the alignment of the data, and the bitmap or the chunk. Pure."""
    uuid = re.search(r"Array UUID : (\S+)", said)
    rows: list[tuple[str, int | str | None, int | str | None]] = [
        (f"{part} UUID", uuid and uuid[1], array.mdadm_uuid)
    ]
    if array.copied:
        rows.append((f"{part} bitmap", "Internal Bitmap :" in said, True))
    else:
        rows.append((f"{part} chunk", examined_chunk(said), array.chunk_bytes))
    yield from differences(rows)
    if misalignment := geometry.misalignment_bytes(start_bytes + examined_offset(said)):
        yield t("{device} is misaligned by {bytes} bytes", device=part, bytes=misalignment)


def exported(text: str) -> dict[str, str]:
    """Parse mdadm's `--export`: lines of KEY=value. Pure."""
    return dict(line.partition("=")[::2] for line in text.splitlines() if "=" in line)


def examined_chunk(text: str) -> int | None:
    """Return the chunk size in bytes from mdadm's `Chunk Size : 512K`, or None. Pure."""
    match = re.search(r"(?m)^\s*Chunk Size : (\d+)([KM]?)", text)
    return int(match[1]) * {"": 1, "K": 1024, "M": MIB}[match[2]] if match else None


def examined_offset(text: str) -> int:
    """Return the data offset in bytes from mdadm's `Data Offset : 2048 sectors`. Raises Failed. Pure."""
    match = re.search(r"(?m)^\s*Data Offset : (\d+) sectors", text)
    if match is None:
        raise Failed(step_context.NOT_UNDERSTOOD(program="mdadm", said=text))
    return int(match[1]) * KERNEL_SECTOR_BYTES


def read_geometry(node: str) -> Geometry:
    """Return a device's geometry from sysfs. Raises Failed."""
    folder = devices.sysfs_folder(node)
    sizes = ("queue/logical_block_size", "queue/physical_block_size", "alignment_offset")
    files = (*sizes, "queue/minimum_io_size", "queue/optimal_io_size")
    try:
        return Geometry(*(int((folder / file).read_text()) for file in files))
    except (OSError, ValueError) as error:
        raise Failed(UNREADABLE(file=folder, why=str(error))) from None


def kernel_check(seen: Geometry, striping: Striping | None, drives: Sequence[Geometry]) -> Check:
    """Check the kernel's I/O sizes of the array (none for a mirror), and the alignment on every drive. Pure.

    The kernel uses the largest minimum size and the least common multiple of the optimal sizes
    (block/blk-settings.c, blk_stack_limits). An implausible optimal size of one drive makes the result
    meaningless.
    """
    output = t(
        "minimum {least}, optimal {best}, offset {offset}",
        least=seen.minimum_io_bytes,
        best=seen.optimal_io_bytes,
        offset=seen.alignment_offset_bytes,
    )
    if any(drive.optimal_io_bytes and drive.plausible_optimal_io_bytes is None for drive in drives):
        meaningless = t(
            "{seen}: a drive's optimal I/O size is implausible, so the kernel's combined value is "
            "meaningless",
            seen=output,
        )
        return step_context.checked(True, meaningless)
    unit, width = (striping.unit_bytes, striping.width_bytes) if striping else (0, 0)
    least = max(unit, *(drive.minimum_io_bytes for drive in drives))
    best = seen.optimal_io_bytes > 0 and seen.optimal_io_bytes % (width or 1) == 0
    if all(not drive.optimal_io_bytes for drive in drives):
        best = seen.optimal_io_bytes == width
    aligned = seen.alignment_offset_bytes == 0
    return step_context.checked(seen.minimum_io_bytes == least and best and aligned, output)


RULE = "array"
"""udev ignores locks on md arrays (systemd, src/udev/udev-util.c, udev_get_whole_disk). `SYMLINK:=` prevents
the links by UUID that mdadm's rules (63-md-raid-rules) request."""


def scratch_nodes(plan: Plan) -> dict[str, str]:
    """Map the node of the plan's md array to an unused one for the scratch copy. Empty without an md
    array."""
    nodes: dict[str, str] = {}
    for array in plan.arrays:
        taken = {array.device, *taken_arrays()}
        unused = (f"/dev/md{number}" for number in range(HIGHEST_ARRAY, -1, -1))
        nodes[array.device] = next(node for node in unused if node not in taken)
    return nodes


@contextmanager
def unseen_array(there: Plan, do: step_context.Do) -> Iterator[None]:
    """Make udev ignore the array on scratch copies, and stop the array afterwards. Raises Failed."""
    with ExitStack() as after:
        for array in there.arrays:
            scratch_device.ignore(
                RULE,
                [
                    f'SUBSYSTEM=="block", KERNEL=="{devices.kernel_name(array.device)}", SYMLINK:="", '
                    f'ENV{{UDEV_DISABLE_PERSISTENT_STORAGE_RULES_FLAG}}="1", {scratch_device.HIDDEN}'
                ],
            )
            after.callback(scratch_device.stop_ignoring, RULE)
            after.callback(stop_own_array, array, do)
        yield


def show_beneath(plan: Plan, array: MakeArray) -> None:
    """Copy the old bytes at both ends of the array's data area to the scratch copy, so mkfs finds what it
    would find on the drives. The data area starts beyond the ends of the members, which the scratch copies
    contain. All members of a mirror get those of the first drive, from which md copies. Raises Failed."""
    for member, part in zip(plan.members, array.parts, strict=True):
        shown = plan.members[0] if array.copied else member
        (slot,), (source,) = member.after.partitions, shown.after.partitions
        offset = examined_offset(run(("mdadm", "--examine", part)).output)
        room = slot.size_bytes - offset
        head, tail = min(HEAD_BYTES, room), min(TAIL_BYTES, room)
        ends = (Extent(offset, head), Extent(slot.size_bytes - tail, tail))
        for chunk in chunks(merged(ends, member.drive.geometry.logical_block_bytes, slot.size_bytes)):
            data = devices.read_bytes(
                shown.drive.path, source.start_bytes + chunk.start_bytes, chunk.size_bytes
            )
            devices.write_bytes(part, chunk.start_bytes, data)
    devices.forget_caches(array.device)


def leave_uncopied(array: MakeArray, do: step_context.Do) -> None:
    """Stop the scratch array, marked as on the drives: a mirror with everything left to copy. Raises Failed
    if the mark is missing afterwards."""
    node, folder = array.device, devices.sysfs_folder(array.device) / "md"
    if array.copied:
        with failing(UNREADABLE, file=folder):
            each, kib = (int((folder / name).read_text()) for name in ("bitmap/chunksize", "component_size"))
        _write(folder / "bitmap_set_bits", f"0-{-(-kib * KIB // each) - 1}")
    do(("mdadm", "--wait-clean", node))
    stop_own_array(array, do)
    if not array.copied:
        return
    uuid = f"--uuid={array.mdadm_uuid}"
    do(("mdadm", "--assemble", "--readonly", "--update=resync", node, uuid, *array.parts))
    devices.wait_for(node)
    stop_own_array(array, do)
    for part in array.parts:
        devices.forget_caches(part)
        if not is_uncopied(
            do(("mdadm", "--examine", part)).output, do(("mdadm", "--examine-bitmap", part)).output
        ):
            raise Failed(t("mdadm wrongly reports {part} as already copied.", part=part))


def is_uncopied(said: str, bitmap: str) -> bool:
    """Return True if md has to copy the whole array, according to mdadm's output on a member and the bitmap.
    Pure.

    mdadm also calls a partly copied or stopped array active.
    """
    return (
        re.search(r"(?m)^\s*State : active$", said) is not None
        and re.search(r"(?m)^\s*Bitmap : (\d+) bits \(chunks\), \1 dirty", bitmap) is not None
    )


def _write(file: Path, text: str) -> None:
    with failing(UNWRITTEN, file=file):
        file.write_text(text)


STEPS: step_context.Steps = {MakeArray: (make_array, _array_checks)}
