"""List and erase signatures, after saving them, and compare signatures with the plan."""

import json
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import (
    check_unclaimed,
    devices_with,
    forget_caches,
    read_bytes,
    reread_table,
    size_bytes,
    start_bytes,
    write_bytes,
)
from wizard.apply.block.extents import Read
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.steps import step_context
from wizard.model.errors import Failed
from wizard.model.machine import Extent, Signature
from wizard.model.run import Event, differences
from wizard.model.said import KIB, Message, Sentence, t
from wizard.operations.operation import Operation
from wizard.operations.table import ResetZones, WipeSignatures
from wizard.plan.plan import Plan
from wizard.process.program import run

ERASED = Sentence("Erased {kinds:list} from {device}.")
EMPTY = Sentence("{device} has no signature.")
STILL_SEEN = Sentence("{program} still recognises {seen:list} on {part}.")

TABLE_KINDS = frozenset({"gpt", "PMBR", "dos", "mbr", "hybrid", "other"})
"""Names of partition tables, which wipefs and plans spell differently. The table itself is compared
elsewhere."""

TABLE_MARKS = frozenset(
    {"gpt", "PMBR", "dos", "sun", "sgi", "mac", "bsd", "atari", "minix", "unixware", "solaris_x86"}
)
"""Types of partition tables as wipefs names them (util-linux, libblkid/src/partitions)."""

NESTED_MARKS = {"dos": 2, "PMBR": 2, "gpt": 8}
"""Sizes of partition table signatures in bytes. wipefs ignores those within a partition, unless forced to
include devices in use (wipefs(8), --force). FAT, NTFS and exFAT end their first sector with such a signature
(55 AA), which becomes visible when theirs is erased."""

PAGE_BYTES = 4 * KIB
ZFS_LABEL_BYTES, ZFS_LIST_AT, ZFS_LIST_BYTES = 256 * KIB, 16 * KIB, 112 * KIB
ZFS_LIST = re.compile(rb"\x01[\x00\x01]\x00\x00.{16}\x00\x00\x00\x07version", re.DOTALL)
"""Start of a list in XDR: encoding, byte order, version and flags of the list, sizes and name of the first
pair."""


def _wipe_signatures(operation: WipeSignatures, context: step_context.StepContext) -> Message:
    """Erase all signatures on the operation's device, and return a summary. Raises Failed."""
    device = operation.device
    kinds = _kinds_on(device, context.seconds)
    refuse_foreign_signatures(operation, kinds)
    preserved = tuple(slot.extent for slot in context.member.before.partitions if slot.kept)
    context.run_commands()
    forget_caches(device)
    if device not in context.plan.devices:
        _erase_nested(device, context)
    start = start_bytes(device)
    for place in zfs_lists(partial(read_bytes, device), size_bytes(device)):
        if not any(map(Extent(start + place.start_bytes, place.size_bytes).overlaps, preserved)):
            write_bytes(device, place.start_bytes, bytes(place.size_bytes))
    _check_erased(device, context.seconds)
    # On a scratch copy, old signatures and their copies are removed before the first step.
    return ERASED(kinds=kinds, device=device) if kinds else EMPTY(device=device)


def reset_zones(operation: ResetZones, context: step_context.StepContext) -> Message:
    """Reset all zones, and check that no signatures are left. The kernel then forgets the partitions."""
    context.run_commands()
    forget_caches(operation.device)
    reread_table(operation.device, anew=True)
    _check_erased(operation.device, context.seconds)
    return EMPTY(device=operation.device)


def _check_erased(device: str, seconds: float) -> None:
    if left := _kinds_on(device, seconds):
        raise Failed(STILL_SEEN(program="wipefs", part=device, seen=left))


def _kinds_on(device: str, seconds: float) -> tuple[str, ...]:
    return tuple(sorted({mark.kind for mark, _ in list_signatures(device, seconds)}))


def zfs_lists(read: Read, size_bytes: int) -> Iterator[Extent]:
    """Yield the name/value lists of the four ZFS labels that remain on a device of this size. util-linux
    recognises the lists since version 2.41, older versions only the uberblocks.

    Source: OpenZFS, include/sys/vdev_impl.h (vdev_label_t): a list of 112 KiB at 16 KiB in each label.
    """
    end = size_bytes // ZFS_LABEL_BYTES * ZFS_LABEL_BYTES
    if end < 4 * ZFS_LABEL_BYTES:
        return
    for label in (0, ZFS_LABEL_BYTES, end - 2 * ZFS_LABEL_BYTES, end - ZFS_LABEL_BYTES):
        at = label + ZFS_LIST_AT
        if ZFS_LIST.match(read(at, PAGE_BYTES)):
            yield Extent(at, ZFS_LIST_BYTES)


def _erase_nested(device: str, context: step_context.StepContext) -> None:
    """Overwrite partition table signatures that wipefs left in a partition. Raises
    Failed."""
    block = context.member.drive.geometry.logical_block_bytes
    for mark, offset in list_signatures(device, context.seconds):
        if (kind := mark.kind) not in NESTED_MARKS:
            continue
        check_unclaimed(device)
        begin = offset // block * block
        data = bytearray(read_bytes(device, begin, block))
        data[offset - begin : offset - begin + NESTED_MARKS[kind]] = bytes(NESTED_MARKS[kind])
        write_bytes(device, begin, bytes(data))
        message = ERASED(kinds=kind, device=device)
        context.work.journal.add(Event.COMMAND, message, step=context.step)
    forget_caches(device)


def refuse_foreign_signatures(operation: WipeSignatures, kinds: Sequence[str]) -> None:
    """Raises Failed if the device contains signatures, but none of those in the plan."""
    expected = set(operation.expected) - TABLE_KINDS
    found = set(kinds) - TABLE_KINDS
    if expected and found and not expected & found:
        seen, known = (tuple(sorted(kinds)) for kinds in (found, expected))
        raise Failed(
            t(
                "{device} contains {seen:list} instead of {known:list} from the plan and was not touched.",
                device=operation.device,
                seen=seen,
                known=known,
            )
        )


def list_signatures(device: str, seconds: float = LOOK_SECONDS) -> tuple[tuple[Signature, int], ...]:
    """Return the signatures on one device, which can be an array, with offsets. Read-only. Raises Failed."""
    text = run(["wipefs", "--no-act", "--json", device], seconds=seconds).output
    try:
        return tuple(
            (Signature(str(row["type"]), "other", row.get("label"), row.get("uuid")), int(row["offset"], 16))
            for row in (json.loads(text)["signatures"] if text.strip() else ())
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Failed(step_context.NOT_UNDERSTOOD(program=f"wipefs {device}", said=text)) from None


def signatures_on(device: str, context: step_context.StepContext) -> tuple[Signature, ...]:
    """Return the signatures on a device of the plan. Probes the drive if needed. Raises Failed if the drive
    does not respond."""
    member = context.plan.member(device)
    if member is None:
        return tuple(mark for mark, _ in list_signatures(device, context.seconds))
    path = member.drive.path
    drives = [drive for drive in context.drives if drive.path == path] or step_context.look_at_all([path])
    return drives[0].signatures_on(device)


def recognised_differences(
    signatures: Sequence[Signature], filesystem: str, uuid: str, label: str | None = None
) -> tuple[Message, ...]:
    """Describe differences between libblkid's result and the plan, as clauses. Without `label`, any label
    fits. Pure."""
    if len(signatures) != 1 or signatures[0].ambivalent:
        kinds = tuple(signature.kind for signature in signatures) or t("nothing")
        return (t("found {kinds:list} instead of exactly one filesystem", kinds=kinds),)
    seen = signatures[0]
    return differences(
        (
            ("type", seen.kind, filesystem),
            ("UUID", seen.uuid, uuid),
            ("label", seen.label if label is not None else label, label),
        )
    )


def check_target(plan: Plan, operation: Operation, seconds: float) -> None:
    """Raises Failed if a device that the step mounts, opens or swaps to does not contain what the plan put
    there, or if that cannot be read."""
    for device, (kind, uuid) in _planned(plan, operation).items():
        check_contains(device, kind, uuid, seconds)


def check_no_clone(plan: Plan) -> None:
    """Raises Failed if another device has a UUID that the plan created: at the next boot, either could be
    mounted. Does not wait for devices that do not respond in time."""
    planned: dict[str, set[str]] = {}
    for step in plan.steps:
        for device, (_, uuid) in _planned(plan, step.operation).items():
            planned.setdefault(uuid, set()).add(device)
    for uuid, devices in planned.items():
        numbers = {_number(device) for device in devices}
        found = devices_with(uuid)
        if not numbers & {_number(node) for node in found}:
            # The device has another name now, which the step reports.
            continue
        for other in found:
            if _number(other) not in numbers:
                raise Failed(
                    t(
                        "{device} and {other} have the same UUID ({uuid}), so either could be "
                        "mounted at the next boot. Detach {other}, or change the UUID of {other}.",
                        device=min(devices),
                        other=other,
                        uuid=uuid,
                    )
                )


def _planned(plan: Plan, operation: Operation) -> dict[str, tuple[str, str]]:
    """Return the type and UUID that earlier steps made on each device that an operation only uses."""
    if operation.overwrites:
        return {}
    made = {device: one for step in plan.steps for device, one in step.operation.made.items()}
    used = (device for device in operation.devices if device not in operation.created)
    return {device: made[device] for device in used if device in made}


def check_contains(device: str, kind: str, uuid: str, seconds: float = LOOK_SECONDS) -> None:
    """Raises Failed if a device does not contain what the plan put there."""
    if _number(device) is None or uuid not in {mark.uuid for mark, _ in list_signatures(device, seconds)}:
        raise Failed(
            t(
                "{device} does not contain the planned {kind} (UUID {uuid}), which is on: {others:list}. "
                "Another drive may have that name now.",
                device=device,
                kind=kind,
                uuid=uuid,
                others=tuple(devices_with(uuid)) or t("no attached drive"),
            )
        )


def _number(node: str) -> int | None:
    with suppress(OSError):
        found = Path(node).stat()
        return found.st_rdev if stat.S_ISBLK(found.st_mode) else None
    return None


STEPS: step_context.Steps = {WipeSignatures: (_wipe_signatures, lambda *_: ())}
