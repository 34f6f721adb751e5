"""Inspect an ext filesystem before a conversion, and check that a conversion still fits. Refuses in doubt.

Never writes to the device.
"""

import re
from collections.abc import Set
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block import devices
from wizard.apply.conversion import boot
from wizard.apply.conversion.commit import OTHER_FILESYSTEM, uuid_on
from wizard.apply.engine.writable_copy import obstacle
from wizard.apply.plan import identity_check
from wizard.apply.plan.guard import check_programs
from wizard.apply.run import job, process
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.settings.existing_filesystem import drive_of, nodes_of
from wizard.apply.settings.guard import check_setting
from wizard.apply.settings.states import How
from wizard.apply.settings.system import system_of
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse, tags_of
from wizard.apply.system.mounts import swap_files_on
from wizard.ext4 import superblock
from wizard.ext4.assessment import BootLine, Situation
from wizard.ext4.blockers import KNOWN
from wizard.model.errors import BadInput, Failed, Refused, printable
from wizard.model.ext import ExtFacts
from wizard.model.machine import Drive
from wizard.model.said import Message, join, t
from wizard.operations.ext4 import CHECKER, proof
from wizard.plan.changes import Migration
from wizard.plan.dangers import known_identity
from wizard.plan.refusals import in_use
from wizard.probe.content.superblocks import find_copy
from wizard.probe.host.environment import family_of, os_release
from wizard.probe.machine import probe_drive, probe_machine
from wizard.process.program import find, run

PROGRAMS = ("e2fsck", "tune2fs", "resize2fs", "dumpe2fs", "debugfs")
ROOTS = frozenset({"/", "/usr"})
OPENED = frozenset({"holder", "raid-member", "loop-backing", "swap", "opened"})

_VERSION = re.compile(r"^e2fsck (\d+)\.(\d+)", re.MULTILINE)

CHECK_SECONDS = 20.0
"""A check of a large filesystem needs more time. Then the first step of the run finds damage."""

ERRORS_LEFT = 4
"""Bit of e2fsck's exit status: errors left uncorrected (e2fsck(8)). Other bits: the check failed."""


def look_at_ext(device: str, environment: Environment) -> Situation:
    """Inspect the ext filesystem on a drive, a partition or a volume on one drive, and check it if it is
    unused. Raises as `situation_of` does."""
    found = situation_of(device, environment)
    if found.mounts or found.is_root or found.opened:
        return found
    return replace(found, damaged=damage(device, found.ext))


def situation_of(device: str, environment: Environment) -> Situation:
    """Inspect an ext filesystem without a check of its contents. Raises BadInput if unreadable or not ext,
    Refused if the superblock is damaged."""
    path, _ = nodes_of(device)
    ext, machine = read_superblock(path), probe_machine([drive_of(path)])
    (drive,) = machine.drives
    identity = known_identity(machine, drive)
    # The name for users, such as /dev/mapper/home for /dev/dm-0.
    kernel_name = devices.kernel_name(path)
    named = (one.path for one in drive.layers if devices.kernel_name(one.path) == kernel_name)
    shown = next(named, path)
    tags = tags_of((ext,), drive.partition(path))
    uses = [use for use in drive.uses if use.subject == shown]
    mounts = tuple(dict.fromkeys(str(use.by) for use in uses if use.kind in ("mounted", "running-system")))
    is_root = any(use.kind == "running-system" and use.by in ROOTS for use in uses)
    opened = any(use.kind in OPENED for use in uses)
    fstab = read_text(environment.fstab)
    lines = [line for line in parse(fstab, str(environment.fstab)) if line.means(path, tags)]
    unmounted = "" if mounts or is_root else path
    own = boot.own_fstab(path, ext, tags) if unmounted else None
    return Situation(
        drive=identity,
        device=shown,
        ext=ext,
        fstab=str(environment.fstab),
        fstab_text=fstab,
        device_bytes=devices.size_bytes(path),
        mounts=mounts,
        swap_files=swap_files_on(path),
        is_root=is_root,
        opened=opened,
        lines=tuple(BootLine(line.number, line.kind, line.mount_point) for line in lines),
        units=boot.units_for(environment.fstab.parent, {path, shown}, tags),
        own=own,
        boot=boot.boot_path(
            {line.mount_point for line in lines} | ({"/"} if is_root else set()),
            environment,
            unmounted,
            own,
        ),
        missing=tuple(name for name in PROGRAMS if find(name) is None),
        family=family_of(os_release()),
        e2fsprogs=boot.version_of(("e2fsck",), "-V", _VERSION),
        no_copy=str(obstacle() or ""),
    )


def read_superblock(path: str) -> ExtFacts:
    """Read the ext superblock of a device. Raises BadInput or Refused, naming an intact backup."""
    try:
        found = superblock.read_filesystem(partial(_read_range, path))
        fault = _fault(path, found) if found else None
        place = find_copy(partial(_read_range, path)) if fault or not found else None
        copy = None if place is None else superblock.read_ext(_read_range(path, place))
    except PermissionError:
        command = f"sudo diskwright migrate {path}"
        raise BadInput(
            t("Only root can read {device}: run  {command}", device=path, command=command)
        ) from None
    except OSError as error:
        raise Refused(
            t(
                "Cannot read {device}: {why}. Rescue the readable data first. Nothing was written.",
                device=path,
                why=error,
            )
        ) from None
    if found is not None and not fault:
        return found
    if place is None and not fault:
        raise BadInput(
            t(
                "{device} does not contain an ext2, ext3 or ext4 filesystem; `diskwright "
                "inspect` shows the contents.",
                device=path,
            )
        )
    said = [t("The superblock of {device} is damaged.", device=path), *((fault,) if fault else ())]
    if place is not None and copy is not None:
        block, size = place // copy.block_bytes, copy.block_bytes
        said.append(
            t(
                "The backup superblock at block {block} is intact and can be used for a repair with "
                "`{command}`.",
                block=block,
                command=f"e2fsck -b {block} -B {size} {path}",
            )
        )
    said.append(t("Create an image of the device before any repair."))
    raise process.refused(join(*said))


def _fault(path: str, found: ExtFacts) -> str:
    """Return the error of dumpe2fs for a superblock that looks intact. Unknown features are reported
    elsewhere."""
    if found.features - KNOWN or find("dumpe2fs") is None:
        return ""
    result = run(("dumpe2fs", "-h", path), accept=range(256))
    return f"dumpe2fs: {printable(result.last_words, 100).rstrip('.')}." if result.status else ""


def _read_range(path: str, offset_bytes: int, length_bytes: int = superblock.SUPERBLOCK_BYTES) -> bytes:
    """Read bytes. Empty beyond the end of the device, where damaged superblocks may point."""
    if offset_bytes + length_bytes > devices.size_bytes(path):
        return b""
    with Path(path).open("rb", buffering=0) as file:
        file.seek(offset_bytes)
        return file.read(length_bytes)


def damage(path: str, read: ExtFacts) -> str | None:
    """Return the first error that e2fsck finds without repair. Empty if it finds none, None if unknown.

    e2fsck also reports errors for a journal to replay, and for a filesystem in use.
    """
    if not read.clean or read.needs_recovery or read.half_done or find(CHECKER) is None:
        return None
    try:
        checked = run(proof(path), seconds=CHECK_SECONDS, accept=range(256))
    except Failed:
        return None
    if checked.status & ERRORS_LEFT:
        return str(first_error(checked.output))
    return "" if checked.status == 0 else None


def first_error(said: str) -> Message | str:
    """Return the first finding of e2fsck."""
    found = [
        line
        for line in said.splitlines()
        if line.strip() and not line.startswith(("Pass ", "Running additional", "Warning!"))
    ]
    return printable(found[0].strip(), 200) if found else t("no details reported.")


def check_migration_tools(migration: Migration) -> None:
    """Raises Refused if a program for a step, a check or an undo is missing."""
    wanted = {argv[0] for step in migration.steps for argv in step.commands}
    check_programs(wanted | ({CHECKER, "env"} if migration.way.converts else set()))


def check_new(migration: Migration) -> None:
    """Raises Refused unless the drive and the filesystem are as planned, and unused if the device will
    change."""
    drive = identity_check.probe_again(migration.drive)
    identity_check.check_same_start(migration.drive, drive)
    if migration.way.converts:
        if drive.read_only:
            raise process.refused(t("{drive} is read-only.", drive=drive))
        check_unused(migration.device, drive)
    check_as_looked_at(migration)
    check_fstab(migration, {How.BEFORE})


def planned_filesystem(migration: Migration) -> ExtFacts:
    """Return the facts about the planned filesystem. Raises Refused."""
    device = migration.device
    try:
        now = devices.facts_on(device)
    except Failed as error:
        raise process.refused(error) from None
    if now.uuid != migration.before.uuid:
        raise process.refused(OTHER_FILESYSTEM(device=device, uuid=migration.before.uuid))
    return now


def check_as_looked_at(migration: Migration) -> None:
    """Raises Refused unless the superblock is the same as when the conversion was planned."""
    now = planned_filesystem(migration)
    if now != migration.before and migration.way.converts:
        raise process.refused(
            t(
                "{device} has changed since the conversion was planned: the superblock differs. Check again "
                "with `diskwright migrate`.",
                device=migration.device,
            )
        )


def check_fstab(migration: Migration, fits: Set[How]) -> None:
    """Raises Refused if the state of the fstab lines is not in `fits`."""
    for setting in migration.settings:
        check_setting(setting, system_of(migration), fits)


def check_unused(device: str, drive: Drive) -> None:
    """Raises Refused if the device is in use. The rest of the drive may be in use."""
    uses = (in_use(use) for use in drive.uses if use.kind != "opened" and use.subject == device)
    if reason := next(uses, None) or devices.open_exclusively(device):
        raise process.refused(devices.IN_USE(device=device, why=reason))


def check_resumable(migration: Migration) -> None:
    """Raises Refused if the drive of a started run is another one, or a device to change is in use. The run
    itself may have made it read-only."""
    drive = drive_now(migration)
    if migration.way.converts:
        check_unused(migration.device, drive)


def drive_now(migration: Migration) -> Drive:
    """Return the drive of a conversion as probed now. Raises Refused if it may be another drive."""
    path = migration.drive.path
    try:
        drive = probe_drive(path, seconds=LOOK_SECONDS)
    except BadInput:
        raise Refused(t("{drive} is missing. Nothing was written.", drive=path)) from None
    if fault := identity_check.drive_fault(migration.drive, drive, partial(_has_filesystem, migration)):
        raise Refused(job.ANOTHER_DRIVE(fault=fault))
    return drive


def _has_filesystem(migration: Migration) -> bool | None:
    """Return True if the device contains the filesystem, old or new. None without a device or superblock."""
    if not Path(migration.device).exists():
        return None
    devices.forget_caches(migration.device)
    found = uuid_on(migration.device)
    return None if found is None else found == migration.before.uuid
