"""Digests of a run's drives after each step, to detect changes by others before a resume.

The digests survive a killed process. They exclude places that the current step may write, so only changes by
others count.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from wizard.apply.block.devices import read_bytes, size_bytes
from wizard.apply.block.extents import merged, without
from wizard.apply.run.backup_store import Saved, Vault
from wizard.apply.run.journal import sync_folder
from wizard.documents.codec import from_json, to_json
from wizard.model.errors import BadInput, DiskwrightError, partition_path
from wizard.model.machine import Extent, Placed
from wizard.model.operations import (
    MakeArray,
    MakeContainer,
    MakeFilesystem,
    MakeLogicalVolume,
    MakeVolumeGroup,
)
from wizard.model.plan import Member, Plan, ResetZones, WipeSignatures, WriteTable, devices_of
from wizard.model.said import KIB, MIB, Message, t
from wizard.plan.free_space import is_container
from wizard.plan.steps.render import is_mirrored

FILE = "left.json"
HEAD_BYTES, TAIL_BYTES = 128 * KIB, 64 * KIB
"""Sizes to hash at both ends of the drive and of each partition, which cover the signatures of filesystems,
partition tables and containers."""

CELL_BYTES = 64 * KIB
MOST_BYTES = 64 * MIB
"""Limit for hashing saved regions in full after each step. Above it, only their ends are hashed."""


@dataclass(frozen=True, slots=True)
class DigestRange(Placed):
    """The digest of a range of a drive, or of an array on the drives. `device` is its node; empty in files of
    older versions."""

    start_bytes: int
    size_bytes: int
    sha256: str
    device: str = ""


@dataclass(frozen=True, slots=True)
class DrivesLeft:
    """The digests after the steps `begun`, by number from 1."""

    begun: tuple[int, ...]
    cells: tuple[DigestRange, ...]


def note(run: Path, plan: Plan, begun: Iterable[int]) -> None:
    """Save the digests after these steps. On failure the previous file remains, as after a power cut."""
    steps = frozenset(begun)
    with suppress(DiskwrightError, OSError):
        cells = [
            cell
            for member in plan.members
            for cell in _cells(member.drive.path, _hashed_ranges(run, plan, member, steps))
        ]
        cells += _array_cells(plan, steps)
        left = DrivesLeft(tuple(sorted(steps)), tuple(cells))
        _replace(run / FILE, json.dumps(to_json(left)).encode())


def changed(run: Path, plan: Plan, begun: frozenset[int]) -> tuple[str, Extent] | None:
    """Return the first device and range that another program changed since the last digests, or None if there
    is none or nothing was saved.

    Skips missing arrays. Raises Failed.
    """
    left = _load_digests(run)
    if left is None or not begun.issuperset(left.begun):
        # If the journal lost its end and knows fewer steps than the digests, the interrupted step is unknown.
        return None
    for member in plan.members:
        if place := _changed_on(member, member.drive.path, Vault(run / "saved"), left, plan, begun):
            return member.drive.path, place
    for device in _unformatted(plan, begun):
        if place := next((cell.extent for cell in _cells_of(left, device) if _differs(cell, device)), None):
            return device, place
    return None


def is_array_untouched(run: Path, device: str, node: str) -> bool:
    """Return True if the array or logical volume `device`, now at `node`, is unchanged since it was created,
    or False if no digest was saved."""
    left = _load_digests(run)
    cells = _cells_of(left, device) if left else []
    return bool(cells) and not any(_differs(cell, node) for cell in cells)


def is_left_on(
    run: Path, plan: Plan, member: Member, node: str, begun: frozenset[int], *, undoing: bool
) -> bool:
    """Return True if the drive at `node` contains what the run left on the member's drive.

    With `undoing`, accept what an unfinished undo can have left. Return False if there are no digests to
    compare. Raises Failed.
    """
    left, vault = _load_digests(run), Vault(run / "saved")
    if left is None or not begun.issuperset(left.begun):
        return False
    saved = vault.of(plan, member.drive.path)
    touched = _oldest(one for one in saved if one.step in begun - frozenset(left.begun))
    excluded = [*_volatile_ranges(plan, member, begun), *(one.extent for one in touched)]
    mine = [cell for cell in left.cells if (cell.device or plan.drive.path) == member.drive.path]
    watched = [cell for cell in mine if not any(cell.overlaps(place) for place in excluded)]
    if undoing:
        return _is_half_restored(watched, saved, vault, node)
    if _changed_on(member, node, vault, left, plan, begun):
        return False
    tables = [one for one in touched if isinstance(plan.steps[one.step - 1].operation, WriteTable)]
    outside = [(one, piece) for one in tables for piece in _outside_table(one, member.drive.size_bytes)]
    return bool(watched or outside) and all(_is_as_saved(one, piece, vault, node) for one, piece in outside)


def _is_half_restored(watched: list[DigestRange], saved: tuple[Saved, ...], vault: Vault, node: str) -> bool:
    """Return True if every range contains either the run's bytes or the old ones, except one that was being
    restored: ranges are restored one by one."""
    mixed = [cell for cell in watched if _differs(cell, node) and not _is_restored(cell, saved, vault, node)]
    under_way = any(all(cell.overlaps(one.extent) for cell in mixed) for one in saved)
    return len(mixed) < len(watched) and (not mixed or under_way)


def _is_restored(cell: DigestRange, saved: tuple[Saved, ...], vault: Vault, node: str) -> bool:
    """Return True if any saved copy of the range is on the drive. If a range was saved twice, the newer copy
    is restored first."""
    pieces = [(one, piece) for one in saved if (piece := _intersection(one.extent, cell.extent))]
    return any(_is_as_saved(one, piece, vault, node) for one, piece in pieces)


def _is_as_saved(saved: Saved, piece: Extent, vault: Vault, node: str) -> bool:
    begin = piece.start_bytes - saved.offset_bytes
    return (
        read_bytes(node, piece.start_bytes, piece.size_bytes)
        == vault.read(saved)[begin : begin + piece.size_bytes]
    )


def _outside_table(saved: Saved, drive_bytes: int) -> tuple[Extent, ...]:
    """Return the parts of a region at an end of the drive that no partition table covers, so writing a table
    leaves them unchanged."""
    tables = (Extent(0, CELL_BYTES), Extent(drive_bytes - CELL_BYTES, CELL_BYTES))
    at_an_end = saved.offset_bytes == 0 or saved.extent.end_bytes == drive_bytes
    return without(saved.extent, tables) if at_an_end else ()


def _load_digests(run: Path) -> DrivesLeft | None:
    """Return the last digests, or None if they are missing or unreadable."""
    try:
        return from_json(json.loads((run / FILE).read_text()), DrivesLeft, str(run / FILE))
    except (OSError, ValueError, BadInput):
        return None


def _cells_of(left: DrivesLeft, device: str) -> list[DigestRange]:
    return [cell for cell in left.cells if device and cell.device == device]


def _differs(cell: DigestRange, device: str) -> bool:
    return sha256(read_bytes(device, cell.start_bytes, cell.size_bytes)).hexdigest() != cell.sha256


def _changed_on(
    member: Member, node: str, vault: Vault, left: DrivesLeft, plan: Plan, begun: frozenset[int]
) -> Extent | None:
    """Return the first range of the drive at `node` that another program changed, or None."""
    drive = member.drive.path
    saved = vault.of(plan, drive)
    since = begun - frozenset(left.begun)
    touched = [one for one in saved if one.step in since]
    for one in _oldest(touched):
        operation = plan.steps[one.step - 1].operation
        now = read_bytes(node, one.offset_bytes, one.size_bytes)
        if isinstance(operation, WipeSignatures) and not _only_erased(vault.read(one), now):
            return one.extent
    ours = [*(one.extent for one in touched), *_volatile_ranges(plan, member, begun)]
    for cell in left.cells:
        if (cell.device or plan.drive.path) != drive or any(cell.overlaps(place) for place in ours):
            continue
        if _differs(cell, node):
            return cell.extent
    return None


def _hashed_ranges(run: Path, plan: Plan, member: Member, begun: frozenset[int]) -> tuple[Extent, ...]:
    """Return the ranges to hash: saved regions, and both ends of the drive and of each partition.

    Excludes everything that may change: partitions that are preserved, formatted or part of an array.
    """
    drive = member.drive
    slots = [
        slot
        for layout in (member.before, member.after)
        for slot in layout.partitions
        if not is_container(slot)
    ]
    ends = [Extent(0, drive.size_bytes), *(slot.extent for slot in slots)]
    saved = merged((one.extent for one in Vault(run / "saved").of(plan, drive.path)), 1, 1 << 63)
    if sum(place.size_bytes for place in saved) > MOST_BYTES:
        ends, saved = [*ends, *saved], ()
    places = [*saved, *(piece for place in ends for piece in _ends(place))]
    excluded = [
        *(slot.extent for slot in slots if slot.kept),
        *_volatile_ranges(plan, member, begun),
    ]
    pieces = [piece for place in places for piece in without(place, excluded)]
    return merged(pieces, drive.geometry.logical_block_bytes, drive.size_bytes)


def _ends(place: Extent) -> tuple[Extent, Extent]:
    head, tail = min(HEAD_BYTES, place.size_bytes), min(TAIL_BYTES, place.size_bytes)
    return Extent(place.start_bytes, head), Extent(place.end_bytes - tail, tail)


def _volatile_ranges(plan: Plan, member: Member, begun: frozenset[int]) -> list[Extent]:
    """Return the ranges in which the kernel may write at any time: filesystems and array members under
    construction."""
    operations = [step.operation for number, step in enumerate(plan.steps, 1) if number in begun]
    devices = {
        device
        for operation in operations
        if isinstance(operation, MakeFilesystem | MakeContainer | MakeArray | MakeVolumeGroup | ResetZones)
        for device in devices_of(operation)
    }
    drive = member.drive
    if drive.path in devices:
        return [Extent(0, drive.size_bytes)]
    slots = [slot for slot in member.after.partitions if partition_path(drive.path, slot.number) in devices]
    return [slot.extent for slot in slots]


def _array_cells(plan: Plan, begun: frozenset[int]) -> list[DigestRange]:
    """Hash both ends of each array or logical volume without a filesystem, to detect what others write
    there."""
    found: list[DigestRange] = []
    for device in _unformatted(plan, begun):
        found += _cells(device, _ends(Extent(0, size_bytes(device) // CELL_BYTES * CELL_BYTES)))
    return found


def _unformatted(plan: Plan, begun: frozenset[int]) -> list[str]:
    """Return existing arrays and logical volumes of the run without a filesystem."""
    operations = [step.operation for number, step in enumerate(plan.steps, 1) if number in begun]
    made = [one.device for one in operations if isinstance(one, MakeArray | MakeLogicalVolume)]
    formatted = {one.device for one in operations if isinstance(one, MakeFilesystem)}
    return [device for device in made if device not in formatted and Path(device).exists()]


def no_way_back(plan: Plan, begun: frozenset[int]) -> Message | None:
    """Describe the first step that makes undo impossible, or return None if undo is still possible."""
    operations = [plan.steps[number - 1].operation for number in sorted(begun)]
    if any(isinstance(operation, ResetZones) for operation in operations):
        return t("emptying the drive")
    if any(isinstance(operation, MakeContainer) for operation in operations):
        return t("encrypting a partition")
    if any(isinstance(operation, MakeFilesystem) for operation in operations):
        return t("creating a filesystem")
    if is_mirrored(operations):
        return t("copying the first drive over the others")
    return None


def _cells(device: str, places: Iterable[Extent]) -> Iterator[DigestRange]:
    for place in places:
        data = read_bytes(device, place.start_bytes, place.size_bytes)
        position = place.start_bytes
        while position < place.end_bytes:
            end = min((position // CELL_BYTES + 1) * CELL_BYTES, place.end_bytes)
            part = data[position - place.start_bytes : end - place.start_bytes]
            yield DigestRange(position, len(part), sha256(part).hexdigest(), device)
            position = end


def _oldest(touched: Iterable[Saved]) -> list[Saved]:
    """Return the oldest copy of each region. A repeated step saves a region again."""
    found: dict[Extent, Saved] = {}
    for saved in touched:
        found.setdefault(saved.extent, saved)
    return list(found.values())


def _only_erased(before: bytes, now: bytes) -> bool:
    """Return True if only zeros were written, as wipefs does."""
    return before == now or all(new in (old, 0) for old, new in zip(before, now, strict=True))


def _intersection(one: Extent, other: Extent) -> Extent | None:
    start, end = max(one.start_bytes, other.start_bytes), min(one.end_bytes, other.end_bytes)
    return Extent(start, end - start) if start < end else None


def _replace(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(fd)
    new.rename(path)
    sync_folder(path.parent)
