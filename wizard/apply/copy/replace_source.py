"""Plan how the target replaces the source in fstab."""

import os
from pathlib import Path

from wizard.apply.copy.places import device_of, refused, shown
from wizard.apply.run.backup_store import Environment
from wizard.apply.settings.existing_filesystem import look_at_filesystem
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import NO_FSTAB, Line, check_writable, conflict, parse
from wizard.apply.system.mounts import mounted_at
from wizard.apply.tree.entry import attribute_names
from wizard.apply.tree.manifest import open_folder
from wizard.filesystems.registry import KINDS
from wizard.model.said import Sentence, t
from wizard.operations.mounts import Top
from wizard.plan.changes import BringFrom, BringTo, TakePlace
from wizard.plan.copy import OF_THE_PLACE, place_edit, takes_fault
from wizard.plan.settings.possible import line_of


def taken_place(source: BringFrom, to: BringTo, environment: Environment) -> TakePlace:
    """Return how the target replaces the source. Raises Refused if it cannot, BadInput if fstab or a device
    cannot be read."""
    if not source.is_device and (fault := takes_fault(source.path)) is not None:
        raise refused(t("{why}. The copy cannot replace the source.", why=fault))
    mounted = None if source.is_device else mounted_at(source.path)
    device = device_of(mounted) if mounted else None
    if mounted is None or device is None:
        raise refused(
            t(
                "{source} is not the mount point of a filesystem on a drive. Only a mount "
                "point can be replaced.",
                source=shown(source.path),
            )
        )
    if to.folder != to.place or to.makes:
        raise refused(
            t(
                "{folder} is not the top folder of its volume. Only a copy to {place} itself "
                "can replace a mount point.",
                folder=shown(to.folder),
                place=shown(to.place),
            )
        )
    if not KINDS[to.filesystem].holds.owners:
        raise refused(
            t(
                "{title} does not store owners, so the copy cannot replace {place}.",
                title=KINDS[to.filesystem].title,
                place=shown(source.path),
            )
        )
    file = environment.fstab
    check_writable(file, NO_FSTAB)
    text = read_text(file)
    lines = parse(text, str(file))
    old = _old_line(lines, source.path, file)
    own, line = _own_line(lines, text, old, source.path, to, environment)
    edit = place_edit(str(file), text, old.number, own, line)
    return TakePlace(source.path, device, source.uuid, edit, _read_top(Path(to.folder)))


def _old_line(lines: tuple[Line, ...], place: str, file: Path) -> Line:
    """Return the only line of fstab for the source's mount point."""
    found = [line for line in lines if line.mount_point.rstrip("/") == place]
    if len(found) != 1:
        fault = (
            Sentence("{file} has several lines for {place}.")
            if found
            else Sentence("{file} has no line for {place}, so the way it is mounted at boot is unknown.")
        )
        raise refused(fault(file=str(file), place=shown(place)))
    if {"bind", "rbind"}.intersection(found[0].options):
        raise refused(t("{place} is a bind mount of another folder.", place=shown(place)))
    return found[0]


def _own_line(
    lines: tuple[Line, ...], text: str, old: Line, place: str, to: BringTo, environment: Environment
) -> tuple[int | None, str]:
    """Return number and text of the target's line in fstab, or None and the text of a new line."""
    target = look_at_filesystem(to.device, environment)
    own = next((line for line in target.lines if line.mount_point.rstrip("/") == to.place), None)
    if own is not None:
        return own.number, text.split("\n")[own.number - 1]
    if not target.uuid:
        raise refused(t("The filesystem on {device} has no UUID for fstab.", device=to.device))
    mounted = mounted_at(to.place)
    assert mounted is not None, "it was looked at"
    if mounted.root != "/":
        raise refused(
            t(
                "{place} is only part of the filesystem on {device}, and fstab has no line for {place}.",
                device=to.device,
                place=shown(to.place),
            )
        )
    options = [one for one in OF_THE_PLACE if one in old.options] or ["defaults"]
    line = line_of(target.uuid, place, target.existing.filesystem, mounted.type, options)
    others = tuple(one for one in lines if one is not old)
    if found := conflict(others, line):
        raise refused(
            t(
                "{file} already has a conflicting line: {conflict}.",
                file=str(environment.fstab),
                conflict=found,
            )
        )
    return None, line.line


def _read_top(folder: Path) -> Top:
    with open_folder(folder) as fd:
        status = os.fstat(fd)
        pairs = tuple((name, os.getxattr(fd, name).hex()) for name in attribute_names(fd))
        return Top(status.st_uid, status.st_gid, status.st_mode & 0o7777, pairs)


def restore_top(there: int, top: Top) -> None:
    """Restore owner, mode and attributes of the target's top folder. Raises OSError."""
    os.fchown(there, top.owner, top.group)
    os.fchmod(there, top.mode)
    old = dict(top.attributes)
    for name in attribute_names(there):
        if name not in old:
            os.removexattr(there, name)
    for name, value in old.items():
        if os.getxattr(there, name).hex() != value:
            os.setxattr(there, name, bytes.fromhex(value))
