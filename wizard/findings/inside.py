"""Check the alignment and striping of data within a partition or drive, by the sum of all offsets."""

from collections.abc import Iterator

from wizard.findings.places import FAT, NAMED, Array, DriveStart, StartState
from wizard.model.finding import NO_ACTION, Commands, Finding, Severity, command
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Signature, Striping
from wizard.model.said import Message, Sentence, join, t

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


def find_stripes(place: DriveStart) -> Iterator[Finding]:
    """Yield filesystems on an array, or laid out for an absent array."""
    for leaf in place.leaves():
        for signature in leaf.signatures:
            if (
                signature.block_bytes
                and not signature.ambivalent
                and (signature.kind in EXT or signature.kind == "xfs")
            ):
                finding = _on_array(leaf, signature, leaf.array) if leaf.array else _on_plain(leaf, signature)
                if finding is not None:
                    yield finding


def _on_array(leaf: DriveStart, signature: Signature, array: Array) -> Finding | None:
    wanted, stated = array.striping, _stated(signature)
    array_named = NAMED(path=array.layer, kind=array.layer.kind)
    if stated is not None and (stated == wanted or _is_kernels(stated, leaf.geometry)):
        fits = t(
            "{filesystem} on {device} fits array {array}: {striping}.",
            filesystem=signature.kind,
            device=leaf.device,
            array=array_named,
            striping=_striping_text(stated),
        )
        return _stripe(Severity.OK, leaf, fits, WHY, (NO_ACTION, ()))
    severity = Severity.WARNING if stated is not None or array.layer.kind in PARITY else Severity.INFO
    sentence = t(
        "{filesystem} on {device} does not fit array {array}. The filesystem is laid out for {stated}; the "
        "array has {striping}.",
        filesystem=signature.kind,
        device=leaf.device,
        array=array_named,
        stated=t("no array") if stated is None else _striping_text(stated),
        striping=_striping_text(wanted),
    )
    return _stripe(severity, leaf, sentence, WHY, _remedy(leaf, signature, wanted))


def _on_plain(leaf: DriveStart, signature: Signature) -> Finding | None:
    stated, geometry = _stated(signature), leaf.geometry
    if stated is None or geometry is None or _is_kernels(stated, geometry):
        return None
    block = signature.block_bytes or 1
    bogus = (
        geometry.plausible_optimal_io_bytes is None
        and 0 < stated.width_bytes // block == geometry.optimal_io_bytes // block
    )
    undo, commands = (
        (t("Remove these values; this does not change data."), _set_striping(leaf, 0, 0))
        if signature.kind in EXT
        else (t("With the mount option `noalign`, XFS ignores these values."), ())
    )
    if bogus:
        believed = t(
            "{filesystem} on {device} is laid out for {stated}. mkfs used the drive's "
            "impossible optimal I/O size of {optimal} bytes.",
            filesystem=signature.kind,
            device=leaf.device,
            stated=_striping_text(stated),
            optimal=geometry.optimal_io_bytes,
        )
        return _stripe(
            Severity.WARNING,
            leaf,
            believed,
            t("The drive's value is wrong, not the filesystem. No stripe of that width exists."),
            (undo, commands),
        )
    alone = t(
        "{filesystem} on {device} is laid out for {stated}, but no underlying array is visible.",
        filesystem=signature.kind,
        device=leaf.device,
        stated=_striping_text(stated),
    )
    return _stripe(
        Severity.INFO,
        leaf,
        alone,
        t(
            "The filesystem may be a copy from an array. Or a controller hides an array, "
            "and the values may be right."
        ),
        (t("Only if no controller hides an array: {remedy}", remedy=undo), commands),
    )


_Remedy = tuple[Message, Commands]


def _set_striping(leaf: DriveStart, stride: int, width: int) -> Commands:
    return command("tune2fs", "-E", f"stride={stride},stripe_width={width}", leaf.device)


def _stripe(
    severity: Severity, leaf: DriveStart, sentence: Message, why: Message, remedy: _Remedy
) -> Finding:
    return Finding(
        "alignment-stripe",
        severity,
        leaf.device,
        sentence,
        why,
        t(
            "the filesystem superblock; md superblock, LVM metadata and kernel queue "
            "limits; mke2fs(8), xfs(5)"
        ),
        *remedy,
    )


def _stated(signature: Signature) -> Striping | None:
    """Ignore the single-block stripe that mke2fs writes if the device needs no more."""
    striping = signature.striping
    return (
        None
        if striping is None or max(striping.unit_bytes, striping.width_bytes) <= LARGEST_BLOCK_BYTES
        else striping
    )


def _is_kernels(stated: Striping, geometry: Geometry | None) -> bool:
    """mkfs uses the kernel's values for the device."""
    if geometry is None or geometry.plausible_optimal_io_bytes is None:
        return False
    return stated.width_bytes == geometry.optimal_io_bytes and stated.unit_bytes in (
        0,
        geometry.minimum_io_bytes,
    )


def _striping_text(stated: Striping) -> Message:
    unit, width = stated.unit_bytes, stated.width_bytes
    if not unit:
        return t("chunks of unknown size and {width}-byte full stripes", width=width)
    return (
        t("{unit}-byte chunks and {width}-byte full stripes", unit=unit, width=width)
        if width
        else t("{unit}-byte chunks and full stripes of unknown size", unit=unit)
    )


def _remedy(leaf: DriveStart, signature: Signature, wanted: Striping) -> _Remedy:
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


SOURCE = t(
    "Linux, block/blk-settings.c, queue_limit_alignment_offset, with the sum of all offsets as the start"
)

BAD = (StartState.OFF, StartState.HIDDEN)
REMEDIES = {
    "LVM2_member": t(
        "pvcreate starts LVM data on 1 MiB with --dataalignment 1m, without --dataalignmentoffset."
    ),
    "crypto_LUKS": t("Without --offset and --align-payload, cryptsetup lets LUKS choose an aligned start."),
    "linux_raid_member": t("mdadm starts data on 1 MiB without --data-offset, or with whole MiB."),
}
KINDS = {"LVM": "LVM2_member", "LUKS": "crypto_LUKS", "md": "linux_raid_member"}


def makes_up(place: DriveStart) -> bool:
    """Return True if all data inside is aligned."""
    leaves = list(place.leaves())
    return leaves != [place] and all(leaf.state is StartState.ON for leaf in leaves)


def find_inside(
    drive: Drive, geometry: Geometry, place: DriveStart, *, told: bool = False
) -> Iterator[Finding]:
    """Yield findings about the contents of `place`. `told`: its own start is already reported."""
    for inner in place.within:
        off = inner.state in BAD
        if off and makes_up(inner):
            yield compensated(geometry, inner)
            continue
        if off and not told:
            yield _inside(drive, geometry, place, inner)
        yield from find_inside(drive, geometry, inner, told=off)


def start_of(place: DriveStart) -> tuple[Message, ...]:
    """Return the start as a sum of offsets, if known and not obvious."""
    if place.start_bytes is None or len(place.terms) < 2:
        return ()
    terms = tuple(t("{bytes} ({what})", bytes=size, what=what) for what, size in place.terms)
    return (t("Start: byte {start} = {terms:sum}.", start=place.start_bytes, terms=terms),)


def compensated(geometry: Geometry, place: DriveStart) -> Finding:
    """Report a misaligned place with aligned data."""
    leaf = next(place.leaves())
    is_card = leaf.container in FAT
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
            *start_of(leaf),
        ),
        t("SD cards are formatted so that the file area starts on an erase block.")
        if is_card
        else t(
            "Only the start of the data matters, not the container's. Only the few "
            "header writes straddle blocks."
        ),
        t("SD Association, File System Specification") if is_card else SOURCE,
        NO_ACTION,
    )


def _inside(drive: Drive, geometry: Geometry, outer: DriveStart, inner: DriveStart) -> Finding:
    hidden = inner.state is StartState.HIDDEN
    misaligned = t(
        "{place:First} is misaligned: the start is {off} bytes before the next boundary of {blocks}.",
        place=inner.name,
        off=inner.off_bytes,
        blocks=_blocks(geometry, inner),
    )
    holder = [ON_BOUNDARY(place=outer.name)] if outer.state is StartState.ON else []
    layer = next((layer.kind for layer in drive.layers if layer.path == inner.device), "")
    kind = inner.container or KINDS.get(layer.partition(" ")[0], "")
    return Finding(
        "alignment-inside",
        Severity.WARNING if hidden else Severity.DANGER,
        inner.device,
        join(misaligned, *start_of(inner), *holder),
        LIARS if hidden else TWO_BLOCKS,
        SOURCE,
        join(
            t(
                "Moving the partition does not help. Copy the data elsewhere, recreate its "
                "container, and copy the data back."
            ),
            REMEDIES.get(kind, t("Set the start of the data with the container's own tool.")),
        ),
    )


def find_chunks(place: DriveStart) -> Iterator[Finding]:
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
            t(
                "Linux, block/blk-settings.c: minimum_io_size and optimal_io_size of the "
                "array's queue, plus the layer's own start"
            ),
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
