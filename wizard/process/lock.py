"""Locks on drives and files that other programs respect, by flock(2)."""

import fcntl
from time import monotonic, sleep


def lock_within(fd: int, wait_seconds: float) -> bool:
    """Lock a file. Return False if the file stays locked. Raises OSError on filesystems without locks."""
    until = monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                return False
            sleep(0.01)
        else:
            return True
