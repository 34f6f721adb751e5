"""Where volumes are mounted of which nobody says where, and which folders there are taken."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from wizard.apply.run.environment import OWN_FSTAB
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.apply.system.mounts import read_mounts
from wizard.layout.wishes.using import PLACES
from wizard.model.errors import BadInput


def usual_places() -> str:
    """The folder below which they are mounted: $DISKWRIGHT_PLACES, or /srv; where that is a link, what it
    leads to, as the kernel would list it."""
    return str(Path(os.environ.get("DISKWRIGHT_PLACES") or PLACES).resolve())


def taken_places(places: str, fstab: Path = OWN_FSTAB) -> frozenset[str]:
    """Every folder that something is mounted at, now or at boot, and whatever in `places` is more than an
    empty folder. Only looks; what cannot be read is left to the checks before a run."""
    listed: set[str] = set()
    with suppress(BadInput, OSError):
        listed = {line.mount_point for line in parse(read_text(fstab), str(fstab))}
    return frozenset({*listed, *(one.mount_point for one in read_mounts()), *_holding(Path(places))})


def fixed_fstab(fstab: Path = OWN_FSTAB) -> str:
    """The file of mounts at boot where it lies on a read-only filesystem, as in NixOS's store; else empty."""
    real = fstab.resolve()
    try:
        return str(fstab) if os.statvfs(real.parent).f_flag & os.ST_RDONLY else ""
    except OSError:
        return ""


def _holding(places: Path) -> Iterator[str]:
    try:
        found = sorted(places.iterdir())
    except OSError:
        return
    for entry in found:
        try:
            free = entry.is_dir() and not entry.is_symlink() and not any(entry.iterdir())
        except OSError:
            free = False
        if not free:
            yield str(entry)
