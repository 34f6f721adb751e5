"""Find copies of a filesystem that are attached beside it: a UUID names all of them. Only reads."""

import os
from collections.abc import Iterator
from contextlib import suppress

from wizard.apply.run.environment import LOOK_SECONDS
from wizard.model.errors import Failed
from wizard.probe.host.sysfs import SYS, name_of, node_of
from wizard.tools.program import run


def clones_of(device: str, uuid: str) -> tuple[str, ...]:
    """Return the other devices with the filesystem of this UUID, without those that lie on the device or
    under it, and other members of one filesystem. None are found if blkid cannot look."""
    node = os.path.realpath(device)
    others = (one for one in nodes_with(uuid) if one != node and not is_stacked(one, node))
    with suppress(Failed):
        return tuple(one for one in others if _member(one) == _member(node))
    return ()


def nodes_with(uuid: str) -> tuple[str, ...]:
    """Return all devices with this UUID; none if it is empty, or blkid cannot look."""
    with suppress(Failed):
        found = _blkid("-o", "device", "-t", f"UUID={uuid}") if uuid else []
        return tuple(sorted({os.path.realpath(one) for one in found}))
    return ()


def is_stacked(one: str, other: str) -> bool:
    """Return True if one of both devices shows the bytes of the other, or both lie on the same, as a volume
    and its snapshot do."""
    below = {*_below(one)}, {*_below(other)}
    return one in below[1] or other in below[0] or bool(below[0] & below[1])


def _below(node: str) -> Iterator[str]:
    """Yield the devices whose bytes a device shows."""
    folder = SYS / "class/block" / name_of(node)
    lower = [node_of(entry.name) for entry in folder.glob("slaves/*")]
    with suppress(OSError):
        file = (folder / "loop/backing_file").read_text().rstrip("\n")
        lower += [os.path.realpath(file)] if file.startswith("/dev/") else []
    for one in lower:
        yield one
        yield from _below(one)


def _member(node: str) -> list[str]:
    """Return what tells the devices of one Btrfs apart; empty for other filesystems."""
    return _blkid("-o", "value", "-s", "UUID_SUB", node)


def _blkid(*words: str) -> list[str]:
    argv = ["blkid", "-c", "/dev/null", *words]
    return run(argv, seconds=LOOK_SECONDS, accept=(0, 2)).output.split()
