"""Check that partitions and their content are aligned to the drive's blocks."""

from collections.abc import Iterator

from wizard.filesystems import partition_types
from wizard.findings import inside, places
from wizard.findings.places import HIDDEN_BLOCK_BYTES, NAMED, DriveStart, StartState
from wizard.model.finding import NO_ACTION, Commands, Finding, Severity, command
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Partition
from wizard.model.said import MIB, Message, join, t

NONE_ALONE = t("No action needed for this alone. New layouts start and end on 1 MiB.")

KERNEL = t("Linux, block/blk-settings.c, queue_limit_alignment_offset")

ALIGNED = "alignment-ok"
MOVE = t("A move to an aligned start preserves all files, even through a power cut.")
MOST_FINE = 32
"""Most aligned partitions of a drive to report individually."""


def find_alignment(drive: Drive) -> Iterator[Finding]:
    """Yield findings about partitions, contents and stacks. Many aligned partitions share one."""
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
    is_bogus = geometry.optimal_io_bytes % geometry.physical_block_bytes != 0
    yield from (
        _bogus_stack(drive, geometry, path, kind) if is_bogus else _stack(path, kind)
        for path, kind in stacks.items()
    )
    if drive.signatures or any(layer.below == drive.path for layer in drive.layers):
        place = places.place_of_drive(drive, geometry)
        # Contents start at byte 0, which is misaligned if the drive has an alignment offset.
        if place.state is StartState.OFF and inside.makes_up(place):
            yield inside.compensated(geometry, place)
        elif place.state is StartState.OFF:
            yield _physical(drive, geometry, place)
        elif place.within and inside.makes_up(place):
            yield _aligned(place, geometry)
        yield from _within(drive, geometry, place)
    found = list(_partitions(drive, geometry))
    aligned = [one for one in found if one.code == ALIGNED]
    if len(aligned) > MOST_FINE:
        found = [one for one in found if one.code != ALIGNED]
        sentence = t(
            "{fine} of {count} partitions of {drive} and their data start on {block}-byte blocks "
            "and on 1 MiB.",
            fine=len(aligned),
            count=len(_checked(drive, geometry)),
            drive=drive,
            block=geometry.granularity_bytes,
        )
        found.append(_on_boundaries(drive.path, sentence))
    yield from found


def _partitions(drive: Drive, geometry: Geometry) -> Iterator[Finding]:
    for partition in _checked(drive, geometry):
        place = places.place_of_partition(drive, geometry, partition)
        contents = list(_within(drive, geometry, place))
        yield from _partition(
            drive,
            geometry,
            partition,
            place,
            spoiled=any(one.code == "alignment-inside" for one in contents),
        )
        yield from contents
        if place.state is StartState.ON:
            yield from _end(geometry, partition)


def _checked(drive: Drive, geometry: Geometry) -> list[Partition]:
    """Skip partitions within one block, such as ChromeOS's 512-byte slots, which cannot straddle blocks."""
    offset, block = max(geometry.alignment_offset_bytes, 0), HIDDEN_BLOCK_BYTES
    return [
        part
        for part in drive.partitions
        if not partition_types.is_extended(part)
        and not partition_types.is_half_moved(part)
        and (part.start_bytes - offset) % block + part.size_bytes > block
    ]


def _end(geometry: Geometry, partition: Partition) -> Iterator[Finding]:
    block = geometry.physical_block_bytes
    past = (partition.end_bytes - max(geometry.alignment_offset_bytes, 0)) % block
    if past and partition.size_bytes > 0:
        yield Finding(
            "alignment-end",
            Severity.INFO,
            partition.path,
            t(
                "{partition} ends at byte {end}, {past} bytes into a {block}-byte physical block.",
                partition=partition,
                end=partition.end_bytes,
                past=past,
                block=block,
            ),
            t(
                "The last bytes share a physical block with the following data. Filesystems "
                "with equally large blocks leave them unused; others cause a read before "
                "each write."
            ),
            KERNEL,
            NONE_ALONE,
        )


def _within(drive: Drive, geometry: Geometry, place: DriveStart) -> Iterator[Finding]:
    if place.state is StartState.ON or not inside.makes_up(place):
        yield from inside.find_inside(drive, geometry, place, told=place.state is not StartState.ON)
    yield from inside.find_chunks(place)
    yield from inside.find_stripes(place)


def _aligned(place: DriveStart, geometry: Geometry) -> Finding:
    said = t(
        "{place} starts at byte {start}, aligned to the drive's {block}-byte blocks.",
        place=place.device,
        start=place.start_bytes or 0,
        block=geometry.granularity_bytes,
    )
    if inside.makes_up(place):
        data = next(place.leaves())
        said = join(said, inside.ON_BOUNDARY(place=data.name), *inside.start_of(data))
    return _on_boundaries(place.device, said)


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


def _partition(
    drive: Drive, geometry: Geometry, partition: Partition, place: DriveStart, *, spoiled: bool
) -> Iterator[Finding]:
    """`spoiled`: misaligned contents make an aligned start irrelevant."""
    if place.state is not StartState.ON and inside.makes_up(place):
        yield inside.compensated(geometry, place)
    elif place.state is StartState.OFF:
        yield _physical(drive, geometry, place, partition)
    elif place.state is StartState.HIDDEN:
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
            inside.LIARS,
            t("a 2010 alignment study (WD10EARS, Linux 2.6.32)"),
            t("A measurement shows if larger blocks are hidden. A move to an aligned start resolves this."),
            (
                *command("diskwright", "bench", drive.path, "--assume-physical", str(HIDDEN_BLOCK_BYTES)),
                *command("diskwright", "move", partition.path),
            ),
        )
    elif (partition.start_bytes - max(geometry.alignment_offset_bytes, 0)) % MIB:
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
            t("the 1 MiB alignment of libfdisk and libparted"),
            NONE_ALONE,
        )
    elif not spoiled:
        yield _aligned(place, geometry)


def _physical(
    drive: Drive, geometry: Geometry, place: DriveStart, partition: Partition | None = None
) -> Finding:
    severity, why, source = Severity.DANGER, _cost(drive, geometry), KERNEL
    commands: Commands = command("diskwright", "move", place.device)
    remedy = MOVE
    if partition is None:
        remedy, commands = t("Copy the data elsewhere, set up the drive with a partition, and copy back."), ()
    elif (partition.type or "").lower() == partition_types.BIOS_BOOT_GPT:
        severity, remedy, commands = Severity.INFO, NO_ACTION, ()
        why = t("No cost: a BIOS boot partition is written only when a boot loader is installed.")
    elif drive.rotational is not False:
        source = t("{kernel}; a 2010 alignment study (WD10EARS, Linux 2.6.32)", kernel=KERNEL)
    return Finding(
        "alignment-physical",
        severity,
        place.device,
        t(
            "{device} is misaligned: start byte {start} is {missing} bytes before the next multiple of "
            "{unit} bytes.",
            device=place.device,
            start=place.start_bytes or 0,
            missing=place.off_bytes,
            unit=geometry.granularity_bytes,
        ),
        why,
        source,
        remedy,
        commands,
    )


def _cost(drive: Drive, geometry: Geometry) -> Message:
    if geometry.granularity_bytes != geometry.physical_block_bytes:
        return t(
            "A full-unit write straddles two units of the drive or array. For each such "
            "write, a parity array reads and rewrites both."
        )
    return join(
        inside.TWO_BLOCKS,
        t(
            "On a solid-state drive this adds wear, but costs less time than on a hard "
            "disk. The effect varies between drives."
        )
        if drive.rotational is False
        else t("On a hard disk from 2010, mkfs took up to 7.9 times as long."),
    )


def _stack(path: str, kind: str = "") -> Finding:
    return Finding(
        "alignment-stack",
        Severity.DANGER,
        path,
        t(
            "The kernel reports {stack} as misaligned: the underlying devices do not "
            "start on each other's blocks.",
            stack=NAMED(path=path, kind=kind) if kind else path,
        ),
        t("No start fits every underlying device, so some writes straddle physical blocks."),
        t("Linux, Documentation/ABI/stable/sysfs-block, alignment_offset of -1"),
        t(
            "Rebuild the array or volume on aligned partitions. Findings on the drives "
            "under {path} list the misaligned partitions.",
            path=path,
        ),
    )


def _bogus_stack(drive: Drive, geometry: Geometry, path: str, kind: str) -> Finding:
    """The kernel reports every stack as misaligned if the optimal I/O size is not a multiple of the block."""
    return Finding(
        "alignment-stack",
        Severity.INFO,
        path,
        t(
            "The kernel reports {path} ({kind}) as misaligned, but this does not reveal "
            "the start on {drive}.",
            path=path,
            kind=kind,
            drive=drive,
        ),
        t(
            "The kernel reports this for every stack on {drive}. The optimal I/O size, "
            "{optimal} bytes, is not a multiple of the {block}-byte physical block. The "
            "sum of the offsets decides.",
            drive=drive,
            optimal=geometry.optimal_io_bytes,
            block=geometry.physical_block_bytes,
        ),
        t("Linux, block/blk-settings.c, blk_stack_limits"),
        t("No action needed for this alone. Other findings report the alignment of the data."),
    )
