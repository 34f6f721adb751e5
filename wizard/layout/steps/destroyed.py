"""What lies where a plan writes, as a step says what it destroys: the old table, and the data of what goes
with it."""

from collections.abc import Sequence

from wizard.filesystems.registry import title_of
from wizard.layout.before import WRITTEN_ZONES
from wizard.layout.room.space import content_of
from wizard.model.names import partition_path, printable
from wizard.model.plan import Layout, Member, Slot
from wizard.model.said import Said, Sentence, t

TABLES = {
    "gpt": Sentence("a GPT"),
    "mbr": Sentence("an MBR"),
    "hybrid": Sentence("a GPT and an MBR"),
    "other": Sentence("an old table"),
}
"""Kinds of tables in a sentence."""


def table_lost(member: Member) -> str:
    """What goes with the old table of a drive, and what waits there unseen; empty where there is neither."""
    return " ".join(filter(None, (_table_lost(member), waiting_lost(member.before))))


def whole_lost(member: Member) -> str:
    """What lies on the drive itself, by name and size; empty where nothing is recognised there."""
    before = member.before
    kinds = [title_of(kind) for kind in before.signatures if kind != WRITTEN_ZONES]
    if not kinds:
        return ""
    named = f' "{printable(before.label, 40)}"' if before.label else ""
    content = f"{'+'.join(kinds)}{named}"
    return str(
        t(
            "All of {drive}: {content}, {size:size}.",
            drive=member.drive.path,
            content=content,
            size=member.drive.size_bytes,
        )
    )


def waiting_lost(before: Layout) -> str:
    """What goes of a run that waits on a drive; empty where none does."""
    if not before.waiting:
        return ""
    return str(
        t(
            "What waits there, {waiting}, and that run's way back to what was there before it.",
            waiting=before.waiting,
        )
    )


def _table_lost(member: Member) -> str:
    if lost := _removed(member):
        return str(t("The old table: {parts:semicolons}.", parts=tuple(map(_described, lost))))
    if member.before.table == "unread":
        return str(t("The old table, if there is one: it could not be read when this was planned."))
    if member.before.table != "none":
        return str(t("The old table ({table}), which has no partitions.", table=member.before.table))
    return ""


def data_lost(devices: Sequence[str], members: Sequence[Member], *, named: bool) -> list[str]:
    """What lay on these drives where a filesystem is made: on `devices`, or for an array on every one.
    `named`: each says its drive."""
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
    """The partitions that go where those of `devices` come that are this drive's: all new ones where none is,
    all old ones where it is the drive itself.
    """
    if member.drive.path in devices:
        return _removed(member)
    new = [slot for slot in member.after.partitions if not slot.kept]
    named = [slot for slot in new if partition_path(member.drive.path, slot.number) in devices] or new
    return [slot for slot in _removed(member) if any(slot.overlaps(made) for made in named)]


def _lost_with(member: Member, lost: Sequence[Slot], where: Said) -> str:
    if lost:
        return str(
            t(
                "The data of what lay {where}: {parts:semicolons}.",
                where=where,
                parts=tuple(map(_described, lost)),
            )
        )
    if member.before.signatures:
        return str(
            t("The data of the {what} that lay {where}.", what=marks(member.before.signatures), where=where)
        )
    if member.before.table == "unread":
        return str(t("Whatever data lay {where}; they could not be read when this was planned.", where=where))
    return ""


def _removed(member: Member) -> list[Slot]:
    return [slot for slot in member.before.partitions if not slot.kept]


def _described(slot: Slot) -> Said:
    number, content, size = slot.number, content_of(slot), slot.size_bytes
    if not slot.label:
        return t("partition {number} ({content}, {size:size})", number=number, content=content, size=size)
    label = repr(printable(slot.label))
    return t(
        "partition {number} ({content} {label}, {size:size})",
        number=number,
        content=content,
        label=label,
        size=size,
    )


def marks(kinds: Sequence[str]) -> str:
    """Signatures and kinds of tables, listed in a sentence."""
    shown = tuple(TABLES[kind]() if kind in TABLES else printable(kind, 40) for kind in kinds)
    return str(t("{marks:and}", marks=shown)) if shown else ""
