"""List and erase signatures, after saving them, and compare signatures with the plan."""

import json
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from wizard.apply.block.devices import (
    forget_caches,
    open_exclusively,
    read_bytes,
    size_bytes,
    start_bytes,
    write_bytes,
)
from wizard.apply.block.extents import merged, without
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.steps.step_context import NOT_TOUCHED, WIPEFS_UNREADABLE, StepContext, look_at
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.errors import Failed, printable
from wizard.model.ext import Event
from wizard.model.machine import Drive, Extent, Signature, Striping
from wizard.model.operations import MakeArray, MakeFilesystem, MakeVolumeGroup, OpenContainer, SetOwner
from wizard.model.plan import (
    GrowFilesystem,
    MakeSubvolumes,
    Mount,
    Operation,
    Plan,
    ShrinkFilesystem,
    TurnOnSwap,
    WipeSignatures,
)
from wizard.model.said import MIB, Message, Sentence, t
from wizard.plan.steps.commands import commands_of, physical_volume_uuid
from wizard.process.program import run

TABLE_KINDS = frozenset({"gpt", "PMBR", "dos", "mbr", "hybrid", "other"})
"""Names of tables, which wipefs and a plan spell differently; that the table is the one known was compared
before."""

TABLE_MARKS = frozenset(
    {"gpt", "PMBR", "dos", "sun", "sgi", "mac", "bsd", "atari", "minix", "unixware", "solaris_x86"}
)
"""Types of partition tables as wipefs names them (util-linux, libblkid/src/partitions)."""

NESTED_MARKS = {"dos": 2, "PMBR": 2, "gpt": 8}
"""How long the marks of tables are. wipefs leaves those alone that lie in a partition, unless it is let loose
on devices in use too (wipefs(8), --force). FAT, NTFS and exFAT end their first sector with such a mark (55
AA), which shows when their own is gone.
"""

REACH_BYTES = 1024
"""What is saved around each signature found; wipefs erases some ten bytes of it."""


def wipe_signatures(operation: WipeSignatures, site: StepContext) -> Message:
    """Erase what is found on the operation's device, saving every place first; a sentence on what was
    found."""
    device = operation.device
    found = list_signatures(device, site.seconds)
    kinds = sorted({kind for kind, _ in found})
    if not site.again:
        refuse_strangers(operation, kinds)
    drive, geometry = site.member.drive, site.member.drive.geometry
    kept = tuple(slot.extent for slot in site.member.before.partitions if slot.kept)
    places = (piece for place in _places(device, size_bytes(device), found) for piece in without(place, kept))
    regions = merged(places, geometry.logical_block_bytes, drive.size_bytes)
    site.save(regions)
    for argv in commands_of(operation):
        site.command(argv)
    forget_caches(device)
    if device not in site.plan.paths:
        _erase_nested(device, site)
    if left := list_signatures(device, site.seconds):
        raise Failed(
            t(
                "{device} still has signatures after erasing: {kinds:list}.",
                device=device,
                kinds=kinds_of(left),
            )
        )
    if kinds:
        return t("Erased {kinds:list} from {device}.", kinds=tuple(map(printable, kinds)), device=device)
    # From a stand-in the old marks are taken away before the first step, with every copy.
    shown = (
        Sentence("{device} no longer has a signature.")
        if site.rehearsed
        else Sentence("{device} had no signature.")
    )
    return shown(device=device)


def _erase_nested(device: str, site: StepContext) -> None:
    """Write zeros over the marks of tables that wipefs left in a partition; their places were saved. Raises
    Failed."""
    block = site.member.drive.geometry.logical_block_bytes
    for kind, offset in list_signatures(device, site.seconds):
        if kind not in NESTED_MARKS:
            continue
        if reason := open_exclusively(device):
            raise Failed(NOT_TOUCHED(node=device, why=reason))
        begin = offset // block * block
        data = bytearray(read_bytes(device, begin, block))
        data[offset - begin : offset - begin + NESTED_MARKS[kind]] = bytes(NESTED_MARKS[kind])
        write_bytes(device, begin, bytes(data))
        said = t(
            "Wrote zeros over the {kind} signature at byte {byte} of {device}.",
            kind=kind,
            byte=offset,
            device=device,
        )
        site.journal.add(Event.COMMAND, said, step=site.step)
    forget_caches(device)


def refuse_strangers(operation: WipeSignatures, kinds: list[str]) -> None:
    """Raises Failed where the device holds something, and nothing of what the plan knew there."""
    expected = set(operation.expected) - TABLE_KINDS
    found = set(kinds) - TABLE_KINDS
    if expected and found and not expected & found:
        seen, known = (tuple(sorted(map(printable, kinds))) for kinds in (found, expected))
        raise Failed(
            t(
                "{device} contains {seen:list} instead of {known:list} from the plan and was not touched.",
                device=operation.device,
                seen=seen,
                known=known,
            )
        )


def list_signatures(device: str, seconds: float = 60.0) -> tuple[tuple[str, int], ...]:
    """The kind of each signature on a device and its offset there, without changing anything; raises
    Failed."""
    text = run(["wipefs", "--no-act", "--json", device], seconds=seconds).output
    if not text.strip():
        return ()
    try:
        rows = json.loads(text)["signatures"]
        return tuple((str(row["type"]), int(row["offset"], 16)) for row in rows)
    except (ValueError, KeyError, TypeError):
        raise Failed(WIPEFS_UNREADABLE(device=device, said=printable(text, 80))) from None


def kinds_of(found: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """The kinds of signatures, each once, to be shown."""
    return tuple(sorted({printable(kind) for kind, _ in found}))


def _places(device: str, size: int, found: tuple[tuple[str, int], ...]) -> Iterator[Extent]:
    """Each signature found, and both ends of the device, where erasing one can uncover another."""
    begin = start_bytes(device)
    edge = min(MIB, size)
    yield Extent(begin, edge)
    yield Extent(begin + size - edge, edge)
    for _, offset in found:
        yield Extent(begin + offset, min(REACH_BYTES, size - offset))


LVM_PROGRAMS = frozenset({"lvs", "pvs", "vgs", "lvchange", "vgchange", "vgremove"})


def checking_programs(operation: Operation) -> frozenset[str]:
    """The programs that checking or taking back an operation needs besides those that its commands name."""
    match operation:
        case MakeFilesystem(filesystem=kind, striping=striping, others=others):
            made = MADE[kind]
            return frozenset(
                argv[0]
                for argv in (made.clean_check, made.superblock_reader if striping or others else ())
                if argv
            )
        case GrowFilesystem(filesystem=kind) | ShrinkFilesystem(filesystem=kind):
            growing = KINDS[kind].growing
            return frozenset((*growing.check[:1], *growing.programs)) if growing else frozenset()
        case MakeArray():
            return frozenset({"mdadm"})
        case MakeVolumeGroup():
            return LVM_PROGRAMS
        case _:
            return frozenset()


def signatures_on(
    device: str, plan: Plan, seconds: float, drives: Sequence[Drive] = ()
) -> tuple[Signature, ...] | None:
    """What is recognised on a device of the plan; None where it is not there. Raises Failed where its drive
    does not tell.

    A drive that is not among `drives` is read afresh.
    """
    member = plan.member(device)
    if member is None:
        return listed_signatures(device, seconds)
    drive = next((drive for drive in drives if drive.path == member.drive.path), None) or look_at(
        member.drive.path
    )
    if device == drive.path:
        return drive.signatures
    part = drive.partition(device)
    return part.signatures if part else None


def listed_signatures(device: str, seconds: float) -> tuple[Signature, ...]:
    """Return what wipefs reads on one device, which can be an array. Raises Failed."""
    text = run(["wipefs", "--no-act", "--json", device], seconds=seconds).output
    try:
        rows = json.loads(text)["signatures"] if text.strip() else []
        return tuple(Signature(row["type"], "other", row.get("label"), row.get("uuid")) for row in rows)
    except (ValueError, KeyError, TypeError):
        raise Failed(WIPEFS_UNREADABLE(device=device, said=printable(text, 80))) from None


def recognised_differences(
    signatures: Sequence[Signature] | None, filesystem: str, uuid: str, label: str
) -> tuple[Message, ...]:
    """How what libblkid recognises differs from what was to be made, in pieces of sentences. Pure."""
    if signatures is None:
        return (t("the partition is missing"),)
    if len(signatures) != 1 or signatures[0].ambivalent:
        kinds = tuple(printable(signature.kind) for signature in signatures) or t("nothing")
        return (t("found {kinds:list} instead of exactly one filesystem", kinds=kinds),)
    seen = signatures[0]
    pairs = (
        (Sentence("the type is {seen!r}, not {wanted!r}"), seen.kind, filesystem),
        (Sentence("the UUID is {seen!r}, not {wanted!r}"), seen.uuid, uuid),
        (Sentence("the label is {seen!r}, not {wanted!r}"), seen.label, label),
    )
    return tuple(
        differs(seen=printable(str(found)), wanted=wanted)
        for differs, found, wanted in pairs
        if found != wanted
    )


def spread_differences(operation: MakeFilesystem, seconds: float) -> tuple[Message, ...]:
    """How the filesystem is spread otherwise than planned, by its own superblock; nothing for one that is not
    striped. Raises Failed."""
    if not operation.striping and not operation.others:
        return ()
    kind = MADE[operation.filesystem]
    text = run([*kind.superblock_reader, operation.device], seconds=seconds).output
    if operation.others:
        profile = "RAID1" if ("-d", "raid1") in pairwise(operation.options) else "RAID0"
        return () if f"DATA|{profile}" in text else (t("the data profile is not {profile}", profile=profile),)
    seen = kind.striping_in(text) if kind.striping_in else None
    if seen == operation.striping:
        return ()
    return (t("the superblock has {seen}, not {wanted}", seen=_said(seen), wanted=_said(operation.striping)),)


def _said(striping: Striping | None) -> Message:
    if striping is None:
        return t("no striping")
    return t(
        "{unit:exact} per drive, {width:exact} in all",
        unit=striping.unit_bytes,
        width=striping.width_bytes,
    )


CONTAINER = "crypto_LUKS"
PHYSICAL_VOLUME = "LVM2_member"
"""libblkid's TYPE."""


def check_target(plan: Plan, operation: Operation, seconds: float) -> None:
    """Raises Failed if a device that the step mounts, opens or swaps to does not contain what the plan put
    there, or if that cannot be read."""
    for device, (kind, uuid) in _planned(plan, operation).items():
        _check_contains(device, kind, uuid, seconds)


def check_group_device(plan: Plan) -> None:
    """Raises Failed if the partition of the plan's volume group does not contain its physical volume."""
    if plan.group:
        uuid = physical_volume_uuid(plan.group.uuid)
        _check_contains(plan.group.device, PHYSICAL_VOLUME, uuid, LOOK_SECONDS)


def check_no_clone(plan: Plan) -> None:
    """Raises Failed if another device has the UUID of something that the plan made: at the next start either
    could be mounted. A device that does not answer in time is not waited for."""
    planned: dict[str, set[str]] = {}
    for step in plan.steps:
        for device, (_, uuid) in _planned(plan, step.operation).items():
            planned.setdefault(uuid, set()).add(device)
    for uuid, devices in planned.items():
        numbers = {_number(device) for device in devices}
        found = _devices_with(uuid)
        if not numbers & {_number(node) for node in found}:
            # Its drive has another name now, which is for the step to say.
            continue
        for other in found:
            if _number(other) not in numbers:
                raise Failed(
                    t(
                        "{device} and {other} have the same UUID ({uuid}), so either could be "
                        "mounted at the next boot. Detach {other}, or change the UUID of {other}.",
                        device=min(devices),
                        other=printable(other),
                        uuid=uuid,
                    )
                )


def _planned(plan: Plan, operation: Operation) -> dict[str, tuple[str, str]]:
    """The type and UUID that each device of a step must show."""
    match operation:
        case OpenContainer(device=device, uuid=uuid):
            return {device: (CONTAINER, uuid)}
        case MakeSubvolumes() | SetOwner() | Mount():
            devices = {operation.device, *operation.others}
        case TurnOnSwap(device=device):
            devices = {device}
        case _:
            return {}
    made = [step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem)]
    return {
        device: (one.filesystem, one.uuid)
        for one in made
        for device in (one.device, *one.others)
        if device in devices
    }


def _check_contains(device: str, kind: str, uuid: str, seconds: float) -> None:
    if _number(device) is None or uuid not in {one.uuid for one in listed_signatures(device, seconds)}:
        if others := tuple(printable(other) for other in _devices_with(uuid)):
            raise Failed(
                t(
                    "{device} does not contain the planned {kind} (UUID {uuid}): {others:list} "
                    "does. Another drive has that name now.",
                    device=device,
                    kind=kind,
                    uuid=uuid,
                    others=others,
                )
            )
        raise Failed(
            t(
                "{device} does not contain the planned {kind} (UUID {uuid}). Another drive "
                "may have that name now.",
                device=device,
                kind=kind,
                uuid=uuid,
            )
        )


def _devices_with(uuid: str) -> list[str]:
    """The nodes of all devices with this UUID, as libblkid reads them now."""
    argv = ("blkid", "--match-token", f"UUID={uuid}", "--output", "device")
    with suppress(Failed):
        return run(argv, seconds=LOOK_SECONDS, accept=(0, 2)).output.split()
    return []


def _number(node: str) -> int | None:
    """The kernel's number of a block device; None if there is no such device."""
    with suppress(OSError):
        found = Path(node).stat()
        return found.st_rdev if stat.S_ISBLK(found.st_mode) else None
    return None
