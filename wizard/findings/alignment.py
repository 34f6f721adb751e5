"""Check that partitions, data inside and striping are aligned to the drive, by the sum of all offsets."""

from collections.abc import Iterator

from wizard.filesystems import partition_types
from wizard.findings.places import (
    FAT,
    HIDDEN_BLOCK_BYTES,
    NAMED,
    DriveStart,
    StartState,
    place_of,
)
from wizard.model.finding import NO_ACTION, Commands, Finding, Severity, command
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Partition, Signature, Striping
from wizard.model.said import MIB, Message, Sentence, join, t

TWO_BLOCKS = t(
    "A full filesystem block straddles physical blocks: for each write, the "
    "drive must read, modify and rewrite two."
)
ON_BOUNDARY = Sentence("{place:First} starts on a boundary.")
LIARS = t(
    "Some drives with 4096-byte blocks report 512-byte blocks (WD10EARS, "
    "HD204UI). On such drives, every write here is slow."
)

WHY = t(
    "These values control how the filesystem spreads tables over drives and "
    "combines full-stripe writes. Wrong values give one drive more work and make "
    "parity arrays read before writing."
)

PARITY = ("md raid4", "md raid5", "md raid6")
EXT = ("ext2", "ext3", "ext4", "ext4dev")
SECTOR_BYTES = 512
LARGEST_BLOCK_BYTES = 4096
"""Largest physical block. Array chunks are always larger."""


def _striping(leaf: DriveStart, mark: Signature) -> Iterator[Finding]:
    """Compare a filesystem's striping with the array below. Ignores the single-block stripe that mke2fs
    writes if the device needs no more, and the kernel's values, which mkfs uses."""
    stated, geometry, array = mark.striping, leaf.geometry, leaf.array
    if stated and max(stated.unit_bytes, stated.width_bytes) <= LARGEST_BLOCK_BYTES:
        stated = None
    plausible = geometry.plausible_optimal_io_bytes if geometry else None
    is_kernels = (
        stated is not None
        and geometry is not None
        and stated.width_bytes == plausible
        and stated.unit_bytes in (0, geometry.minimum_io_bytes)
    )
    commands: Commands = ()
    if array:
        array_named = NAMED(path=array.layer, kind=array.layer.kind)
        why = WHY
        if is_kernels or stated == array.striping:
            severity, remedy = Severity.OK, NO_ACTION
            sentence = t(
                "{filesystem} on {device} fits array {array}: {striping}.",
                filesystem=mark.kind,
                device=leaf.device,
                array=array_named,
                striping=_striping_text(stated or array.striping),
            )
        else:
            costs = stated is not None or array.layer.kind in PARITY
            severity = Severity.WARNING if costs else Severity.INFO
            sentence = t(
                "{filesystem} on {device} does not fit array {array}. The filesystem is laid out for "
                "{stated}; the array has {striping}.",
                filesystem=mark.kind,
                device=leaf.device,
                array=array_named,
                stated=_striping_text(stated) if stated else t("no array"),
                striping=_striping_text(array.striping),
            )
            remedy, commands = _remedy(leaf, mark, array.striping)
    elif stated is None or geometry is None or is_kernels:
        return
    else:
        remedy = t("With the mount option `noalign`, XFS ignores these values.")
        if mark.kind in EXT:
            remedy = t("Remove these values; this does not change data.")
            commands = _set_striping(leaf, 0, 0)
        block = mark.block_bytes or 1
        if plausible is None and 0 < stated.width_bytes // block == geometry.optimal_io_bytes // block:
            severity = Severity.WARNING
            sentence = t(
                "{filesystem} on {device} is laid out for {stated}. mkfs used the drive's "
                "impossible optimal I/O size of {optimal} bytes.",
                filesystem=mark.kind,
                device=leaf.device,
                stated=_striping_text(stated),
                optimal=geometry.optimal_io_bytes,
            )
            why = t("The drive's value is wrong, not the filesystem. No stripe of that width exists.")
        else:
            severity = Severity.INFO
            sentence = t(
                "{filesystem} on {device} is laid out for {stated}, but no underlying array is visible.",
                filesystem=mark.kind,
                device=leaf.device,
                stated=_striping_text(stated),
            )
            why = t(
                "The filesystem may be a copy from an array. Or a controller hides an array, "
                "and the values may be right."
            )
            remedy = t("Only if no controller hides an array: {remedy}", remedy=remedy)
    source = t("superblocks and LVM metadata")
    yield Finding("alignment-stripe", severity, leaf.device, sentence, why, source, remedy, commands)


def _set_striping(leaf: DriveStart, stride: int, width: int) -> Commands:
    return command("tune2fs", "-E", f"stride={stride},stripe_width={width}", leaf.device)


def _striping_text(stated: Striping) -> Message:
    unit, width = stated.unit_bytes or "?", stated.width_bytes or "?"
    return t("{unit}-byte chunks and {width}-byte full stripes", unit=unit, width=width)


def _remedy(leaf: DriveStart, signature: Signature, wanted: Striping) -> tuple[Message, Commands]:
    block, unit, width = signature.block_bytes or 1, wanted.unit_bytes, wanted.width_bytes
    if signature.kind in EXT:
        if unit % block:
            fault = t(
                "Only a new filesystem can fit: the current block size does not divide the array's chunks."
            )
            return fault, ()
        remedy = t("Correct this for new writes, then mount the filesystem again.")
        return remedy, _set_striping(leaf, unit // block, width // block)
    old = signature.striping.unit_bytes if signature.striping else 0
    if old and unit % old == 0 and (unit // old).bit_count() == 1:
        remedy = t("Mount the filesystem once with the right values, in units of 512 bytes. XFS stores them.")
        options = f"sunit={unit // SECTOR_BYTES},swidth={width // SECTOR_BYTES}"
        mount = command("mount", "-o", options, leaf.device, "FOLDER", unused=leaf.device)
        return remedy, mount
    new = t(
        "XFS cannot change this later. Only a new filesystem with `su={unit},sw={drives}` fits.",
        unit=unit,
        drives=width // unit,
    )
    return new, ()


BAD = (StartState.OFF, StartState.HIDDEN)


def _makes_up(place: DriveStart) -> bool:
    leaves = list(place.leaves())
    return leaves != [place] and all(leaf.state is StartState.ON for leaf in leaves)


def _find_inside(geometry: Geometry, place: DriveStart, *, told: bool = False) -> Iterator[Finding]:
    """Yield findings about the contents of `place`. `told`: its own start is already reported."""
    for inner in place.within:
        off = inner.state in BAD
        if off and _makes_up(inner):
            yield _compensated(geometry, inner)
            continue
        if off and not told:
            hidden = inner.state is StartState.HIDDEN
            misaligned = t(
                "{place:First} is misaligned: the start is {off} bytes before the next boundary of {blocks}.",
                place=inner.name,
                off=inner.off_bytes,
                blocks=_blocks(geometry, inner),
            )
            holder = [ON_BOUNDARY(place=place.name)] if place.state is StartState.ON else []
            yield Finding(
                "alignment-inside",
                Severity.WARNING if hidden else Severity.DANGER,
                inner.device,
                join(misaligned, *_start_of(inner), *holder),
                LIARS if hidden else TWO_BLOCKS,
                KERNEL,
                t(
                    "Moving the partition does not help. Copy the data elsewhere, recreate its container "
                    "with the data on a whole MiB, and copy the data back. mdadm and cryptsetup do this "
                    "unless told otherwise, pvcreate with --dataalignment 1m."
                ),
            )
        yield from _find_inside(geometry, inner, told=off)


def _start_of(place: DriveStart) -> tuple[Message, ...]:
    """Return the start as a sum of offsets, if known and not obvious."""
    if place.start_bytes is None or len(place.terms) < 2:
        return ()
    terms = tuple(t("{bytes} ({what})", bytes=size, what=what) for what, size in place.terms)
    return (t("Start: byte {start} = {terms:sum}.", start=place.start_bytes, terms=terms),)


def _compensated(geometry: Geometry, place: DriveStart) -> Finding:
    leaf = next(place.leaves())
    is_card = any(mark.kind in FAT for mark in place.signatures)
    return Finding(
        "alignment-compensated",
        Severity.INFO,
        place.device,
        join(
            t(
                "{place:First} is not aligned to {blocks}, but {data} is.",
                place=place.name,
                blocks=_blocks(geometry, place),
                data=leaf.name,
            ),
            *_start_of(leaf),
        ),
        t("SD cards are formatted so that the file area starts on an erase block.")
        if is_card
        else t(
            "Only the start of the data matters, not the container's. Only the few "
            "header writes straddle blocks."
        ),
        t("SD Association, File System Specification") if is_card else KERNEL,
        NO_ACTION,
    )


def _find_chunks(place: DriveStart) -> Iterator[Finding]:
    """Yield data on a striped array that is not aligned to chunks or, with parity, to full stripes."""
    for leaf in place.leaves():
        array = leaf.array
        if array is None or not array.start_bytes:
            continue
        chunk, width, start = array.striping.unit_bytes, array.striping.width_bytes, array.start_bytes
        unit = chunk if start % chunk or array.layer.kind not in PARITY else width
        if start % unit == 0:
            continue
        yield Finding(
            "alignment-chunk",
            Severity.WARNING,
            leaf.device,
            t(
                "{place:First} starts at byte {start} of array {array}, {off} bytes past a multiple of "
                "{unit} bytes.",
                place=leaf.name,
                start=start,
                array=array.layer,
                off=start % unit,
                unit=unit,
            ),
            t(
                "Writes meant for whole chunks or stripes straddle two, on two drives instead of one. With "
                "parity, the array then reads before each write."
            ),
            KERNEL,
            t(
                "This costs some speed, but no data. If you recreate it, start the data on a "
                "multiple of the full stripe, {width} bytes.",
                width=width,
            ),
        )


def _blocks(geometry: Geometry, place: DriveStart) -> Message:
    if place.state is StartState.HIDDEN:
        return t(
            "4096-byte blocks (the drive reports {block}-byte physical blocks)",
            block=geometry.physical_block_bytes,
        )
    return t("the drive's {block}-byte blocks", block=geometry.granularity_bytes)


KERNEL = t("Linux, block/blk-settings.c: block sizes and the sum of all offsets")

ALIGNED = "alignment-ok"
MOVE = t("A move to an aligned start preserves all files, even through a power cut.")
MOST_FINE = 32
"""Most aligned partitions of a drive to report individually."""


def find_alignment(drive: Drive) -> Iterator[Finding]:
    """Yield findings about partitions, contents and stacks. Many aligned partitions share one."""
    geometry = drive.geometry
    if geometry is None:
        return
    stacks = [("", drive.path, geometry), *((one.kind, one.path, one.geometry) for one in drive.layers)]
    for kind, path, own in dict.fromkeys(stacks):
        if own and own.alignment_offset_bytes < 0:
            yield _stack(drive, geometry, path, kind)
    if drive.signatures or any(layer.below == drive.path for layer in drive.layers):
        yield from _place(drive, geometry)
    offset, block = geometry.first_block_bytes, HIDDEN_BLOCK_BYTES
    # Partitions within one block, such as ChromeOS's 512-byte slots, cannot straddle blocks.
    checked = [
        part
        for part in drive.partitions
        if not partition_types.is_extended(part)
        and not partition_types.is_half_moved(part)
        and (part.start_bytes - offset) % block + part.size_bytes > block
    ]
    found = [one for part in checked for one in _place(drive, geometry, part)]
    aligned = [one for one in found if one.code == ALIGNED]
    if len(aligned) > MOST_FINE:
        found = [one for one in found if one.code != ALIGNED]
        sentence = t(
            "{fine} of {count} partitions of {drive} and their data start on {block}-byte blocks "
            "and on 1 MiB.",
            fine=len(aligned),
            count=len(checked),
            drive=drive,
            block=geometry.granularity_bytes,
        )
        found.append(_on_boundaries(drive.path, sentence))
    yield from found


def _place(drive: Drive, geometry: Geometry, partition: Partition | None = None) -> Iterator[Finding]:
    place = place_of(drive, geometry, partition)
    is_on = place.state is StartState.ON
    contents: list[Finding] = []
    if is_on or not _makes_up(place):
        contents += _find_inside(geometry, place, told=not is_on)
    contents += _find_chunks(place)
    for leaf in place.leaves():
        for signature in leaf.signatures:
            if signature.block_bytes and not signature.ambivalent and signature.kind in (*EXT, "xfs"):
                contents += _striping(leaf, signature)
    # Misaligned contents make an aligned start irrelevant.
    spoiled = any(one.code == "alignment-inside" for one in contents)
    yield from _start(drive, geometry, partition, place, spoiled=spoiled)
    yield from contents
    block = geometry.physical_block_bytes
    end = partition.end_bytes if partition and partition.size_bytes > 0 else 0
    past = (end - geometry.first_block_bytes) % block
    if is_on and end and past:
        yield Finding(
            "alignment-end",
            Severity.INFO,
            place.device,
            t(
                "{partition} ends at byte {end}, {past} bytes into a {block}-byte physical block.",
                partition=place.device,
                end=end,
                past=past,
                block=block,
            ),
            t(
                "The last bytes share a physical block with the following data. Filesystems "
                "with equally large blocks leave them unused; others cause a read before "
                "each write."
            ),
            KERNEL,
            NO_ACTION,
        )


def _on_boundaries(subject: str, sentence: Message) -> Finding:
    return Finding(
        ALIGNED,
        Severity.OK,
        subject,
        sentence,
        t("The start of the data does not split any write across physical blocks."),
        KERNEL,
        NO_ACTION,
    )


def _start(
    drive: Drive, geometry: Geometry, partition: Partition | None, place: DriveStart, *, spoiled: bool
) -> Iterator[Finding]:
    """Contents of the drive itself start at byte 0, which is misaligned if the drive has an alignment
    offset."""
    makes_up = _makes_up(place)
    if place.state is not StartState.ON and makes_up:
        yield _compensated(geometry, place)
    elif place.state is StartState.OFF:
        wear = t(
            "On a solid-state drive this adds wear, but costs less time than on a hard "
            "disk. The effect varies between drives."
        )
        severity, remedy, commands = Severity.DANGER, MOVE, command("diskwright", "move", place.device)
        why = join(TWO_BLOCKS, wear) if drive.rotational is False else TWO_BLOCKS
        if geometry.granularity_bytes != geometry.physical_block_bytes:
            why = t(
                "A full-unit write straddles two units of the drive or array. For each such "
                "write, a parity array reads and rewrites both."
            )
        if partition is None:
            remedy = t("Copy the data elsewhere, set up the drive with a partition, and copy back.")
            commands = ()
        elif (partition.type or "").lower() == partition_types.BIOS_BOOT_GPT:
            severity, remedy, commands = Severity.INFO, NO_ACTION, ()
            why = t("No cost: a BIOS boot partition is written only when a boot loader is installed.")
        sentence = t(
            "{device} is misaligned: start byte {start} is {missing} bytes before the next multiple of "
            "{unit} bytes.",
            device=place.device,
            start=place.start_bytes or 0,
            missing=place.off_bytes,
            unit=geometry.granularity_bytes,
        )
        yield Finding("alignment-physical", severity, place.device, sentence, why, KERNEL, remedy, commands)
    elif partition and place.state is StartState.HIDDEN:
        yield Finding(
            "alignment-4096",
            Severity.WARNING,
            partition.path,
            t(
                "{partition} starts at byte {start}, {off} bytes past a multiple of 4096. "
                "The drive reports {block}-byte physical blocks.",
                partition=partition,
                start=partition.start_bytes,
                off=partition.start_bytes % HIDDEN_BLOCK_BYTES,
                block=geometry.physical_block_bytes,
            ),
            LIARS,
            t("a 2010 alignment study (WD10EARS, Linux 2.6.32)"),
            t("A measurement shows if larger blocks are hidden. A move to an aligned start resolves this."),
            (
                *command("diskwright", "bench", drive.path, "--assume-physical", str(HIDDEN_BLOCK_BYTES)),
                *command("diskwright", "move", partition.path),
            ),
        )
    elif partition and (partition.start_bytes - geometry.first_block_bytes) % MIB:
        yield Finding(
            "alignment-grain",
            Severity.INFO,
            partition.path,
            t(
                "{partition} starts at byte {start}, aligned to the drive's blocks but not to 1 MiB.",
                partition=partition,
                start=partition.start_bytes,
            ),
            t(
                "The start meets the drive's own requirement. Larger unreported units, such as erase "
                "blocks or array stripes, may be straddled."
            ),
            KERNEL,
            NO_ACTION,
        )
    elif makes_up if partition is None else not spoiled:
        said = t(
            "{place} starts at byte {start}, aligned to the drive's {block}-byte blocks.",
            place=place.device,
            start=place.start_bytes or 0,
            block=geometry.granularity_bytes,
        )
        if makes_up:
            data = next(place.leaves())
            said = join(said, ON_BOUNDARY(place=data.name), *_start_of(data))
        yield _on_boundaries(place.device, said)


def _stack(drive: Drive, geometry: Geometry, path: str, kind: str) -> Finding:
    """The kernel reports every stack as misaligned if the optimal I/O size is not a multiple of the block."""
    if kind and geometry.optimal_io_bytes % geometry.physical_block_bytes:
        severity, remedy = Severity.INFO, NO_ACTION
        sentence = t(
            "The kernel reports {path} ({kind}) as misaligned, but this does not reveal "
            "the start on {drive}.",
            path=path,
            kind=kind,
            drive=drive,
        )
        why = t(
            "The kernel reports this for every stack on {drive}. The optimal I/O size, "
            "{optimal} bytes, is not a multiple of the {block}-byte physical block. The "
            "sum of the offsets decides.",
            drive=drive,
            optimal=geometry.optimal_io_bytes,
            block=geometry.physical_block_bytes,
        )
    else:
        severity = Severity.DANGER
        sentence = t(
            "The kernel reports {stack} as misaligned: the underlying devices do not "
            "start on each other's blocks.",
            stack=NAMED(path=path, kind=kind) if kind else path,
        )
        why = t("No start fits every underlying device, so some writes straddle physical blocks.")
        remedy = t(
            "Rebuild the array or volume on aligned partitions. Findings on the drives "
            "under {path} list the misaligned partitions.",
            path=path,
        )
    return Finding("alignment-stack", severity, path, sentence, why, KERNEL, remedy)
