"""How large a filesystem is that is mounted, by its own program."""

import re
from dataclasses import dataclass

from wizard.apply.resizing.words import DEVICES
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.model.errors import Failed
from wizard.model.said import Sentence
from wizard.tools.program import run

NO_SIZE = Sentence("{program} does not tell how large the filesystem on {device} is.")

EXT = re.compile(r"(?m)^Block count:\s+(\d+)\n(?:.*\n)*?Block size:\s+(\d+)$")
XFS = re.compile(r"(?m)^data\s+=\s*bsize=(\d+)\s+blocks=(\d+)")
BTRFS = re.compile(r"(?m)^\s*devid\s+(\d+)\s+size (\d+)\s")


@dataclass(frozen=True, slots=True)
class Held:
    """How many bytes of its device a mounted filesystem has; `member` is the device's number in a Btrfs."""

    size_bytes: int
    member: int = 1


def held_in_use(filesystem: str, device: str, place: str) -> Held:
    """As its own program tells. Raises Failed where that does not, or where it lies on several devices."""
    if filesystem == "btrfs":
        return _btrfs(device, place)
    asked = ("xfs_growfs", "-n", place) if filesystem == "xfs" else ("dumpe2fs", "-h", device)
    found = (XFS if filesystem == "xfs" else EXT).search(_said(*asked))
    if found is None:
        raise Failed(NO_SIZE(program=asked[0], device=device))
    return Held(int(found[1]) * int(found[2]))


def _btrfs(device: str, place: str) -> Held:
    found = BTRFS.findall(_said("btrfs", "filesystem", "show", "--raw", place))
    if not found:
        raise Failed(NO_SIZE(program="btrfs", device=device))
    if len(found) > 1:
        raise Failed(DEVICES(devices=len(found)))
    ((member, size),) = found
    return Held(int(size), int(member))


def _said(*argv: str) -> str:
    return run(argv, seconds=LOOK_SECONDS).output


def is_filled(held_bytes: int, size_bytes: int) -> bool:
    """Whether a filesystem of so many bytes fills its device, as far as it can: the last group of one can be
    too small to be of use."""
    return size_bytes * 9 // 10 <= held_bytes <= size_bytes
