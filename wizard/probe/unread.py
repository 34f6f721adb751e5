"""Reading devices, and reasons for unread facts: a message and an obstacle."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from wizard.documents.codec import to_json
from wizard.model.machine import Obstacle
from wizard.model.said import Message, Sentence, t
from wizard.probe.facts import Facts

AS_RECORDED = Sentence("{text}")
"""A reason in a recording from before reasons had codes."""

ROOT_READS = t("Reading this needs root.")

REFUSED = Sentence("The kernel refuses to open {device}: {why}.")
FAILED = Sentence("Cannot read {device}: {why}.")

MANY_SUPERBLOCKS = t("The superblocks on the drive are larger than any in use. The rest was not read.")
MANY_LAYERS = Sentence("Reading stops after the first {most} layers.")

TABLE_LOST = t("Neither copy of the drive's GPT is intact, so the drive's contents are unknown.")
OTHER_BLOCKS = Sentence(
    "The table was created for {other}-byte logical blocks, but the drive has {size}-byte blocks here."
)


BY_NUMBER = {errno.EACCES: Obstacle.DENIED, errno.EPERM: Obstacle.FORBIDDEN}

BY_WORDS = (
    ("(?i)denied", Obstacle.DENIED),
    ("(?i)not permitted", Obstacle.FORBIDDEN),
    ("(?i)is not installed", Obstacle.NOT_INSTALLED),
    ("(?i)unknown usb bridge", Obstacle.UNKNOWN_BRIDGE),
    (r"raid controller|-d (megaraid|cciss|3ware|areca|hpt|aacraid|sssraid)", Obstacle.CONTROLLER),
)


class Unreadable(OSError):
    """A read error without an errno, such as an error from libblkid."""

    def __init__(self, said: Message) -> None:
        super().__init__(str(said))
        self.said = said


def unread(what: str, why: Message | str, obstacle: Obstacle = Obstacle.FAILED) -> Facts:
    """Return a RawError as plain data."""
    return {"what": what, "why": to_json(why), "obstacle": obstacle.value}


def not_read(what: str, device: str, error: OSError) -> Facts:
    """Return the RawError of a device that raised `error`."""
    why = FAILED(device=device, why=system_says(error))
    if isinstance(error, Unreadable):
        why = error.said
    elif error.errno in BY_NUMBER:
        why = REFUSED(device=device, why=system_says(error)) if os.geteuid() == 0 else ROOT_READS
    elif error.errno == errno.ENOMEDIUM:
        why = t("No medium is inserted.")
    return unread(what, why, obstacle_of(error))


@contextmanager
def opened(path: str, flags: int = 0) -> Iterator[int]:
    """Open a device for reading, without waiting for a medium. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def reported(errors: list[Facts], what: str, device: str) -> Iterator[None]:
    """Append an OSError to `errors` as a RawError."""
    try:
        yield
    except OSError as error:
        errors.append(not_read(what, device, error))


def system_says(error: OSError | OverflowError) -> str:
    """Return the error text of the C library, or Python's if there is none."""
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


def obstacle_of(error: OSError | OverflowError) -> Obstacle:
    """Return the obstacle for the errno of an error."""
    return BY_NUMBER.get(getattr(error, "errno", None) or 0, Obstacle.FAILED)


def obstacle_in(text: str) -> Obstacle:
    """Return the obstacle in a text without a code: of smartctl, or in old recordings."""
    return next((found for pattern, found in BY_WORDS if re.search(pattern, text)), Obstacle.FAILED)
