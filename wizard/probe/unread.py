"""Why something could not be read, as data from where it arises: a sentence, and what stood
against reading.
"""

import errno
import os
import re
from typing import Any

from wizard.documents.codec import to_json
from wizard.model.machine import Obstacle
from wizard.model.said import Message, Sentence, t

AS_RECORDED = Sentence("{text}")
"""A reason in a recording that is older than these codes."""

# Whoever is not root.
ROOT_READS = t("Reading the device needs root.")
ROOT_READS_LAYERS = t("Reading the layers on the drive needs root.")
ROOT_ASKS = t("Asking the drive about its health needs root.")
ROOT_SEES_MOUNTS = t("Seeing the mounts of other users' namespaces needs root.")

# What the system answers.
GONE = t("The kernel no longer has the drive.")
NO_SIZE = t("The drive is empty: the device has no size.")
NO_MEDIUM = t("No medium is inserted.")
REFUSED = Sentence("The kernel refuses to open {device}: {why}.")
FAILED = Sentence("{device} could not be read: {why}.")
BYTE = Sentence("Byte {byte} of {device} could not be read: {why}.")
NOTICE = Sentence("Whether a run waits on {device} could not be read: {why}.")
ZONES = Sentence("The zones of {device} could not be read: {why}.")
IDENTIFY = Sentence("The drive answered Identify with NVMe status {status}.")

# libblkid.
BLKID_OPENS = Sentence("libblkid could not open {device}: {why}.")
BLKID_READS = Sentence("libblkid could not read {device}: {why}.")
BLKID_READS_TABLE = Sentence("libblkid could not read the table of {device}: {why}.")

# What is left alone.
MANY_SUPERBLOCKS = t("The superblocks on the drive are larger than any in use. The rest of them is not read.")
MANY_LAYERS = Sentence("Only the first {most} layers are looked at.")
MANY_TO_READ = Sentence("Only the first {most} layers are read.")
SUSPENDED = Sentence("{device} is suspended, and a read of it would not return.")

# The process that reads a drive.
NO_ANSWER = Sentence("The drive did not answer within {seconds:g} s.")
OVER_TIME = Sentence("The drive did not answer within {seconds:g} s, and its probe was ended.")
GARBAGE = t("The drive's probe printed garbage and was ended.")
NO_SENSE = t("The drive's probe gave facts that make no sense.")
NO_RESULT = t("The drive's probe closed its output without a result.")
ENDED_BY_SIGNAL = Sentence("The drive's probe was ended by signal {signal}.")
ENDED_WITH_STATUS = Sentence("The drive's probe ended with status {status} and without a result.")
NO_TURN = t("The probe's process ended before the drive's turn.")

# The table.
TABLE_LOST = t("Neither copy of the drive's GPT is whole, so that what stands on the drive is not known.")
MANY_PARTITIONS = Sentence("The table states {partitions} partitions, of which the first {most} are listed.")
OTHER_BLOCKS = Sentence(
    "Its GPT was made for logical blocks of {other} bytes, and here the drive has blocks of {size}."
)
CHAIN_BROKEN = Sentence("The chain of logical partitions breaks off at byte {start}.")
CHAIN_RETURNS = Sentence("The chain of logical partitions returns to byte {start}.")

# The drive's own word.
BAD_SUM = t("The drive's IDENTIFY data do not fit their own checksum.")
NO_DISK = t("The drive's IDENTIFY data are not those of a disk.")
SMARTCTL_SAYS = Sentence("smartctl says: {said}.")
SLEEPS = Sentence("The drive sleeps ({mode}).")
SMARTCTL_UNREADABLE = t("smartctl gave nothing that can be read.")


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

    def __init__(self, said: Message) -> None:
        super().__init__(str(said))
        self.said = said


def unread(what: str, why: Message | str, obstacle: Obstacle = Obstacle.FAILED) -> Facts:
    """A RawError in plain data."""
    return {"what": what, "why": to_json(why), "obstacle": obstacle.value}


def not_read(what: str, device: str, error: OSError) -> Facts:
    """The RawError of a device that could not be read."""
    return unread(what, _why_not(device, error), obstacle_of(error))


def _why_not(device: str, error: OSError) -> Message:
    if isinstance(error, Unreadable):
        return error.said
    if error.errno in BY_NUMBER:
        denied = REFUSED(device=device, why=system_says(error))
        return ROOT_READS if os.geteuid() != 0 else denied
    if error.errno == errno.ENOMEDIUM:
        return NO_MEDIUM
    return FAILED(device=device, why=system_says(error))


def system_says(error: OSError | OverflowError) -> str:
    """The error in the words of the C library, or of Python where those have none."""
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


def obstacle_of(error: OSError | OverflowError) -> Obstacle:
    """What stood against reading, by the number of the error."""
    return BY_NUMBER.get(getattr(error, "errno", None) or 0, Obstacle.FAILED)


def obstacle_in(text: str) -> Obstacle:
    """What stood against reading, by words that are all there is: a message of smartctl, which gives no
    number, or a reason in a recording that is older than the codes. No sentence of a `Message` comes here."""
    return next((found for words, found in BY_WORDS if words.search(text)), Obstacle.FAILED)
