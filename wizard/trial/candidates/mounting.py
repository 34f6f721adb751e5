"""Mounting where nobody else sees it: in a mount namespace of this process's own, which goes with it."""

import ctypes
import errno
import os
from contextlib import suppress
from pathlib import Path
from time import sleep

from wizard.model.errors import Failed
from wizard.model.said import Sentence, t
from wizard.tools.program import run

NOT_UNMOUNTED = Sentence("A candidate could not be unmounted: {why}.")

CLONE_NEWNS = 0x20000
MS_NOSUID, MS_NOEXEC, MS_REC, MS_PRIVATE = 0x2, 0x8, 0x4000, 0x40000
"""From linux/sched.h and linux/mount.h."""

MOUNT_SECONDS = 120.0
UNMOUNT_TRIES = 100
OPENED = Path("/proc/self/fd")


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(answer: int) -> None:
    if answer:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def go_private(place: Path) -> None:
    """From here on this process's mounts are its own, and `place` is a folder in memory that nobody else
    sees. Raises Failed where the kernel refuses."""
    library = _library()
    try:
        _checked(library.unshare(CLONE_NEWNS))
        _checked(library.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC | MS_PRIVATE), None))
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = ctypes.c_ulong(MS_NOSUID | MS_NOEXEC)
        _checked(library.mount(b"diskwright", os.fsencode(place), b"tmpfs", flags, b"mode=0700,size=1m"))
    except OSError as error:
        raise Failed(
            t("The trial cannot mount where nobody else sees it: {why}.", why=str(error.strerror))
        ) from None


def mount(node: Path, place: Path, kernel_name: str, options: tuple[str, ...], lock: int) -> None:
    """Mount it; raises Failed with what mount says."""
    asked = ("-o", ",".join(options)) if options else ()
    argv = ("mount", "-n", "-i", "-t", kernel_name, *asked, str(node), str(place))
    run(argv, seconds=MOUNT_SECONDS, keep_open=(lock,))


def close_below(place: Path, opened: Path = OPENED) -> None:
    """Close whatever this process has open at `place` and below. A signal's handler that raises right after
    open(2) returned leaves a descriptor that no variable holds, and the filesystem would stay busy."""
    for entry in [*opened.iterdir()]:
        with suppress(OSError):
            target = entry.readlink()
            if target.is_relative_to(place):
                os.close(int(entry.name))


def unmount(place: Path) -> None:
    """Unmount it, which returns when all of it is written; raises Failed where it stays busy."""
    library = _library()
    for _ in range(UNMOUNT_TRIES):
        try:
            return _checked(library.umount2(os.fsencode(place), 0))
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise Failed(NOT_UNMOUNTED(why=str(error.strerror))) from None
        sleep(0.05)
    raise Failed(NOT_UNMOUNTED(why=os.strerror(errno.EBUSY)))
