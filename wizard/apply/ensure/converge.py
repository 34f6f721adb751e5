"""Compare multi-drive volumes with the request beyond tables and labels. Read-only."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from msgspec import Struct

from wizard.apply.ensure.compare_mounts import Where, mounted_as_there
from wizard.apply.ensure.layers import array_faults, group_of, layers_of, physical_in
from wizard.apply.resize import btrfs
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.settings.existing_filesystem import with_lines_left
from wizard.apply.steps.arrays import exported, taken_arrays
from wizard.apply.system import mounts
from wizard.model.ensure import WantedDrive
from wizard.model.errors import DiskwrightError, Failed, Refused, partition_path
from wizard.model.machine import Drive, Layer, Machine, Signature
from wizard.model.said import Message, Sentence, t
from wizard.plan.desired_state import differences
from wizard.plan.desired_state.document import requests_of, stripe_of
from wizard.plan.desired_state.layers import DEVICES, BtrfsMember, BtrfsSeen, btrfs_differences
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import MEMBER_KINDS, NUMBER
from wizard.plan.request import plan_request
from wizard.plan.request.using import Usual
from wizard.plan.request.volume_request import VolumeRequest
from wizard.plan.requested import plan_requested
from wizard.probe.host.environment import caller
from wizard.probe.host.sysfs import SYS, node_of
from wizard.probe.host.uses import is_hidden
from wizard.process.program import run

SPACES = re.compile(r"(?m)^([A-Za-z+]+), (\w+): total=(\d+)")
"""A line of `btrfs filesystem df --raw` on a type of chunk."""

RESERVE = "GlobalReserve"
"""Not a chunk, but a reserve in metadata chunks."""

_look = partial(run, seconds=LOOK_SECONDS)


def together_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Describe differences beyond tables and labels. Raises Refused and Failed if they cannot be read."""
    if plan.group or (plan.stripe and plan.stripe.kind != "btrfs"):
        return array_faults(plan, drives)
    if plan.stripe is None:
        return tuple(_shared(plan, drives[0]))
    return tuple(btrfs_differences(plan.stripe, _btrfs(drives)))


def _shared(plan: Plan, drive: Drive) -> Iterator[Message]:
    """Report each Btrfs that is requested on one partition but spans several devices, which table and label
    do not show."""
    for volume in plan.volumes:
        device = volume.path
        if volume.encryption is not None:
            layer = differences.opened_on(drive, volume.encryption.device)
            device = layer.path if layer else ""
        if volume.filesystem == "btrfs" and device:
            count = btrfs.number_in(_superblock_of(device), "num_devices")
            if count != 1:
                yield differences.other(device, DEVICES, count, 1)


def _parts_on(drives: Sequence[Drive]) -> tuple[str, ...]:
    """Return the nodes of the volume's partitions."""
    return tuple(partition_path(drive.path, NUMBER) for drive in drives)


def _btrfs(drives: Sequence[Drive]) -> BtrfsSeen:
    parts = _parts_on(drives)
    # Read the generation first, so it is not newer than the other values.
    newest = max(btrfs.number_in(_superblock_of(part), "generation") for part in parts)
    members = tuple(_member(part, drive) for part, drive in zip(parts, drives, strict=True))
    uses = [use for drive in drives for use in drive.uses if use.kind == "mounted" and use.subject in parts]
    if hidden := next((use for use in uses if is_hidden(use)), None):
        raise Refused(
            t(
                "{device} is mounted out of sight of this session, so details of the use are unknown.",
                device=hidden.subject,
            )
        )
    if not uses:
        return BtrfsSeen(members, _profiles(_chunks(parts)), newest)
    used, misses = _in_use(members[0].uuid)
    profiles = _profiles(_spaces(str(uses[0].by)))
    return BtrfsSeen(members, profiles, newest, used, misses)


def _superblock_of(part: str) -> str:
    """Return btrfs's output on the superblock of a device. Raises Failed."""
    return _look((*btrfs.SUPERBLOCK, part)).output


def _member(part: str, drive: Drive) -> BtrfsMember:
    output = _superblock_of(part)
    found = drive.partition(part)
    uuid = found.signatures[0].uuid if found and found.signatures else None
    numbers = [btrfs.number_in(output, name) for name in ("dev_item.devid", "num_devices", "generation")]
    return BtrfsMember(part, uuid or "", *numbers)


Kept = Iterator[tuple[frozenset[str], str]]


def _chunks(parts: Sequence[str]) -> Kept:
    for chunk in btrfs.chunks_in(_look((*btrfs.CHUNKS, *parts)).output):
        yield chunk.holds, chunk.profile


def _spaces(place: str) -> Kept:
    """Read the profiles of a mounted Btrfs, whose metadata changes all the time."""
    found = SPACES.findall(_look(("btrfs", "filesystem", "df", "--raw", place)).output)
    if not found:
        raise Failed(t("btrfs does not report the block group profiles of {place}.", place=place))
    for holds, profile, size in found:
        if holds != RESERVE and int(size):
            yield frozenset(holds.upper().split("+")), profile


def _profiles(kept: Kept) -> dict[frozenset[str], frozenset[str]]:
    found: dict[frozenset[str], frozenset[str]] = {}
    for holds, profile in kept:
        found[holds] = found.get(holds, frozenset()) | {profile.upper()}
    return found


def _in_use(uuid: str) -> tuple[frozenset[str], bool]:
    """Return the devices that the kernel uses, and True if one is missing (sysfs-fs-btrfs). Raises Refused if
    unreadable."""
    folder = SYS / "fs/btrfs" / uuid
    try:
        used = frozenset(node_of(entry.name) for entry in (folder / "devices").iterdir())
    except OSError:
        raise Refused(
            t("Cannot read from the kernel which devices the Btrfs {uuid} uses.", uuid=uuid)
        ) from None
    misses = False
    with suppress(OSError):
        misses = any(
            (entry / "missing").read_text().strip() != "0" for entry in (folder / "devinfo").iterdir()
        )
    return used, misses


REACHES_FURTHER = Sentence(
    "{device} is one of {count} devices of a {kind} volume whose others are not listed, so no data is "
    "replaced"
)


PARTS = frozenset(
    (
        *("LDM_member", "LVM1_member", "bcache", "ceph_bluestore", "drbd", "jbd"),
        *("stratis", "xfs_external_log", "zfs_member"),
    )
)
"""libblkid's types of content that may belong to a volume on further drives, such as an external journal.
Firmware RAIDs are similar."""


def reaching_faults(drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Report each Btrfs, md array and volume group that extends beyond these drives, and content that may.
    Raises Failed if the tools do not report this."""
    held = [
        (device, signature)
        for drive in drives
        for device, signatures in drive.signatures_by_device
        for signature in signatures
    ]
    return (
        *_btrfs_beyond(_of_kind(held, "btrfs")),
        *_md_beyond(_of_kind(held, MEMBER_KINDS["md"])),
        *_lvm_beyond(held),
        *_unknown_beyond(held),
    )


Held = Sequence[tuple[str, Signature]]


def _of_kind(held: Held, kind: str) -> Held:
    return [one for one in held if one[1].kind == kind]


def _count_members(held: Held, uuid: str | None) -> int:
    """Return how many members are on these drives."""
    return sum(one.uuid == uuid for _, one in held)


def _btrfs_beyond(held: Held) -> Iterator[Message]:
    for device, one in held:
        count = btrfs.number_in(_superblock_of(device), "num_devices")
        if count > _count_members(held, one.uuid):
            yield REACHES_FURTHER(device=device, count=count, kind="Btrfs")


def _md_beyond(held: Held) -> Iterator[Message]:
    for device, one in held:
        output = exported(_look(("mdadm", "--examine", "--export", device)).output)
        count = output.get("MD_DEVICES", "")
        if not count.isdigit():
            raise Failed(t("mdadm does not report how many drives the array on {device} has.", device=device))
        if int(count) > _count_members(held, one.uuid):
            yield REACHES_FURTHER(device=device, count=int(count), kind="md")


def _lvm_beyond(held: Held) -> Iterator[Message]:
    members = [device for device, _ in _of_kind(held, MEMBER_KINDS["lvm"])]
    for device in members:
        name = group_of(device)
        physical = physical_in(name)[0] if name else frozenset()
        if physical - {*members}:
            yield REACHES_FURTHER(device=device, count=len(physical), kind="LVM")


def _unknown_beyond(held: Held) -> Iterator[Message]:
    """Report content whose other members are unknown."""
    for device, one in held:
        is_raid = one.kind.endswith("_raid_member") and one.kind not in MEMBER_KINDS.values()
        if is_raid or one.kind in PARTS:
            yield t(
                "{device} is a {kind} and may belong to a volume on further drives; no data is replaced",
                device=device,
                kind=one.kind,
            )


class DriveTarget(Struct, frozen=True):
    """An entry of the document and its drives, in order."""

    wanted: WantedDrive
    machine: Machine
    drives: tuple[Drive, ...]
    where: Where

    @property
    def requests(self) -> tuple[VolumeRequest, ...]:
        """The requested volumes."""
        return requests_of(self.wanted)

    @property
    def stripe(self) -> plan_request.StripeRequest | None:
        """The requested layout across several drives, or None for one drive."""
        return stripe_of(self.wanted)

    def planned(self, mode: plan_request.Mode | None) -> Plan:
        """Plan the request on the current drives. Raises as the planner does."""
        made, environment = self._plan(self.machine, self.drives, self.requests, mode), self.where.environment
        return with_lines_left(made, self.drives, environment).described_for_fstab(str(environment.fstab))

    def ideal(self) -> Plan:
        """Plan the request on blank drives, with unspecified values as they are on the drives. Raises as the
        planner does."""
        layers = self._layers()
        try:
            return self._if_blank(differences.as_it_is(self.requests, self.drives[0], layers), layers)
        except DiskwrightError:
            # The existing values are not possible for the request, such as ext4 where a system boots from.
            return self._if_blank(self.requests, layers)

    def _layers(self) -> tuple[Layer | None, ...]:
        """Return the existing layer of each volume that is not on a partition. The names of logical volumes
        come from a plan."""
        if not self.wanted.lvm and (self.stripe is None or self.stripe.kind == "btrfs"):
            return ()
        return layers_of(self._if_blank(self.requests), self.drives)

    def _if_blank(self, asked: Sequence[VolumeRequest], layers: Sequence[Layer | None] = ()) -> Plan:
        completed = mounted_as_there(asked, self.drives, self.where, layers)
        return self._plan(
            differences.with_makers(self.machine),
            tuple(map(differences.emptied, self.drives)),
            completed,
            None,
        )

    def _plan(
        self,
        machine: Machine,
        drives: Sequence[Drive],
        requests: Sequence[VolumeRequest],
        mode: plan_request.Mode | None,
    ) -> Plan:
        how = plan_request.Arrangement(self.wanted.table, self.wanted.lvm, self.stripe)
        nodes = (*taken_arrays(), *self.where.given) if self.stripe else ()
        usual, danger = _defaults(self.where), self.wanted.danger
        return plan_requested(
            machine, drives, plan_request.NewVolumes((), mode, how), requests, usual, danger, arrays=nodes
        )


def _defaults(where: Where) -> Usual:
    places, fstab = mounts.usual_places(), where.environment.fstab
    return Usual(
        caller(), places, mounts.taken_places(places, fstab) | where.given, mounts.fixed_fstab(fstab)
    )
