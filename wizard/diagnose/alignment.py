"""Whether each partition, and all that stands in it, starts where the drive's blocks do."""

from collections.abc import Iterator, Sequence

from wizard.diagnose.inside import compensated, find_chunks, find_inside, makes_up
from wizard.diagnose.places import HIDDEN_BLOCK_BYTES, Place, Standing, place_of_drive, place_of_partition
from wizard.diagnose.stripes import find_stripes
from wizard.model.finding import Finding, Severity
from wizard.model.geometry import Geometry, align_up
from wizard.model.machine import Drive, Partition
from wizard.model.names import printable
from wizard.model.units import MIB, format_exact

KERNEL = "Linux, block/blk-settings.c, queue_limit_alignment_offset"
EXTENDED_TYPES = (0x05, 0x0F, 0x85)
ALIGNED = "alignment-ok"
MOST_FINE = 32
"""Partitions of one drive that are each said to be fine."""
BIOS_BOOT_TYPE = "21686148-6449-6e6f-744e-656564454649"


def find_alignment(drive: Drive) -> Iterator[Finding]:
    """One finding a partition, more where something in it begins elsewhere, and one for each stack that is
    misaligned in itself.

    Many partitions that are all fine are one finding.
    """
    geometry = drive.geometry
    if geometry is None:
        return
    if geometry.alignment_offset_bytes < 0:
        yield _stack(drive.path)
    stacks = {
        layer.path: layer.kind
        for layer in drive.layers
        if layer.geometry and layer.geometry.alignment_offset_bytes < 0
    }
    led_astray = geometry.optimal_io_bytes % geometry.physical_block_bytes != 0
    yield from (
        _led_astray(drive, geometry, path, kind) if led_astray else _stack(path, kind)
        for path, kind in stacks.items()
    )
    if drive.signatures or any(layer.below == drive.path for layer in drive.layers):
        yield from _whole(drive, geometry, place_of_drive(drive, geometry))
    yield from _together(drive, geometry, list(_partitions(drive, geometry)))


def _partitions(drive: Drive, geometry: Geometry) -> Iterator[Finding]:
    for partition in drive.partitions:
        if not is_extended(partition):
            place = place_of_partition(drive, geometry, partition)
            inside = list(_within(drive, geometry, place))
            yield from _partition(
                drive,
                geometry,
                partition,
                place,
                spoiled=any(one.code == "alignment-inside" for one in inside),
            )
            yield from inside


def _together(drive: Drive, geometry: Geometry, found: Sequence[Finding]) -> Iterator[Finding]:
    """What was found of the partitions, with one sentence for all that are fine where there are many: else it
    hides what is not."""
    fine = [one for one in found if one.code == ALIGNED]
    if len(fine) <= MOST_FINE:
        yield from found
        return
    yield from (one for one in found if one.code != ALIGNED)
    count = sum(not is_extended(partition) for partition in drive.partitions)
    which = f"All {count}" if len(fine) == count else f"{len(fine)} of the {count}"
    start = (
        f"{which} partitions of {drive.path} start on boundaries of the drive's "
        f"{geometry.granularity_bytes}-byte blocks and of 1 MiB"
    )
    yield _on_boundaries(drive.path, f"{start}, and so do the data in them.")


def _within(drive: Drive, geometry: Geometry, place: Place) -> Iterator[Finding]:
    """What is found about all that stands in a place."""
    if place.standing is Standing.ON or not makes_up(place):
        yield from find_inside(drive, geometry, place, told=place.standing is not Standing.ON)
    yield from find_chunks(place)
    yield from find_stripes(place)


def _whole(drive: Drive, geometry: Geometry, place: Place) -> Iterator[Finding]:
    """What lives on the drive itself. That begins with the first byte, which is off the blocks of a drive
    with an alignment offset."""
    if place.standing is Standing.OFF:
        yield compensated(geometry, place) if makes_up(place) else _first_byte(drive, geometry, place)
    elif place.within and makes_up(place):
        yield _fine(place, geometry, "begins")
    yield from _within(drive, geometry, place)


def _first_byte(drive: Drive, geometry: Geometry, place: Place) -> Finding:
    return Finding(
        "alignment-physical",
        Severity.DANGER,
        drive.path,
        f"What lives on {drive.path} itself begins with its first byte, off the drive's "
        f"{geometry.granularity_bytes}-byte blocks: the next boundary is {place.off_bytes} bytes further on.",
        _cost(drive, geometry),
        KERNEL,
        "Only a new start cures it: copy the data elsewhere, plan the drive anew with a partition, and copy "
        "it back.",
    )


def _fine(place: Place, geometry: Geometry, begins: str) -> Finding:
    """It begins on a boundary, and so does all within."""
    leaves = [leaf for leaf in place.leaves() if leaf is not place]
    leaf = leaves[0] if leaves and makes_up(place) else None
    grain = " and of 1 MiB" if begins == "starts" else ""
    told = ""
    if leaf is not None:
        where = f" at byte {leaf.start_bytes}" if leaf.start_bytes is not None else ""
        told = (
            f"; {leaf.name} begins{where}, on one too"
            if len(leaves) == 1
            else f"; so do the data in it, first {leaf.name}{where}"
        )
    where = (
        f"{begins} at byte {place.start_bytes}, on a boundary of the drive's "
        f"{geometry.granularity_bytes}-byte blocks"
    )
    return _on_boundaries(place.device, f"{place.device} {where}{grain}{told}.")


def _on_boundaries(subject: str, sentence: str) -> Finding:
    why = "No write has to touch a physical block that it does not fill because of where the data start."
    return Finding(ALIGNED, Severity.OK, subject, sentence, why, KERNEL, "Nothing needs to be done.")


def is_extended(partition: Partition) -> bool:
    """Whether it is an MBR's container of logical partitions, which holds no data of its own."""
    return (partition.type or "").startswith("0x") and int(partition.type or "0", 16) in EXTENDED_TYPES


def _partition(
    drive: Drive, geometry: Geometry, partition: Partition, place: Place, *, spoiled: bool
) -> Iterator[Finding]:
    """`spoiled`: something in it begins in the wrong place, so that its own right start is no comfort."""
    if place.standing is not Standing.ON and makes_up(place):
        yield compensated(geometry, place)
    elif place.standing is Standing.OFF:
        yield _physical(drive, geometry, partition, place.off_bytes)
    elif place.standing is Standing.HIDDEN:
        yield _hidden(drive, geometry, partition)
    elif (partition.start_bytes - max(geometry.alignment_offset_bytes, 0)) % MIB:
        yield _grain(drive, partition)
    elif not spoiled:
        yield _fine(place, geometry, "starts")


def _physical(drive: Drive, geometry: Geometry, partition: Partition, missing: int) -> Finding:
    granularity, physical = geometry.granularity_bytes, geometry.physical_block_bytes
    boundary = (
        f"{physical}-byte physical blocks"
        if granularity == physical
        else f"{granularity}-byte minimum I/O size"
    )
    sentence = (
        f"{partition.path} starts at byte {partition.start_bytes}, off the drive's {boundary}: "
        f"the next boundary is {missing} bytes further on."
    )
    if (partition.type or "").lower() == BIOS_BOOT_TYPE:
        why = (
            "This is a BIOS boot partition, which is written only when the boot loader is installed, so that "
            "it costs nothing."
        )
        return Finding(
            "alignment-physical",
            Severity.INFO,
            partition.path,
            sentence,
            why,
            KERNEL,
            "Nothing needs to be done.",
        )
    source = (
        KERNEL
        if drive.rotational is False
        else f"{KERNEL}; an alignment study of 2010 (WD10EARS, Linux 2.6.32)"
    )
    return Finding(
        "alignment-physical",
        Severity.DANGER,
        partition.path,
        sentence,
        _cost(drive, geometry),
        source,
        _move(geometry, partition),
    )


def _cost(drive: Drive, geometry: Geometry) -> str:
    if geometry.granularity_bytes != geometry.physical_block_bytes:
        return (
            "Writes that look whole straddle two of the units the drive or array works in; a parity array "
            "reads and writes both again for each."
        )
    plain = (
        "A write that fills a block of the filesystem fills no physical block, so that the drive must read, "
        "change and write two of them."
    )
    if drive.rotational is False:
        return (
            f"{plain} On a solid-state drive that costs wear and less time than on a hard disk; how much "
            "differs from drive to drive."
        )
    return f"{plain} On a hard disk of 2010 that made mkfs take up to 7.9 times as long."


def _hidden(drive: Drive, geometry: Geometry, partition: Partition) -> Finding:
    off = partition.start_bytes % HIDDEN_BLOCK_BYTES
    return Finding(
        "alignment-4096",
        Severity.WARNING,
        partition.path,
        f"{partition.path} starts at byte {partition.start_bytes}, {off} bytes past a multiple of 4096, "
        f"on a drive that claims physical blocks of {geometry.physical_block_bytes} bytes.",
        "Drives that have 4096-byte blocks and claim 512 exist (WD10EARS, HD204UI); on those every write of "
        "this partition would be slow.",
        "an alignment study of 2010 (WD10EARS, Linux 2.6.32)",
        f"`diskwright bench {drive.path} --assume-physical 4096` measures it. " + _move(geometry, partition),
    )


def _grain(drive: Drive, partition: Partition) -> Finding:
    inside = (
        "erase blocks of a solid-state drive"
        if drive.rotational is False
        else "stripes of an array or caches of a controller"
    )
    return Finding(
        "alignment-grain",
        Severity.INFO,
        partition.path,
        f"{partition.path} starts at byte {partition.start_bytes}, aligned to the drive's blocks but not to "
        "1 MiB.",
        f"The drive's own rule holds; larger units that no drive reports ({inside}) may still be straddled.",
        "the grain of 1 MiB that libfdisk and libparted use",
        "Nothing needs to be done for this alone; a new layout will start on 1 MiB.",
    )


def _stack(path: str, kind: str = "") -> Finding:
    named = f"{printable(path, 60)} ({kind})" if kind else path
    return Finding(
        "alignment-stack",
        Severity.DANGER,
        path,
        f"The kernel calls {named} misaligned in itself: the devices beneath it do not begin on each other's "
        "blocks.",
        "No start of a partition on it can be right for every device beneath, so that writes straddle "
        "physical blocks somewhere.",
        "Linux, Documentation/ABI/stable/sysfs-block, alignment_offset of -1",
        "Build the array or volume again on aligned partitions; the findings on the drives beneath "
        f"{printable(path, 60)} say which are not.",
    )


def _led_astray(drive: Drive, geometry: Geometry, path: str, kind: str) -> Finding:
    """The kernel calls every stack misaligned above an optimal I/O size that is no multiple of the physical
    block."""
    return Finding(
        "alignment-stack",
        Severity.INFO,
        path,
        f"The kernel calls {printable(path, 60)} ({kind}) misaligned in itself, but that says nothing of "
        f"where it begins on {drive.path}.",
        f"The optimal I/O size of {geometry.optimal_io_bytes} bytes that {drive.path} reports is no multiple "
        f"of its physical blocks of {geometry.physical_block_bytes}, and over such a drive the kernel says "
        "so of every stack; the sum of the offsets decides.",
        "Linux, block/blk-settings.c, blk_stack_limits",
        "Nothing needs to be done about this alone; the other findings say whether the data begin on a "
        "boundary.",
    )


def _move(geometry: Geometry, partition: Partition) -> str:
    """The remedy for a partition that starts in the wrong place."""
    better = align_up(geometry, partition.start_bytes)
    return (
        f"Only a new start cures it, such as byte {better} ({format_exact(better)}): copy the data "
        "elsewhere, plan the drive anew and copy it back. diskwright does not shift data in place."
    )
