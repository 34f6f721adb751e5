"""Describe the data that operations destroy."""

from collections.abc import Sequence

from wizard.filesystems import partition_types
from wizard.filesystems.registry import title_of
from wizard.findings.contents import TABLES, used_text
from wizard.model.errors import printable
from wizard.model.layout import Layout, Member, Slot
from wizard.model.said import Message, Sentence, format_capacity, join, t

ALL = Sentence("All of {device}: {what}.")
UNREADABLE = Sentence("{device}: any contents; unreadable during planning.")


def content_of(slot: Slot) -> str:
    """Describe the contents of a partition: `ext4`, `ext4 in LUKS2`, `not read`."""
    if slot.filesystem:
        return f"{printable(slot.filesystem, 40)}{' in LUKS2' if slot.opened else ''}"
    if slot.type in partition_types.CONTAINERS:
        return "extended"
    return "not read" if slot.unread else "nothing recognised"


def marks(kinds: Sequence[str]) -> str:
    """List signatures and table types in a sentence."""
    shown = tuple(TABLES.get(kind, kind) for kind in kinds)
    return str(t("{marks:and}", marks=shown)) if shown else ""


def described(slot: Slot) -> str:
    """Describe a partition: `ext4 "films", 1.2 GB used, 107 GB`."""
    return _described(content_of(slot), slot.label or slot.name, slot.filesystem, slot, slot.size_bytes)


def _described(content: str, label: str | None, kind: str | None, place: Slot | Layout, size: int) -> str:
    named = f'{content} "{printable(label, 40)}"' if label else content
    return ", ".join((named, *map(str, used_text(kind, place.used_bytes)), format_capacity(size)))


def whole_lost(member: Member) -> str:
    """Describe the contents of the drive itself by name and size, or return an empty string."""
    before, drive = member.before, member.drive
    content = "+".join((*map(title_of, before.signatures), *map(str, before.unmarked)))
    if not content:
        return ""
    what = _described(content, before.label, "+".join(before.signatures), before, drive.size_bytes)
    return str(join(ALL(device=drive, what=what), *before.beyond))


def waiting_lost(before: Layout) -> str:
    """Describe the loss of a run waiting on a drive, or return an empty string."""
    if not before.waiting:
        return ""
    return str(t("The waiting result, {waiting}, and the undo of that run.", waiting=before.waiting))


def table_lost(member: Member) -> str:
    """Describe the loss of the old table, and of a waiting run, or return an empty string."""
    said: list[Message] = []
    if lost := member.before.changed:
        said = [t("The old table: {parts:semicolons}.", parts=tuple(map(_slot_text, lost)))]
        said += [beyond for slot in lost for beyond in slot.beyond]
    elif member.before.table == "unread":
        said = [UNREADABLE(device=member.drive)]
    elif member.before.table != "none":
        said = [t("The old table: {parts:semicolons}.", parts=(member.before.table,))]
    return " ".join(filter(None, (*map(str, said), waiting_lost(member.before))))


def data_lost(devices: Sequence[str], members: Sequence[Member]) -> list[str]:
    """Describe the old data lost by creating a filesystem on `devices`, or for an array on all drives: all
    on a whole drive, else under these partitions, or under all new ones if no device is a partition."""
    found = []
    for member in members:
        before, new = member.before, member.after.changed
        targets = [slot for slot in new if member.node(slot.number) in devices] or new
        lost = tuple(
            _slot_text(slot)
            for slot in before.changed
            if member.drive.path in devices or any(map(slot.overlaps, targets))
        )
        if lost or before.signatures:
            form = Sentence("The old data on {device}: {parts:semicolons}.")
            found.append(form(device=member.drive, parts=lost or (marks(before.signatures),)))
        elif before.table == "unread":
            found.append(UNREADABLE(device=member.drive))
    return [*map(str, found)]


def _slot_text(slot: Slot) -> Message:
    return t("partition {number} ({what})", number=slot.number, what=described(slot))
