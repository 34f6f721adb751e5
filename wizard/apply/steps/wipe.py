"""Erasing signatures."""

import json
from collections.abc import Iterable, Iterator

from wizard.apply.block.devices import (
    forget_caches,
    open_exclusively,
    read_bytes,
    size_bytes,
    start_bytes,
    write_bytes,
)
from wizard.apply.block.extents import merged, without
from wizard.apply.steps.step_context import Site
from wizard.apply.steps.words.devices import NOT_TOUCHED, WIPEFS_UNREADABLE
from wizard.layout.steps.commands import commands_of
from wizard.model.errors import Failed
from wizard.model.journal import Event
from wizard.model.machine import Extent
from wizard.model.names import printable
from wizard.model.plan import WipeSignatures
from wizard.model.said import Said, Sentence, t
from wizard.model.units import MIB
from wizard.tools.program import run

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


def wipe_signatures(operation: WipeSignatures, site: Site) -> Said:
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
            t("{device} still shows {kinds:list} after it was wiped.", device=device, kinds=kinds_of(left))
        )
    if kinds:
        return t("Erased {kinds:list} from {device}.", kinds=tuple(map(printable, kinds)), device=device)
    # From a stand-in the old marks are taken away before the first step, with every copy.
    shown = (
        Sentence("{device} shows nothing any more.")
        if site.rehearsed
        else Sentence("{device} had no signature.")
    )
    return shown(device=device)


def _erase_nested(device: str, site: Site) -> None:
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
            "Wrote zeros over the mark {kind} at byte {byte} of {device}.",
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
                "{device} holds {seen:list} where the plan knew {known:list}: it was not touched.",
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
