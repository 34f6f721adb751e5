"""Rules by filesystem in a plan: labels, serial numbers, partition types, commands, and swap without a
mount."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.plan.layouts import kinds_of, plan_for, plan_page, rederived, spec, with_operations
from wizard.advice.missing import obstacles
from wizard.apply.system import mounts
from wizard.apply.system.fstab import conflict, parse
from wizard.filesystems import partition_types
from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput
from wizard.model.geometry import Geometry
from wizard.model.layout import Volume
from wizard.model.machine import Extent, Kernel
from wizard.model.said import GIB, KIB, MIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.rules import is_volume_uuid, label_fault, place_fault
from wizard.operations.table import WriteTable
from wizard.plan.check import places_in
from wizard.plan.derive import derived_from, table_of
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.request.volume_request import VolumeSpec, parse_volume
from wizard.probe.host.sysfs import swaps_in

DRAWN = "3f8a1c2d-9b7e-4d5f-8a6b-0c1d2e3f4a5b"
REPORTED = {"vfat": "3F8A-1C2D", "exfat": "3F8A-1C2D", "ntfs": "3F8A1C2D9B7E4D5F"}
COMMANDS = {
    "f2fs": [f"mkfs.f2fs -q -f -U {DRAWN} -l media /dev/sda1"],
    "exfat": ["mkfs.exfat -L media /dev/sda1", "tune.exfat -I 0x3f8a1c2d /dev/sda1"],
    "ntfs": ["mkfs.ntfs -Q -q -L media /dev/sda1", "ntfslabel -q --new-serial=3f8a1c2d9b7e4d5f /dev/sda1"],
    "vfat": ["mkfs.vfat -F 32 -i 3f8a1c2d -n MEDIA /dev/sda1"],
    "nilfs2": ["mkfs.nilfs2 -q -f -L media /dev/sda1", f"nilfs-tune -U {DRAWN} /dev/sda1"],
    "jfs": ["mkfs.jfs -q -L media /dev/sda1", f"jfs_tune -U {DRAWN} /dev/sda1"],
    "swap": [f"mkswap -q -U {DRAWN} -L media /dev/sda1"],
}
each = pytest.mark.parametrize("name", MADE)


def swap(**changes: Any) -> VolumeSpec:  # noqa: ANN401
    return replace(spec("swap", size_bytes=GIB, mount_point="none"), **changes)


def the_table(plan: Plan) -> WriteTable:
    return next(step.operation for step in plan.steps if isinstance(step.operation, WriteTable))


@pytest.mark.parametrize("name", COMMANDS)
def test_mkfs_gets_the_planned_uuid_and_asks_no_question(name: str) -> None:
    label = MADE[name].fit_label("media")
    operation = MakeFilesystem("/dev/sda1", name, MADE[name].uuid_of(DRAWN), label, ())
    assert [" ".join(argv) for argv in MADE[name].commands(operation)] == COMMANDS[name]


@each
def test_uuid_in_a_plan_is_the_one_of_libblkid(name: str) -> None:
    reported = MADE[name].uuid_of(DRAWN)
    assert reported == REPORTED.get(name, DRAWN)
    assert is_volume_uuid(reported, name)
    for other in {
        DRAWN,
        *REPORTED.values(),
        DRAWN.upper(),
        "0000-0000",
        "0" * 16,
        "3f8a-1c2d",
        "3F8A-1C2\u0663",
        "",
    } - {reported}:
        assert not is_volume_uuid(other, name), other


@each
def test_volume_of_each_kind_is_planned_read_back_and_sound(name: str) -> None:
    kind = MADE[name]
    plan = plan_for(drive(), spec(name, mount_point="/srv/films" if kind.mounts else "none"))
    assert PLANS.read(PLANS.render(plan), "plan.json") == plan
    assert [entry.type for entry in the_table(plan).entries] == [kind.gpt_type]
    making = next(step for step in plan.steps if isinstance(step.operation, MakeFilesystem))
    assert any("reports a clean filesystem" in sentence for sentence in making.holds) == bool(
        kind.clean_check
    )
    assert not any("mkfs" in sentence for sentence in making.holds)
    in_use = [step.operation for step in plan.steps if isinstance(step.operation, Mount | TurnOnSwap)]
    assert in_use == [
        Mount("/dev/sda1", "/srv/films", kind.kernel_names[0], ("noatime",))
        if kind.mounts
        else TurnOnSwap("/dev/sda1")
    ]


def test_shared_volumes_are_typed_as_data() -> None:
    plan = plan_for(
        drive(), *(spec(name, size_bytes=GIB) for name in ("exfat", "ntfs", "vfat", "jfs")), swap()
    )
    types = [entry.type for entry in the_table(plan).entries]
    assert types == [
        partition_types.BASIC_DATA_GPT,
        partition_types.BASIC_DATA_GPT,
        partition_types.BASIC_DATA_GPT,
        partition_types.LINUX_GPT,
        partition_types.SWAP_GPT,
    ]


LABELS: dict[str, dict[str, str | None]] = {
    "vfat": {
        "media": "lowercase letters",
        "A.B": "characters",
        "NO NAME": "unlabelled FAT",
        "ÜBER": "ASCII",
        "X" * 12: "11 bytes",
        "A B": None,
    },
    "exfat": {"über": "ASCII", "x" * 12: "11 bytes", "a.b c": None},
    "ntfs": {"über": None, "x" * 37: "36 characters"},
    "jfs": {"x" * 17: "16 bytes", "x" * 16: None},
    "swap": {"x" * 16: "15 bytes", "x" * 15: None},
    "nilfs2": {"x" * 36: None, "a/b": "slash"},
    "f2fs": {"日本語": None},
}


@pytest.mark.parametrize(
    ("name", "label", "says"), [(name, *pair) for name, rules in LABELS.items() for pair in rules.items()]
)
def test_labels(name: str, label: str, says: str | None) -> None:
    fault = label_fault(label, name)
    assert fault is None if says is None else says in str(fault)


def test_label_is_written_as_its_filesystem_does() -> None:
    fat = [
        spec("vfat", size_bytes=GIB),
        spec("vfat", size_bytes=GIB),
        spec("vfat", size_bytes=GIB, label="my disk"),
    ]
    plan = plan_for(drive(), *fat, spec("ext4"))
    assert [volume.label for volume in plan.volumes] == ["MEDIA", "MEDIA2", "MY DISK", "media"]
    long = replace(spec("exfat"), workload=replace(spec("exfat").workload, label="twelve-chars"))
    assert plan_for(drive(), long).volumes[0].label == "twelve-char"
    assert plan_for(drive(), replace(spec("vfat"), workload=long.workload)).volumes[0].label == "TWELVE-CHAR"
    with pytest.raises(BadInput, match="11 bytes"):
        plan_for(drive(), spec("exfat", label="twelve-chars"))


def test_swap_is_activated_and_not_mounted() -> None:
    plan = plan_for(drive(), swap())
    assert kinds_of(plan)[-2:] == ["add-fstab-line", "turn-on-swap"]
    line, on = plan.steps[-2:]
    assert line.edits == (f"UUID={plan.volumes[0].uuid} none swap sw,nofail 0 0",)
    assert on.commands == (("swapon", "/dev/sda1"),)
    assert on.undo == "Run `swapoff /dev/sda1`."
    text = " ".join("\n".join(plan_page(plan, 100)).split())
    for words in (
        "Create the swap space 'media' on /dev/sda1.",
        "Enable swap on /dev/sda1.",
    ):
        assert words in text
    assert kinds_of(plan_for(drive(), swap(mount_point=None)))[-1] == "make-filesystem"
    assert len(plan_for(drive(), swap(), swap()).volumes) == 2


@pytest.mark.parametrize(
    ("attempt", "says"),
    [
        (lambda: plan_for(drive(), swap(mount_point="/srv/x")), "never mounted"),
        (lambda: plan_for(drive(), spec("ext4", mount_point="none")), "not an absolute path"),
        (lambda: plan_for(drive(), swap(choice=spec("ext4").choice)), "not an absolute path"),
        (
            lambda: plan_for(drive(), swap(choice=replace(spec("ext4").choice, filesystem="swap"))),
            "does not pass option",
        ),
    ],
)
def test_impossible_swap_settings(attempt: Callable[[], object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        attempt()


def test_none_is_a_mount_point_on_the_command_line() -> None:
    assert parse_volume("workload=large-media,fs=swap,mount=none").mount == "none"
    assert place_fault("none", "swap") is None


def forged(plan: Plan, gpt_type: str | None = None, **changes: Any) -> Plan:  # noqa: ANN401
    """Return the plan with its only volume changed, and all derived parts adjusted."""
    made = rederived(replace(plan, volumes=(replace(plan.volumes[0], **changes),)), places_in(plan))
    if gpt_type is None:
        return made
    slots = tuple(replace(slot, type=gpt_type) if slot.number else slot for slot in made.after.slots)
    table = table_of("/dev/sda", replace(made.after, slots=slots), fresh=True)
    operations = tuple(
        table if isinstance(step.operation, WriteTable) else step.operation for step in made.steps
    )
    return with_operations(replace(made, after=replace(made.after, slots=slots)), operations)


EXT4, VFAT, SWAP = (
    plan_for(drive(), spec("ext4")),
    plan_for(drive(), spec("vfat")),
    plan_for(drive(), swap(size_bytes=None)),
)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (forged(EXT4, partition_types.BASIC_DATA_GPT), "invalid after"),
        (forged(EXT4, partition_types.SWAP_GPT), "invalid after"),
        (forged(VFAT, partition_types.LINUX_GPT), "invalid after"),
        (forged(SWAP, partition_types.LINUX_GPT), "invalid after"),
        (forged(VFAT, uuid=DRAWN), "volumes.1.uuid"),
        (forged(VFAT, uuid="3F8A1C2D9B7E4D5F"), "volumes.1.uuid"),
        (forged(EXT4, uuid="3F8A-1C2D"), "volumes.1.uuid"),
        (forged(VFAT, label="media"), "volumes.1.label"),
        (forged(VFAT, mkfs_options=("-C", "/etc/passwd")), "volumes.1.mkfs_options"),
        (forged(VFAT, mkfs_options=("--offset=2048",)), "volumes.1.mkfs_options"),
        (forged(VFAT, mkfs_options=("-S", "512")), "volumes.1.mkfs_options"),
        (forged(SWAP, mount_point="/srv/x"), "volumes.1.mount_point"),
        (forged(SWAP, mount_options=("noatime",)), "volumes.1.mkfs_options"),
        (forged(EXT4, mount_point="none"), "volumes.1.mount_point"),
        (
            replace(
                SWAP, steps=(*SWAP.steps[:-1], replace(SWAP.steps[-1], operation=TurnOnSwap("/dev/vda1")))
            ),
            "steps",
        ),
        (replace(VFAT, steps=(*VFAT.steps, *SWAP.steps[-1:])), "steps"),
    ],
)
def test_plan_the_planner_would_not_make_is_refused(plan: Plan, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        PLANS.check(plan)


@pytest.mark.parametrize("plan", [EXT4, VFAT, SWAP], ids=["ext4", "vfat", "swap"])
def test_plan_matching_the_rules_is_accepted(plan: Plan) -> None:
    PLANS.check(forged(plan))


def volume_line(volume: Volume) -> AddFstabLine:
    return next(
        one
        for one in derived_from(replace(SWAP, volumes=(volume,)), places_in(SWAP))[1]
        if isinstance(one, AddFstabLine)
    )


def test_second_swap_in_fstab_is_no_conflict_unless_identical() -> None:
    line = volume_line(SWAP.volumes[0])
    assert conflict(parse("/dev/sdb1 none swap sw 0 0\n", "fstab"), line) is None
    assert "already uses" in str(conflict(parse(line.line, "fstab"), line))


def test_missing_programs_are_named_with_the_install_command() -> None:
    everything = Kernel("6.12.9", frozenset({"vfat", "exfat", "ntfs3"}))
    here = replace(machine(kernel=everything), family="fedora")
    assert obstacles(MADE["exfat"], here, drive(), None) == (
        "mkfs.exfat and tune.exfat are not installed. Install with `dnf install exfatprogs`.",
    )
    assert obstacles(MADE["ntfs"], here, drive(), None) == (
        "mkfs.ntfs and ntfslabel are not installed. Install with `dnf install ntfsprogs`.",
    )


def test_single_missing_program_is_named_alone() -> None:
    here = machine(
        kernel=Kernel("6.12.9", frozenset({"exfat"})), tools=(("mkfs.exfat", "/usr/sbin/mkfs.exfat"),)
    )
    (said,) = obstacles(MADE["exfat"], here, drive(), None)
    assert said == "tune.exfat is not installed. Install the package exfatprogs."


def test_file_required_by_mkfs_is_reported_missing_before_planning() -> None:
    tools = tuple((name, name) for name in MADE["nilfs2"].makers)
    here = machine(kernel=Kernel("6.12.9", frozenset({"nilfs2"})), tools=tools)
    assert obstacles(MADE["nilfs2"], here, drive(), None) == ()
    (said,) = obstacles(MADE["nilfs2"], replace(here, missing_files=("/etc/mtab",)), drive(), None)
    assert said.startswith("mkfs.nilfs2 needs /etc/mtab, which is missing: `ln -s ")
    assert obstacles(MADE["xfs"], replace(here, missing_files=("/etc/mtab",)), drive(), None) == obstacles(
        MADE["xfs"], here, drive(), None
    )


def test_ntfs_needs_the_kernel_driver() -> None:
    tools = tuple((name, name) for name in MADE["ntfs"].makers)
    for others in (frozenset({"fuseblk", "ntfs"}), frozenset({"vfat"})):
        said = obstacles(MADE["ntfs"], machine(kernel=Kernel("5.10.0", others), tools=tools), drive(), None)
        assert said == (
            "The running kernel (5.10.0) does not support NTFS. Boot another kernel or install the module.",
        )
    assert (
        obstacles(
            MADE["ntfs"],
            machine(kernel=Kernel("6.12.9", frozenset({"ntfs3"})), tools=tools),
            drive(),
            None,
        )
        == ()
    )


def test_active_swap_devices() -> None:
    text = "Filename\t\t\tType\t\tSize\n/dev/sda2    partition\t1023996\n/swap\\040file\tfile\t4\n"
    assert swaps_in(text) == ("/dev/sda2", "/swap file")
    assert swaps_in("") == ()


def test_kernel_built_without_swap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "swaps"
    monkeypatch.setattr(mounts, "SWAPS", file)
    assert not mounts.is_swap("/dev/sda1")
    file.write_text("Filename Type\n/dev/sda1 partition\n")
    assert mounts.is_swap("/dev/sda1")


@pytest.mark.parametrize(
    ("kind", "size_bytes", "geometry", "told"),
    [
        ("ext4", 400 * MIB, Geometry(512, 4096, 0, 4096, 0), ("-E", "stride=4,stripe_width=4")),
        ("ext4", 600 * MIB, Geometry(512, 4096, 0, 4096, 0), ()),
        ("ext4", 400 * MIB, Geometry(4096, 4096, 0, 4096, 0), ()),
        (
            "ext4",
            400 * MIB,
            Geometry(512, 4096, 0, 64 * KIB, 256 * KIB),
            ("-E", "stride=64,stripe_width=256"),
        ),
        ("ext4", 600 * MIB, Geometry(512, 4096, 0, 64 * KIB, 256 * KIB), ("-E", "stride=16,stripe_width=64")),
        ("xfs", 800 * MIB, Geometry(512, 512, 0, 64 * KIB, 256 * KIB), ()),
        ("xfs", 1100 * MIB, Geometry(512, 512, 0, 64 * KIB, 256 * KIB), ("-d", "su=65536,sw=4")),
    ],
)
def test_mkfs_gets_the_geometry_it_would_query(
    kind: str, size_bytes: int, geometry: Geometry, told: tuple[str, ...]
) -> None:
    """As mke2fs 1.47 and mkfs.xfs 6.1 chose in the lab, on drives with this geometry."""
    assert MADE[kind].for_place(geometry, Extent(MIB, size_bytes), ()) == told
