"""Why something could not be read, as data from where it arises: a sentence, and what stood
against reading."""

import errno
import os
import re
from typing import Any

from wizard.documents.codec import to_json
from wizard.model.machine import Obstacle
from wizard.model.said import Said
from wizard.probe.words import unread as words

Facts = dict[str, Any]

BY_NUMBER = {errno.EACCES: Obstacle.DENIED, errno.EPERM: Obstacle.FORBIDDEN}

BY_WORDS = (
    (re.compile("denied", re.IGNORECASE), Obstacle.DENIED),
    (re.compile("not permitted", re.IGNORECASE), Obstacle.FORBIDDEN),
    (re.compile("is not installed"), Obstacle.NOT_INSTALLED),
    (re.compile("unknown usb bridge", re.IGNORECASE), Obstacle.UNKNOWN_BRIDGE),
)


class Unreadable(OSError):
    """What cannot be read for a reason that has no number of the system's, such as one of libblkid's."""

    def __init__(self, said: Said) -> None:
        super().__init__(str(said))
        self.said = said


def unread(what: str, why: Said | str, obstacle: Obstacle = Obstacle.FAILED) -> Facts:
    """A RawError in plain data."""
    return {"what": what, "why": to_json(why), "obstacle": obstacle.value}


def not_read(what: str, device: str, error: OSError) -> Facts:
    """The RawError of a device that could not be read."""
    return unread(what, _why_not(device, error), obstacle_of(error))


def _why_not(device: str, error: OSError) -> Said:
    if isinstance(error, Unreadable):
        return error.said
    if error.errno in BY_NUMBER:
        denied = words.REFUSED(device=device, why=system_says(error))
        return words.ROOT_READS if os.geteuid() != 0 else denied
    if error.errno == errno.ENOMEDIUM:
        return words.NO_MEDIUM
    return words.FAILED(device=device, why=system_says(error))


def system_says(error: OSError | OverflowError) -> str:
    """The error in the words of the C library, or of Python where those have none."""
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


def obstacle_of(error: OSError | OverflowError) -> Obstacle:
    """What stood against reading, by the number of the error."""
    return BY_NUMBER.get(getattr(error, "errno", None) or 0, Obstacle.FAILED)


def obstacle_in(text: str) -> Obstacle:
    """What stood against reading, by words that are all there is: a message of smartctl, which gives no
    number, or a reason in a recording that is older than the codes. No sentence of a `Said` comes here."""
    return next((found for words, found in BY_WORDS if words.search(text)), Obstacle.FAILED)
