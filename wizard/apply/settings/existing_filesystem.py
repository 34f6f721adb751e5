"""Inspect an existing filesystem: mount, fstab line and drive queue. Read-only.

Also finds the fstab and crypttab lines that refer to volumes a plan destroys.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block.devices import drives_under, node_fault
from wizard.apply.run.backup_store import ANY, Environment
from wizard.apply.settings.system import read_superblock, unit_state
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import (
    CMDLINE,
    FstabEntry,
    Line,
    Opening,
    Tags,
    boot_entry,
    parse,
    parse_crypttab,
    read_lines,
    started_with,
    tags_of,
)
from wizard.apply.system.mounts import is_mount_of, mounted_from, read_mounts
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput, Failed, FrozenStruct
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.model.machine import Drive, Machine
from wizard.model.said import Message, Sentence, t
from wizard.operations.settings import SwitchOnTimer
from wizard.plan.dangers import known_identity
from wizard.plan.plan import Plan
from wizard.plan.settings.possible import label_on, no_filesystem
from wizard.probe.host import sysfs
from wizard.probe.machine import drive_under, probe_machine


class ExistingVolume(FrozenStruct, kw_only=True):
    """An existing filesystem, with the drive and all its settings. None means unreadable or missing.

    `filesystem`: libblkid's name. `label` and `uuid`: may be empty. `environment`: of the `fstab_text`.
    `lines`: the lines there, mounted ones first. `mounts`: all mounts in this process's namespace.
    `mount_point`: of `line` if mounted there, else of any mount.
    `mounted`: generic mount options in use at the place of the line, or at any place without a line.
    `queue`: values of the drive. `ext`: the superblock of an ext filesystem. `reserved_bytes`: reserved for
    root. `trims_weekly`: fstrim.timer is enabled.
    """

    machine: Machine
    drive: Drive
    identity: Identity
    device: str
    filesystem: str
    size_bytes: int | None
    queue: dict[str, str]
    label: str = ""
    uuid: str = ""
    environment: Environment = ANY
    fstab_text: str = ""
    lines: tuple[Line, ...] = ()
    mounts: tuple[sysfs.Mounted, ...] = ()
    mount_point: str | None = None
    mounted: tuple[str, ...] | None = None
    ext: ExtFacts | None = None
    reserved_bytes: int | None = None
    trims_weekly: bool | None = None

    @property
    def line(self) -> Line | None:
        """The line for a current mount, or the first."""
        return next(iter(self.lines), None)

    @property
    def fstab(self) -> str:
        """The path of fstab."""
        return str(self.environment.fstab)


def look_at_filesystem(
    device: str, environment: Environment, kinds: Collection[str] = KINDS
) -> ExistingVolume:
    """Inspect the only filesystem, or other content of these kinds, on a partition or whole drive. Raises
    BadInput if there is none or it is unreadable."""
    node, drive_node = nodes_of(device)
    machine = probe_machine([drive_node])
    (drive,) = machine.drives
    identity = known_identity(machine, drive)
    part = drive.partition(node)
    filesystem, uuid = drive.content_on(node) or ("", "")
    if filesystem not in kinds:
        raise BadInput(no_filesystem(drive, node))
    text = read_text(environment.fstab)
    own, all_mounts = _own_lines(parse(text, str(environment.fstab)), drive, node), _mounts_of(node)
    last = all_mounts[-1].mount_point if all_mounts else ""
    place = own[0].mount_point if own else last
    if (mounted := mounted_from(node, place)) is None:
        place = last
    ext, reserved = None, None
    if filesystem.startswith("ext"):
        with suppress(Failed):
            ext = read_superblock(node)
            reserved = ext.reserved_blocks * ext.block_bytes
        if ext is None and place:
            # Readable without root: free blocks minus those available to users.
            with suppress(OSError):
                status = os.statvfs(place)
                reserved = (status.f_bfree - status.f_bavail) * status.f_frsize
    ahead = sysfs.text(sysfs.folder_of(drive.path) / "queue/read_ahead_kb")
    timer = unit_state(SwitchOnTimer().unit) if environment.is_running_system else None
    return ExistingVolume(
        machine=machine,
        drive=drive,
        identity=identity,
        device=node,
        filesystem=filesystem,
        size_bytes=part.size_bytes if part is not None else drive.size_bytes,
        label=label_on(drive, node) or "",
        uuid=uuid,
        environment=environment,
        fstab_text=text,
        lines=tuple(own),
        mounts=all_mounts,
        mount_point=place or None,
        mounted=mounted.words if mounted else None,
        queue={
            name: value
            for name, value in (("scheduler", drive.scheduler), ("read_ahead_kb", ahead))
            if value is not None
        },
        ext=ext,
        reserved_bytes=reserved,
        trims_weekly={"enabled": True, "disabled": False}.get(timer or ""),
    )


def options_at_boot(drive: Drive, device: str, fstab: Path) -> tuple[str, ...] | None:
    """Return the filesystem's options in fstab, or None if it has no line or fstab is unreadable."""
    return next((line.options for line in lines_at_boot(drive, device, fstab)), None)


def lines_at_boot(drive: Drive, device: str, fstab: Path) -> list[Line]:
    """Return the filesystem's lines in fstab, such as one per subvolume, mounted ones first; empty if
    fstab is unreadable."""
    return _own_lines(readable_lines(fstab), drive, device)


def readable_lines(fstab: Path) -> tuple[Line, ...]:
    """Return all lines of fstab; empty if unreadable."""
    with suppress(BadInput):
        return read_lines(fstab)
    return ()


def _own_lines(lines: Iterable[Line], drive: Drive, node: str) -> list[Line]:
    """Return the lines for the filesystem, by device, tag or mount point."""
    tags, places = _tags_of(drive, node), {mounted.mount_point for mounted in _mounts_of(node)}
    own = (
        line
        for line in lines
        if line.means(node, tags) or (line.names(tags) is None and line.mount_point in places)
    )
    return sorted(own, key=lambda line: line.mount_point not in places)


def _mounts_of(device: str) -> tuple[sysfs.Mounted, ...]:
    return tuple(mounted for mounted in read_mounts() if is_mount_of(mounted, device))


def _tags_of(drive: Drive, device: str) -> Tags:
    return tags_of(drive.signatures_on(device), drive.partition(device))


def nodes_of(device: str) -> tuple[str, str]:
    """Return the nodes of a device and of its drive. Raises BadInput for other paths."""
    node = Path(os.path.realpath(device))
    folder = sysfs.folder_of(str(node))
    if not node.is_block_device() or not folder.exists():
        raise BadInput(
            t(
                "{device} is not an existing block device; name a partition, such as /dev/sdX1. "
                "`diskwright inspect` lists the drives.",
                device=device,
            )
        )
    return str(node), drive_under(device) or str(node)


def drive_of(device: str) -> str:
    """Return the drive that contains a device. Raises BadInput unless it is exactly one drive."""
    drive, *others = drives_under(device)
    if others:
        raise BadInput(
            t(
                "{device} spans {drives:and}, but must be on one drive. Nothing was written.",
                device=device,
                drives=(drive, *others),
            )
        )
    return drive


def location_fault(device: str, drive: str) -> Message | str | None:
    """Return why a device is not the drive, a partition of the drive or a volume on it according to sysfs.
    None if it is, or is missing."""
    folder = sysfs.folder_of(device)
    if device == drive or (folder / "partition").exists() or not Path(device).is_block_device():
        return node_fault(device, drive)
    try:
        found = drive_of(device)
    except BadInput as error:
        return str(error)
    return None if found == drive else t("{device} is on {drive}", device=device, drive=found)


LINE_LEFT = Sentence("Line {line} of {file} names {source}, which is lost. {remedy}")
LINE_STOPS = Sentence(
    "Line {line} of {file} names {source}, which is lost. The line lacks nofail, "
    "so the next boot may stop there. {remedy}"
)
LINE_OVERWRITES = Sentence(
    "Line {line} of {file} overwrites {source} at every boot. The result of this "
    "plan may be lost there. {remedy}"
)
TAKE_IT_OUT = t("Remove that line first.")
RESUMES = t("Update the initramfs and the boot loader, or the next boot waits for this device.")

RESUME = "initramfs-tools/conf.d/resume"
"""Where initramfs-tools is told which swap contains a hibernated system, in /etc."""

OF_WHAT_IS_LOST = ("UUID=", "LABEL=")
"""Tags that disappear with the old filesystem, so such lines never match a new volume."""

HARM = (LINE_OVERWRITES, LINE_STOPS, LINE_LEFT)
"""Warnings about a line, most dangerous first."""


def with_lines_left(plan: Plan, drives: Sequence[Drive], environment: Environment = ANY) -> Plan:
    """Return the plan with warnings about lines in fstab and crypttab that name volumes the plan destroys.
    Lines that match a new volume, for example by label, are omitted. Read-only."""
    by_path = {drive.path: drive for drive in drives}
    left: list[Message | str] = []
    for member in plan.members:
        if drive := by_path.get(member.drive.path):
            kept = {slot.number for slot in member.before.partitions if slot.kept}
            lost = [part.path for part in drive.partitions if part.number not in kept]
            for device in lost if kept else (drive.path, *lost):
                left += _warnings(plan, drive, device, environment)
    return replace(plan, doubts=(*left, *plan.doubts)) if left else plan


def _warnings(plan: Plan, drive: Drive, device: str, environment: Environment) -> Iterator[Message]:
    labels = frozenset(("LABEL", volume.label) for volume in plan.volumes)
    mounts = lines_at_boot(drive, device, environment.fstab)
    resume = environment.fstab.parent / RESUME
    settings = read_text(resume).split("\n") if resume.exists() else ()
    starts = [entry for _, entry in started_with()] if environment.is_running_system else []
    tags = _tags_of(drive, device)
    opened = openings(drive, device, environment.crypttab)
    tables: tuple[tuple[Path, Sequence[FstabEntry], Message], ...] = (
        (
            environment.fstab,
            [line for line in mounts if not line.names(labels)],
            t("Remove that line first with `diskwright unmount {device} --boot`.", device=device),
        ),
        (environment.crypttab, opened, TAKE_IT_OUT),
        (environment.fstab, _inside(drive, device, opened, environment.fstab), TAKE_IT_OUT),
        (resume, _meant((boot_entry(*one) for one in enumerate(settings, 1)), device, tags), RESUMES),
        (CMDLINE, _meant(starts, device, tags), RESUMES),
    )
    for file, entries, remedy in tables:
        if entries:
            # Of several lines, such as those of subvolumes, report the most dangerous one.
            entry = min(entries, key=lambda one: HARM.index(_sentence_of(one)))
            sentence = _sentence_of(entry)
            yield sentence(line=entry.number, file=file, source=entry.source, remedy=remedy)


def _meant(entries: Iterable[FstabEntry], device: str, tags: Tags) -> list[FstabEntry]:
    return [entry for entry in entries if entry.means(device, tags)]


def _sentence_of(entry: FstabEntry) -> Sentence:
    if entry.overwrites and not entry.source.startswith(OF_WHAT_IS_LOST):
        return LINE_OVERWRITES
    return LINE_STOPS if entry.may_stop else LINE_LEFT


def openings(drive: Drive, device: str, crypttab: Path) -> list[Opening]:
    """Return the lines of crypttab for a device; empty if crypttab is unreadable."""
    tags = _tags_of(drive, device)
    with suppress(BadInput):
        return [line for line in parse_crypttab(read_text(crypttab)) if line.means(device, tags)]
    return []


def _inside(drive: Drive, device: str, openings: Sequence[Opening], fstab: Path) -> list[Line]:
    """Return the lines of fstab for the opened devices of these crypttab lines, and for the logical volumes
    and arrays of this device, by their names."""
    names = [re.escape(f"/dev/mapper/{opening.name}") for opening in openings]
    for mark in drive.signatures_on(device):
        if mark.group:
            # The device mapper joins group and volume with a dash, and doubles dashes in their names.
            mapped = re.escape(mark.group.replace("-", "--"))
            names += [rf"/dev/{re.escape(mark.group)}/.+", rf"/dev/mapper/{mapped}-(?!-).+"]
        elif mark.kind == "linux_raid_member" and mark.label:
            names.append(f"/dev/md/{re.escape(mark.label.rpartition(':')[2])}")
    return [line for line in readable_lines(fstab) if any(re.fullmatch(name, line.source) for name in names)]
