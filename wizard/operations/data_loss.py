"""Describe the data that operations destroy."""

from collections.abc import Sequence

from wizard.filesystems.kind import CONTAINER_TYPES
from wizard.filesystems.registry import title_of
from wizard.findings.contents import used_text
from wizard.model.errors import partition_path, printable
from wizard.model.layout import Layout, Member, Slot
from wizard.model.said import Message, Sentence, join, t

TABLES = {
    "gpt": Sentence("a GPT"),
    "mbr": Sentence("an MBR"),
    "hybrid": Sentence("a GPT and an MBR"),
    "other": Sentence("an old table"),
}
"""Table types in a sentence."""


def content_of(slot: Slot) -> str:
    """Describe the contents of a partition: `ext4`, `ext4 in LUKS2`, `not read`."""
    if slot.filesystem:
        return f"{printable(slot.filesystem, 40)}{' in LUKS2' if slot.opened else ''}"
    if slot.type in CONTAINER_TYPES:
        return "extended"
    return "not read" if slot.unread else "nothing recognised"


def marks(kinds: Sequence[str]) -> str:
    """List signatures and table types in a sentence."""
    shown = tuple(TABLES[kind]() if kind in TABLES else printable(kind, 40) for kind in kinds)
    return str(t("{marks:and}", marks=shown)) if shown else ""


def partition_lost(part: str, slot: Slot) -> str:
    """Describe the data lost by formatting or deleting one partition."""
    if not slot.filesystem:
        return str(t("Any unrecognised data on {part}, {size:size}.", part=part, size=slot.size_bytes))
    label = slot.label or slot.name
    what = printable(slot.filesystem, 40) + (f' "{printable(label, 40)}"' if label else "")
    what = ", ".join((what, *map(str, used_text(slot.filesystem, slot.used_bytes))))
    files = t("All files on {part}: {what}, {size:size}.", part=part, what=what, size=slot.size_bytes)
    return str(join(files, *slot.beyond))


def whole_lost(member: Member) -> str:
    """Describe the contents of the drive itself by name and size, or return an empty string."""
    before = member.before
    kinds = [*map(title_of, before.signatures), *map(str, before.unmarked)]
    if not kinds:
        return ""
    named = f' "{printable(before.label, 40)}"' if before.label else ""
    whole = t(
        "All of {drive}: {content}, {size:size}.",
        drive=member.drive.path,
        content=", ".join(
            (
                f"{'+'.join(kinds)}{named}",
                *map(str, used_text("+".join(before.signatures), before.used_bytes)),
            )
        ),
        size=member.drive.size_bytes,
    )
    return str(join(whole, *before.beyond))


def waiting_lost(before: Layout) -> str:
    """Describe the loss of a run waiting on a drive, or return an empty string."""
    if not before.waiting:
        return ""
    return str(t("The waiting result, {waiting}, and the undo of that run.", waiting=before.waiting))


def table_lost(member: Member) -> str:
    """Describe the loss of the old table, and of a waiting run, or return an empty string."""
    return " ".join(filter(None, (_table_lost(member), waiting_lost(member.before))))


def _table_lost(member: Member) -> str:
    if lost := _removed(member):
        table = t("The old table: {parts:semicolons}.", parts=tuple(map(_slot_text, lost)))
        return str(join(table, *(said for slot in lost for said in slot.beyond)))
    if member.before.table == "unread":
        return str(t("The old table, if any; unreadable during planning."))
    if member.before.table != "none":
        return str(t("The old table ({table}) without partitions.", table=member.before.table))
    return ""


def data_lost(devices: Sequence[str], members: Sequence[Member], *, named: bool) -> list[str]:
    """Describe the old data lost by creating a filesystem on `devices`, or for an array on all drives.
    `named`: include the drive's name."""
    found = [
        _lost_with(
            member,
            _lost_under(devices, member),
            t("on {drive}", drive=member.drive.path) if named else t("there"),
        )
        for member in members
    ]
    return [sentence for sentence in found if sentence]


def _lost_under(devices: Sequence[str], member: Member) -> list[Slot]:
    """Return the partitions lost under the `devices` of this drive: under all new ones if no
    device is a partition, or all old ones for the whole drive."""
    if member.drive.path in devices:
        return _removed(member)
    new = [slot for slot in member.after.partitions if not slot.kept]
    targets = [slot for slot in new if partition_path(member.drive.path, slot.number) in devices] or new
    return [slot for slot in _removed(member) if any(slot.overlaps(target) for target in targets)]


def _lost_with(member: Member, lost: Sequence[Slot], where: Message) -> str:
    if lost:
        parts = tuple(map(_slot_text, lost))
        return str(t("The old data {where}: {parts:semicolons}.", where=where, parts=parts))
    if member.before.signatures:
        return str(t("The old data of {what} {where}.", what=marks(member.before.signatures), where=where))
    if member.before.table == "unread":
        return str(t("Any old data {where}; unreadable during planning.", where=where))
    return ""


def _removed(member: Member) -> list[Slot]:
    return [slot for slot in member.before.partitions if not slot.kept]


def _slot_text(slot: Slot) -> Message:
    number, content = slot.number, content_of(slot)
    facts = (t("{size:size}", size=slot.size_bytes), *used_text(slot.filesystem, slot.used_bytes))
    if not slot.label:
        return t("partition {number} ({content}, {facts:list})", number=number, content=content, facts=facts)
    return t(
        "partition {number} ({content} {label}, {facts:list})",
        number=number,
        content=content,
        label=repr(printable(slot.label)),
        facts=facts,
    )
