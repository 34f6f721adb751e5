"""What is known of a filesystem that exists already, as it is used: its mount, its line in fstab, its drive's
queue. Nothing is written."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.advise.existing import Existing
from wizard.apply.run.environment import Environment
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import Line, parse
from wizard.apply.system.mounts import Mounted, read_mounts
from wizard.apply.tune import words
from wizard.apply.tune.current_value import is_mount_of, mounted_from, read_rules, superblock, timer_state
from wizard.filesystems.registry import KINDS
from wizard.layout.before import known_identity
from wizard.layout.changes.possible import signatures_on
from wizard.layout.changes.steps_of import rules_name
from wizard.layout.changes.tuning import Found, Superblock
from wizard.model.errors import BadInput, Failed
from wizard.model.identity import Identity
from wizard.model.machine import Drive, Machine, Partition, Signature
from wizard.model.names import printable
from wizard.model.said import t
from wizard.probe.host.sysfs import SYS, name_of, node_of, target, text
from wizard.probe.machine import probe_machine


@dataclass(frozen=True, slots=True)
class InUse:
    """A filesystem as it is found, with its drive and everything that could be changed for it. `uuid` is
    empty where it has none; `lines` are all of fstab that are for it, `mounts` all that this process sees.
    """

    machine: Machine
    drive: Drive
    identity: Identity
    uuid: str
    existing: Existing
    found: Found
    label: str
    lines: tuple[Line, ...]
    mounts: tuple[Mounted, ...]


def look_at_filesystem(device: str, environment: Environment) -> InUse:
    """The one filesystem on a partition, or on a whole drive; raises BadInput where there is none, or it
    cannot be read."""
    node, drive_node = nodes_of(device)
    machine = probe_machine([drive_node])
    (drive,) = machine.drives
    if drive.size_bytes is None or drive.geometry is None:
        raise BadInput(words.DRIVE_UNMEASURED(drive=drive.path))
    identity = known_identity(machine, drive, drive.size_bytes, drive.geometry)
    part = drive.partition(node)
    signature = _signature(node, drive, part)
    fstab = read_text(environment.fstab)
    all_mounts = tuple(mounted for mounted in read_mounts() if is_mount_of(mounted, node))
    mounts = {mounted.mount_point: mounted for mounted in all_mounts}
    tags = tags_of(drive, node)
    own = [line for line in parse(fstab, str(environment.fstab)) if _is_of(line, node, tags, mounts)]
    line = _mounting(own, mounts)
    mounted = mounted_from(node, line.mount_point) if line else None
    place = mounted.mount_point if mounted else next(reversed(mounts), None)
    if line is None and place is not None:
        mounted = mounted_from(node, place)
    block = _superblock(node, signature)
    ahead = text(SYS / "class/block" / name_of(drive.path) / "queue/read_ahead_kb")
    timer = timer_state() if environment.is_running_system else None
    existing = Existing(
        device=node,
        filesystem=signature.kind,
        size_bytes=part.size_bytes if part is not None else drive.size_bytes,
        mount_point=place,
        at_boot=line.options if line else None,
        read_ahead_bytes=int(ahead) * 1024 if ahead and ahead.isdigit() else None,
        reserved_bytes=block.reserved_blocks * block.block_bytes if block else _reserved(place, signature),
        trims_weekly={"enabled": True, "disabled": False}.get(timer or ""),
    )
    found = Found(
        fstab=str(environment.fstab),
        fstab_text=fstab,
        line=line.number if line else None,
        rules=str(environment.rules) if environment.rules.is_dir() else None,
        rules_text=read_rules(environment.rules / rules_name(identity)),
        queue=tuple(
            (name, value)
            for name, value in (("scheduler", drive.scheduler), ("read_ahead_kb", ahead))
            if value is not None
        ),
        superblock=block,
        mounted=mounted.words if mounted else None,
        elsewhere=tuple(other.mount_point for other in own if other is not line),
    )
    label = signature.label or ""
    return InUse(
        machine, drive, identity, signature.uuid or "", existing, found, label, tuple(own), all_mounts
    )


def options_at_boot(drive: Drive, device: str, fstab: Path) -> tuple[str, ...] | None:
    """The options that fstab has for a filesystem; None where it has no line for it, or cannot be read."""
    places = _places(device)
    line = _mounting(lines_at_boot(drive, device, fstab), places)
    return line.options if line else None


def lines_at_boot(drive: Drive, device: str, fstab: Path) -> list[Line]:
    """The lines that fstab has for a filesystem, such as one for each subvolume; none, too, where it cannot
    be read."""
    if len(signatures_on(drive, device)) != 1:
        return []
    try:
        lines = parse(read_text(fstab), str(fstab))
    except BadInput:
        return []
    tags, places = tags_of(drive, device), _places(device)
    return [line for line in lines if _is_of(line, device, tags, places)]


def tags_of(drive: Drive, device: str) -> dict[str, str | None]:
    """What a line can name the device by instead of its path; None where it has no such name."""
    part, found = drive.partition(device), signatures_on(drive, device)
    held = found[0] if len(found) == 1 else None
    return {
        "UUID": held.uuid if held else None,
        "LABEL": held.label if held else None,
        "PARTUUID": part.part_uuid if part else None,
    }


def nodes_of(device: str) -> tuple[str, str]:
    """The node itself and that of its drive; raises BadInput for what is neither a partition nor a drive."""
    try:
        node = Path(device).resolve(strict=True)
    except OSError:
        raise BadInput(
            t("There is no device {device}; `diskwright inspect` lists the drives.", device=printable(device))
        ) from None
    folder = SYS / "class/block" / name_of(str(node))
    if not node.is_block_device() or not folder.exists():
        raise BadInput(
            t("{device} is no block device; name a partition, such as /dev/sdX1.", device=printable(device))
        )
    if (folder / "partition").exists() and (there := target(folder)) is not None:
        return str(node), node_of(there.parent.name)
    return str(node), str(node)


def _signature(node: str, drive: Drive, part: Partition | None) -> Signature:
    """What the device holds; raises BadInput where that is not one filesystem."""
    found = part.signatures if part is not None else drive.signatures
    filesystems = [signature for signature in found if signature.kind in KINDS]
    if len(found) != 1 or not filesystems:
        held = printable("+".join(signature.kind for signature in found), 60)
        raise BadInput(
            t(
                "{device} holds {what}: name a partition that holds one filesystem. Without "
                "root little can be read of it.",
                device=node,
                what=held,
            )
            if found
            else t(
                "{device} holds nothing that is recognised: name a partition that holds one "
                "filesystem. Without root little can be read of it.",
                device=node,
            )
        )
    return filesystems[0]


def _superblock(node: str, signature: Signature) -> Superblock | None:
    """None for other filesystems than ext's, and where only root could read it."""
    if not signature.kind.startswith("ext"):
        return None
    try:
        return superblock(node)
    except Failed:
        return None


def _mounting(own: Sequence[Line], places: Collection[str]) -> Line | None:
    """Of its lines that by which it is mounted, or else the first."""
    return next((line for line in own if line.mount_point in places), own[0] if own else None)


def _is_of(line: Line, node: str, tags: Mapping[str, str | None], places: Iterable[str]) -> bool:
    """Whether a line of fstab is for the filesystem, by whatever it is named, or by a place where it is
    mounted."""
    return line.means(node, tags) or (line.names(tags) is None and line.mount_point in places)


def _places(device: str) -> list[str]:
    return [mounted.mount_point for mounted in read_mounts() if is_mount_of(mounted, device)]


def _reserved(place: str | None, signature: Signature) -> int | None:
    """What only root may fill, as a plain user sees it of a mounted ext filesystem: free blocks less those
    that are free for everybody."""
    if place is None or not signature.kind.startswith("ext"):
        return None
    try:
        told = os.statvfs(place)
    except OSError:
        return None
    return (told.f_bfree - told.f_bavail) * told.f_frsize
