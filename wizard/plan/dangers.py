"""A drive as planning finds it: identity, contents and unknowns. Also dangerous options."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import chain

from msgspec import convert
from msgspec.structs import replace

from wizard.advice import missing
from wizard.filesystems.registry import MADE
from wizard.findings import contents
from wizard.findings.smr_evidence import may_be_shingled
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recording
from wizard.model.geometry import HeldDigest, Identity
from wizard.model.layout import Layout, Slot, Volume
from wizard.model.machine import Drive, Extent, Kernel, Machine, Partition, kinds_in
from wizard.model.said import Message, Sentence, t
from wizard.operations.operation import Operation
from wizard.operations.rules import canonical_option, dangers_in
from wizard.plan import free_space
from wizard.plan.refusals import unmeasured, unread_content
from wizard.plan.request.roles import SYSTEM_WORKLOAD, role_by_type

FORGOTTEN = t(
    "This system runs from an image, in memory or in a container. It may lose or ignore what to mount at "
    "boot. Everything else remains on the drive."
)
NO_LOOP = Sentence(
    "The running kernel ({release}) has no loop devices, so plans cannot be "
    "rehearsed. Every step runs directly on the drive, and formatting cannot be "
    "undone."
)
MAY_BE_SHINGLED = t("Unknown if the drive is shingled (SMR). Shingled drives slow down during long writes.")


def known_identity(machine: Machine, drive: Drive) -> Identity:
    """Return the drive's identity for a plan, including the boot that its disk counter belongs to. Raises
    BadInput if its size or block size is unknown."""
    if drive.size_bytes is None or drive.geometry is None:
        raise BadInput(unmeasured(drive))
    return replace(
        convert(drive, Identity, from_attributes=True),
        held=held_on(drive),
        serial_shared=bool(drive.same_serial),
        wwn_shared=bool(drive.same_wwn),
        boot_id=machine.boot_id,
    )


def held_on(drive: Drive) -> tuple[HeldDigest, ...]:
    """Return superblock digests of the drive and the partitions. Devices in use have none, because they
    change constantly."""
    used = {use.subject for use in drive.uses}
    found = [(0, drive.path, drive.superblock_digest)]
    found += [(part.number, part.path, part.superblock_digest) for part in drive.partitions]
    return tuple(HeldDigest(number, digest) for number, path, digest in found if digest and path not in used)


def layout_of(drive: Drive) -> Layout | None:
    """Return the current layout with no partition preserved. None if size or block size is unreadable."""
    if not drive.size_bytes or drive.geometry is None:
        return None
    return layout_before(drive, preserve=False)


def layout_before(drive: Drive, *, preserve: bool) -> Layout:
    """Return the current layout of a drive of known size. `preserve` marks every partition as preserved."""
    kind = drive.table_kind
    partitions = tuple(
        replace(
            slot_of(part),
            kept=preserve,
            unread=drive.is_unread(part),
            used_bytes=contents.used_on(drive, part.path),
        )
        for part in drive.partitions
    )
    run = drive.waiting
    waiting = t("{told} of run {run}", told=run.told, run=run.run) if run and run.bare else ""
    unmarked = contents.unmarked_contents(drive)
    slots: tuple[Slot, ...] = ()
    if partitions or not (drive.signatures or waiting or unmarked or kind == "unread"):
        overhangs = (part.overhang for part in drive.partitions)
        slots = free_space.with_free(partitions, bounds_of(drive), filter(None, overhangs))
    return Layout(
        kind,
        slots,
        tuple(signature.kind for signature in drive.signatures),
        waiting=waiting,
        label=drive.signatures[0].label or "" if len(drive.signatures) == 1 else "",
        unmarked=unmarked,
        beyond=contents.lost_beyond(drive.path, drive.signatures),
        used_bytes=contents.used_on(drive, drive.path),
    )


def slot_of(part: Partition) -> Slot:
    """Return a partition with the contents, not preserved."""
    only = part.signatures[0] if len(part.signatures) == 1 else None
    return Slot(
        number=part.number,
        start_bytes=part.start_bytes,
        size_bytes=part.size_bytes,
        type=part.type,
        name=part.name,
        part_uuid=part.part_uuid,
        attributes=part.attributes,
        filesystem=kinds_in(part.signatures) or None,
        label=only.label if only else None,
        uuid=only.uuid if only else None,
        beyond=contents.lost_beyond(part.path, part.signatures),
        overhang_bytes=part.overhang.size_bytes if part.overhang else 0,
    )


def bounds_of(drive: Drive) -> Extent:
    """Return the range for partitions on the current drive of known size. The whole drive if its table type
    is unknown."""
    table, size_bytes, geometry = drive.table, drive.size_bytes, drive.geometry
    assert size_bytes is not None and geometry is not None
    if table is None or table.kind not in ("gpt", "mbr", "hybrid"):
        return Extent(0, size_bytes)
    usual = free_space.fresh_bounds(table.kind, size_bytes, geometry)
    first = usual.start_bytes if table.first_usable_bytes is None else table.first_usable_bytes
    # If the backup GPT is not at the end of the drive, changing the table moves it there.
    unknown = table.end_usable_bytes is None or table.backup == "misplaced"
    end = usual.end_bytes if unknown else min(table.end_usable_bytes or 0, size_bytes)
    if table.kind == "mbr":
        end = min(end, usual.end_bytes)
    return Extent(first, max(0, end - first))


BACKUP_MOVES = Sentence(
    "The backup GPT of {drive} is where a smaller drive ended. It will be written to the end of this drive."
)


def doubts_of(drive: Drive, recording: Recording, *, preserve: bool) -> Iterator[Message]:
    """Yield sentences on unknown facts about the drive. `recording` is the conclusion of the findings."""
    if drive.waiting is not None and not drive.waiting.bare:
        yield t(
            "Run {run} was left on the drive. Anything intact from that run will be lost.",
            run=drive.waiting.run,
        )
    if preserve and drive.table and drive.table.backup == "misplaced":
        yield BACKUP_MOVES(drive=drive)
    if unread_content(drive):
        yield t("The drive was not read during planning. Any contents will be lost.")
    how = (
        t("only by the kernel's drive counter, so the plan is valid until you unplug the drive or reboot")
        if drive.diskseq is not None
        else t("only by size")
    )
    numbers = ((drive.serial, drive.same_serial), (drive.wwn, drive.same_wwn))
    shared = [others for number, others in numbers if number]
    if not shared:
        yield t("The drive reports no serial number or WWN and is identified {how}.", how=how)
    elif all(shared):
        same = Sentence("The drive reports the same identifiers as {others:list} and is identified {how}.")
        yield same(others=tuple(dict.fromkeys(chain.from_iterable(shared))), how=how)
    if drive.geometry is not None and drive.geometry.alignment_offset_bytes < 0:
        yield t(
            "The underlying devices are misaligned to each other, so no partition can be "
            "aligned for all of them."
        )
    if drive.zoned is None:
        yield t("Unknown if the drive is zoned.")
    if may_be_shingled(drive, recording):
        yield MAY_BE_SHINGLED
    lost = [part.path for part in drive.partitions if part.kernel_start_bytes is None and part.signatures]
    if lost and not preserve:
        yield t(
            "The kernel has no node for {parts:list}. Old signatures there are erased only where a new "
            "volume begins.",
            parts=tuple(lost),
        )


SHOWN = 500
"""Characters of a doubt that every interface shows. Anything after that cannot serve as a warning."""

_NAMES_OPTION = re.compile(
    r"The volume for \{purpose\} (uses|will be (created|mounted) with) \{option\}[;,] .*"
)
"""Doubts that name a requested option at their start, also as version 1 wrote them."""

LONGEST_OPTION = 100
"""Characters of an option that are always visible in such a doubt."""


def _dangers_of(volume: Volume) -> frozenset[str]:
    return dangers_in((*volume.mkfs_options, *volume.mount_options), volume.filesystem)


def danger_fault(volume: Volume, doubts: Sequence[Message | str]) -> str | None:
    """Return a dangerous option of a system volume, or one that no doubt names. None if neither."""
    # Version 1.0 allowed them on root volumes, whose roles name an architecture.
    if not volume.role.startswith("root-") and (danger := system_danger(volume)):
        return danger
    named: set[str] = set()
    for doubt in doubts:
        shown = ""
        if isinstance(doubt, str):
            # Written by an earlier version: any word may be an option.
            shown = doubt[:SHOWN]
        elif _NAMES_OPTION.fullmatch(doubt.english):
            shown = str(dict(doubt.values)["option"])[:LONGEST_OPTION]
        named |= {canonical_option(word, volume.filesystem) for word in re.split(r"[\s,;]+", shown)}
    return min(_dangers_of(volume) - named, default=None)


def system_danger(volume: Volume) -> str | None:
    """Return the first dangerous option of a system volume, or None."""
    return min(_dangers_of(volume), default=None) if volume.role else None


DEVICE_MAPPER, CRYPT = "dm_mod", "dm_crypt"
NEEDED = {
    DEVICE_MAPPER: "device mapper",
    CRYPT: "dm-crypt",
    "raid0": "md RAID0",
    "raid1": "md RAID1",
}
"""Names by module, which for md is also the level."""


def refuse_lacking(kernel: Kernel, module: str) -> None:
    """Raises Refused if the kernel definitely cannot provide the module."""
    if kernel.lacks(module):
        raise Refused(missing.NO_DRIVER(release=kernel.release, title=NEEDED[module]))


def refuse_missing(machine: Machine, programs: Iterable[str]) -> None:
    """Raises Lacking if any of these tools is not installed."""
    if absent := missing.lacking(machine, programs):
        raise missing.MissingTools(absent)


def esp_doubts(
    machine: Machine, drive: Drive, volumes: Sequence[Volume], kept: Set[int]
) -> tuple[Message, ...]:
    """Return a doubt for each other EFI system partition if the volumes include one. `kept`: numbers of the
    drive's partitions that stay."""
    if not any(volume.role == "esp" for volume in volumes):
        return ()
    return tuple(
        t(
            "{drive} already has an EFI system partition, {part} ({size:size}), which systems can share.",
            drive=one,
            part=part,
            size=part.size_bytes,
        )
        for one in machine.drives
        for part in one.partitions
        if role_by_type(part.type, "") == "esp" and (one.path != drive.path or part.number in kept)
    )


def forgotten_doubts(machine: Machine, operations: Iterable[Operation]) -> tuple[Message, ...]:
    """Return a doubt about boot configuration that the system may lose or ignore at the next boot."""
    forgets = machine.in_container or machine.live_medium
    return (FORGOTTEN,) if forgets and any(one.edits_boot for one in operations) else ()


LEAST_SYSTEM_BYTES = 10 * 1000**3
"""Minimum root volume, from the desktop with the lowest requirements (Debian 12)."""


def small_systems(volumes: Sequence[Volume], sizes: Sequence[int]) -> tuple[Message, ...]:
    """Return a doubt for each volume too small for a desktop."""
    return tuple(
        t(
            "{device} has {size:size}, but a desktop system needs {least:size} (Debian 12) or more.",
            device=volume,
            size=size,
            least=LEAST_SYSTEM_BYTES,
        )
        for volume, size in zip(volumes, sizes, strict=True)
        if volume.workload == SYSTEM_WORKLOAD
        and (not volume.role or volume.role.startswith("root"))
        and MADE[volume.filesystem].mounts
        and size < LEAST_SYSTEM_BYTES
    )
