"""Folders that a plain user names and root writes to."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from wizard.model.errors import Refused
from wizard.model.names import printable


@dataclass(frozen=True, slots=True)
class Purpose:
    """What the folder is for, as the beginning of the sentence that refuses it, and what names another."""

    begins: str
    by: str = ""


JOURNAL = Purpose("The journal is not kept", " with --journal DIR")
ROOM = Purpose("What is replaced is not kept")


def of_root_alone(named: str, purpose: Purpose = JOURNAL) -> Path:
    """The folder that a plain user named; raises Refused where anybody but root could put another in its
    place.

    A run is carried out from the plan that lies in its folder, and taken back by what was kept of its
    filesystem: whoever could exchange that would choose what root writes, and where.
    """
    folder = Path(named)
    try:
        there = next((above for above in (folder, *folder.parents) if os.path.lexists(above)), Path())
        real = folder.is_absolute() and ".." not in folder.parts and b"\0" not in os.fsencode(named)
        safe = real and Path(os.path.realpath(there)) == there
        safe = safe and all(_is_roots(above, shared=above != there) for above in (there, *there.parents))
    except (OSError, ValueError):
        safe = False
    if not safe:
        raise Refused(
            f"{purpose.begins} in {printable(named, 200)}: others than root could put another folder in its "
            "place, or it is not named by its real path. Nothing was written. Name a folder that is root's "
            f"alone{purpose.by}."
        )
    return folder


def _is_roots(folder: Path, *, shared: bool) -> bool:
    """Whether only root can exchange what lies in it; in a `shared` one with the sticky bit, as /tmp, root's
    things stay root's too."""
    status = folder.lstat()
    open_to_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (
        shared and status.st_mode & stat.S_ISVTX
    )
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid()) and not open_to_others
