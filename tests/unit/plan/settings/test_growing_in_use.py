"""Filesystems that grow while mounted, and others, and refused forgeries."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import machine, partition, partitioned
from tests.unit.ui.live import Live, menu
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Partition, Signature, Use
from wizard.model.requests import Grow
from wizard.model.said import GIB, MIB
from wizard.operations.filesystem import GrowMounted
from wizard.operations.operation import Context, Setting
from wizard.operations.table import ExtendPartition
from wizard.plan.changes import SETTINGS, Changes
from wizard.plan.dangers import known_identity
from wizard.plan.partition.possible import why_not_grow_mounted
from wizard.plan.plan import steps_of

PART = "/dev/sda1"
AT = Use("mounted", PART, "/srv/films")
COMPAT_JOURNAL = 0x4


def mounted(
    filesystem: str | None, *uses: Use, features: tuple[int, int, int] | None = None, end: int = 3 * GIB
) -> tuple[Drive, Partition]:
    """Return a drive with a mounted partition of 1 GiB, and another after that."""
    part = partition(1, MIB, GIB, filesystem=filesystem)
    if features is not None:
        part = replace(part, signatures=(Signature("ext4", "filesystem", features=features),))
    on = partitioned(part, partition(2, end), uses=(AT, *uses))
    return on, on.partitions[0]


@pytest.mark.parametrize(
    ("which", "says"),
    [
        *((mounted(name), None) for name in ("ext3", "ext4", "xfs", "btrfs")),
        (mounted("xfs", Use("running-system", PART, "/")), None),
        (mounted("ext4", features=(COMPAT_JOURNAL, 0, 0)), None),
        (mounted("xfs", end=GIB + MIB), None),
        (mounted("ext4", features=(0x38, 0, 0)), "which cannot grow while in use"),
        (mounted("ext2"), "contains ext2, which cannot grow while in use."),
        (mounted("ntfs"), "contains ntfs, which cannot grow while in use."),
        (mounted(None), "No resizable content recognised"),
        (mounted("xfs", Use("loop-backing", PART, "/dev/loop7")), "is in use"),
        (mounted("xfs", Use("holder", PART, "/dev/mapper/x")), "is in use"),
    ],
)
def test_filesystems_that_grow_mounted(which: tuple[Drive, Partition], says: str | None) -> None:
    why = why_not_grow_mounted(*which)
    assert (why is None) if says is None else says in str(why)


@pytest.mark.parametrize(("filesystem", "able"), [("ext4", True), ("ext2", False), ("vfat", False)])
def test_menu_offers_growth_if_possible(filesystem: str, able: bool) -> None:
    on, part = mounted(filesystem)
    (entry,) = (one for one in menu(Live(), part.path, on) if one.name == "grow")
    assert (str(entry.why_not) == "") is able and "2.1 GB" in str(entry.says)
    full, full_part = mounted(filesystem, end=GIB + MIB)
    (entry,) = (one for one in menu(Live(), full_part.path, full) if one.name == "grow")
    assert (str(entry.why_not) == "") is able and "fill the partition" in str(entry.says)


EXTEND = ExtendPartition("/dev/sda", 1, MIB, GIB, 2 * GIB)
GROW = GrowMounted(PART, "xfs", "/srv/films", GIB, 2 * GIB)
BTRFS = replace(GROW, filesystem="btrfs", member=3)


def wanting(*operations: Setting, filesystem: str = "xfs") -> Changes:
    on, _ = mounted(filesystem)
    assert on.size_bytes is not None and on.geometry is not None
    identity = known_identity(machine(on), on)
    return Changes(identity, PART, filesystem, "", Grow(), steps_of(operations, Context(identity)))


def forged_as(changes: Changes, filesystem: str) -> Changes:
    """Return the same changes for a filesystem that cannot grow while mounted."""
    (step,) = changes.steps
    operation = replace(GROW, filesystem=filesystem)
    return replace(changes, filesystem=filesystem, steps=(replace(step, operation=operation),))


@pytest.mark.parametrize("good", [wanting(EXTEND, GROW), wanting(GROW), wanting(BTRFS, filesystem="btrfs")])
def test_growth_document_is_consistent(good: Changes) -> None:
    SETTINGS.check(good)


@pytest.mark.parametrize(
    ("forged", "says"),
    [
        (wanting(EXTEND), "extend-partition|grow"),
        (wanting(replace(EXTEND, number=2), GROW), "extend-partition"),
        (wanting(replace(EXTEND, drive="/dev/sdb"), GROW), "extend-partition"),
        (wanting(replace(EXTEND, new_bytes=3 * GIB), GROW), "extend-partition|grow"),
        (
            wanting(replace(EXTEND, new_bytes=2 * GIB + 1), replace(GROW, new_bytes=2 * GIB + 1)),
            "extend-partition|grow",
        ),
        (wanting(replace(EXTEND, old_bytes=2 * GIB), GROW), "extend-partition|grow"),
        (wanting(replace(EXTEND, start_bytes=0), GROW), "extend-partition|grow"),
        (wanting(replace(EXTEND, start_bytes=465 * GIB), GROW), "extend-partition|grow"),
        (wanting(replace(GROW, filesystem="btrfs")), "extend-partition|grow"),
        (forged_as(wanting(GROW), "ext2"), "extend-partition|grow"),
        (forged_as(wanting(GROW), "ntfs"), "extend-partition|grow"),
        (wanting(replace(GROW, mount_point="srv")), "extend-partition|grow"),
        (wanting(GROW, EXTEND), "steps"),
    ],
)
def test_impossible_growth_document_is_refused(forged: Changes, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        SETTINGS.check(forged, "c.json")
