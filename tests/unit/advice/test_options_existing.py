"""Advice for an existing filesystem: its text, fstab options and udev rules."""

import re

import pytest
from msgspec.structs import replace

from tests.unit.ext4.migrations import EXT3
from tests.unit.machines import drive, machine
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.apply.settings.existing_filesystem import ExistingVolume
from wizard.apply.settings.tune import tuned
from wizard.apply.system.fstab import parse
from wizard.model.drive_facts import Discard
from wizard.model.finding import Recorded, Recording
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Use
from wizard.model.requests import Tune
from wizard.model.said import GIB, KIB
from wizard.operations.fstab import EditFstab, with_fields
from wizard.operations.settings import ReserveBlocks, SetQueue, udev_rule, values_in
from wizard.plan.changes import Changes, changes_of
from wizard.plan.dangers import known_identity

UNKNOWN = Recording("unknown", None, Recorded.UNKNOWN, "low")
FSTAB = "# mine\n/dev/sda1\t/srv  ext4   defaults,relatime  0 2 # media\nUUID=1 / xfs\n"


def tuning(used: ExistingVolume, workload: str = "large-media", on: Drive | None = None) -> Changes:
    used = replace(used, drive=on) if on else used
    profile = find_workload(workload)
    choice = advise(machine(used.drive), used.drive, UNKNOWN, profile).choice(used.filesystem)
    assert choice is not None
    planned = tuned(used, choice, root=profile.root)
    return changes_of(used.identity, (used.device, used.filesystem, ""), Tune(workload), planned)


def said(of: Changes) -> list[str]:
    return [str(reason).partition(": ")[0] for reason in of.reasons]


def options(of: Changes) -> list[str | None]:
    """Return the new options in fstab."""
    edits = [one for one in of.settings if isinstance(one, EditFstab)]
    return [line.new and line.new.split()[3] for edit in edits for line in edit.lines]


def queue(of: Changes) -> list[tuple[str, str]]:
    return [(one.name, one.new) for one in of.settings if isinstance(one, SetQueue)]


def ext4(*at_boot: str, text: str | None = None, **of: object) -> ExistingVolume:
    text = f"/dev/sda1 /srv ext4 {','.join(at_boot)}" if text is None else text
    lines, on = parse(text, "fstab"), drive()
    found = ExistingVolume(
        machine=machine(on),
        drive=on,
        identity=known_identity(machine(on), on),
        device="/dev/sda1",
        filesystem="ext4",
        size_bytes=100 * GIB,
        queue={"scheduler": "bfq"},
        fstab_text=text,
        lines=lines,
        mount_point="/srv",
    )
    return replace(found, **of)


def test_recommended_options_replace_conflicting_ones() -> None:
    found = tuning(ext4("defaults", "relatime", "commit=30", "nodiratime"))
    assert options(found) == ["commit=30,noatime"]
    assert said(found) == ["mounted with noatime"]
    assert all(re.fullmatch(r".+: .+\. \(.+\)", reason) for reason in map(str, found.reasons))


def test_good_options_are_unchanged() -> None:
    found = tuning(ext4("noatime", "commit=30"))
    assert not found.steps and not found.reasons


@pytest.mark.parametrize("text", ["barrier=0", "nobarrier", "data=writeback", "noauto_da_alloc"])
def test_dangerous_option_in_fstab_is_reported_and_removed(text: str) -> None:
    found = tuning(ext4("noatime", text))
    assert options(found) == ["noatime"] and said(found) == [f"mounted without {text}"]


def test_options_without_fstab_line_are_unchanged() -> None:
    found = tuning(ext4(text=""))
    assert not options(found) and not said(found)


def test_recommended_scheduler() -> None:
    found = tuning(ext4("noatime"), on=drive(scheduler="bfq"))
    assert queue(found) == [("scheduler", "mq-deadline")] and said(found) == [
        "scheduler mq-deadline instead of bfq"
    ]


@pytest.mark.parametrize(
    ("now", "best", "wanted"),
    [(0, 0, 128), (64, 0, 128), (128, 0, None), (128, 512, 1024), (1024, 512, None), (4096, 0, None)],
)
def test_read_ahead_matches_the_kernel_default(now: int, best: int, wanted: int | None) -> None:
    on = drive(geometry=Geometry(512, 4096, 0, 4096, best * KIB))
    found = tuning(ext4("noatime", queue={"read_ahead_kb": str(now)}), on=on)
    assert queue(found) == ([] if wanted is None else [("read_ahead_kb", str(wanted))])


def test_discard_only_for_drives_that_support_it() -> None:
    solid = drive(rotational=False, discard=Discard(4096, GIB), scheduler="none")
    assert said(tuning(ext4("noatime", trims_weekly=False), on=solid)) == ["fstrim.timer enabled"]
    assert not said(tuning(ext4("noatime", trims_weekly=True), on=solid))
    assert not said(tuning(ext4("noatime", trims_weekly=False)))


def test_reserved_blocks_are_freed_except_on_a_system() -> None:
    block = replace(EXT3, blocks=1000, reserved_blocks=50)
    held = ext4("noatime", reserved_bytes=5 * GIB, ext=block)
    (reason,), (reserve,) = tuning(held).reasons, tuning(held).settings
    assert reserve == ReserveBlocks("/dev/sda1", 50, 0, 4096) and "5.4 GB reserved for root" in str(reason)
    assert not any("root" in what for what in said(tuning(held, "desktop-root")))
    assert not said(tuning(ext4("noatime", reserved_bytes=GIB // 2)))


def test_only_one_field_of_the_fstab_line_changes() -> None:
    _, media, root, _ = FSTAB.split("\n")
    assert with_fields(media, {3: "noatime,commit=30"}) == media.replace(
        "defaults,relatime", "noatime,commit=30"
    )
    assert with_fields(root, {3: "noatime"}) == "UUID=1 / xfs noatime"


def test_udev_rule_matches_the_serial_number() -> None:
    values = (("scheduler", "none"), ("read_ahead_kb", "256"))
    known = known_identity(machine(drive()), drive())
    rule = udev_rule(known, values)
    assert rule == (
        'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", ENV{ID_SERIAL_SHORT}=="S1", '
        'ATTR{queue/scheduler}="none", ATTR{queue/read_ahead_kb}="256"\n'
    )
    for number in (None, 'x", RUN+="reboot'):
        rule = udev_rule(replace(known, serial=number, wwn=number), (("scheduler", "none"),))
        assert (
            'KERNEL=="sda"' in rule
            and "reboot" not in rule
            and rule.startswith("# The drive reports no serial number")
        )
    assert udev_rule(known, ()) == "" and values_in(udev_rule(known, values)) == values


@pytest.mark.parametrize(
    ("serial_shared", "wwn", "wwn_shared", "match"),
    [
        (True, "0x5000c500a1b2c3d4", False, 'ENV{ID_WWN_WITH_EXTENSION}=="0x5000c500a1b2c3d4"'),
        (True, "eui.0025385b71b00001", False, 'ENV{ID_WWN}=="eui.0025385b71b00001"'),
        (True, "0x5000c500a1b2c3d4", True, 'KERNEL=="sda"'),
        (True, None, False, 'KERNEL=="sda"'),
        (False, "0x5000c500a1b2c3d4", True, 'ENV{ID_SERIAL_SHORT}=="S1"'),
    ],
)
def test_udev_rule_never_matches_a_drive_with_the_same_serial(
    serial_shared: bool, wwn: str | None, wwn_shared: bool, match: str
) -> None:
    known = replace(known_identity(machine(drive()), drive()), wwn=wwn)
    shared = replace(known, serial_shared=serial_shared, wwn_shared=wwn_shared)
    rule = udev_rule(shared, (("scheduler", "none"),))
    assert match in rule and ("S1" in rule) is not serial_shared


@pytest.mark.parametrize("optimal", [33553920, 0xFFFF * 4096, 65535 * 512, 6144])
def test_read_ahead_ignores_a_bogus_optimal_size(optimal: int) -> None:
    on = drive(geometry=Geometry(512, 4096, 0, 4096, optimal))
    assert not queue(tuning(ext4("noatime", queue={"read_ahead_kb": "128"}), on=on))


@pytest.mark.parametrize(
    ("changes", "at_boot", "is_added"),
    [
        ({"bus": "usb"}, ("noatime",), True),
        ({"removable": True}, ("noatime", "x-systemd.automount"), True),
        ({"bus": "mmc"}, ("noatime", "nofail"), False),
        ({"bus": "usb"}, ("noatime", "noauto"), False),
        ({"bus": "sata"}, ("noatime",), False),
        ({"bus": "usb", "uses": (Use("running-system", "/dev/sda1", "/"),)}, ("noatime",), False),
    ],
)
def test_removable_drive_does_not_block_boot(
    changes: dict[str, object], at_boot: tuple[str, ...], is_added: bool
) -> None:
    found = tuning(ext4(*at_boot), on=replace(drive(), **changes))
    assert options(found) == ([",".join((*at_boot, "nofail"))] if is_added else [])
    assert said(found) == (["mounted with nofail"] if is_added else [])
