"""How several drives differ that are wanted as one Btrfs, beyond their tables and labels: whether they belong
together, are all in use, and keep what is written as it is wanted. Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wizard.model.plan import Stripe
from wizard.model.said import Said, Sentence, t

OTHER_DEVICES = Sentence(
    "{device}: its Btrfs lies on {found} devices, others than the {wanted} that are wanted"
)

SINGLES = frozenset({"SYSTEM", "METADATA"})
"""What Btrfs keeps for itself; both are kept alike."""


@dataclass(frozen=True, slots=True)
class BtrfsMember:
    """One device of a Btrfs, by its superblock: the filesystem's UUID, the device's number in it, on how many
    devices it lies, and the generation of what was written last."""

    device: str
    uuid: str
    number: int
    devices: int
    generation: int


@dataclass(frozen=True, slots=True)
class BtrfsSeen:
    """The members, and how it keeps what is written: by what it is (DATA, METADATA, SYSTEM) the profiles, in
    capitals.

    `newest` is the newest generation of any member, read before each member's own. `used` are the devices
    that the kernel works with, None where it is not mounted; `misses` that it knows of one that is not there.
    """

    members: tuple[BtrfsMember, ...]
    profiles: Mapping[frozenset[str], frozenset[str]]
    newest: int
    used: frozenset[str] | None = None
    misses: bool = False


def alone_differences(device: str, devices: int) -> Iterator[Said]:
    """That a Btrfs which is wanted on one device alone lies on so many."""
    if devices != 1:
        yield OTHER_DEVICES(device=device, found=devices, wanted=1)


def btrfs_differences(stripe: Stripe, seen: BtrfsSeen) -> Iterator[Said]:
    """What differs from the Btrfs that is wanted; nothing where it is so."""
    devices = tuple(member.device for member in seen.members)
    if len({member.uuid for member in seen.members}) > 1:
        yield t("{devices:and} hold parts of different Btrfs filesystems", devices=devices)
        return
    for member in seen.members:
        if member.devices != len(devices):
            yield OTHER_DEVICES(device=member.device, found=member.devices, wanted=len(devices))
    if len({member.number for member in seen.members}) < len(devices):
        yield t("{devices:and} are the same device of one Btrfs, so some are copies", devices=devices)
    yield from _use_differences(devices, seen)
    # Of a mounted one the superblocks of one commit are written one after the other.
    least = seen.newest - (0 if seen.used is None else 1)
    if behind := tuple(member.device for member in seen.members if member.generation < least):
        yield t("{devices:and} did not get what was written to the other drives last", devices=behind)
    yield from _profile_differences(stripe, seen)


def _use_differences(devices: tuple[str, ...], seen: BtrfsSeen) -> Iterator[Said]:
    if seen.used is None:
        return
    if without := tuple(device for device in devices if device not in seen.used):
        yield t("the Btrfs is mounted, and works without {devices:and}", devices=without)
    if more := tuple(sorted(seen.used - {*devices})):
        yield t("the Btrfs is mounted, and works with {devices:and}, too", devices=more)
    if seen.misses:
        yield t("the kernel misses a device of the Btrfs")


def _profile_differences(stripe: Stripe, seen: BtrfsSeen) -> Iterator[Said]:
    records = "RAID1" if stripe.mirrors else stripe.metadata.upper()
    for holds in sorted(seen.profiles, key=sorted):
        found = seen.profiles[holds]
        # What holds files and records alike is never made so.
        wanted = {frozenset({"DATA"}): stripe.level.upper()}.get(holds, records)
        if found != {wanted} or len(holds) != 1:
            what = t("its own records") if holds <= SINGLES else t("files")
            yield t(
                "the Btrfs keeps {what} as {found:and} instead of {wanted}",
                what=what,
                found=tuple(sorted(found)),
                wanted=wanted,
            )
