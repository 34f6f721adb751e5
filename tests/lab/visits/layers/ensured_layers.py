"""Jobs: `ensure` creates a volume group on one drive, and md's mirror and stripe over two. It recognises
them under any name and in any order, and refuses if anything differs or is unknown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import MIB, EmulatedDrive, Fleet, virtio_drive
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import FSTAB, SLOW, digests, diskwright, forget_in_fstab, node_of, tool, udev_runs
from wizard.model.errors import partition_path
from wizard.model.run import Check
from wizard.operations.layers import LVM_WITHOUT_UDEV
from wizard.process.program import run

GROUP, SPARE = virtio_drive("layered-group", 640 * MIB), virtio_drive("layered-spare", 128 * MIB)
ONE, TWO = virtio_drive("layered-one", 128 * MIB), virtio_drive("layered-two", 160 * MIB)
FLEET = Fleet("ensured-layers", (GROUP, SPARE, ONE, TWO))
LONG = 600.0
MAIL, FILMS, MEDIA = Path("/srv/lab/mail"), Path("/srv/lab/films"), Path("/srv/lab/media")
FILE = Path("/run/wanted.toml")
CHANGED, REFUSED = 5, 3

IN_GROUP = f"""lvm = true
[[drive.volume]]
workload = "mail"
fs = "ext4"
size = "101M"
label = "mail"
mount = "{MAIL}"
writable = "root"
[[drive.volume]]
workload = "desktop-root"
fs = "swap"
size = "32M"
label = "swapped"
mount = "none"
[[drive.volume]]
workload = "large-media"
fs = "xfs"
label = "films"
mount = "{FILMS}"
writable = "root"
"""
TOGETHER = f"""
[[drive.volume]]
workload = "large-media"
fs = "ext4"
label = "media"
mount = "{MEDIA}"
writable = "root"
"""


def _ends(what: str, status: int, word: str, rest: str, *drives: EmulatedDrive) -> Check:
    first, *others = [f'{{ serial = "{drive.serial}" }}' for drive in drives]
    also = f"also = [{', '.join(others)}]\n" if others else ""
    FILE.write_text(f'schema = "diskwright.wanted/1"\n[[drive]]\nmatch = {first}\n{also}{rest}')
    ended = diskwright("ensure", str(FILE), "--detailed-exitcode", accept=range(256), seconds=LONG)
    said = f"{ended.status}: {ended.output[-1500:]} {ended.errors[-2500:]}"
    return Check(what, ended.status == status and word in ended.output, said)


def _prepare(*modules: str) -> None:
    for module in ("loop", "ext4", *modules):
        tool("modprobe", module)
    run(["vgchange", "--activate", "n"], seconds=SLOW, accept=range(256))


def _unchanged(what: str, before: list[str], nodes: list[str]) -> Check:
    return Check(what, digests(nodes) == before, "")


def ensured_group(fleet: Fleet) -> Iterator[Check]:
    """Check volumes in a group."""
    del fleet
    _prepare("dm_mod", "xfs")
    node = node_of(GROUP)
    blank = digests([node])
    plain = IN_GROUP.removeprefix("lvm = true\n")
    role = IN_GROUP.replace('fs = "swap"', 'role = "swap"').replace('workload = "desktop-root"\n', "")
    yield _ends("a role in a volume group is refused", REFUSED, "neither roles", role, GROUP)
    yield _unchanged("nothing is written", blank, [node])
    yield _ends("the first run creates the volumes", CHANGED, "was changed", IN_GROUP, GROUP)
    (name,) = {line.split()[1] for line in tool("pvs", "--noheadings").splitlines() if node in line}
    for place in (MAIL, FILMS):
        source = tool("findmnt", "-n", "-o", "SOURCE", str(place)).strip()
        yield Check(f"{place} is mounted", source == f"/dev/mapper/{name}-{place.name}", source)
    fstab = FSTAB.read_text()
    yield _ends("the second run changes nothing", 0, "already match", IN_GROUP, GROUP)
    yield Check("fstab is unchanged", FSTAB.read_text() == fstab, FSTAB.read_text())
    less = (
        IN_GROUP.replace('fs = "ext4"\n', "").replace('fs = "xfs"\n', "").replace(f'mount = "{FILMS}"\n', "")
    )
    yield _ends("unspecified values match anything", 0, "already match", less, GROUP)
    for text, word in (
        (plain, "is refused; no changes were made"),
        (IN_GROUP.replace('"101M"', '"64M"'), "instead of"),
        (IN_GROUP.replace('label = "mail"', 'label = "post"'), "lacks post"),
        (IN_GROUP.replace('fs = "xfs"', 'fs = "ext4"'), "is xfs instead of ext4"),
        (IN_GROUP.replace(str(MAIL), "/srv/lab/other"), "instead of /srv/lab/other"),
    ):
        yield _ends(f"refused: {word}", REFUSED, word, text, GROUP)
    yield from _group_drifts(node, name)


def _group_drifts(node: str, name: str) -> Iterator[Check]:
    tool("tune2fs", "-L", "other", f"/dev/{name}/mail")
    yield _ends("another label is reported", REFUSED, "the label is other", IN_GROUP, GROUP)
    tool("tune2fs", "-L", "mail", f"/dev/{name}/mail")
    spare = node_of(SPARE)
    tool("vgextend", "--yes", name, spare)
    yield _ends("another drive in the group is reported", REFUSED, f"also contains {spare}", IN_GROUP, GROUP)
    bare = ("--zero", "n", "--wipesignatures", "n")
    tool("lvcreate", "--yes", *LVM_WITHOUT_UDEV, *bare, "--extents", "1", "--name", "more", name)
    yield _ends("another volume is reported", REFUSED, "also contains more", IN_GROUP, GROUP)
    tool("lvremove", "--yes", *LVM_WITHOUT_UDEV, f"{name}/more")
    tool("vgreduce", name, spare)
    tool("pvremove", "--yes", spare)
    yield _ends("after removing both, nothing changes", 0, "already match", IN_GROUP, GROUP)

    for place in (MAIL, FILMS):
        tool("umount", str(place))
    yield _ends("an unmounted volume is reported", REFUSED, "is not mounted", IN_GROUP, GROUP)
    for swap in tool("swapon", "--show=NAME", "--noheadings", "--raw").split():
        tool("swapoff", swap)
    tool("vgchange", "--activate", "n", name)
    before = digests([node])
    yield _ends("an inactive volume is refused", REFUSED, "is inactive", IN_GROUP, GROUP)
    yield _unchanged("the refused run writes nothing", before, [node])
    tool("vgchange", "--activate", "y", name)
    for place in (MAIL, FILMS):
        tool("mount", str(place))
    yield _ends("activated again, nothing changes", 0, "already match", IN_GROUP, GROUP)
    forget_in_fstab(str(FILMS))
    yield _ends("a missing fstab entry is reported", REFUSED, "lacks an entry for", IN_GROUP, GROUP)


def ensured_mirror(fleet: Fleet) -> Iterator[Check]:
    """Check md's mirror."""
    del fleet
    _prepare("raid1", "dm_mod")
    nodes = [node_of(ONE), node_of(TWO)]
    right = 'mirror = "md"\n' + TOGETHER
    yield _ends("the first run creates the mirror", CHANGED, "were changed", right, ONE, TWO)
    yield _ends("the second run changes nothing", 0, "already match", right, ONE, TWO)
    yield _ends("the order of drives is irrelevant", 0, "already match", right, TWO, ONE)
    array = tool("findmnt", "-n", "-o", "SOURCE", str(MEDIA)).strip()
    tool("mdadm", "--wait", array, accept=(0, 1))
    yield _ends("after the resync, nothing changes", 0, "already match", right, ONE, TWO)
    for text, word in (
        ('stripe = "md"\n' + TOGETHER, "RAID1 instead of RAID0"),
        (right.replace('"media"\nmount', '"films"\nmount'), "the label is media"),
        (right.replace("ext4", "xfs"), "XFS needs"),
    ):
        yield _ends(f"refused: {word}", REFUSED, word, text, ONE, TWO)
    yield _ends("a single member is refused", REFUSED, "instead of", TOGETHER, ONE)
    yield _ends("a blank drive as a member is refused", REFUSED, "may contain all files", right, ONE, SPARE)
    yield from _mirror_drifts(array, nodes, right)


def _mirror_drifts(array: str, nodes: list[str], right: str) -> Iterator[Check]:
    parts = [partition_path(node, 1) for node in nodes]
    tool("mdadm", array, "--fail", parts[1])
    yield _ends("a failed drive is reported", REFUSED, "is missing a drive", right, ONE, TWO)
    tool("mdadm", array, "--remove", parts[1])
    yield _ends("a removed drive is reported", REFUSED, "is missing a drive", right, ONE, TWO)
    tool("mdadm", array, "--re-add", parts[1])
    tool("mdadm", "--wait", array, accept=(0, 1))
    yield _ends("with the drive added again, nothing changes", 0, "already match", right, ONE, TWO)
    tool("umount", str(MEDIA))
    yield _ends("an unmounted volume is reported", REFUSED, "is not mounted", right, ONE, TWO)
    if udev_runs():
        tool("udevadm", "settle", "--timeout=60")
    tool("mdadm", "--stop", array)
    before = digests(nodes)
    yield _ends("a stopped array is refused", REFUSED, "are unknown", right, ONE, TWO)
    yield _unchanged("the refused run writes nothing", before, nodes)
    tool("mdadm", "--assemble", "/dev/md5", *parts)
    tool("mount", str(MEDIA))
    yield _ends("with another md number, nothing changes", 0, "already match", right, ONE, TWO)
    tool("umount", str(MEDIA))
    tool("mdadm", "--stop", "/dev/md5")
    forget_in_fstab(str(MEDIA))


def ensured_stripe(fleet: Fleet) -> Iterator[Check]:
    """Check md's stripe in place of the mirror, which the request must name."""
    del fleet
    _prepare("raid0")
    right = 'stripe = "md"\n' + TOGETHER
    nodes = [node_of(ONE), node_of(TWO)]
    for node in nodes:
        # Replace the old mirror with a foreign filesystem on each drive.
        tool("wipefs", "--all", "--quiet", partition_path(node, 1), accept=(0, 1))
        tool("wipefs", "--all", "--quiet", node)
        run(["partx", "--delete", node], seconds=SLOW, accept=range(256))
        tool("mkfs.ext4", "-q", "-F", node)
    before = digests(nodes)
    yield _ends("drives with data are refused", REFUSED, "replace =", right, ONE, TWO)
    yield _unchanged("the refused run writes nothing", before, nodes)
    said = json.loads(diskwright("ensure", str(FILE), "--json", accept=range(256), seconds=LONG).output)
    value = said["drives"][0]["replace"]
    yield Check("the proposed `replace` names both drives", value.count(":") == 2, value)
    right = f'replace = "{value}"\n' + right
    yield _ends("drives named in `replace` are replaced", CHANGED, "were changed", right, TWO, ONE)
    yield _ends("the second run changes nothing", 0, "already match", right, ONE, TWO)
    yield _ends(
        "a mirror in place of the stripe is refused",
        REFUSED,
        "RAID0 instead of RAID1",
        'mirror = "md"\n' + TOGETHER,
        ONE,
        TWO,
    )


JOBS = {
    "ensured-group": ensured_group,
    "ensured-mirror": ensured_mirror,
    "ensured-stripe": ensured_stripe,
}
VISITS = (
    Visit(
        "ensure: a volume group on one drive",
        FLEET,
        ("ensured-group",),
        1800,
        udev=False,
        full_only=True,
    ),
    Visit(
        "ensure: md over two drives",
        FLEET,
        ("ensured-mirror", "ensured-stripe"),
        1800,
        udev=False,
        full_only=True,
    ),
)
