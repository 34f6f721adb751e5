"""Who can write to what was just mounted: a filesystem that exists keeps its owners, so they are read."""

import grp
import os
import pwd
import shlex
import stat
from contextlib import suppress
from pathlib import Path

from wizard.apply.block.devices import kernel_name
from wizard.apply.words import READY
from wizard.layout.words import who
from wizard.model.documents.changes import Attach, Changes
from wizard.model.names import printable
from wizard.model.operations.writer import EVERYONE, ROOT, Writer
from wizard.model.plan import Mount
from wizard.model.said import Said, t
from wizard.model.units import KERNEL_SECTOR_BYTES


def ready_said(changes: Changes) -> tuple[Said, ...]:
    """How large what the changes mounted is, where, and who may write there; then how whoever asked for it
    could come to write, where only root can. Nothing where nothing was mounted, or it cannot be looked at.
    """
    steps = (step.operation for step in changes.steps)
    mount = next((one for one in steps if isinstance(one, Mount)), None)
    if mount is None or not isinstance(changes.wanted, Attach) or not Path(mount.mount_point).is_mount():
        return ()
    place, shown = mount.mount_point, printable(mount.mount_point, 200)
    try:
        size = _size_bytes(mount.device)
        read_only = bool(os.statvfs(place).f_flag & os.ST_RDONLY)
        writer = writer_of(Path(place).stat())
    except (OSError, ValueError):
        return ()
    if read_only:
        return (t("{size:size} ready at {places:and}, read-only.", size=size, places=(shown,)),)
    ready = READY(size=size, places=(shown,), who=who(writer))
    asked = changes.wanted.writer
    if writer != ROOT or asked.kind != "person":
        return (ready,)
    command = shlex.join(("sudo", "chown", printable(asked.name, 60), shown))
    return ready, t(
        "Its owner stays as it was. To let {who} write there: {command}", who=who(asked), command=command
    )


def writer_of(top: os.stat_result) -> Writer:
    """Who besides root may write to a folder, by its owner and its permissions."""
    if top.st_mode & stat.S_IWOTH:
        return EVERYONE
    if top.st_uid and top.st_mode & stat.S_IWUSR:
        name = str(top.st_uid)
        with suppress(KeyError):
            name = pwd.getpwuid(top.st_uid).pw_name
        return Writer("person", name, top.st_uid, top.st_gid)
    if top.st_gid and top.st_mode & stat.S_IWGRP:
        name = str(top.st_gid)
        with suppress(KeyError):
            name = grp.getgrgid(top.st_gid).gr_name
        return Writer("group", name, 0, top.st_gid)
    return ROOT


def _size_bytes(device: str) -> int:
    """Of a device, as the kernel has it; nobody needs to be root for that."""
    sectors = Path("/sys/class/block", kernel_name(device), "size").read_text("ascii")
    return int(sectors) * KERNEL_SECTOR_BYTES
