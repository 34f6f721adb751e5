"""Plans with consistent documents must still follow the planner's rules."""

import shlex
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.documents.test_plan import KEEPING, PLAN
from tests.unit.plan.layouts import rederived, with_operations
from wizard.model.errors import BadInput
from wizard.model.layout import Volume
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.mounts import AddFstabLine, Mount
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.check import places_in
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan, PlanOperation


def hostile(plan: Plan, volumes: tuple[Volume, ...]) -> Plan:
    """Return a consistent plan for hostile volumes, which only the rules can refuse."""
    return rederived(replace(plan, volumes=volumes), places_in(plan))


def first_changed(**changes: Any) -> tuple[Volume, ...]:  # noqa: ANN401
    return (replace(PLAN.volumes[0], **changes), *PLAN.volumes[1:])


def test_rederived_plan_without_tampering_is_sound() -> None:
    PLANS.check(hostile(PLAN, first_changed(label="other")))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"path": "/dev/vda1"}, "volumes.1.path"),
        ({"label": "\x1b[2J"}, "volumes.1.label"),
        ({"label": "x" * 17}, "volumes.1.label"),
        ({"mount_point": "/etc/cron.d"}, "volumes.1.mount_point"),
        ({"mount_point": "/srv/a\nUUID=x / ext4"}, "volumes.1.mount_point"),
        ({"mount_point": "srv"}, "volumes.1.mount_point"),
        ({"mkfs_options": ("-J", "device=UUID=1")}, "volumes.1.mkfs_options"),
        ({"mkfs_options": ("-E", "offset=1048576")}, "volumes.1.mkfs_options"),
        ({"mkfs_options": ("-d", "/etc")}, "volumes.1.mkfs_options"),
        ({"mkfs_options": ("/dev/vda",)}, "volumes.1.mkfs_options"),
        ({"mkfs_options": ("-m",)}, "volumes.1.mkfs_options"),
        ({"mkfs_options": ("-m", "-F")}, "volumes.1.mkfs_options"),
        ({"mount_options": ("bind",)}, "volumes.1.mkfs_options"),
        ({"mount_options": ("x-systemd.requires=evil",)}, "volumes.1.mkfs_options"),
        ({"mount_options": ("noatime,bind",)}, "volumes.1.mkfs_options"),
        ({"mount_options": ("journal_dev=8:1",)}, "volumes.1.mkfs_options"),
        ({"mount_options": ("noatime 0 0\nevil",)}, "volumes.1.mkfs_options"),
        ({"uuid": "11111111-2222-3333-4444-55555555555G"}, "volumes.1.uuid"),
        ({"uuid": PLAN.volumes[0].uuid.upper().replace("1", "A")}, "volumes.1.uuid"),
        ({"uuid": PLAN.volumes[1].uuid}, "volumes"),
        ({"filesystem": "reiserfs"}, "volumes.1.filesystem"),
    ],
)
def test_hostile_volume_is_refused_even_if_consistent(changes: dict[str, Any], says: str) -> None:
    try:
        plan = hostile(PLAN, first_changed(**changes))
    except (KeyError, ValueError):
        plan = replace(PLAN, volumes=first_changed(**changes))
    with pytest.raises(BadInput, match=f"invalid {says}"):
        PLANS.check(plan)


def test_wipe_elsewhere_is_refused_even_if_consistent() -> None:
    for device in ("/dev/vda", "/dev/sda7", "/dev/sdaa"):
        with pytest.raises(BadInput, match="steps"):
            PLANS.check(rederived(PLAN, replace(places_in(PLAN), wipes=(WipeSignatures(device, ()),))))


def test_preserved_partitions_are_never_wiped_or_moved() -> None:
    table = next(step.operation for step in KEEPING.steps if isinstance(step.operation, WriteTable))
    wipes = (WipeSignatures("/dev/sda1", ("ext3",)),)
    wiping = rederived(KEEPING, replace(places_in(KEEPING), wipes=wipes))
    with pytest.raises(BadInput, match="steps"):
        PLANS.check(wiping)
    moved = replace(
        table,
        entries=tuple(
            replace(entry, size_bytes=entry.size_bytes + 512) if entry.kept else entry
            for entry in table.entries
        ),
    )
    dropped = replace(table, entries=tuple(entry for entry in table.entries if not entry.kept))
    operations = [step.operation for step in KEEPING.steps]
    for other in (moved, dropped):
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(KEEPING, tuple(other if one == table else one for one in operations)))


@pytest.mark.parametrize(
    ("start_bytes", "size_bytes"),
    [
        (99 * GIB, GIB + MIB),
        (99 * GIB, 3 * GIB),
        (100 * GIB, GIB),
        (100 * GIB + MIB, MIB),
        (101 * GIB - MIB, GIB),
    ],
    ids=["into it from before", "over all of it", "just there", "within it", "out of it"],
)
def test_new_partitions_never_overlap_preserved_ones(start_bytes: int, size_bytes: int) -> None:
    def moved(start: int, size: int) -> Plan:
        extents = (Extent(start, size), Extent(200 * GIB, GIB))
        return rederived(KEEPING, replace(places_in(KEEPING), extents=extents))

    PLANS.check(moved(99 * GIB, GIB))
    with pytest.raises(BadInput, match="entries"):
        PLANS.check(moved(start_bytes, size_bytes))


OPERATIONS = tuple(step.operation for step in PLAN.steps)
TABLE = next(operation for operation in OPERATIONS if isinstance(operation, WriteTable))


@pytest.mark.parametrize(
    "operations",
    [
        OPERATIONS[:-1],
        OPERATIONS[1:][::-1],
        (*OPERATIONS, Mount("/dev/vda1", "/srv/x", "ext4", ())),
        (*OPERATIONS, AddFstabLine(PLAN.volumes[0].uuid, "/", "ext4", (), 1)),
        (*OPERATIONS, WipeSignatures("/dev/sda2", ())),
        (*OPERATIONS, MakeFilesystem("/dev/vda", "ext4", PLAN.volumes[0].uuid, "x", ())),
        (*OPERATIONS, TABLE),
        (*OPERATIONS, replace(TABLE, device="/dev/vda")),
        tuple(operation for operation in OPERATIONS if operation != TABLE),
        tuple(
            replace(operation, device="/dev/vda") if operation == TABLE else operation
            for operation in OPERATIONS
        ),
        tuple(
            replace(operation, options=("-F",)) if isinstance(operation, MakeFilesystem) else operation
            for operation in OPERATIONS
        ),
    ],
)
def test_unneeded_operations_are_refused(operations: tuple[PlanOperation, ...]) -> None:
    PLANS.check(with_operations(PLAN, OPERATIONS))
    with pytest.raises(BadInput, match="is inconsistent"):
        PLANS.check(with_operations(PLAN, operations))


def test_invalid_entries_are_refused_even_if_consistent() -> None:
    first, second = places_in(PLAN).extents
    cases = (
        (replace(first, start_bytes=first.start_bytes + 512), second),
        (first, replace(second, size_bytes=second.size_bytes + GIB)),
        (replace(first, start_bytes=0), second),
        (replace(first, size_bytes=first.size_bytes - 100), second),
        (replace(first, size_bytes=first.size_bytes + MIB), second),
    )
    for extents in cases:
        with pytest.raises(BadInput, match="invalid entries"):
            PLANS.check(rederived(PLAN, replace(places_in(PLAN), extents=extents)))
    entry, *others = TABLE.entries
    for other in (replace(entry, type="c12a7328-f81f-11d2-ba4b-00a0c93ec93b"), replace(entry, number=7)):
        table = replace(TABLE, entries=(other, *others))
        changed = tuple(table if operation == TABLE else operation for operation in OPERATIONS)
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(PLAN, changed))


def test_lost_content_is_never_called_preserved() -> None:
    slots = tuple(replace(slot, kept=bool(slot.number)) for slot in PLAN.before.slots)
    lying = replace(PLAN, before=replace(PLAN.before, slots=slots))
    with pytest.raises(BadInput, match=r"before.slots"):
        PLANS.check(with_operations(lying, OPERATIONS))


def test_every_command_names_only_the_drive_and_its_partitions() -> None:
    for plan in (PLAN, KEEPING):
        for step in plan.steps:
            for argv in step.commands:
                devices = [word for word in argv if word.startswith("/dev")]
                assert len(devices) == 1 and devices[0].startswith("/dev/sda")
                assert shlex.split(shlex.join(argv)) == list(argv)
