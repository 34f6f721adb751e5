"""Plan the changes that an action needs on an existing filesystem or drive. Read-only."""

from collections.abc import Sequence
from functools import singledispatch
from itertools import count
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from msgspec.structs import replace

from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.block.devices import IN_USE, devices_with, open_exclusively
from wizard.apply.plan.guard import check_mount_point
from wizard.apply.resize import resized
from wizard.apply.run.backup_store import Environment
from wizard.apply.run.process import refused, udev_runs
from wizard.apply.settings import guard
from wizard.apply.settings.existing_filesystem import (
    ExistingVolume,
    look_at_filesystem,
    nodes_of,
)
from wizard.apply.settings.system import read_top
from wizard.apply.settings.tune import set_options, tuned
from wizard.apply.steps.step_context import asked
from wizard.apply.system import fstab, mounts
from wizard.apply.system.edited_file import read_text
from wizard.filesystems.kind import UUID_TABLES, WRITTEN_UUIDS
from wizard.filesystems.registry import KINDS, MADE
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model import requests
from wizard.model.errors import BadInput, Refused
from wizard.model.layout import ARRAY_LINKS, Writer
from wizard.model.machine import Drive, Machine
from wizard.model.said import Message, Sentence, t
from wizard.operations import rules
from wizard.operations.filesystem import GrowMounted
from wizard.operations.fstab import LineEdit, by_label, edit_of, with_source
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import REMOUNTED, ChangeOwner, Mount, Unmount, fstab_line
from wizard.operations.operation import AS_SENTENCE, Setting
from wizard.operations.settings import PowerOff, Relabel
from wizard.operations.table import ExtendPartition
from wizard.plan import dangers
from wizard.plan.changes import Changes, Planned, changes_of
from wizard.plan.partition.moves import NO_PARTITION
from wizard.plan.partition.possible import room_behind, why_not_grow_mounted
from wizard.plan.request.using import free_place, owner_options
from wizard.plan.settings import possible
from wizard.plan.settings.release import OTHER_LAYER, plan_release
from wizard.probe.content.layers import STOPPED
from wizard.probe.host import sysfs
from wizard.probe.host.sysfs import text
from wizard.probe.machine import list_drive_paths, probe_machine
from wizard.process.program import run

NOT_FOR_MOUNT = frozenset({"seclabel"})
"""Options that the kernel lists but mount(8) rejects."""

AS_REQUESTED = Sentence("{device} is already as requested.")


def act(device: str, wanted: requests.Wanted, environment: Environment) -> Changes:
    """Plan the changes for an action on a device. Raises Refused, with the reason, if it is not possible, and
    BadInput if the device is unreadable."""
    if isinstance(wanted, requests.SwitchOff | requests.Release):
        return _for_drive(device, wanted)
    kinds = KINDS.keys() | (WRITTEN_UUIDS if isinstance(wanted, requests.NewUuid) else ())
    changes = changes_to(look_at_filesystem(device, environment, kinds), wanted)
    if not changes.steps:
        raise Refused(
            t("No known change would suit {device} better for this workload.", device=changes.device)
        )
    return changes


def changes_to(used: ExistingVolume, wanted: requests.Wanted) -> Changes:
    """Plan the changes of an existing filesystem, without steps if no setting would suit a workload better.
    Raises as `act` does."""
    planned = tuple(_planned(wanted, used))
    forgotten = dangers.forgotten_doubts(used.machine, (one for one in planned if isinstance(one, Setting)))
    place = (used.device, used.filesystem, used.uuid)
    return guard.checked(changes_of(used.identity, place, wanted, (*planned, *forgotten)))


@singledispatch
def _planned(wanted: requests.Wanted, used: ExistingVolume) -> Planned:
    raise NotImplementedError


def _refuse(reason: Message | None) -> None:
    if reason is not None:
        raise refused(reason)


@_planned.register
def _tune(wanted: requests.Tune, used: ExistingVolume) -> Planned:
    profile = find_workload(wanted.workload)
    recording = diagnose(used.machine, used.drive, load_patterns()).recording
    advice = advise(used.machine, used.drive, recording, profile, size_bytes=used.size_bytes)
    choice = advice.choice(used.filesystem)
    if choice is None:
        title = KINDS[used.filesystem].title
        raise BadInput(possible.NOT_ADVISED(device=used.device, filesystem=title))
    yield from tuned(used, choice, root=profile.root)
    if wanted.owner is not None:
        if not used.mounts:
            _refuse(possible.NOT_MOUNTED(device=used.device))
        mounted = used.mounts[-1]
        yield from _owner_change(used, mounted.mount_point, mounted.filesystem, wanted.owner)


@_planned.register
def _relabel(wanted: requests.SetLabel, used: ExistingVolume) -> Planned:
    device, filesystem, label = used.device, used.filesystem, wanted.label
    _refuse(possible.why_not_relabel(used.drive, device))
    if label == used.label:
        _refuse(AS_REQUESTED(device=device))
    if fault := rules.label_fault_of(label, filesystem):
        _refuse(t("The label '{label}' {fault}.", label=label, fault=fault))
    if fault := rules.old_label_fault(used.label, filesystem):
        _refuse(
            t(
                "The current label '{label}' {fault}, so undo could not restore this label.",
                label=used.label,
                fault=fault,
            )
        )
    for line in fstab.parse(used.fstab_text, used.fstab):
        if line.names(frozenset({("LABEL", label)})):
            _refuse(
                t(
                    "Line {number} of {file} mounts another filesystem by the label '{label}'.",
                    number=line.number,
                    file=used.fstab,
                    label=label,
                )
            )
    old_tag = frozenset({("LABEL", used.label)} if used.label else ())
    if word := next((word for word, entry in fstab.started_with() if entry.names(old_tag)), None):
        _refuse(
            t(
                "The kernel was started with {word}. Make the boot loader name the filesystem by UUID first.",
                word=word,
            )
        )
    if used.label and any(use.kind == "running-system" and use.subject == device for use in used.drive.uses):
        yield t(
            "The system boots from {device}: make sure that the boot loader does not use the old label.",
            device=device,
        )
    part = used.drive.partition(device)
    if used.label and part is not None and part.name == used.label:
        yield t("The partition name in the table remains '{name}', the old label.", name=used.label)
    place = next((one.mount_point for one in reversed(used.mounts)), "")
    yield Relabel(device, filesystem, place, used.label, label)
    yield from _edited(used, [line for line in used.lines if line.names(old_tag)], by_label(label))


@_planned.register
def _set_uuid(wanted: requests.NewUuid, used: ExistingVolume) -> Planned:
    """Plan a UUID that no other device has. The plan is the same each time, so the token confirms what was
    shown."""
    device, filesystem = used.device, used.filesystem
    _refuse(possible.why_not_relabel(used.drive, device, uuid=True))
    if not used.uuid:
        _refuse(possible.NO_UUID(device=device))
    if filesystem in WRITTEN_UUIDS:
        yield from _written_uuids(used)
        return
    if filesystem == "btrfs":
        if resized.number_in(run((*resized.BTRFS_SUPERBLOCK, device)).output, "num_devices") > 1:
            _refuse(t("The Btrfs on {device} has several devices.", device=device))
        yield t("To undo, detach the other copies first: btrfstune refuses a UUID in use.")
    seed = f"{used.uuid} {device} {used.identity.token}"
    drawn = (KINDS[filesystem].uuid_of(str(uuid5(NAMESPACE_OID, f"{seed} {n}"))) for n in count())
    new = next(uuid for uuid in drawn if not devices_with(uuid))
    yield from _old_lines(used.environment, frozenset({("UUID", used.uuid)}))
    yield Relabel(device, filesystem, "", used.uuid, new, "uuid")


def _old_lines(environment: Environment, tags: fstab.Tags) -> Planned:
    file, other = environment.fstab, environment.crypttab
    entries: tuple[tuple[Path, Sequence[fstab.FstabEntry]], ...] = (
        (file, fstab.read_lines(file)),
        (other, fstab.parse_crypttab(read_text(other))),
    )
    for path, found in entries:
        for entry in found:
            if entry.names(tags):
                yield t("Line {line} of {file} names the old UUID.", line=entry.number, file=path)


def _written_uuids(used: ExistingVolume) -> Planned:
    """Plan other UUIDs of a partition table or LUKS header."""
    device, kind, drive = used.device, used.filesystem, used.drive
    parts = [(part.path, part.part_uuid or "") for part in drive.partitions if part.part_uuid]

    def drawn(device: str, old: str) -> str:
        return str(uuid5(NAMESPACE_OID, f"{old} {device} {used.identity.token}"))

    guids = tuple((part, old, drawn(part, old)) for part, old in parts if kind in UUID_TABLES - {"mbr"})
    yield Relabel(device, kind, "", used.uuid, drawn(device, used.uuid)[: len(used.uuid)], "uuid", guids)
    tags = {("PARTUUID", old) for _, old in parts} if kind in UUID_TABLES else {("UUID", used.uuid)}
    yield from _old_lines(used.environment, frozenset(tags))
    if kind in UUID_TABLES:
        yield t("UEFI entries and Windows that name an old UUID no longer start from {drive}.", drive=device)


def _edited(used: ExistingVolume, lines: Sequence[fstab.Line], source: str | None = None) -> Planned:
    """Plan another source for lines of fstab, or to delete them."""
    edits = [
        LineEdit(line.number, line.text, with_source(line.text, source) if source else None)
        for line in sorted(lines, key=lambda line: line.number)
    ]
    if edits:
        yield edit_of(used.fstab, used.fstab_text, *edits)


@_planned.register
def _mount(wanted: requests.Attach, used: ExistingVolume) -> Planned:
    device, kind = used.device, KINDS[used.filesystem]
    _refuse(possible.why_not_mount(used.machine, used.drive, device, boot=wanted.boot))
    _check_options(wanted.options, used.filesystem)
    name = possible.driver_of(used.machine, kind)
    assert name is not None, kind.name
    line = used.line
    place, options = _place_and_options(used, wanted, line)
    operations: list[Setting | Message | str] = []
    if not used.mounts:
        if used.drive.read_only and "ro" not in options:
            _refuse(possible.READ_ONLY(drive=used.drive.path))
        check_mount_point(Path(place))
        operations.append(Mount(device, place, name, options))
    if wanted.owner is not None and ((kind.name in MADE and MADE[kind.name].holds.owners) or not operations):
        operations += _owner_change(used, place, name, wanted.owner)
    if wanted.boot and line is None:
        operations.append(_with_line(used, place, name, options))
    if not operations:
        _refuse(AS_REQUESTED(device=device))
    return iter(operations)


def _owner_change(used: ExistingVolume, place: str, name: str, owner: Writer) -> Planned:
    """Plan to change the owner of the top folder at a place, if different. Raises Refused if impossible,
    and Failed if the folder is unreadable."""
    device = used.device
    if used.filesystem not in MADE or not MADE[used.filesystem].holds.owners:
        title = KINDS[used.filesystem].title
        _refuse(t("{title} stores no owners. Mount with the options uid= and gid= instead.", title=title))
    _check_mount_point(place)
    if used.filesystem == "btrfs" and not used.mounts:
        _refuse(t("Mount {device} before changing the owner: it can have subvolumes.", device=device))
    old = read_top(device, place, name)
    new = old.writable_by(owner)
    if new != old:
        yield ChangeOwner(device, place, name, old, new)


def _place_and_options(
    used: ExistingVolume, wanted: requests.Attach, line: fstab.Line | None
) -> tuple[str, tuple[str, ...]]:
    """Return the place and options to mount with: from fstab, the existing mount, or the request."""
    device = used.device
    if line is not None:
        if wanted.place not in (None, line.mount_point) or wanted.options:
            _refuse(
                t(
                    "{file} mounts {device} at {place} with its own options; omit --at and options.",
                    file=used.fstab,
                    device=device,
                    place=line.mount_point,
                )
            )
        options = (
            one for one in line.options if one not in mounts.NOT_THE_KERNELS and not one.startswith("x-")
        )
        return line.mount_point, tuple(options)
    mounted_at = used.mount_point
    if mounted_at is not None:
        if wanted.place not in (None, mounted_at):
            _refuse(possible.MOUNTED(device=device, places=(mounted_at,)))
        return mounted_at, wanted.options
    kind, places = KINDS[used.filesystem].name, mounts.usual_places()
    if wanted.place is None and (
        not used.label or "/" in used.label or rules.mount_point_fault(f"{places}/{used.label}")
    ):
        _refuse(
            t(
                "{device} has no label usable as a folder name in /srv; choose a folder with --at.",
                device=device,
            )
        )
    place = wanted.place or free_place(places, used.label, mounts.taken_places(places, Path(used.fstab)))
    _check_mount_point(place)
    return place, (*wanted.options, *owner_options(kind, wanted.writer, wanted.options))


def _check_mount_point(place: str) -> None:
    if fault := rules.mount_point_fault(place):
        _refuse(rules.NAME_PLACE(place=place, fault=fault))


def _with_line(used: ExistingVolume, place: str, name: str, options: Sequence[str]) -> Setting:
    if not used.uuid:
        _refuse(
            t(
                "{device} has no UUID for a line in {file}; mount with --once.",
                device=used.device,
                file=used.fstab,
            )
        )
    with_nofail = tuple(dict.fromkeys((*options, "nofail")))
    wanted = fstab_line(used.uuid, place, used.filesystem, name, with_nofail)
    if taken := fstab.conflict(fstab.parse(used.fstab_text, used.fstab), wanted):
        _refuse(t("{file}, {conflict}. Remove that line first.", file=used.fstab, conflict=taken))
    return edit_of(used.fstab, used.fstab_text, LineEdit(0, None, wanted.line))


@_planned.register
def _unmount_all(wanted: requests.Detach, used: ExistingVolume) -> Planned:
    device, boot = used.device, wanted.boot
    _refuse(possible.why_not_unmount(used.drive, device, boot=boot))
    lines = used.lines if boot else ()
    if not used.mounts and not lines:
        _refuse((possible.NOT_MOUNTED if boot else possible.HIDDEN)(device=device))
    yield from (_unmount(device, mounted) for mounted in reversed(used.mounts))
    yield from _edited(used, lines)


def _unmount(device: str, mounted: sysfs.Mounted) -> Unmount:
    """Plan to unmount. Raises Refused if the mount is in use or could not be restored."""
    if mounted.root != "/" and mounted.filesystem != "btrfs":
        _refuse(
            t(
                "Only a folder of {device} is mounted at {place}; unmount it with umount.",
                device=device,
                place=mounted.mount_point,
            )
        )
    mounts.check_unused(mounted.mount_point)
    further = (
        () if mounted.type != mounted.filesystem else sorted(mounted.options - {*mounted.own} - NOT_FOR_MOUNT)
    )
    # A mount is read-only if the mount or the superblock is.
    own = [word for word in mounted.own if word != "rw" or "ro" not in further]
    return Unmount(
        device, mounted.mount_point, mounted.type, (*own, *(word for word in further if word != "rw"))
    )


@_planned.register
def _change_options(wanted: requests.SetOptions, used: ExistingVolume) -> Planned:
    line = used.line
    _refuse(possible.why_not_remount(used.drive, used.device, has_line=line is not None, fstab=used.fstab))
    assert line is not None
    kept = line.options
    prefixes = ("subvol=", "subvolid=")
    subvolume = tuple(one for one in kept if one.startswith(prefixes))
    # The fourth field of fstab cannot be empty (fstab(5)).
    options = tuple(dict.fromkeys((*wanted.options, *subvolume))) or ("defaults",)
    if {one for one in options if one.startswith(prefixes)} != {*subvolume}:
        _refuse(t("An option cannot select another subvolume here."))
    _check_options(tuple(one for one in options if one not in kept), used.filesystem)
    if options == kept:
        _refuse(AS_REQUESTED(device=used.device))
    planned = tuple(set_options(used, options, REMOUNTED))
    if not any(isinstance(one, Setting) for one in planned):
        raise refused(" ".join(map(str, planned)))
    return iter(planned)


@_planned.register
def _grow(wanted: requests.Grow, used: ExistingVolume) -> Planned:
    """Grow into the free space after the partition. Without any, the filesystem may still not fill its
    partition."""
    device, drive = used.device, used.drive
    part = drive.partition(device)
    if part is None:
        raise refused(NO_PARTITION(device=device))
    if not used.mounts:
        _refuse(t("{device} is not mounted: rehearse with `diskwright plan {device} --grow`.", device=device))
    _refuse(why_not_grow_mounted(drive, part))
    mounted = used.mounts[-1]
    if "ro" in {*mounted.words, *mounted.own}:
        _refuse(possible.READ_ONLY(drive=mounted.mount_point))
    held_bytes, member = resized.held_in_use(used.filesystem, device, mounted.mount_point)
    room = room_behind(drive, part)
    if not room and resized.is_filled(held_bytes, part.size_bytes):
        _refuse(t("No free space directly after {part}.", part=device))
    new_bytes = part.size_bytes + room
    if room:
        yield ExtendPartition(drive.path, part.number, part.start_bytes, part.size_bytes, new_bytes)
        if drive.table and drive.table.backup == "misplaced":
            yield dangers.BACKUP_MOVES(drive=drive.path)
    place, kind = mounted.mount_point, used.filesystem
    yield GrowMounted(device, kind, place, held_bytes, new_bytes, member)
    yield t(
        "This change is not rehearsed: the kernel grows the filesystem directly. "
        "Unmount the filesystem to rehearse."
    )


def _check_options(options: tuple[str, ...], filesystem: str) -> None:
    if fault := rules.mount_options_fault(options):
        _refuse(AS_SENTENCE(clause=fault))
    kind = KINDS[filesystem].relabelling
    for danger in sorted(rules.dangers_in(options, kind.rules if kind and kind.rules else filesystem)):
        _refuse(t("{option} puts data at risk.", option=danger))


def _for_drive(device: str, wanted: requests.SwitchOff | requests.Release) -> Changes:
    node, drive_node = nodes_of(device)
    if node != drive_node:
        _refuse(t("{device} is a partition; name the drive, {drive}.", device=node, drive=drive_node))
    releases = isinstance(wanted, requests.Release)
    # A group can use other drives.
    machine = probe_machine(tuple(dict.fromkeys((node, *(list_drive_paths() if releases else ())))))
    drive = machine.drives[0]
    planned = tuple(_release(machine, drive) if releases else _switch_off(drive))
    return changes_of(dangers.known_identity(machine, drive), (node, "", ""), wanted, planned)


def _switch_off(drive: Drive) -> Planned:
    _refuse(possible.why_not_power_off(drive))
    files = _removal_files(drive)
    if not files:
        _refuse(t("The kernel cannot power off {drive}.", drive=drive.path))
    for mounted in reversed(mounts.read_mounts()):
        for device in drive.nodes:
            if mounts.is_mount_of(mounted, device):
                yield _unmount(device, mounted)
    yield PowerOff(drive.path, files)


def _release(machine: Machine, drive: Drive) -> Planned:
    """Plan to stop everything on a drive."""
    try:
        operations, tops = plan_release(machine, drive)
    except Refused as error:
        raise refused(error) from None
    for top in tops:
        if reason := open_exclusively(top):
            _refuse(IN_USE(device=top, why=reason))
    stops = [_as_running(operation) for operation in operations]
    yield from stops
    if any(one.layer == "lvm" or (one.layer, one.state) == ("md", "active") for one in stops):
        yield t("md and LVM save their state on the drive when stopped. Files do not change.")


def _as_running(operation: StopLayer) -> StopLayer:
    """Return the operation with what undo must restore. Raises Refused."""
    if operation.layer == "lvm":
        found = asked("lvs", ("lv_name", "lv_active"), operation.device, run)
        names = (f"{operation.device}/{row['lv_name']}" for row in found if row.get("lv_active"))
        return replace(operation, volumes=tuple(names))
    if operation.layer == "luks":
        return operation
    folder = sysfs.folder_of(operation.device) / "md"
    if (text(folder / "metadata_version") or "").startswith("external"):
        _refuse(OTHER_LAYER(layer=operation.device, below=" and ".join(operation.members)))
    if (action := text(folder / "sync_action")) not in (None, "idle"):
        _refuse(IN_USE(device=operation.device, why=action))
    state = text(folder / "array_state")
    if state in STOPPED:
        return replace(operation, state="inactive")
    # Without udev, mdadm gives an array started by name another number while its old node exists.
    links = (one for one in sorted(Path(ARRAY_LINKS).glob("*")) if one.is_symlink() and udev_runs())
    names = (str(one) for one in links if str(one.resolve()) == operation.device)
    name = next(filter(rules.is_device_path, names), "")
    now = "read-only" if state in ("readonly", "read-auto") else "active"
    return replace(operation, name=name, state=now)


def _removal_files(drive: Drive) -> tuple[str, ...]:
    """Return the sysfs files that remove the drive and, if no other drive is on it, its USB port. Same method
    as udisks2."""
    entry = sysfs.folder_of(drive.path)
    delete = entry / "device/delete"
    if not delete.exists():
        return ()
    real = entry.resolve()
    port = next((above for above in real.parents if (above / "idVendor").exists()), None)
    if port is None or not (port / "remove").exists():
        return (str(delete),)
    all_devices = filter(None, map(sysfs.target, entry.parent.iterdir()))
    is_only_drive = all(one.is_relative_to(real) for one in all_devices if one.is_relative_to(port))
    return (str(delete), *([str(port / "remove")] if is_only_drive else []))
