"""Inspect an ext filesystem before a conversion. Read-only."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from wizard.apply.block.devices import SYS_BLOCK, kernel_name, size_bytes
from wizard.apply.block.snapshot import snapshot_obstacle
from wizard.apply.conversion import system_checks
from wizard.apply.conversion.fstab import own_fstab
from wizard.apply.conversion.system_checks import boot_path, folder_seen, swap_files_on, units_for
from wizard.apply.conversion.verify import first_error
from wizard.apply.run.backup_store import LOOK_SECONDS, Environment
from wizard.apply.run.runs import runs_folder
from wizard.apply.settings.existing_filesystem import DRIVE_UNMEASURED, nodes_of
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.apply.tree.manifest import manifest_seconds
from wizard.ext4.assessment import BootLine, FreshTarget, Situation
from wizard.ext4.duration import used_bytes
from wizard.ext4.filesystem_checks import KNOWN
from wizard.ext4.steps import CHECKER, proof
from wizard.ext4.superblock import SUPERBLOCK_BYTES, read_ext, read_filesystem
from wizard.model.errors import BadInput, Failed, Refused, printable
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Layer, Signature
from wizard.model.said import Message, join, t
from wizard.plan.dangers import known_identity
from wizard.probe.content.superblocks import find_copy
from wizard.probe.host.environment import family_of, os_release
from wizard.probe.host.sysfs import node_of, target
from wizard.probe.machine import probe_machine
from wizard.process.program import find, run

PROGRAMS = ("e2fsck", "tune2fs", "resize2fs", "e2undo", "dumpe2fs", "debugfs")
ROOTS = frozenset({"/", "/usr"})

_VERSION = re.compile(r"^e2fsck (\d+)\.(\d+)", re.MULTILINE)

CHECK_SECONDS = 20.0
"""A large filesystem takes longer: then nothing is known, and the run's first step finds it out."""

ERRORS_LEFT = 4
"""In e2fsck's status (e2fsck(8)): it found errors and left them. Others say that it could not check."""


def look_at_ext(
    device: str,
    environment: Environment,
    *,
    store: Path | None = None,
    undo_dir: Path | None = None,
    target: str | None = None,
    journal_dir: Path | None = None,
) -> Situation:
    """The ext filesystem on a drive, a partition, or a volume on one drive, and all around it that a
    migration depends on.

    Where neither `store` nor `undo_dir` is named, what is replaced is kept among the runs, which
    `journal_dir` can have elsewhere. Raises BadInput where there is none or it cannot be read, Refused where
    its superblock is damaged.
    """
    path, _ = nodes_of(device)
    node, read = Path(path), read_superblock(path)
    seen = _seen(path)
    use, tags = _use_of(seen), _tags(seen.drive, path, read)
    fstab = read_text(environment.fstab)
    lines = [line for line in parse(fstab, str(environment.fstab)) if line.means(path, tags)]
    unmounted = "" if use.mounts or use.is_root else path
    own = own_fstab(path, read, tags) if unmounted else None
    runs = runs_folder(journal_dir)
    return Situation(
        drive=seen.identity,
        device=seen.device,
        ext=read,
        fstab=str(environment.fstab),
        fstab_text=fstab,
        device_bytes=size_bytes(path),
        mounts=use.mounts,
        swap_files=swap_files_on(node),
        is_root=use.is_root,
        opened=use.opened,
        damaged=damage(path, read) if unmounted and not use.opened else None,
        lines=tuple(BootLine(line.number, line.kind, line.mount_point) for line in lines),
        units=units_for(environment.fstab.parent, {path, seen.device}, tags),
        own=own,
        boot=boot_path(
            {line.mount_point for line in lines} | ({"/"} if use.is_root else set()),
            environment,
            unmounted,
            own,
        ),
        missing=tuple(name for name in PROGRAMS if find(name) is None),
        family=family_of(os_release()),
        e2fsprogs=_version(),
        no_snapshots=_clause(snapshot_obstacle()),
        store=folder_seen(store, runs, node),
        undo_dir=folder_seen(undo_dir, runs, node),
        target=_target(target, seen.device, read) if target is not None else None,
        manifest_seconds=2
        * manifest_seconds(used_bytes(read), read.inodes - read.free_inodes, turns=seen.drive.rotational),
    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """A device at the node `path`, and the one drive that it lies on. `layers` is what lies between them."""

    path: str
    drive: Drive
    identity: Identity
    layers: tuple[Layer, ...]

    @property
    def device(self) -> str:
        """As a person calls it."""
        return self.layers[-1].path if self.layers else self.path


def _seen(path: str) -> _Seen:
    """Raises BadInput where it lies on several drives, or the drive does not tell its size."""
    machine = probe_machine([drive_of(kernel_name(path))])
    (drive,) = machine.drives
    if drive.size_bytes is None or drive.geometry is None:
        raise BadInput(DRIVE_UNMEASURED(drive=drive.path))
    identity = known_identity(machine, drive, drive.size_bytes, drive.geometry)
    return _Seen(path, drive, identity, _layers(drive, path))


@dataclass(frozen=True, slots=True)
class _InUse:
    """Where a device is mounted, whether the running system stands on it, and whether another block device
    or a program holds it."""

    mounts: tuple[str, ...]
    is_root: bool
    opened: bool


def _use_of(seen: _Seen) -> _InUse:
    uses = [use for use in seen.drive.uses if use.subject == seen.device]
    return _InUse(
        tuple(dict.fromkeys(str(use.by) for use in uses if use.kind in ("mounted", "running-system"))),
        any(use.kind == "running-system" and use.by in ROOTS for use in uses),
        any(use.kind in ("holder", "raid-member", "loop-backing", "swap", "opened") for use in uses),
    )


def read_superblock(path: str) -> ExtFacts:
    """What the superblock on a device says; raises BadInput or Refused where that is nothing, naming a copy
    that is whole."""
    try:
        found = read_filesystem(partial(_bytes, path))
        fault = _fault(path, found) if found else None
        copy = _copy(path) if fault or not found else None
    except PermissionError:
        command = " ".join(("sudo", "diskwright", "migrate", path))
        raise BadInput(
            t("Only root can read {device}: run  {command}", device=path, command=command)
        ) from None
    except OSError as error:
        raise Refused(
            t(
                "Cannot read {device}: {why}. Rescue the readable data first. Nothing was written.",
                device=path,
                why=str(error.strerror),
            )
        ) from None
    if found is not None and not fault:
        return found
    damaged = fault or t("The superblock of {device} is damaged.", device=path)
    if copy is not None:
        block, size = copy
        command = " ".join(("e2fsck", "-b", str(block), "-B", str(size), path))
        raise Refused(
            join(
                damaged,
                t(
                    "The backup superblock at block {block} is intact and can be used for a "
                    "repair with `{command}`. Create an image of the device first. Nothing was "
                    "written.",
                    block=block,
                    command=command,
                ),
            )
        )
    if fault:
        raise Refused(
            join(damaged, t("Create an image of the device before any repair. Nothing was written."))
        )
    raise BadInput(
        t(
            "{device} does not contain an ext2, ext3 or ext4 filesystem; `diskwright "
            "inspect` shows the contents.",
            device=path,
        )
    )


def _fault(path: str, found: ExtFacts) -> Message | None:
    """What e2fsprogs has against a superblock that looks whole; what it does not know is told elsewhere."""
    if found.features - KNOWN or find("dumpe2fs") is None:
        return None
    said = run(("dumpe2fs", "-h", path), seconds=LOOK_SECONDS, accept=range(256))
    if not said.status:
        return None
    last = printable(said.last_words, 100).rstrip(".")
    return t(
        "The superblock of {device} is damaged ({program}: {said}).",
        device=path,
        program="dumpe2fs",
        said=last,
    )


def _bytes(path: str, offset_bytes: int, length_bytes: int = SUPERBLOCK_BYTES) -> bytes:
    """None behind the device's end, wherever damaged numbers point."""
    if offset_bytes + length_bytes > size_bytes(path):
        return b""
    with Path(path).open("rb", buffering=0) as file:
        file.seek(offset_bytes)
        return file.read(length_bytes)


def _copy(path: str) -> tuple[int, int] | None:
    """The block and the block size of the first copy of the superblock that is whole."""
    place = find_copy(partial(_bytes, path))
    found = read_ext(_bytes(path, place)) if place is not None else None
    return (
        (place // found.block_bytes, found.block_bytes) if place is not None and found is not None else None
    )


def drive_of(name: str) -> str:
    """The node of the one drive that a device lies on; raises BadInput where it lies on several."""
    drives = set(_below(name))
    if len(drives) != 1:
        device, named = node_of(name), tuple(sorted(drives))
        raise BadInput(
            t(
                "{device} spans {drives:and}; a conversion requires a filesystem on one "
                "drive. Nothing was written.",
                device=device,
                drives=named,
            )
            if named
            else t(
                "{device} is not on a drive; a conversion requires a filesystem on one "
                "drive. Nothing was written.",
                device=device,
            )
        )
    return drives.pop()


def _below(name: str) -> Iterator[str]:
    folder = SYS_BLOCK / name
    slaves = (
        sorted(entry.name for entry in (folder / "slaves").glob("*")) if (folder / "slaves").exists() else []
    )
    if (folder / "partition").exists():
        if (there := target(folder)) is not None:
            yield from _below(there.parent.name)
    elif slaves:
        for slave in slaves:
            yield from _below(slave)
    else:
        yield node_of(name)


def _layers(drive: Drive, path: str) -> tuple[Layer, ...]:
    """What lies between the drive and the device, the device's own layer last; nothing for the drive and its
    partitions."""
    name = kernel_name(path)
    own = [
        layer
        for layer in drive.layers
        if kernel_name(layer.path) == name and not (SYS_BLOCK / name / "partition").exists()
    ]
    if not own or name == kernel_name(drive.path):
        return ()
    return (*_layers(drive, own[0].below), own[0])


def _tags(drive: Drive, path: str, ext: ExtFacts) -> dict[str, str | None]:
    """What fstab can call it by instead of a node."""
    part = drive.partition(path)
    return {
        "UUID": ext.uuid,
        "LABEL": ext.label or None,
        "PARTUUID": part.part_uuid if part else None,
        "PARTLABEL": (part.name or None) if part else None,
    }


def _version() -> tuple[int, int]:
    """Of e2fsprogs, (0, 0) where it does not tell."""
    if find("e2fsck") is None:
        return 0, 0
    try:
        said = run(["e2fsck", "-V"], seconds=LOOK_SECONDS, accept=range(256))
    except Failed:
        return 0, 0
    match = _VERSION.search(said.errors + said.output)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _clause(sentence: str) -> str:
    """A sentence as the end of another. The names of programs are lower-case already."""
    return sentence[:1].lower() + sentence[1:].rstrip(".")


def _target(device: str, source: str, ext: ExtFacts) -> FreshTarget:
    """The volume for a fresh filesystem; raises BadInput where there is no such device."""
    path, _ = nodes_of(device)
    seen = _seen(path)
    part = seen.drive.partition(path)
    carrier = seen.layers[-1] if seen.layers else part or seen.drive
    found = FreshTarget(seen.device, size_bytes(path), seen.identity)
    fault = _target_fault(seen.drive, found, source, carrier.signatures, ext)
    return replace(found, fault=str(fault) if fault else "")


def _target_fault(
    drive: Drive, target: FreshTarget, source: str, found: tuple[Signature, ...], ext: ExtFacts
) -> Message | None:
    is_drive = target.device == drive.path
    if target.device == source:
        return t("this is the old filesystem")
    if found:
        return t(
            "the target contains {what}", what=printable("+".join(signature.kind for signature in found), 60)
        )
    if is_drive and (drive.table is None or drive.table.kind != "none" or drive.partitions):
        return t("the drive has partitions or could not be read")
    if drive.read_only:
        return system_checks.READ_ONLY
    if any(use.subject == target.device or (is_drive and use.kind != "loop-backing") for use in drive.uses):
        return t("the target is in use")
    if target.size_bytes < used_bytes(ext):
        return t("the target is smaller than the data to copy")
    return None


def damage(path: str, read: ExtFacts) -> str | None:
    """The first error that e2fsck finds, without changing anything; empty where it finds none, None where
    that was not found out.

    A journal that waits to be replayed, and a filesystem in use, look damaged to it and are not.
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
