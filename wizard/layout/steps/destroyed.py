"""What lies where a plan writes, as a step says what it destroys: the old table, and the data of what goes
with it."""

from collections.abc import Sequence

from wizard.layout.room.space import content_of
from wizard.model.names import partition_path, printable
from wizard.model.plan import Layout, Member, Slot
from wizard.model.units import format_capacity

TABLES = {"gpt": "a GPT", "mbr": "an MBR", "hybrid": "a GPT and an MBR", "other": "an old table"}
"""Kinds of tables in a sentence."""


def table_lost(member: Member) -> str:
    """What goes with the old table of a drive, and what waits there unseen; empty where there is neither."""
    return " ".join(filter(None, (_table_lost(member), waiting_lost(member.before))))


def waiting_lost(before: Layout) -> str:
    """What goes of a run that waits on a drive; empty where none does."""
    if not before.waiting:
        return ""
    return f"What waits there, {before.waiting}, and that run's way back to what was there before it."


def _table_lost(member: Member) -> str:
    if lost := _removed(member):
        return "The old table: " + "; ".join(_described(slot) for slot in lost) + "."
    if member.before.table == "unread":
        return "The old table, if there is one: it could not be read when this was planned."
    if member.before.table != "none":
        return f"The old table ({member.before.table}), which has no partitions."
    return ""


def data_lost(devices: Sequence[str], members: Sequence[Member], *, named: bool) -> list[str]:
    """What lay on these drives where a filesystem is made: on `devices`, or for an array on every one.
    `named`: each says its drive."""
    found = [
        _lost_with(member, _lost_under(devices, member), f"on {member.drive.path}" if named else "there")
        for member in members
    ]
    return [sentence for sentence in found if sentence]


def _lost_under(devices: Sequence[str], member: Member) -> list[Slot]:
    """The partitions that go where those of `devices` come that are this drive's: all new ones where none is,
    all old ones where it is the drive itself.
    """
    if member.drive.path in devices:
        return _removed(member)
    new = [slot for slot in member.after.partitions if not slot.kept]
    named = [slot for slot in new if partition_path(member.drive.path, slot.number) in devices] or new
    return [
        slot
        for slot in _removed(member)
        if any(slot.start_bytes < made.end_bytes and made.start_bytes < slot.end_bytes for made in named)
    ]


def _lost_with(member: Member, lost: Sequence[Slot], where: str) -> str:
    if lost:
        return f"The data of what lay {where}: {'; '.join(_described(slot) for slot in lost)}."
    if member.before.signatures:
        return f"The data of the {marks(member.before.signatures)} that lay {where}."
    if member.before.table == "unread":
        return f"Whatever data lay {where}; they could not be read when this was planned."
    return ""


def _removed(member: Member) -> list[Slot]:
    return [slot for slot in member.before.partitions if not slot.kept]


def _described(slot: Slot) -> str:
    label = f" {printable(slot.label)!r}" if slot.label else ""
    return f"partition {slot.number} ({content_of(slot)}{label}, {format_capacity(slot.size_bytes)})"


def marks(words: Sequence[str]) -> str:
    """Signatures and kinds of tables, listed in a sentence."""
    shown = [TABLES.get(word) or printable(word, 40) for word in words]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
