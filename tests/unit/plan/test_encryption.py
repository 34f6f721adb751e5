"""Plans of encrypted volumes: the place of the container, refusals, and warnings."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, KN4, N512, drive, machine, partition, partitioned
from tests.unit.plan.layouts import EVERYTHING, GEOMETRIES, UUIDS, plan_for, plan_page, spec, with_operations
from wizard.model.advice import Option
from wizard.model.errors import BadInput, Refused
from wizard.model.geometry import Geometry
from wizard.model.layout import NO_PLACE
from wizard.model.said import GIB, MIB
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.mounts import Mount, TurnOnSwap
from wizard.operations.operation import NO_UNDO, UNTIL_KEPT
from wizard.operations.table import WipeSignatures
from wizard.plan.documents import PLANS
from wizard.plan.plan import LOST, Plan, PlanOperation, Step
from wizard.plan.planner import make_plan
from wizard.plan.request.encryption import (
    NO_TRIM,
    encryption_of,
    header_bytes,
    passphrase_fault,
    passphrase_warning,
)
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec, parse_volume

PLACE = "/srv/secret"


def secret(filesystem: str = "ext4", **more: Any) -> VolumeSpec:  # noqa: ANN401
    return replace(spec(filesystem), encrypted=True, **{"label": "private", "mount_point": PLACE, **more})


def making(plan: Plan) -> Step[PlanOperation]:
    return next(step for step in plan.steps if isinstance(step.operation, MakeContainer))


def planned(*specs: VolumeSpec, geometry: Geometry = E512) -> Plan:
    return plan_for(drive(geometry=geometry, size_bytes=64 * GIB), *(specs or (secret(),)))


def test_key_file_is_in_crypttab_only() -> None:
    plan = planned(secret(key="/etc/keys/media.key"))
    PLANS.check(plan)
    lines = [step for step in plan.steps if isinstance(step.operation, AddCrypttabLine)]
    (line,) = (edit for step in lines for edit in step.edits)
    assert line.split()[2:] == ["/etc/keys/media.key", "luks,nofail"]
    assert "with the key /etc/keys/media.key" in lines[0].sentence
    assert PLANS.read(PLANS.render(plan), "plan") == plan
    others = [step for step in plan.steps if step not in lines]
    assert "media.key" not in " ".join(word for step in others for argv in step.commands for word in argv)


def test_another_fstab_is_named_in_all_texts() -> None:
    plan = planned(secret(key="/etc/keys/media.key"), spec("swap", size_bytes=GIB, mount_point=NO_PLACE))
    own = "\n".join((*plan_page(plan, 4000), *(held for step in plan.steps for held in step.holds)))
    other = plan.with_current_texts("/mnt/etc/fstab")
    said = "\n".join((*plan_page(other, 4000), *(held for step in other.steps for held in step.holds)))
    for name in ("fstab", "crypttab"):
        assert own.count(f"/etc/{name}") == said.count(f"/mnt/etc/{name}") == said.count(f"/etc/{name}") > 2
    assert PLANS.render(other) == PLANS.render(plan)


@pytest.mark.parametrize(
    ("specs", "why"),
    [
        ((secret(key="/srv/secret/k"),), "is on a volume of the same drive"),
        (
            (secret(key="/srv/b/k", size_bytes=GIB), secret(key="/srv/b/k", label="b", mount_point="/srv/b")),
            "is on a volume of the same drive",
        ),
        ((secret(key="/tmp/k"),), "cleared at boot"),
        ((secret(key="k"),), "is not a plain path"),
        (
            (secret(key="/etc/k", size_bytes=GIB), secret(label="b", mount_point="/srv/b")),
            "must be the same",
        ),
    ],
)
def test_key_unusable_at_boot_is_refused(specs: tuple[VolumeSpec, ...], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        planned(*specs)
    plan = planned(secret(key="/etc/k"))
    (volume,) = plan.volumes
    assert volume.encryption is not None
    forged = replace(volume, encryption=replace(volume.encryption, key=specs[0].key))
    if len(specs) == 1:
        with pytest.raises(BadInput, match="containers"):
            PLANS.check(replace(plan, volumes=(forged,)))


@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_data_after_the_header_is_aligned(geometry: Geometry) -> None:
    plan = planned(geometry=geometry)
    (container,), slot = plan.containers, next(slot for slot in plan.after.partitions if not slot.kept)
    assert container.offset_bytes >= 16 * MIB
    assert not geometry.misalignment_bytes(slot.start_bytes + container.offset_bytes)
    assert not container.offset_bytes % geometry.grain_bytes, "a whole stripe of a RAID beneath"
    PLANS.check(plan)


@pytest.mark.parametrize(("geometry", "sector"), [(N512, 512), (E512, 4096), (KN4, 4096)])
def test_encryption_sector_matches_the_physical_block(geometry: Geometry, sector: int) -> None:
    assert planned(geometry=geometry).containers[0].sector_bytes == sector
    assert (
        encryption_of(
            "/dev/sda1", "x", 64 * MIB + 512, replace(geometry, logical_block_bytes=512), UUIDS[0]
        ).sector_bytes
        == 512
    )


def test_mapper_name_contains_the_label_and_is_unique() -> None:
    names = [
        encryption_of("/dev/sda1", label, GIB, E512, uuid).name
        for label in ("-q", "a b/ü", "private")
        for uuid in UUIDS[:2]
    ]
    assert len(set(names)) == 6
    assert all(
        name.startswith("luks-") and name.replace("-", "").replace("_", "").isalnum() and name.isascii()
        for name in names
    )
    assert any("private" in name for name in names)


def test_filesystem_is_made_mounted_and_listed_in_the_container() -> None:
    plan = planned(secret(), spec("xfs", size_bytes=2 * GIB, label="open"))
    (container,), volume = plan.containers, plan.volumes[0]
    operations = [step.operation for step in plan.steps if not isinstance(step.operation, WipeSignatures)]
    assert operations[1:4] == [
        MakeContainer("/dev/sda1", container.uuid, 4096, 16 * MIB),
        OpenContainer("/dev/sda1", container.uuid, container.name),
        MakeFilesystem(container.opened, "ext4", volume.uuid, "private", ()),
    ]
    assert [type(operation) for operation in operations[-3:]] == [
        AddCrypttabLine,
        type(operations[-2]),
        Mount,
    ]
    assert isinstance(operations[-1], Mount) and operations[-1].device == container.opened
    assert container.uuid != volume.uuid
    assert plan.volumes[1].path == "/dev/sda2"
    assert PLANS.read(PLANS.render(plan), "it") == plan


def test_swap_in_a_container_is_activated_and_unmounted_stays_closed() -> None:
    swap = planned(secret("swap", mount_point="none", label="swapped"))
    assert swap.steps[-1].operation == TurnOnSwap(swap.containers[0].opened)
    nowhere = planned(secret(mount_point=None))
    assert not any(isinstance(step.operation, AddCrypttabLine | Mount) for step in nowhere.steps)


def test_encryption_is_shown_with_the_meaning_of_a_lost_passphrase() -> None:
    plan = planned()
    shown = " ".join(" ".join(plan_page(plan, 120)).split())
    for said in (
        "Linux LUKS",
        "--key-file=-",
        "standard input",
        "none luks,nofail",
        str(LOST),
        plan.containers[0].name,
    ):
        assert said in shown
    assert making(plan).undo == str(UNTIL_KEPT)
    assert "Cannot be undone" in making(plan.with_undo_text(NO_UNDO)).undo
    assert NO_TRIM not in plan.doubts
    still = plan_for(replace(drive(size_bytes=64 * GIB), rotational=False), secret())
    assert NO_TRIM in still.doubts


def test_old_content_is_lost_once_when_the_container_is_made() -> None:
    full = partitioned(partition(filesystem="ext4"))
    plan = plan_for(full, secret(), mode=Mode.REPLACE)
    losing = {type(step.operation) for step in plan.steps if "old data" in step.destroys}
    assert losing == {MakeContainer}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (secret("vfat", label="PRIVATE"), "vfat is not supported in an encrypted volume"),
        (secret(size_bytes=header_bytes(E512) + 15 * MIB), "too small"),
        (
            replace(secret(), choice=replace(secret().choice, mount=(Option("discard", "asked"),))),
            "`discard` has no effect",
        ),
    ],
)
def test_impossible_encryption_is_refused(asked: VolumeSpec, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        planned(asked)
    PLANS.check(planned(secret(size_bytes=header_bytes(E512) + 16 * MIB)))


def test_no_encryption_on_zones_in_a_group_or_without_cryptsetup() -> None:
    on = drive(size_bytes=64 * GIB)
    source = iter(UUIDS)
    without = tuple(tool for tool in EVERYTHING if tool[0] != "cryptsetup")
    with pytest.raises(Refused, match="the package cryptsetup"):
        make_plan(machine(on, tools=without), (on,), NewVolumes((secret(),)), lambda: next(source))
    with pytest.raises(Refused, match="cannot be partitioned"):
        plan_for(replace(on, zoned="host-managed"), secret("btrfs"))
    with pytest.raises((Refused, BadInput), match="olume group"):
        make_plan(
            machine(on, tools=EVERYTHING),
            (on,),
            NewVolumes((secret(),), None, Arrangement(grouped=True)),
            lambda: next(source),
        )


def test_operations_of_an_encrypting_plan_cannot_be_forged() -> None:
    plan = planned()
    (container,) = plan.containers
    operations = tuple(step.operation for step in plan.steps)
    PLANS.check(with_operations(plan, operations))
    hostile = (
        MakeContainer("/dev/sdx1", container.uuid, 4096, 16 * MIB),
        MakeContainer("/dev/sda1", UUIDS[6], 4096, 16 * MIB),
        MakeContainer("/dev/sda1", container.uuid, 512, 16 * MIB),
        MakeContainer("/dev/sda1", container.uuid, 4096, 0),
        OpenContainer("/dev/sda1", container.uuid, "x"),
        OpenContainer("/dev/sdx1", container.uuid, container.name),
        AddCrypttabLine(container.uuid, "x"),
        AddCrypttabLine(UUIDS[6], container.name),
        MakeFilesystem("/dev/sda1", "ext4", plan.volumes[0].uuid, "private", ()),
        Mount("/dev/sda1", PLACE, "ext4", ("noatime",)),
    )
    attempts = [
        *(operations[:at] + operations[at + 1 :] for at in range(len(operations))),
        *(
            (*operations[:at], other, *operations[at:])
            for at in range(len(operations) + 1)
            for other in hostile
        ),
        *(
            (*operations[:at], other, *operations[at + 1 :])
            for at in range(len(operations))
            for other in hostile
        ),
    ]
    for attempt in attempts:
        with pytest.raises(BadInput, match="is inconsistent"):
            PLANS.check(with_operations(plan, attempt))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "luks-private-00000000"}, "containers|volumes"),
        ({"name": "../sdb"}, "containers|volumes"),
        ({"device": "/dev/sdb1"}, "volumes"),
        ({"sector_bytes": 512}, "containers"),
        ({"offset_bytes": 0}, "containers"),
        ({"uuid": "--help"}, "volumes"),
    ],
)
def test_forged_container_is_refused(change: dict[str, Any], why: str) -> None:
    plan = planned()
    (volume,) = plan.volumes
    assert volume.encryption
    forged = replace(volume.encryption, **change)
    for path in (volume.path, forged.opened):
        with pytest.raises(BadInput, match=why):
            PLANS.check(replace(plan, volumes=(replace(volume, encryption=forged, path=path),)))


def test_plan_without_the_passphrase_warning_is_refused() -> None:
    with pytest.raises(BadInput, match="doubts"):
        PLANS.check(replace(planned(), doubts=()))


def test_encryption_is_requested_on_the_command_line() -> None:
    assert parse_volume("workload=large-media,encrypt=luks2").encrypt == "luks2"
    with pytest.raises(BadInput, match="Choose one of luks2"):
        parse_volume("workload=large-media,encrypt=rot13")


def test_passphrase_is_typable_and_a_weak_one_is_reported() -> None:
    assert passphrase_fault(b"") and passphrase_fault(b"a\nb") and passphrase_fault(b"x" * 513)
    assert passphrase_fault(b"x" * 512) is None
    assert (
        passphrase_warning(b"short")
        and passphrase_warning(b"a" * 40)
        and passphrase_warning("ein längerer Satz".encode())
    )
    assert passphrase_warning(b"several words that nobody guesses") is None


def test_empty_workload_is_not_that_of_a_system() -> None:
    assert parse_volume("workload=,size=10G").workload == ""
