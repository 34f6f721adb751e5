"""A drive as planning finds it: identity, contents and unknowns. Also dangerous options."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from wizard.advice import workloads as options
from wizard.advice.missing import Lacking, lacking
from wizard.findings.smr_evidence import may_be_shingled
from wizard.model.changes import EditFstab
from wizard.model.errors import Refused, printable
from wizard.model.finding import Recording
from wizard.model.geometry import Geometry, HeldDigest, Identity
from wizard.model.machine import Drive, Extent, Kernel, Machine, Partition
from wizard.model.operations import AddCrypttabLine
from wizard.model.plan import AddFstabLine, Layout, Slot, Volume
from wizard.model.said import Message
from wizard.plan import messages
from wizard.plan import messages as words
from wizard.plan.free_space import gpt_bounds, mbr_bounds, with_free
from wizard.plan.refusals import unread_content, waiting_doubts
from wizard.plan.request.roles import is_systems

WRITTEN_ZONES = "written zones"
"""What stands among the signatures where zones hold something that has none."""


def known_identity(machine: Machine, drive: Drive, size_bytes: int, geometry: Geometry) -> Identity:
    """Who the drive is, and the start of the machine that its count is of."""
    return replace(identity_of(drive, size_bytes, geometry), boot_id=machine.boot_id)


def identity_of(drive: Drive, size_bytes: int, geometry: Geometry) -> Identity:
    """Who the drive is, as the plan keeps it."""
    return Identity(
        path=drive.path,
        by_id=drive.by_id,
        model=drive.model,
        serial=drive.serial,
        wwn=drive.wwn,
        size_bytes=size_bytes,
        geometry=geometry,
        diskseq=drive.diskseq,
        content_digest=drive.content_digest,
        rotational=drive.rotational,
        held=held_on(drive),
        serial_shared=bool(drive.same_serial),
        wwn_shared=bool(drive.same_wwn),
    )


def held_on(drive: Drive) -> tuple[HeldDigest, ...]:
    """The digests of the superblocks on the drive and its partitions. What is in use has none: it is written
    to all the time."""
    used = {use.subject for use in drive.uses}
    found = [
        (0, drive.path, drive.superblock_digest),
        *((part.number, part.path, part.superblock_digest) for part in drive.partitions),
    ]
    return tuple(
        HeldDigest(number, digest)
        for number, path, digest in found
        if digest is not None and path not in used
    )


def shared_by(drive: Drive) -> tuple[str, ...]:
    """The drives that tell all the numbers that this one tells; none where one of them is its own."""
    told = [
        others
        for number, others in ((drive.serial, drive.same_serial), (drive.wwn, drive.same_wwn))
        if number
    ]
    return tuple(dict.fromkeys(path for others in told for path in others)) if told and all(told) else ()


def layout_of(drive: Drive) -> Layout | None:
    """What the drive holds now, as a layout that keeps nothing; None where its size or block size could not
    be read."""
    if not drive.size_bytes or drive.geometry is None:
        return None
    return layout_before(drive, drive.size_bytes, drive.geometry, keep=False)


def layout_before(drive: Drive, size_bytes: int, geometry: Geometry, *, keep: bool) -> Layout:
    """What the drive holds now; `keep` marks every partition as one that stays."""
    kind = drive.table.kind if drive.table else "unread"
    partitions = tuple(
        replace(_slot(part), kept=keep, unread=drive.is_unread(part)) for part in drive.partitions
    )
    waiting = _waiting_words(drive)
    whole_is_taken = bool(drive.signatures or waiting) or kind == "unread"
    if whole_is_taken and not partitions:
        slots: tuple[Slot, ...] = ()
    else:
        slots = with_free(partitions, bounds_of(drive, size_bytes, geometry))
    kinds = tuple(signature.kind for signature in drive.signatures)
    # What programs wrote straight to zones has no signature, and is lost like what has one.
    kinds += (WRITTEN_ZONES,) if drive.unrecognised_zones else ()
    label = drive.signatures[0].label or "" if len(drive.signatures) == 1 else ""
    return Layout(kind, slots, kinds, waiting=waiting, label=label)


def _waiting_words(drive: Drive) -> Message | str:
    """What a run made that waits on the drive; empty where none does."""
    if drive.waiting is None or not drive.waiting.bare:
        return ""
    told, run = printable(drive.waiting.told, 200), drive.waiting.run
    return messages.LEFT_BY_RUN(told=told, run=run)


def _slot(part: Partition) -> Slot:
    only = part.signatures[0] if len(part.signatures) == 1 else None
    return Slot(
        number=part.number,
        start_bytes=part.start_bytes,
        size_bytes=part.size_bytes,
        type=part.type,
        name=part.name,
        part_uuid=part.part_uuid,
        attributes=part.attributes,
        filesystem="+".join(signature.kind for signature in part.signatures) or None,
        label=only.label if only else None,
        uuid=only.uuid if only else None,
    )


def bounds_of(drive: Drive, size_bytes: int, geometry: Geometry) -> Extent:
    """Where partitions may lie on the drive as it is; the whole of it where it has no table of a kind known
    here."""
    table = drive.table
    if table is None or table.kind not in ("gpt", "mbr", "hybrid"):
        return Extent(0, size_bytes)
    usual = mbr_bounds(size_bytes, geometry) if table.kind == "mbr" else gpt_bounds(size_bytes, geometry)
    first = usual.start_bytes if table.first_usable_bytes is None else table.first_usable_bytes
    # Where the second copy of a GPT lies further in, whoever changes the table puts it at the end.
    unknown = table.end_usable_bytes is None or table.backup == "misplaced"
    end = usual.end_bytes if unknown else min(table.end_usable_bytes or 0, size_bytes)
    if table.kind == "mbr":
        end = min(end, usual.end_bytes)
    return Extent(first, max(0, end - first))


def doubts_of(drive: Drive, recording: Recording, *, keep: bool) -> tuple[Message, ...]:
    """What could not be known about the drive, in sentences. `recording` is what the diagnosis concludes."""
    doubts = [*waiting_doubts(drive)]
    if unread_content(drive):
        doubts.append(messages.NOT_READ)
    if drive.unrecognised_zones:
        doubts.append(messages.ZONES_WRITTEN(count=drive.unrecognised_zones))
    how = messages.BY_COUNT if drive.diskseq is not None else messages.BY_SIZE
    if not drive.serial and not drive.wwn:
        doubts.append(messages.NO_IDENTITY(how=how))
    elif others := shared_by(drive):
        doubts.append(messages.SHARED_IDENTITY(others=others, how=how))
    if drive.geometry is not None and drive.geometry.alignment_offset_bytes < 0:
        doubts.append(messages.NO_ALIGNMENT)
    if drive.zoned is None:
        doubts.append(messages.ZONED_UNREAD)
    if may_be_shingled(drive, recording):
        doubts.append(messages.MAY_BE_SHINGLED)
    if not keep:
        lost = [part.path for part in drive.partitions if part.kernel_start_bytes is None and part.signatures]
        if lost:
            doubts.append(messages.NO_NODES(parts=tuple(lost)))
    return tuple(doubts)


DANGERS = {
    "ext4": frozenset({"^has_journal", "nobarrier", "barrier=0", "data=writeback", "noauto_da_alloc"}),
    # XFS took it before kernel 4.19.
    "xfs": frozenset({"nobarrier", "barrier=0"}),
    "btrfs": frozenset({"nobarrier", "nodatacow", "nodatasum", "degraded"}),
    "f2fs": frozenset({"nobarrier", "fsync_mode=nobarrier", "checkpoint=disable", "disable_roll_forward"}),
    "jfs": frozenset({"nointegrity"}),
    "nilfs2": frozenset({"nobarrier"}),
    "ntfs": frozenset({"force"}),
}
"""As they stand in lists of features and options, in every spelling. The catalogue's own are all among them;
a plan is checked without the catalogue, which users can change."""


OTHERWISE = (
    ("ext4", re.compile(r"none|clear|\^feature_c.*"), "^has_journal"),
    ("ext4", re.compile(r"auto_da_alloc=0"), "noauto_da_alloc"),
)
"""Other words for the same. mke2fs clears all features at once, and knows each by a number too (e2fsprogs,
lib/e2p/feature.c)."""


SHOWN = 500
"""Characters of a doubt that every face shows; what stands behind them warns nobody."""

SAYING = (
    options.MADE_DANGEROUS,
    options.MADE_ASKED,
    options.MOUNTED_DANGEROUS,
    options.MOUNTED_ASKED,
)
"""The doubts that name an option that was asked for."""

LONGEST_OPTION = 100
"""Characters of an option within what every face shows of such a doubt."""


def unsaid_danger(volume: Volume, doubts: Sequence[Message | str]) -> str | None:
    """The first option of the volume that puts data at risk without a doubt that names it; None where there
    is none."""
    said = {_plainly(word, volume.filesystem) for doubt in doubts for word in _options_in(doubt)}
    return min(
        dangers_in((*volume.mkfs_options, *volume.mount_options), volume.filesystem) - said, default=None
    )


def _options_in(doubt: Message | str) -> list[str]:
    """The words of a doubt that may be options; of one that an earlier version wrote, all of them."""
    if isinstance(doubt, str):
        return re.split(r"[\s,;]+", doubt[:SHOWN])
    option = dict(doubt.values)["option"] if doubt.english in {one.english for one in SAYING} else ""
    return re.split(r"[\s,;]+", str(option)[:LONGEST_OPTION])


def danger_fault(volume: Volume, doubts: Sequence[Message | str]) -> Message | None:
    """What is wrong with a danger of the volume, as the end of a sentence: a system is to live on it, or no
    doubt says so."""
    if danger := systems_danger(
        volume.role, volume.filesystem, (*volume.mkfs_options, *volume.mount_options)
    ):
        return words.DANGER_IN_SYSTEM(danger=danger)
    if danger := unsaid_danger(volume, doubts):
        return words.DANGER_UNSAID(danger=danger)
    return None


def systems_danger(role: str, filesystem: str, options: Sequence[str]) -> str | None:
    """The first option that puts data at risk, where a system starts from the volume or lives on it; None
    where there is none."""
    return min(dangers_in(options, filesystem), default=None) if is_systems(role) else None


def dangers_in(options: Sequence[str], filesystem: str) -> frozenset[str]:
    """Those of the options that put data at risk, in the one spelling that is looked for."""
    words = {part for option in options for part in re.split(r"[,\s]+", option)}
    return frozenset(_plainly(word, filesystem) for word in words) & DANGERS.get(filesystem, frozenset())


def _plainly(word: str, filesystem: str) -> str:
    """An option in the one spelling that is looked for.

    mke2fs takes features in either case, and `-` for `^` (lib/e2p/feature.c); the kernel takes numbers as C
    writes them, such as `0x0` or `00` for 0; and what F2FS is told behind a colon only says how much.
    """
    key, equals, value = word.lower().partition("=")
    key, value = re.sub(r"^-", "^", key), value.partition(":")[0]
    value = "0" if re.fullmatch(r"[+-]?(0x)?0+", value) else value
    plain = f"{key}{equals}{value}"
    return next(
        (same for kind, other, same in OTHERWISE if kind == filesystem and other.fullmatch(plain)), plain
    )


DEVICE_MAPPER, CRYPT = "dm_mod", "dm_crypt"
NEEDED = {
    DEVICE_MAPPER: ("device mapper", messages.NO_LVM),
    CRYPT: ("dm-crypt", messages.NO_CRYPT),
    "raid0": ("md RAID0", messages.NO_RAID0),
    "raid1": ("md RAID1", messages.NO_RAID1),
}
"""By module, which for md is also its level: what it is called, and what is so without it."""


def refuse_lacking(kernel: Kernel, module: str) -> None:
    """Raises Refused where the kernel surely neither has the module nor can load it."""
    if kernel.lacks(module):
        name, without = NEEDED[module]
        release = printable(kernel.release, 60)
        raise Refused(str(messages.LACKING(release=release, name=name, without=without())))


def refuse_missing(machine: Machine, programs: Iterable[str]) -> None:
    """Raises Lacking where one of these programs is not installed."""
    if absent := lacking(machine, programs):
        raise Lacking(absent)


def rehearsal_doubts(kernel: Kernel) -> tuple[Message, ...]:
    """What is said where the kernel surely has no loop devices to rehearse on."""
    if not kernel.lacks("loop"):
        return ()
    return (messages.NO_LOOP(release=printable(kernel.release, 60)),)


def forgotten_doubts(machine: Machine, operations: Iterable[object]) -> tuple[Message, ...]:
    """What is said of lines for every boot where the system may not have them at its next one, or not
    read them."""
    written = any(
        isinstance(one, AddFstabLine | AddCrypttabLine)
        or (isinstance(one, EditFstab) and any(line.new is not None for line in one.lines))
        for one in operations
    )
    if not written:
        return ()
    if machine.in_container:
        return (messages.IN_CONTAINER,)
    return (messages.FORGOTTEN,) if machine.live_medium else ()
