"""The file with the key of encrypted volumes: read, and never kept."""

import os
import stat
from pathlib import Path

from wizard.layout.wishes.key import MOST_BYTES, content_fault
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.plan import Plan
from wizard.model.said import t


def key_of(plan: Plan) -> bytes | None:
    """What opens the plan's containers; None where no file does. Raises as `read_key` does."""
    return read_key(Path(plan.key_file)) if plan.key_file else None


def read_key(path: Path) -> bytes:
    """All that is in the file. Raises Refused where it is no file of root's alone, is no key, or cannot be
    read; a link is none."""
    shown = printable(str(path), 200)
    try:
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, "rb") as file:
            kind = os.fstat(opened)
            if not stat.S_ISREG(kind.st_mode):
                raise Refused(t("The key {file} is no file.", file=shown))
            if kind.st_uid != 0 or kind.st_mode & 0o077:
                mode = f"{stat.S_IMODE(kind.st_mode):o}"
                raise Refused(
                    t(
                        "The key {file} belongs to {uid} with mode {mode}; it has to be root's, and "
                        "readable by nobody else.",
                        file=shown,
                        uid=kind.st_uid,
                        mode=mode,
                    )
                )
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(
            t("The key {file} cannot be read: {why}.", file=shown, why=error.strerror or "")
        ) from None
    if fault := content_fault(content):
        raise Refused(t("The key {file} {fault}.", file=shown, fault=fault))
    return content
