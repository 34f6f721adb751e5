"""Describe the contents of drives, and find those without a signature or a partition table. Pure.

All foreign text is made printable.
"""

from collections.abc import Iterable, Iterator, Set

from msgspec.structs import replace

from wizard.filesystems.registry import KINDS, title_of
from wizard.model.finding import Finding, Severity, command
from wizard.model.machine import Drive, Layer, Machine, Partition, Signature, kinds_in
from wizard.model.said import Message, Sentence, join, t, tn

NOT_READ = t("not read")
MOUNTED_ON = Sentence("mounted on {points:list}")
UNRECOGNISED = t("unrecognised data")
SIZES = t("superblocks and the partition table")

TABLES = {
    "gpt": t("a GPT"),
    "mbr": t("an MBR"),
    "hybrid": t("a GPT and an MBR"),
    "other": t("an old table"),
}


def table_words(kind: str, count: int) -> Message:
    """Describe a table."""
    return tn(
        "{table} with {count} partition",
        "{table} with {count} partitions",
        table=TABLES[kind],
        count=count,
    )


def unmarked_contents(drive: Drive) -> tuple[Message, ...]:
    """Describe data without signature or table. Empty for a waiting run, reported elsewhere."""
    if drive.waiting is not None:
        return ()
    if drive.lost:
        return tuple(
            t(
                "lost partition: {content}, {size:size} at {start:exact}",
                content=_kind_of(part),
                size=part.size_bytes,
                start=part.start_bytes,
            )
            for part in drive.lost
        )
    if zones := drive.unrecognised_zones:
        return (
            tn(
                "{count} written zone with unrecognised data",
                "{count} written zones with unrecognised data",
                count=zones,
            ),
        )
    return () if drive.data_at_bytes is None else (t("unrecognised data, maybe encrypted"),)


def used_on(drive: Drive, device: str) -> int | None:
    """Return the used space of a device's only content, also in an open array or container."""
    marks = dict(drive.signatures_by_device).get(device)
    above = [layer for layer in drive.layers if layer.below == device]
    if marks is None:
        marks = next((layer.signatures for layer in drive.layers if layer.path == device), ())
    if len(marks) != 1 or marks[0].ambivalent:
        return None
    if marks[0].used_bytes is None and len(above) == 1:
        return used_on(drive, above[0].path)
    return marks[0].used_bytes


def used_text(kind: str | None, used_bytes: int | None) -> tuple[Message, ...]:
    """Return the used space as a note. Empty without contents, and for swap."""
    if used_bytes is not None:
        return (t("{used:size} used", used=used_bytes),)
    return (t("used space unknown"),) if kind and kind != "swap" else ()


def profiles_text(mark: Signature) -> tuple[Message | str, ...]:
    """Return the known profiles of a Btrfs."""
    data, metadata = (
        name.upper() if name and name != "single" else name
        for name in (mark.data_profile, mark.metadata_profile)
    )
    if data == metadata:
        return (data,) if data else ()
    notes = (
        data and t("data {profile}", profile=data),
        metadata and t("metadata {profile}", profile=metadata),
    )
    return tuple(filter(None, notes))


ALL_LOST = t("All files on the other devices are lost too.")
ALL_SURVIVE = t("All files survive on the other devices.")
TWO_MISSING = t("The files survive with at most one other device missing.")
FATES = {
    **dict.fromkeys(("raid0", "linear", "disk"), ALL_LOST),
    **dict.fromkeys(("raid1", "raid10", "raid1c3", "raid1c4", "mirror"), ALL_SURVIVE),
    **dict.fromkeys(("single", "dup"), t("Files with a part here are lost. The others survive.")),
    **dict.fromkeys(("raid4", "raid5", "raidz1"), t("The files survive unless another device is missing.")),
    **dict.fromkeys(("raid6", "raidz2"), TWO_MISSING),
    "backing": t("The cache keeps no complete copy of the files."),
    "cache": t("Backing devices may lack recent changes, so their files may be damaged."),
}
"""Effect on the rest of a volume that loses a device, by level or data profile."""

MAY_BE_LOST = t("Files on the other devices may be lost too.")


def lost_beyond(device: str, marks: Iterable[Signature]) -> tuple[Message, ...]:
    """Describe the multi-device volumes of a device, and the effect of its loss."""
    found = []
    for mark in filter(lambda mark: mark.is_shared, marks):
        what, fate, count = _volume_name(mark), _fate(mark), mark.devices
        belongs = Sentence("{device} is one of {count} devices of {what}. {fate}")
        if mark.kind in ("zfs_member", "bcache"):
            belongs = Sentence("{device} is one of at least {count} devices of {what}. {fate}")
        cache = t("{device} is the cache of {what}. {fate}", device=device, what=what, fate=fate)
        found.append(cache if count is None else belongs(device=device, count=count, what=what, fate=fate))
    return tuple(found)


def lost_with(machine: Machine, drive: Drive, devices: Set[str]) -> Iterator[Message]:
    """Name the other attached devices of the volumes on these devices of a drive."""
    for device, mark in drive.marks:
        if device in devices and mark.is_shared and (others := _others(machine, device, mark)):
            whole = _with_profiles(machine, mark)
            also = t("{volume} is also on {devices:and}.", volume=_volume_name(whole), devices=others)
            yield join(also, *(() if whole == mark else (_fate(whole),)))


def _with_profiles(machine: Machine, mark: Signature) -> Signature:
    """Return a Btrfs with profiles, if the chunk tree is on another attached device."""
    for other in machine.attached if mark.data_profile is None else ():
        for _, one in other.marks:
            if one.data_profile and _is_same_volume(mark, one):
                found, metadata = one.data_profile, one.metadata_profile
                return replace(mark, data_profile=found, metadata_profile=metadata)
    return mark


def _others(machine: Machine, device: str, mark: Signature) -> tuple[str, ...]:
    found = ((path, one) for other in machine.attached for path, one in other.marks if path != device)
    return tuple(dict.fromkeys(path for path, one in found if _is_same_volume(mark, one)))


def _fate(mark: Signature) -> Message:
    if mark.metadata_profile == "raid0":
        return ALL_LOST
    if mark.metadata_profile in ("single", "dup"):
        return MAY_BE_LOST
    if mark.kind == "LVM2_member":
        return t("Logical volumes that reach here are lost, even their parts elsewhere.")
    return FATES.get(mark.level or mark.data_profile or "", MAY_BE_LOST)


_TITLES = {"LVM2_member": "LVM", "zfs_member": "ZFS", "bcache": "bcache"}


def _volume_name(mark: Signature) -> str:
    kind = _TITLES.get(mark.kind) or mark.level or title_of(mark.kind)
    name = f'{kind} "{mark.name}"' if mark.name else kind
    if profiles := profiles_text(mark):
        return f"{name} ({', '.join(map(str, profiles))})"
    # Several pools can have the same name.
    return f"{name} ({mark.uuid})" if mark.kind == "zfs_member" and mark.uuid else name


def find_shared(machine: Machine, drive: Drive) -> Iterator[Finding]:
    """Yield the volumes shared with other devices, and the number of missing devices."""
    for device, mark in drive.marks:
        if not mark.is_shared:
            continue
        attached = _others(machine, device, mark)
        missing = (mark.devices or 0) - 1 - len(attached)
        # udev does not report the group of LVM devices.
        unknown = mark.group is not None and any(
            one.kind == mark.kind and one.group is None
            for other in machine.unprobed
            for _, one in other.marks
        )
        said = list(lost_beyond(device, (_with_profiles(machine, mark),)))
        if attached:
            said.append(t("The others are {devices:list}.", devices=attached))
        if missing > 0 and not unknown:
            said.append(tn("{count} is not attached.", "{count} are not attached.", count=missing))
        yield Finding(
            "content-shared",
            Severity.WARNING if missing > 0 and not unknown else Severity.INFO,
            device,
            join(*said),
            t("Setting up one device alone destroys part of the volume."),
            t("superblocks and LVM metadata"),
            t("Attach all devices together. Copy the files before reusing any device."),
        )


def _is_same_volume(one: Signature, other: Signature) -> bool:
    if one.kind != other.kind:
        return False
    return one.group == other.group if one.group else one.uuid == other.uuid


def find_contents(drive: Drive) -> Iterator[Finding]:
    """Yield lost partitions, unrecognised data, and filesystems smaller than their partitions."""
    if drive.waiting is not None:
        return
    for part in drive.partitions:
        kind = KINDS.get(part.filesystem or "")
        if kind is None or kind.growing is None or not part.is_unfilled:
            continue
        fill = command("diskwright", "plan", part.path, "--grow-to", str(part.size_bytes))
        yield Finding(
            "content-smaller",
            Severity.INFO,
            part.path,
            t(
                "The {kind} on {part} uses {held:size} of {size:size}.",
                kind=kind.title,
                part=part,
                held=part.signatures[0].size_bytes or 0,
                size=part.size_bytes,
            ),
            t("The rest of the partition stays unused."),
            SIZES,
            t("Fill the partition. All files are preserved."),
            command("diskwright", "grow", part.path) if part.mount_points else fill,
        )
    if drive.lost:
        found = tuple(
            t("{kind}, {size:size}", kind=_kind_of(part), size=part.size_bytes) for part in drive.lost
        )
        yield Finding(
            "table-lost",
            Severity.DANGER,
            drive.path,
            tn(
                "{drive} has no partition table, but contents of {count} partition: {found:list}.",
                "{drive} has no partition table, but contents of {count} partitions: {found:list}.",
                drive=drive,
                found=found,
                count=len(drive.lost),
            ),
            t("The table was erased or overwritten. The files are out of reach, but may all exist."),
            SIZES,
            t("If the files matter, do not set up the drive. Make an image first, then restore the table."),
            command("diskwright", "plan", drive.path, "--restore-table"),
        )
    elif drive.data_at_bytes is not None:
        yield Finding(
            "contents-unrecognised",
            Severity.INFO,
            drive.path,
            t(
                "{drive} has unrecognised data, at byte {byte} for example.",
                drive=drive,
                byte=drive.data_at_bytes,
            ),
            t(
                "It may be encrypted (VeraCrypt, dm-crypt, LUKS with a separate header), an archive, or the "
                "remains of deleted files."
            ),
            t("a sample of the drive, which is not zero"),
            t("Before setting up an unfamiliar drive, make an image."),
        )


def _kind_of(part: Partition) -> str:
    mark = part.signatures[0] if part.signatures else None
    name = title_of(mark.kind) if mark else str(UNRECOGNISED)
    return f'{name} "{mark.label}"' if mark and mark.label else name


def layer_words(layer: Layer) -> str:
    """Describe a layer: `md raid0 /dev/md0 on /dev/sda1, data at 1 MiB`."""
    parts = [t("{kind} {path} on {below}", kind=layer.kind, path=layer, below=layer.below)]
    if layer.offset_bytes is not None:
        parts.append(t("data at {offset:exact}", offset=layer.offset_bytes))
    if (striping := layer.striping) and striping.unit_bytes:
        number = striping.width_bytes // striping.unit_bytes
        parts.append(t("stripes of {number} x {unit:exact}", number=number, unit=striping.unit_bytes))
    if layer.signatures:
        parts.append(t("contains {kinds}", kinds=kinds_in(layer.signatures)))
    if layer.mount_points:
        parts.append(MOUNTED_ON(points=layer.mount_points))
    return ", ".join(map(str, parts))


def contents_words(drive: Drive) -> str:
    """Describe the contents, e.g. `a GPT with 2 partitions, 4.0 TB free`."""
    if drive.table is None:
        return str(NOT_READ)
    if drive.is_empty:
        return str(t("empty: no table, partition or filesystem"))
    parts = []
    if drive.has_table:
        parts.append(table_words(drive.table_kind, len(drive.partitions)))
    if drive.signatures:
        marks = tuple(
            t('{kind} "{label}"', kind=mark.kind, label=mark.label) if mark.label else mark.kind
            for mark in drive.signatures
        )
        parts.append(t("on the drive itself: {marks:list}", marks=marks))
    parts += unmarked_contents(drive)
    if drive.waiting and drive.waiting.bare:
        parts.append(t("waiting result of run {run}, not recognised yet", run=drive.waiting.run))
    if drive.partitions:
        parts.append(t("{free:size} free", free=sum(extent.size_bytes for extent in drive.free)))
    return ", ".join(map(str, parts))


def unmarked_content(drive: Drive, part: Partition) -> Message:
    """Describe a partition without signatures."""
    if drive.is_unread(part):
        return NOT_READ
    return UNRECOGNISED if part.data_at_bytes is not None else t("no filesystem")
