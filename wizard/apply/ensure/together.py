"""Several drives that are wanted as one, read for what their tables and labels do not say. Looks; nothing is
written."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from wizard.apply.ensure.layered import array_faults
from wizard.apply.resizing.btrfs import CHUNKS, SUPERBLOCK, chunks_in, number_in
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.layout.ensured.differences import opened_on
from wizard.layout.ensured.together import BtrfsMember, BtrfsSeen, alone_differences, btrfs_differences
from wizard.layout.several.striping import NUMBER
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Drive
from wizard.model.names import partition_path
from wizard.model.plan import Plan
from wizard.model.said import Said, t
from wizard.probe.host.sysfs import SYS, node_of
from wizard.probe.host.uses import is_hidden
from wizard.tools.program import run

SPACES = re.compile(r"(?m)^([A-Za-z+]+), (\w+): total=(\d+)")
"""What `btrfs filesystem df --raw` says of each kind of chunk."""

RESERVE = "GlobalReserve"
"""No chunk: room that is kept free among those of records."""

_look = partial(run, seconds=LOOK_SECONDS)


def together_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Said, ...]:
    """What differs of drives that are together as the plan's, whose tables and labels are as planned. Raises
    Refused and Failed where that cannot be told."""
    if plan.group or (plan.stripe and plan.stripe.kind != "btrfs"):
        return array_faults(plan, drives)
    if plan.stripe is None:
        return tuple(_shared(plan, drives[0]))
    return tuple(btrfs_differences(plan.stripe, _btrfs(drives)))


def _shared(plan: Plan, drive: Drive) -> Iterator[Said]:
    """Each Btrfs that is to lie on one partition and lies on more devices: its table and label tell
    nothing."""
    for volume in plan.volumes:
        device = volume.path
        if volume.encryption is not None:
            layer = opened_on(drive, volume.encryption.device)
            device = layer.path if layer else ""
        if volume.filesystem == "btrfs" and device:
            count = number_in(superblock_of(device), "num_devices")
            yield from alone_differences(device, count)


def parts_on(drives: Sequence[Drive]) -> tuple[str, ...]:
    """The nodes of the partitions that they hold the volume by."""
    return tuple(partition_path(drive.path, NUMBER) for drive in drives)


def _btrfs(drives: Sequence[Drive]) -> BtrfsSeen:
    parts = parts_on(drives)
    # Read twice, so that nothing of the second look is older than what the first one has seen.
    newest = max(number_in(superblock_of(part), "generation") for part in parts)
    members = tuple(_member(part, drive) for part, drive in zip(parts, drives, strict=True))
    uses = [use for drive in drives for use in drive.uses if use.kind == "mounted" and use.subject in parts]
    if hidden := next((use for use in uses if is_hidden(use)), None):
        raise Refused(
            t("{device} is in use where it cannot be seen, so how is not known.", device=hidden.subject)
        )
    if not uses:
        return BtrfsSeen(members, _profiles(_chunks(parts)), newest)
    used, misses = _in_use(members[0].uuid)
    profiles = _profiles(_spaces(str(uses[0].by)))
    return BtrfsSeen(members, profiles, newest, used, misses)


def superblock_of(part: str) -> str:
    """What btrfs says of the superblock on a device. Raises Failed."""
    return _look((*SUPERBLOCK, part)).output


def _member(part: str, drive: Drive) -> BtrfsMember:
    said = superblock_of(part)
    there = drive.partition(part)
    uuid = there.signatures[0].uuid if there and there.signatures else None
    numbers = [number_in(said, name) for name in ("dev_item.devid", "num_devices", "generation")]
    return BtrfsMember(part, uuid or "", *numbers)


Kept = Iterator[tuple[frozenset[str], str]]


def _chunks(parts: Sequence[str]) -> Kept:
    for chunk in chunks_in(_look((*CHUNKS, *parts)).output):
        yield chunk.holds, chunk.profile


def _spaces(place: str) -> Kept:
    """Of a mounted one, whose records are written all the time."""
    found = SPACES.findall(_look(("btrfs", "filesystem", "df", "--raw", place)).output)
    if not found:
        raise Failed(t("btrfs does not say how {place} keeps what is written.", place=place))
    for holds, profile, size in found:
        if holds != RESERVE and int(size):
            yield frozenset(holds.upper().split("+")), profile


def _profiles(kept: Kept) -> dict[frozenset[str], frozenset[str]]:
    found: dict[frozenset[str], frozenset[str]] = {}
    for holds, profile in kept:
        found[holds] = found.get(holds, frozenset()) | {profile.upper()}
    return found


def _in_use(uuid: str) -> tuple[frozenset[str], bool]:
    """The nodes that the kernel works with, and whether it misses one (sysfs-fs-btrfs). Raises Refused where
    it does not tell."""
    folder = SYS / "fs/btrfs" / uuid
    try:
        used = frozenset(node_of(entry.name) for entry in (folder / "devices").iterdir())
    except OSError:
        raise Refused(
            t("The kernel does not say which devices the Btrfs {uuid} works with.", uuid=uuid)
        ) from None
    misses = False
    with suppress(OSError):
        misses = any(
            (entry / "missing").read_text().strip() != "0" for entry in (folder / "devinfo").iterdir()
        )
    return used, misses
