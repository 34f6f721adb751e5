"""Folders that a plain user names and root writes to."""

import os
import stat
from pathlib import Path

from wizard.apply.root import words
from wizard.model.errors import Refused
from wizard.model.names import printable
from wizard.model.said import Sentence


def of_root_alone(named: str, refusal: Sentence = words.OPEN_JOURNAL) -> Path:
    """The folder that a plain user named; raises Refused, with the `refusal` for what it is for, where
    anybody but root could put another in its place.

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
        raise Refused(refusal(folder=printable(named, 200)))
    return folder


def _is_roots(folder: Path, *, shared: bool) -> bool:
    """Whether only root can exchange what lies in it; in a `shared` one with the sticky bit, as /tmp, root's
    things stay root's too."""
    status = folder.lstat()
    open_to_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not (
        shared and status.st_mode & stat.S_ISVTX
    )
    return stat.S_ISDIR(status.st_mode) and status.st_uid in (0, os.geteuid()) and not open_to_others
