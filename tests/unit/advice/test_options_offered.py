"""Optional filesystem options outside the advice, with the objections to each."""

import pytest

from tests.unit.machines import drive, machine
from wizard.advice.catalogue import Need, OptionKind, load_catalogue
from wizard.advice.ranking import advise, site_of
from wizard.advice.request import Offered, offered, take_options
from wizard.advice.workloads import find_workload
from wizard.model.errors import BadInput, Refused
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Kernel, Program

UNKNOWN = Recording("unknown", None, Recorded.UNKNOWN, "low")


def offers(filesystem: str, workload: str = "large-media", kernel: str = "6.12.0") -> dict[str, Offered]:
    of = machine(drive(), kernel=Kernel(kernel, frozenset({"ext4", "xfs", "btrfs"})))
    profile = find_workload(workload)
    choice = advise(of, drive(), UNKNOWN, profile).choice(filesystem)
    assert choice is not None
    return {
        one.option.id: one
        for one in offered(choice, site_of(of, drive(), UNKNOWN, profile, None), load_catalogue())
    }


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs"])
def test_every_writable_option_is_offered_and_no_other(filesystem: str) -> None:
    wanted = {
        option.id
        for option in load_catalogue().values()
        if filesystem in option.filesystems
        and option.kind in (OptionKind.MKFS, OptionKind.MOUNT)
        and not option.default
    }
    assert set(offers(filesystem)) == wanted


def test_recommended_options_are_marked_and_come_first() -> None:
    found = list(offers("ext4").values())
    advised = [one for one in found if one.advised]
    assert "-T largefile" in {one.option.text for one in advised}
    assert found[: len(advised)] == advised


def test_dangers_come_late_and_exclude_conflicting_options() -> None:
    found = offers("ext4")
    journal = found["ext4-no-journal"]
    assert journal.option.danger and not journal.refusal
    at = list(found).index("ext4-no-journal")
    assert all(one.option.danger or one.refusal for one in list(found.values())[at:])
    assert "data=writeback" in journal.excludes


def test_system_volume_refuses_every_danger() -> None:
    dangers = [one for one in offers("ext4", "desktop-root").values() if one.option.danger]
    assert dangers and all(one.refusal and not one.advised for one in dangers)
    assert all("not allowed on a system volume" in one.refusal for one in dangers if not one.option.refused)


def test_options_unsupported_by_the_kernel_are_refused_with_reason() -> None:
    assert not offers("xfs")["xfs-rmapbt"].refusal
    old = offers("xfs", kernel="4.4.0")["xfs-rmapbt"]
    assert "4.8" in old.refusal


XFS_PARENT, BGT = "xfs-parent-pointers", "btrfs-block-group-tree"
LISTED = frozenset({"no-holes", "zoned"})


@pytest.mark.parametrize(
    ("program", "option", "state"),
    [
        (Program("mkfs.xfs", (6, 1)), "xfs-rmapbt", "offered"),
        (Program("mkfs.xfs", (6, 5)), "xfs-rmapbt", "default"),
        (Program("mkfs.xfs", (5, 14)), "xfs-bigtime", "offered"),
        (Program("mkfs.xfs", (5, 15)), "xfs-bigtime", "default"),
        (Program("mkfs.xfs", (6, 9)), XFS_PARENT, "refused"),
        (Program("mkfs.xfs", (6, 10)), XFS_PARENT, "offered"),
        (Program("mkfs.xfs", (6, 18)), XFS_PARENT, "default"),
        (Program("mkfs.xfs", (7, 0)), "xfs-exchange-range", "default"),
        (Program("mkfs.xfs"), "xfs-exchange-range", "offered"),
        (Program("mkfs.btrfs", (6, 2), LISTED), BGT, "refused"),
        (Program("mkfs.btrfs", (6, 17), LISTED | {"block-group-tree"}), BGT, "offered"),
        (Program("mkfs.btrfs", (6, 19), LISTED | {"block-group-tree"}), BGT, "default"),
        (Program("mkfs.ext4", (1, 46)), "ext4-orphan-file", "refused"),
        (Program("mkfs.ext4", (1, 47)), "ext4-orphan-file", "offered"),
        (Program("mkfs.ext4", (1, 47), defaults=frozenset({"orphan_file"})), "ext4-orphan-file", "default"),
        (Program("mkfs.ext4", (1, 47), defaults=frozenset({"orphan_file"})), "ext4-checksum-seed", "offered"),
    ],
)
def test_options_set_by_the_installed_mkfs_are_not_offered(program: Program, option: str, state: str) -> None:
    filesystem = option.partition("-")[0]
    of = machine(drive(), kernel=Kernel("7.0.0", frozenset({"ext4", "xfs", "btrfs"})), programs=(program,))
    profile, catalogue = find_workload("large-media"), load_catalogue()
    site = site_of(of, drive(), UNKNOWN, profile, None)
    choice = advise(of, drive(), UNKNOWN, profile).choice(filesystem)
    assert choice is not None
    found = {one.option.id: one for one in offered(choice, site, catalogue)}
    assert (option in found) is (state != "default")
    if state == "offered":
        assert catalogue[option].text in str(
            take_options(choice, [option], (), site, catalogue, "x").choice.mkfs
        )
        return
    assert state == "default" or found[option].refusal
    with pytest.raises(BadInput if state == "default" else Refused):
        take_options(choice, [option], (), site, catalogue, "x")


@pytest.mark.parametrize(
    "option", ["xfs-parent-pointers", "xfs-exchange-range", "ext4-orphan-file", "ext4-checksum-seed", BGT]
)
def test_new_feature_names_incompatible_kernels_and_boot_loaders(option: str) -> None:
    entry = load_catalogue()[option]
    assert "kernels before" in entry.risk.english.lower() and "GRUB" in entry.risk.english
    assert entry.since and (Need.NOT_ROOT in entry.needs or "GRUB reads it" in entry.risk.english)
