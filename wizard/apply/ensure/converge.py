"""Compare multi-drive volumes with the request beyond tables and labels. Read-only."""

import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from wizard.apply.ensure.compare_mounts import Where, mounted_as_there
from wizard.apply.ensure.layers import array_faults, group_of, layers_of, physical_in
from wizard.apply.resize import resized
from wizard.apply.settings.existing_filesystem import with_lines_left
from wizard.apply.steps.arrays import exported, taken_arrays
from wizard.apply.system import mounts
from wizard.documents.files import UNREADABLE
from wizard.filesystems.registry import MADE
from wizard.model.ensure import WantedDrive
from wizard.model.errors import DiskwrightError, Failed, FrozenStruct, Refused, partition_path
from wizard.model.machine import Drive, Layer, Machine
from wizard.model.said import Message, Sentence, failing
from wizard.plan.desired_state import differences
from wizard.plan.desired_state.document import requests_of, stripe_of
from wizard.plan.desired_state.layers import DEVICES, BtrfsMember, BtrfsSeen, btrfs_differences
from wizard.plan.plan import Plan
from wizard.plan.raid.striping import MEMBER_KINDS, NUMBER
from wizard.plan.request import plan_request
from wizard.plan.request.using import Usual
from wizard.plan.request.volume_request import VolumeRequest
from wizard.plan.requested import plan_requested
from wizard.plan.settings.possible import HIDDEN
from wizard.probe.host import sysfs
from wizard.probe.host.environment import caller
from wizard.probe.host.uses import is_hidden
from wizard.process.program import run

SPACES = re.compile(r"(?m)^([A-Za-z+]+), (\w+): total=(\d+)")
"""A line of `btrfs filesystem df --raw` on a type of chunk."""


def together_faults(plan: Plan, drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Describe differences beyond tables and labels. Raises Refused and Failed if they cannot be read."""
    if plan.group or (plan.stripe and plan.stripe.kind != "btrfs"):
        return array_faults(plan, drives)
    if plan.stripe is not None:
        return tuple(btrfs_differences(plan.stripe, _btrfs(drives)))
    # Table and label do not show if a Btrfs requested on one partition spans several devices.
    faults: list[Message] = []
    for volume in plan.volumes:
        device = volume.path
        if volume.encryption is not None:
            layer = differences.opened_on(drives[0], volume.encryption.device)
            device = layer.path if layer else ""
        if volume.filesystem == "btrfs" and device:
            count = _number(device, "num_devices")
            if count != 1:
                faults.append(differences.other(device, DEVICES, count, 1))
    return tuple(faults)


def _btrfs(drives: Sequence[Drive]) -> BtrfsSeen:
    parts = tuple(partition_path(drive.path, NUMBER) for drive in drives)
    # Read the generation first, so it is not newer than the other values.
    newest = max(_number(part, "generation") for part in parts)
    members = tuple(_member(part, drive) for part, drive in zip(parts, drives, strict=True))
    uses = [use for drive in drives for use in drive.uses if use.kind == "mounted" and use.subject in parts]
    if hidden := next((use for use in uses if is_hidden(use)), None):
        raise Refused(HIDDEN(device=hidden.subject))
    if not uses:
        chunks = resized.chunks_in(run((*resized.BTRFS_CHUNKS, *parts)).output)
        return BtrfsSeen(members, _profiles(chunks), newest)
    # What the kernel uses (sysfs-fs-btrfs).
    folder = sysfs.SYS / "fs/btrfs" / members[0].uuid
    with failing(UNREADABLE, Refused, file=folder):
        used = frozenset(sysfs.node_of(entry.name) for entry in (folder / "devices").iterdir())
    misses = any(sysfs.text(file) not in (None, "0") for file in folder.glob("devinfo/*/missing"))
    # The metadata of a mounted Btrfs changes all the time.
    place = str(uses[0].by)
    spaces = SPACES.findall(run(("btrfs", "filesystem", "df", "--raw", place)).output)
    if not spaces:
        raise Failed(resized.NOT_TOLD(program="btrfs", what=(place,)))
    # GlobalReserve is not a chunk, but a reserve in metadata chunks.
    kept = (
        (frozenset(holds.upper().split("+")), profile)
        for holds, profile, size in spaces
        if holds != "GlobalReserve" and int(size)
    )
    return BtrfsSeen(members, _profiles(kept), newest, used, misses)


def _number(part: str, name: str) -> int:
    return resized.number_in(run((*resized.BTRFS_SUPERBLOCK, part)).output, name)


def _member(part: str, drive: Drive) -> BtrfsMember:
    output = run((*resized.BTRFS_SUPERBLOCK, part)).output
    found = drive.partition(part)
    uuid = found.signatures[0].uuid if found and found.signatures else None
    numbers = [resized.number_in(output, name) for name in ("dev_item.devid", "num_devices", "generation")]
    return BtrfsMember(part, uuid or "", *numbers)


def _profiles(kept: Iterable[tuple[frozenset[str], str]]) -> dict[frozenset[str], frozenset[str]]:
    found: dict[frozenset[str], frozenset[str]] = {}
    for holds, profile in kept:
        found[holds] = found.get(holds, frozenset()) | {profile.upper()}
    return found


REACHES_FURTHER = Sentence(
    "{device} is one of {count} devices of a {kind} volume whose others are not listed, so no data is "
    "replaced"
)


MAY_REACH_FURTHER = Sentence(
    "{device} is a {kind} and may belong to a volume on further drives; no data is replaced"
)

PARTS = frozenset(
    {
        "LDM_member", "LVM1_member", "bcache", "ceph_bluestore", "drbd", "jbd", "stratis", "xfs_external_log",
        "zfs_member",
    }
)  # fmt: skip
"""libblkid's types of content that may belong to a volume on further drives, such as an external journal.
Firmware RAIDs are similar."""


def reaching_faults(drives: Sequence[Drive]) -> tuple[Message, ...]:
    """Report each Btrfs, md array and volume group that extends beyond these drives, and content that may.
    Raises Failed if the tools do not report this."""
    held = [
        (device, signature.kind, signature.uuid)
        for drive in drives
        for device, signatures in drive.signatures_by_device
        for signature in signatures
    ]
    md, lvm = MEMBER_KINDS["md"], MEMBER_KINDS["lvm"]
    members = {device for device, kind, _ in held if kind == lvm}
    faults = []
    for device, kind, uuid in held:
        title, count, listed = "", 0, [other[1:] for other in held].count((kind, uuid))
        if kind == "btrfs":
            title, count = "Btrfs", _number(device, "num_devices")
        elif kind == md:
            found = exported(run(("mdadm", "--examine", "--export", device)).output).get("MD_DEVICES", "")
            if not found.isdigit():
                raise Failed(resized.NOT_TOLD(program="mdadm", what=("MD_DEVICES",)))
            title, count = "md", int(found)
        elif kind == lvm and (name := group_of(device)):
            physical, _ = physical_in(name)
            title, count, listed = "LVM", len(physical), len(physical & members)
        elif kind.endswith("_raid_member") or kind in PARTS:
            faults.append(MAY_REACH_FURTHER(device=device, kind=kind))
        if count > listed:
            faults.append(REACHES_FURTHER(device=device, count=count, kind=title))
    return tuple(faults)


class DriveTarget(FrozenStruct):
    """An entry of the document and the drives, in order."""

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
        environment = self.where.environment
        made = self._plan(self.machine, self.drives, self.requests, mode)
        return with_lines_left(made, self.drives, environment).with_current_texts(environment.fstab)

    def ideal(self) -> Plan:
        """Plan the request on blank drives, with unspecified values as they are on the drives. Raises as the
        planner does."""
        layers: tuple[Layer | None, ...] = ()
        if self.wanted.lvm or (self.stripe and self.stripe.kind != "btrfs"):
            # The names of logical volumes come from a plan.
            layers = layers_of(self._if_blank(self.requests), self.drives)
        try:
            return self._if_blank(differences.as_it_is(self.requests, self.drives[0], layers), layers)
        except DiskwrightError:
            # The existing values are not possible for the request, such as ext4 where a system boots from.
            return self._if_blank(self.requests, layers)

    def _if_blank(self, asked: Sequence[VolumeRequest], layers: Sequence[Layer | None] = ()) -> Plan:
        completed = mounted_as_there(asked, self.drives, self.where.environment, layers)
        # Existing filesystems need no mkfs programs.
        makers = {program for kind in MADE.values() for program in kind.makers}
        missing = [(program, "") for program in sorted(makers) if not self.machine.has_tool(program)]
        machine = replace(self.machine, tools=(*self.machine.tools, *missing))
        return self._plan(machine, tuple(map(differences.emptied, self.drives)), completed, None)

    def _plan(
        self,
        machine: Machine,
        drives: Sequence[Drive],
        requests: Sequence[VolumeRequest],
        mode: plan_request.Mode | None,
    ) -> Plan:
        how = plan_request.Arrangement(self.wanted.table, self.wanted.lvm, self.stripe)
        nodes = (*taken_arrays(), *self.where.given) if self.stripe else ()
        places, fstab = mounts.usual_places(), self.where.environment.fstab
        taken = mounts.taken_places(places, fstab) | self.where.given
        usual, danger = Usual(caller(), places, taken, mounts.fixed_fstab(fstab)), self.wanted.danger
        return plan_requested(
            machine, drives, plan_request.NewVolumes((), mode, how), requests, usual, danger, arrays=nodes
        )
