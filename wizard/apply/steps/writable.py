"""Whether those a volume was made for can write to it: tried as them, in a process of its own."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from wizard.apply.system.mounts import is_mounted
from wizard.layout.words import CAN_WRITE, who
from wizard.model.journal import Check
from wizard.model.names import printable
from wizard.model.operations.writer import Writer
from wizard.model.plan import Mount, Plan
from wizard.model.said import t

NOBODY = 65534
"""The uid and gid of whoever has no rights of their own (nobody, in every distribution)."""

UNKNOWN = 255


def writer_checks(plan: Plan, mount: Mount) -> Iterator[Check]:
    """That those who may write to what this mounts can; nothing where only root may, or it is read-only."""
    volume = next((volume for volume in plan.volumes if volume.path == mount.device), None)
    if volume is None or volume.writer.kind == "root" or "ro" in mount.options:
        return
    fault = (
        write_fault(Path(mount.mount_point), volume.writer)
        if is_mounted(mount)
        else str(t("it is not mounted there"))
    )
    what = CAN_WRITE(who=who(volume.writer), place=printable(mount.mount_point, 200))
    yield Check(str(what), not fault, fault or str(t("a file was written and deleted")))


def write_fault(folder: Path, writer: Writer) -> str:
    """Why the writer cannot write and delete a file in the folder, in the system's words; empty where they
    can. Needs root."""
    file = folder / f".diskwright-{uuid4()}"
    if not (child := os.fork()):
        code = UNKNOWN
        try:
            code = _try_as(writer, file)
        finally:
            # Nothing of what the run has begun is this process's to end.
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return os.strerror(code) if code else ""


def _try_as(writer: Writer, file: Path) -> int:
    """Become the writer for good, write and delete; 0, or the number of the error. A group's is nobody but
    for the group."""
    person = writer.kind == "person"
    try:
        os.setgroups([writer.gid] if writer.kind == "group" else [])
        os.setgid(writer.gid if person else NOBODY)
        os.setuid(writer.uid if person else NOBODY)
        made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        os.write(made, b"written to see that it can be\n")
        os.close(made)
        file.unlink()
    except OSError as error:
        return error.errno or UNKNOWN
    return 0
