"""Operations on whole drives and partition tables."""

from wizard.filesystems import partition_types
from wizard.filesystems.kind import Argv, Commands
from wizard.model import layout
from wizard.model.errors import partition_path
from wizard.model.requests import Grow
from wizard.model.said import Message, Sentence, Sentences, format_exact, join, t, tn
from wizard.operations import data_loss
from wizard.operations.operation import Context, Setting, Subject, Summary, Writing, WritingTo

OTHERS_STAY = Sentences("The other partition is preserved.", "The other {count} partitions are preserved.")


def wipe(device: str) -> Argv:
    """Return the command to erase all signatures on a device. wipefs opens the device exclusively (wipefs(8),
    no --force)."""
    return ("wipefs", "--all", "--quiet", device)


UNRECOGNISED = Sentence("No filesystem, RAID or table is recognised on {device}.")


class WipeSignatures(WritingTo):
    """Erase all signatures on `device` that libblkid knows, so no stale ones are detected later.

    `expected` are the kinds found when planning, usually none on a new device.
    """

    expected: tuple[str, ...]

    says = Sentence("Clear old signatures on {device}.")
    checks = (UNRECOGNISED,)

    def summary(self, sentence: str) -> Summary:
        """Omitted: the losses are listed separately."""
        return ""

    def commands(self) -> Commands:
        return (wipe(self.device),)

    def edits(self, context: Context) -> tuple[str, ...]:
        """Describe table signatures inside partitions, which wipefs does not erase."""
        if context.is_drive(self.device):
            return ()
        return (str(t("zeros over any remaining table signature (55 AA, EFI PART)")),)

    def destroys(self, context: Context) -> str:
        """Describe the recognised data. If a single partition changes, everything is lost with this step."""
        device = self.device
        if slot := context.changed:
            if not slot.filesystem:
                return str(
                    t("Any unrecognised data on {part}, {size:size}.", part=device, size=slot.size_bytes)
                )
            files = t("All files on {part}: {what}.", part=device, what=data_loss.described(slot))
            return str(join(files, *slot.beyond))
        members = context.members_of((device,))
        if self.expected:
            whole = "".join(data_loss.whole_lost(member) for member in members if member.drive.path == device)
            later = Sentence("The signatures of {what} on {device}; the data is overwritten later.")
            return whole or str(later(device=device, what=data_loss.marks(self.expected)))
        if any(member.drive.content_digest is None for member in members):
            return str(data_loss.UNREADABLE(device=device))
        return ""


class WriteTable(layout.NewTable, Writing):
    """Write a table with exactly `entries`. `fresh` creates a new table; otherwise `kept` entries are
    preserved bit for bit."""

    checks = (
        Sentence("The table on {device}, read back, has exactly these starts, sizes, types and names."),
        Sentence("The kernel sees the same partitions."),
    )
    usual_seconds = 1.0

    def summary(self, sentence: str) -> Summary:
        """Omit the drive, which the title names."""
        if not self.fresh:
            return sentence
        return str(
            tn(
                "Write a new {table} with {count} partition.",
                "Write a new {table} with {count} partitions.",
                table=self.table.upper(),
                count=len(self.entries),
            )
        )

    def sentence(self, context: Context) -> Message:
        device, kind = self.device, self.table.upper()
        if self.fresh:
            return tn(
                "Write a new {table} with {count} partition on {device}.",
                "Write a new {table} with {count} partitions on {device}.",
                table=kind,
                device=device,
                count=len(self.entries),
            )
        if context.changed:
            return self._change_of(context.changed)
        if context.before.table == "none":
            return tn(
                "Write the {table} to {device}, with {count} partition around the contents found.",
                "Write the {table} to {device}, with {count} partitions around the contents found.",
                table=kind,
                device=device,
                count=len(self.entries),
            )
        kept = sum(entry.kept for entry in self.entries)
        added = tn(
            "Add {count} partition to the {table} on {device}.",
            "Add {count} partitions to the {table} on {device}.",
            table=kind,
            device=device,
            count=len(self.entries) - kept,
        )
        return join(added, OTHERS_STAY(count=kept)) if kept else added

    def _change_of(self, slot: layout.Slot) -> Message:
        kind = self.table.upper()
        if not self.changes(slot):
            return t("Leave the {table} on {drive} unchanged.", table=kind, drive=self.device)
        new = next((entry for entry in self.entries if entry.number == slot.number), None)
        if new is None:
            form = Sentence("Delete partition {number} from the {table} on {drive}.")
        elif new.size_bytes > slot.size_bytes:
            form = Sentence(
                "Grow partition {number} of the {table} on {drive} into the adjacent free "
                "space, to {size:size}."
            )
        elif new.size_bytes < slot.size_bytes:
            form = Sentence(
                "Shrink partition {number} of the {table} on {drive} to {size:size}, freeing the end."
            )
        else:
            form = Sentence(
                "Set the new type or name of partition {number} in the {table} on {drive}. "
                "Position and size are unchanged."
            )
        size = {"size": new.size_bytes} if new and new.size_bytes != slot.size_bytes else {}
        start = form(number=slot.number, table=kind, drive=self.device, **size)
        others = sum(entry.kept for entry in self.entries)
        return join(start, OTHERS_STAY(count=others)) if others else start

    def changes(self, slot: layout.Slot) -> bool:
        """Return True if the table differs from `slot`, the old state of a partition."""
        entry = next((one for one in self.entries if one.number == slot.number), None)
        return entry != layout.TableEntry(
            slot.number, slot.start_bytes, slot.size_bytes, slot.type or "", slot.name or ""
        )

    def edits(self, context: Context) -> tuple[str, ...]:
        """Return the table and the entries, with starts also in sectors."""
        block = context.members_of(self.devices)[0].drive.geometry.logical_block_bytes
        head = t("the {table} on {device}, with these entries", table=self.table.upper(), device=self.device)
        return (str(head), *(_entry_line(entry, block) for entry in self.entries))

    def destroys(self, context: Context) -> str:
        return data_loss.table_lost(context.members_of(self.devices)[0]) if self.fresh else ""

    def holds(self, context: Context) -> tuple[Message, ...]:
        """Describe the checks afterwards. A single changed partition does not move."""
        aligned = t("Each new partition is aligned according to the kernel and parted.")
        return (*Writing.holds(self, context), *(() if context.part else (aligned,)))


def _entry_line(entry: layout.TableEntry, logical_block_bytes: int) -> str:
    start, size = entry.start_bytes, entry.size_bytes
    sector = start // logical_block_bytes
    extent = str(
        t("start {start} bytes (sector {sector}), size {size} bytes", start=start, sector=sector, size=size)
    )
    if not size % 1024:
        extent += f" ({format_exact(size)})"
    kind = (
        f"{partition_types.NAMES[entry.type]} ({entry.type})"
        if entry.type in partition_types.NAMES
        else entry.type
    )
    line = (
        Sentence("partition {number}, preserved: {extent}, type {type}, name {name}")
        if entry.kept
        else Sentence("partition {number}: {extent}, type {type}, name {name}")
    )
    return str(line(number=entry.number, extent=extent, type=kind, name=repr(entry.name)))


class ResetZones(WritingTo):
    """Reset all zones of the zoned drive `device`, and erase signatures in conventional zones. All data
    becomes unreadable."""

    says = Sentence(
        "Reset every zone of {device}, which erases the whole drive, and clear remaining signatures outside "
        "resettable zones."
    )
    checks = (UNRECOGNISED,)
    usual_seconds = 2.0

    rehearsed = False

    def commands(self) -> Commands:
        """Return the commands. A reset does not affect conventional zones, which may contain a signature."""
        return (("blkzone", "reset", self.device), wipe(self.device))

    def destroys(self, context: Context) -> str:
        """Describe the loss, which is immediate."""
        everything = t("Everything on {device}, immediately.", device=self.device)
        return " ".join((str(everything), *context.overwritten(self.devices)))


IN_TABLE = Sentence("{device} has {size:size} in the table and {kernel:size} in the kernel")


class ExtendPartition(Setting):
    """Change the size of partition `number` at `start_bytes` of `drive` from `old_bytes` to `new_bytes`. The
    rest of the table is unchanged, and the kernel is notified."""

    drive: str
    number: int
    start_bytes: int
    old_bytes: int
    new_bytes: int

    requests = (Grow,)

    says = Sentence("Extend {device} into the free space after it, to {new_bytes:size}, while in use.")
    undone = Sentence("The old end is restored if the filesystem has not grown.")

    @property
    def device(self) -> str:
        """Node of the partition."""
        return partition_path(self.drive, self.number)

    def commands_to(self, *, new: bool) -> Commands:
        # Also works while in use (partx(8)).
        return (("partx", "--update", "--nr", f"{self.number}:{self.number}", self.drive),)

    def edits(self, context: Context) -> tuple[str, ...]:
        entry = Sentence("{sign}{device}: {size} bytes from byte {start}")
        sizes = (("-", self.old_bytes), ("+", self.new_bytes))
        return tuple(
            str(entry(sign=sign, device=self.device, start=self.start_bytes, size=size))
            for sign, size in sizes
        )

    @property
    def goal(self) -> Message:
        return IN_TABLE(device=self.device, size=self.new_bytes, kernel=self.new_bytes)

    def fits(self, subject: Subject) -> bool:
        block, end = subject.drive.geometry.logical_block_bytes, self.start_bytes + self.new_bytes
        return (
            0 < self.old_bytes < self.new_bytes
            and not any(n % block for n in (self.start_bytes, self.old_bytes, self.new_bytes))
            and self.drive == subject.drive.path
            and 0 < self.start_bytes < end <= subject.drive.size_bytes
            and len(subject.settings) > 1
        )
