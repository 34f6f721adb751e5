"""The running system for settings: reading and writing values, files, mounts, tables and layers."""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from stat import S_IMODE
from time import monotonic, sleep

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.block.devices import kernel_name, open_exclusively
from wizard.apply.resize.resized import held_in_use
from wizard.apply.run.backup_store import ANY, LOOK_SECONDS, Environment
from wizard.apply.run.journal import Journal, sync_folder
from wizard.apply.run.runs import load_environment
from wizard.apply.steps.filesystem import mount_filesystem
from wizard.apply.steps.step_context import journalled, physical_volumes_of, when_free
from wizard.apply.system import edited_file, mounts
from wizard.apply.table.identifier import Edit, read_identifier, write_identifier
from wizard.apply.table.one_entry import with_backup_at_end, with_one_changed
from wizard.apply.table.write import image_of, table_regions
from wizard.apply.tree.mount_read_only import mounted_as_it_is
from wizard.documents.files import UNREADABLE
from wizard.model.errors import BadInput, Failed, Refused
from wizard.model.geometry import Identity
from wizard.model.layout import MAPPER, Layout, Member
from wizard.model.machine import Drive, Extent, Signature
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, t
from wizard.operations import growth
from wizard.operations.layers import array_uuid
from wizard.operations.mounts import Mount, Top
from wizard.operations.operation import How, Setting, ValueState
from wizard.operations.settings import Relabel
from wizard.plan import derive
from wizard.plan.changes import Bring, Changes, Migration
from wizard.plan.dangers import layout_before
from wizard.plan.partition.possible import room_behind
from wizard.plan.settings.possible import signatures_on
from wizard.plan.settings.tuning import Superblock
from wizard.probe.host import sysfs
from wizard.probe.host.sysfs import SYS
from wizard.probe.machine import probe_drive
from wizard.process.program import ENDED, find, run

GONE_SECONDS = 10.0
"""Time limit for the kernel to add or remove a device."""

SYSTEMD = Path("/run/systemd/system")
PROCESS = Path("/proc/self/status")

_SUPERBLOCK = re.compile(r"(?m)^(Block count|Reserved block count|Block size):\s+(\d+)$")


class RunningSystem(Struct, frozen=True):
    """The `System` of operations. `step` counts from 1. Commands need a journal; reading does not."""

    drive: Identity
    settings: tuple[Setting, ...]
    environment: Environment = ANY
    step: int = 0
    run_name: str = ""
    journal: Journal | None = None
    drive_locks: tuple[int, ...] = ()

    @property
    def fstab(self) -> Path:
        return self.environment.fstab

    @property
    def rules(self) -> Path:
        return self.environment.rules

    @property
    def is_running_system(self) -> bool:
        return self.environment.is_running_system

    def command(self, argv: Sequence[str]) -> None:
        assert self.journal is not None
        once = partial(
            journalled, argv, self.journal, self.step, self.environment.patience_seconds, self.drive_locks
        )
        if (result := when_free(once)).status:
            raise Failed(ENDED(program=argv[0], status=result.status, last_words=result.last_words))

    def wait_until(self, is_done: Callable[[], bool]) -> None:
        until = monotonic() + GONE_SECONDS
        while not is_done() and monotonic() < until:
            sleep(0.05)

    def has_capability(self, number: int) -> bool:
        return has_capability(number)

    def foreign_drive(self, devices: Sequence[str]) -> str | None:
        only = self.environment.only
        if only is None:
            return None
        names = (kernel_name(device) for device in devices if not device.startswith(MAPPER))
        folders = {name: sysfs.target(SYS / "class/block" / name) for name in names}
        whole = {
            folder.parent.name if (folder / "partition").exists() else name
            for name, folder in folders.items()
            if folder is not None
        }
        return min(
            {sysfs.node_of(name) for name in whole if not sysfs.LAYER.match(name)} - only, default=None
        )

    def unwritable(self, file: str) -> str | None:
        real = Path(file).resolve()
        is_other = real.exists() and not real.is_file()
        return str(real) if is_other or not os.access(real.parent, os.W_OK) else None

    def read_file(self, file: str) -> str | None:
        return edited_file.read_text(Path(file)) if Path(file).exists() else None

    def edit_file(self, file: str, change: Callable[[str], str], *, keep: bool = False) -> bool:
        path = Path(file)
        return edited_file.edit(path, change, edited_file.kept_as(path, self.run_name) if keep else None)

    def remove_file(self, file: str) -> None:
        try:
            Path(file).unlink()
            sync_folder(Path(file).parent)
        except OSError as error:
            reason = error.strerror or ""
            raise Failed(t("Cannot remove {file}: {reason}.", file=file, reason=reason)) from None

    def reload_units(self) -> None:
        if self.is_running_system and SYSTEMD.exists():
            with suppress(Failed):
                self.command(("systemctl", "daemon-reload"))

    def unit_state(self, unit: str) -> str | None:
        return unit_state(unit)

    def read_value(self, file: str) -> str | None:
        return sysfs.text(Path(file))

    def write_value(self, file: str, value: str, *, missing_ok: bool = False) -> None:
        try:
            Path(file).write_text(value)
        except OSError as error:
            if missing_ok and isinstance(error, FileNotFoundError):
                return
            reason = error.strerror or ""
            raise Failed(
                t("Cannot write {value} to {file}: {reason}.", file=file, value=value, reason=reason)
            ) from None

    def exists(self, device: str) -> bool:
        return (SYS / "class/block" / sysfs.name_of(device)).exists()

    def use_of(self, device: str) -> Message | str | None:
        return open_exclusively(device)

    def signature(self, device: str) -> Signature:
        found = signatures_on(probe_drive(self.drive.path, seconds=LOOK_SECONDS), device)
        if len(found) != 1:
            raise Failed(t("{device} no longer contains exactly one filesystem.", device=device))
        return found[0]

    def reserved_blocks(self, device: str) -> int:
        return superblock(device).reserved_blocks

    def written_uuid(self, relabel: Setting) -> How:
        assert isinstance(relabel, Relabel)
        found = read_identifier(relabel, self.drive)
        if found.now in (found.new, found.old):
            return How.AFTER if found.now == found.new else How.BEFORE
        return How.HALF if found.is_half else How.OTHER

    def write_uuid(self, relabel: Setting, *, new: bool) -> None:
        assert isinstance(relabel, Relabel)
        write_identifier(relabel, self.drive, new=new)

    def mount_words(self, device: str, place: str) -> tuple[str, ...] | None:
        mounted = mounts.mounted_from(device, place)
        return None if mounted is None else mounted.words

    def has_mount(self, device: str, place: str) -> bool:
        return any(
            one.mount_point == place and mounts.is_mount_of(one, device) for one in mounts.read_mounts()
        )

    def source_at(self, place: str) -> str | None:
        mounted = mounts.mounted_at(place)
        return None if mounted is None else mounted.source

    def is_mounted(self, mount: Setting) -> bool:
        assert isinstance(mount, Mount)
        return mounts.is_mounted(mount)

    def mount(self, mount: Setting) -> None:
        assert isinstance(mount, Mount)
        mount_filesystem(mount, self.command)

    def check_unused(self, place: str) -> None:
        try:
            mounts.check_unused(place)
        except Refused as error:
            raise Failed(str(error)) from None

    def top(self, device: str, place: str, driver: str) -> tuple[int, int, int]:
        top = read_top(device, place, driver)
        return top.owner, top.group, top.mode

    def partition_end(self, extend: Setting) -> ValueState:
        assert isinstance(extend, growth.ExtendPartition)
        device, drive = extend.device, probe_drive(extend.drive)
        part = drive.partition(device)
        if part is None or part.start_bytes != extend.start_bytes:
            return ValueState(How.OTHER, t("{device} starts at another byte", device=device))
        sectors = sysfs.text(SYS / "class/block" / sysfs.name_of(device) / "size")
        kernel_size = int(sectors) * KERNEL_SECTOR_BYTES if sectors and sectors.isdigit() else 0
        seen = growth.IN_TABLE(device=device, size=part.size_bytes, kernel=kernel_size)
        if part.size_bytes not in (extend.old_bytes, extend.new_bytes):
            return ValueState(How.OTHER, seen)
        table = _read_table(extend, self.drive, drive)
        if table.now == table.new and kernel_size == extend.new_bytes:
            return ValueState(How.AFTER, seen)
        # If the table was copied from a smaller drive, its backup is not at the end yet, but will be moved.
        is_copied = drive.table is not None and drive.table.backup == "misplaced"
        now = with_backup_at_end(table.now) if is_copied else table.now
        if now != table.old or kernel_size != extend.old_bytes:
            return ValueState(How.HALF, seen)
        if room_behind(drive, part) < extend.new_bytes - extend.old_bytes:
            return ValueState(How.OTHER, t("the free space after {device} is in use", device=device))
        return ValueState(How.BEFORE, seen)

    def write_partition_end(self, extend: Setting, *, new: bool) -> None:
        assert isinstance(extend, growth.ExtendPartition)
        table = _read_table(extend, self.drive, probe_drive(extend.drive))
        table.write(extend.drive, self.drive, new=new)

    def filesystem_bytes(self, filesystem: str, device: str, place: str) -> int:
        return held_in_use(filesystem, device, place).size_bytes

    def mapped_names(self) -> frozenset[str]:
        return frozenset(
            name for file in (SYS / "class/block").glob("dm-*/dm/name") if (name := sysfs.text(file))
        )

    def is_mapped_on(self, name: str, devices: Sequence[str]) -> bool:
        names = [kernel_name(device) for device in devices]
        return any(
            [one.name for one in file.parent.parent.glob("slaves/*")] == names
            for file in (SYS / "class/block").glob("dm-*/dm/name")
            if sysfs.text(file) == name
        )

    def arrays_on(self, device: str) -> frozenset[str]:
        holders = (SYS / "class/block" / kernel_name(device)).glob("holders/md*")
        return frozenset(one.name for one in holders)

    def has_array(self, members: Sequence[str], uuid: str) -> bool:
        argv = ("mdadm", "--examine", "--export")
        try:
            found = [run((*argv, member), seconds=LOOK_SECONDS).output.splitlines() for member in members]
        except Failed:
            # mdadm fails for partitions without a superblock.
            return False
        return all(f"MD_UUID={array_uuid(uuid)}" in lines for lines in found)

    def group_members(self, group: str) -> frozenset[str]:
        return physical_volumes_of(group)


def system_of(document: Changes | Migration | Bring, environment: Environment = ANY) -> RunningSystem:
    """Return the system for reading the settings of a document."""
    return RunningSystem(document.drive, document.settings, environment)


def system_in(
    run: Path,
    document: Changes | Migration | Bring,
    journal: Journal,
    locks: tuple[int, ...] = (),
    step: int = 0,
) -> RunningSystem:
    """Return the system for changing the settings of a run's document."""
    environment = load_environment(run)
    return RunningSystem(document.drive, document.settings, environment, step, run.name, journal, locks)


def has_capability(number: int) -> bool:
    """Return True if this process has an effective capability (proc_pid_status(5))."""
    found = re.search(r"(?m)^CapEff:\s+([0-9a-f]+)$", PROCESS.read_text())
    return found is not None and bool(int(found[1], 16) >> number & 1)


def unit_state(unit: str) -> str | None:
    """Return systemd's state of a unit, such as enabled or masked; None without systemd. Raises BadInput."""
    if not SYSTEMD.exists() or find("systemctl") is None:
        return None
    argv = ["systemctl", "is-enabled", unit]
    try:
        return run(argv, seconds=LOOK_SECONDS, accept=range(256)).output.strip() or None
    except Failed as error:
        raise BadInput(str(error)) from None


def superblock(device: str) -> Superblock:
    """Read an ext superblock. Raises Failed if dumpe2fs does not report the values."""
    output = run(["dumpe2fs", "-h", device], seconds=LOOK_SECONDS).output
    found = {key: int(value) for key, value in _SUPERBLOCK.findall(output)}
    if len(found) != 3:
        raise Failed(t("dumpe2fs does not report the blocks of {device} reserved for root.", device=device))
    return Superblock(found["Block count"], found["Reserved block count"], found["Block size"])


def read_top(device: str, place: str, driver: str) -> Top:
    """Read the top folder of a filesystem, through a private read-only mount if it is not at its mount point.
    Raises Failed."""
    try:
        if mounts.mounted_from(device, place) is not None:
            status = Path(place).stat()
        else:
            with mounted_as_it_is(device, (driver,)) as top:
                status = top.stat()
    except OSError as error:
        raise Failed(UNREADABLE(file=place, why=error.strerror or "")) from None
    return Top(status.st_uid, status.st_gid, S_IMODE(status.st_mode))


def _read_table(operation: growth.ExtendPartition, identity: Identity, drive: Drive) -> Edit:
    """Read the table, with the old and with the new partition end. Raises Failed or BadInput."""
    known = replace(drive, size_bytes=identity.size_bytes, geometry=identity.geometry)
    before = derive.changing(layout_before(known, preserve=True), operation.number)
    slot = next(one for one in before.partitions if one.number == operation.number)

    def with_size(size_bytes: int) -> Layout:
        return derive.placed_layout(before, slot.number, Extent(slot.start_bytes, size_bytes))

    after = with_size(operation.new_bytes)
    now = image_of(operation.drive, table_regions(Member(identity, before, after)), identity)
    old, new = (
        with_one_changed(derive.table_of(operation.drive, layout, changed=slot.number), now)
        for layout in (with_size(operation.old_bytes), after)
    )
    return Edit(before.table, now, old, new)
