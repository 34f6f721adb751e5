"""Operations that change a setting of a filesystem or drive in use."""

import re
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Literal

from wizard.filesystems.kind import UUID_TABLES, WRITTEN_UUIDS, Commands
from wizard.filesystems.registry import KINDS
from wizard.model.errors import WhereUsed, is_partition_of
from wizard.model.geometry import Identity
from wizard.model.requests import NewUuid, SetLabel, SwitchOff, Tune
from wizard.model.said import Message, Sentence, t
from wizard.operations import rules
from wizard.operations.operation import Context, Setting, Subject, filled
from wizard.probe.host.sysfs import SYS, name_of

SET_AGAIN = Sentence("By setting {old} again.")
UNIT_STATE = Sentence("systemd reports {unit} as {state}")

_NUMBER = re.compile(r"[A-Za-z0-9_.:-]+")
_MBR_ID = re.compile(r"[0-9a-f]{8}")
GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

QUEUE = {"scheduler": re.compile(r"[a-z][a-z0-9-]{0,30}"), "read_ahead_kb": re.compile(r"\d{1,9}", re.ASCII)}
"""Queue values that can be changed, and their format."""


class ReserveBlocks(Setting):
    """Change the blocks of an ext filesystem reserved for root from `old_blocks` to `new_blocks`, each of
    `block_bytes`."""

    device: str
    old_blocks: int
    new_blocks: int
    block_bytes: int

    requests = (Tune,)

    aims = Sentence("{new_blocks} blocks are reserved for root")

    def sentence(self, context: Context) -> Message:
        device, old, new = self.device, *(n * self.block_bytes for n in (self.old_blocks, self.new_blocks))
        return t(
            "Reserve {new:size} of {device} for root instead of {old:size}.", new=new, device=device, old=old
        )

    def commands_to(self, *, new: bool) -> Commands:
        return (("tune2fs", "-r", str(self.new_blocks if new else self.old_blocks), self.device),)

    def fits(self, subject: Subject) -> bool:
        return (
            subject.filesystem.startswith("ext")
            and 0 <= self.new_blocks < self.old_blocks < 1 << 48
            and self.block_bytes in (1 << bits for bits in range(10, 17))
        )


class Relabel(Setting):
    """Change the label or UUID of the `filesystem` on `device` from `old` to `new`; an empty string means no
    label. `mount_point` is empty if not mounted. `parts`: node, old and new UUID of each partition of a GPT,
    which is then the `filesystem`."""

    device: str
    filesystem: str
    mount_point: str
    old: str
    new: str
    identifier: WhereUsed[Literal["label", "uuid"]] = "label"
    parts: WhereUsed[tuple[tuple[str, str, str], ...]] = ()

    requests = (SetLabel, NewUuid)

    @property
    def is_written(self) -> bool:
        """True if diskwright writes the UUID itself: in a partition table or LUKS header."""
        return self.filesystem in WRITTEN_UUIDS

    @property
    def is_uuid(self) -> bool:
        """True if the UUID changes."""
        return self.identifier == "uuid"

    def sentence(self, context: Context) -> Message:
        form = (
            Sentence("Change the UUID of {device} from {old} to {new}.")
            if self.is_uuid
            else Sentence("Label {device} '{new}' instead of '{old}'.")
            if self.old
            else Sentence("Label {device} '{new}'.")
        )
        return filled(form, self)

    def commands_to(self, *, new: bool) -> Commands:
        if self.is_written:
            return ()
        kind, value = KINDS[self.filesystem], self.new if new else self.old
        if self.is_uuid:
            assert kind.set_uuid is not None, kind.name
            return (kind.set_uuid(self.device, value),)
        assert kind.relabelling is not None, kind.name
        return (kind.relabelling.command(self.device, self.mount_point, value),)

    def edits(self, context: Context) -> tuple[str, ...]:
        return tuple(
            f"{sign}{part[0]}: {part[at]}" for part in self.parts for sign, at in (("-", 1), ("+", 2))
        )

    def undo_text(self, context: Context) -> str:
        return str(filled(SET_AGAIN, self)) if self.is_written else Setting.undo_text(self, context)

    @property
    def goal(self) -> Message:
        form = (
            Sentence("{device} has the UUID {new}")
            if self.is_uuid
            else Sentence("{device} has the label '{new}'")
        )
        return filled(form, self)

    def fits(self, subject: Subject) -> bool:
        kind = KINDS.get(self.filesystem)
        known = kind is not None and bool(kind.set_uuid if self.is_uuid else kind.relabelling)
        if (
            self.filesystem != subject.filesystem
            or not (known or (self.is_uuid and self.is_written))
            or isinstance(subject.wanted, NewUuid) is not self.is_uuid
        ):
            return False
        if self.is_uuid:
            return self._are_uuids(subject)
        # Undo must be able to restore the old label.
        return (
            not rules.old_label_fault(self.old, self.filesystem)
            and not rules.label_fault_of(self.new, self.filesystem)
            and self.mount_point[:1] in ("", "/")
        )

    def _are_uuids(self, subject: Subject) -> bool:
        """UUIDs have the form that is written, and only partitions of the drive get one."""
        kind = self.filesystem
        form = _MBR_ID if kind == "mbr" else GUID if self.is_written else rules.UUID_FORM
        uuids = [(self.old, self.new), *((old, new) for _, old, new in self.parts)]
        nodes = [device for device, *_ in self.parts]
        return (
            all(form.fullmatch(old) and form.fullmatch(new) and old != new for old, new in uuids)
            and self.old == subject.uuid
            and (
                not nodes
                or (
                    kind in UUID_TABLES - {"mbr"}
                    and all(is_partition_of(node, subject.drive.path) for node in nodes)
                )
            )
            and len({*nodes}) == len(nodes)
            and (kind not in UUID_TABLES or subject.device == subject.drive.path)
        )


class SetQueue(Setting):
    """Set the queue value `name` of the drive `device`, in /sys/class/block, until reboot."""

    device: str
    name: str
    old: str
    new: str

    requests = (Tune,)
    turn = 4
    lasts = False

    says = Sentence("Set {name} of {device} from {old} to {new} now.")
    undone = SET_AGAIN
    aims = Sentence("{file} contains {new}")

    @property
    def once(self) -> str:
        return self.name

    @property
    def file(self) -> str:
        """The file in sysfs."""
        return f"/sys/class/block/{name_of(self.device)}/queue/{self.name}"

    def edits(self, context: Context) -> tuple[str, ...]:
        return (f"{self.file}: {self.new}",)

    def fits(self, subject: Subject) -> bool:
        is_known = _is_queue_value(self.name, self.old) and _is_queue_value(self.name, self.new)
        return self.device == subject.drive.path and self.old != self.new and is_known


class WriteRules(Setting):
    """Write the udev rules `file`, which sets queue `values` of the drive at every boot. `old` is the
    previous content, None if the file did not exist."""

    file: str
    values: tuple[tuple[str, str], ...]
    old: str | None = None

    requests = (Tune,)
    turn = 5
    needs_drive = False

    aims = Sentence("{file} has the new lines")

    @property
    def edited_file(self) -> str:
        return self.file

    def foreign(self, fstab: Path, rules: Path) -> Message | None:
        if Path(self.file).parent == rules:
            return None
        return t("These changes write {file}, which is not in {folder}.", file=self.file, folder=rules)

    def sentence(self, context: Context) -> Message:
        values = tuple(t("{name} to {value}", name=name, value=value) for name, value in self.values)
        return t("Have udev set {values:and} at every boot.", values=values)

    def edits(self, context: Context) -> tuple[str, ...]:
        return difference(self.file, self.old or "", udev_rule(context.drive, self.values))

    def file_difference(self, context: Context, fstab: str) -> tuple[str, ...]:
        return self.edits(context)

    def undo_text(self, context: Context) -> str:
        return str(t("By restoring the old file, or removing the new one."))

    def fits(self, subject: Subject) -> bool:
        path = Path(self.file)
        return (
            path.is_absolute()
            and self.file.isprintable()
            and path.name == rules_name(subject.drive)
            and bool(self.values)
            and len(dict(self.values)) == len(self.values)
            and all(_is_queue_value(name, value) for name, value in self.values)
        )


class SwitchOnTimer(Setting):
    """Enable and start the systemd timer `unit`."""

    unit: Literal["fstrim.timer"] = "fstrim.timer"

    requests = (Tune,)
    turn = 6
    needs_drive = False

    says = Sentence(
        "Enable {unit}: discards free blocks once a week on every drive of this system that supports "
        "discards."
    )

    def commands_to(self, *, new: bool) -> Commands:
        return (("systemctl", "enable" if new else "disable", "--now", self.unit),)

    @property
    def goal(self) -> Message:
        return UNIT_STATE(unit=self.unit, state="enabled")

    def fits(self, subject: Subject) -> bool:
        return True


class PowerOff(Setting):
    """Power off `device`, an unused whole drive, by writing 1 to these sysfs `files` in order. Cannot be
    undone."""

    device: str
    files: tuple[str, ...]

    requests = (SwitchOff,)
    turn = 2
    stays = True

    says = Sentence("Flush and power off {device}.")
    aims = Sentence("the kernel no longer lists {device}")

    def commands_to(self, *, new: bool) -> Commands:
        return (("sync", self.device), ("blockdev", "--flushbufs", self.device)) if new else ()

    def edits(self, context: Context) -> tuple[str, ...]:
        return tuple(f"{file}: 1" for file in self.files)

    @property
    def undo_obstacle(self) -> Message:
        return t("Not possible: unplug the drive and plug it in again.")

    def fits(self, subject: Subject) -> bool:
        return bool(self.files) and all(
            file.startswith(f"{SYS}/") and file.endswith(("/delete", "/remove")) for file in self.files
        )


def difference(path: str, old: str, new: str) -> tuple[str, ...]:
    """Return a unified diff as lines, in the format of patch(1). New files come from /dev/null."""
    before = f"a{path}" if old else "/dev/null"
    lines: list[str] = []
    for line in unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), before, f"b{path}"
    ):
        lines.append(line.rstrip("\n"))
        if not line.endswith("\n"):
            lines.append("\\ No newline at end of file")
    return tuple(lines)


def rules_name(drive: Identity) -> str:
    """Return the name of the drive's own rules file."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in drive.token)
    return f"60-diskwright-{plain}.rules"


def udev_match(drive: Identity) -> str:
    """Return a udev match that is unique among attached drives: serial number, else WWN. Empty if there is
    neither."""
    wwn = "ID_WWN_WITH_EXTENSION" if (drive.wwn or "").startswith("0x") else "ID_WWN"
    for key, number, shared in (
        ("ID_SERIAL_SHORT", drive.serial, drive.serial_shared),
        (wwn, drive.wwn, drive.wwn_shared),
    ):
        if number and not shared and _NUMBER.fullmatch(number):
            return f'ENV{{{key}}}=="{number}"'
    return ""


def udev_rule(drive: Identity, queue: Sequence[tuple[str, str]]) -> str:
    """Return a rules file that sets these queue values at every boot. Empty if there are none.

    A drive without a unique number is matched by kernel name, which can change.
    """
    if not queue:
        return ""
    match, remark = udev_match(drive), ""
    if not match:
        match = f'KERNEL=="{drive.path.removeprefix("/dev/")}"'
        remark = (
            "# The drive reports no serial number, so this rule matches its kernel name, which can change.\n"
        )
    values = ", ".join(f'ATTR{{queue/{name}}}="{value}"' for name, value in queue)
    return f'{remark}ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", {match}, {values}\n'


def values_in(rules: str) -> tuple[tuple[str, str], ...]:
    """Return the queue values set by a udev rules file, in order."""
    return tuple(re.findall(r'ATTR\{queue/(\w+)\}="([^"]*)"', rules))


def _is_queue_value(name: str, value: str) -> bool:
    return name in QUEUE and QUEUE[name].fullmatch(value) is not None
