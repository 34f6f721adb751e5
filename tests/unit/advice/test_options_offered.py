"""What the wizard offers beside its advice: every option of the filesystem, with what stands against it."""

import pytest

from tests.unit.machines import drive, machine
from wizard.advice.catalogue import OptionKind, load_catalogue
from wizard.advice.ranking import advise, site_of
from wizard.advice.request import Offered, offered
from wizard.advice.workloads import find_workload
from wizard.model.finding import Recorded, Recording
from wizard.model.machine import Kernel

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
def test_every_option_that_is_written_is_offered_and_no_other(filesystem: str) -> None:
    wanted = {
        option.id
        for option in load_catalogue().values()
        if filesystem in option.filesystems
        and option.kind in (OptionKind.MKFS, OptionKind.MOUNT)
        and not option.default
    }
    assert set(offers(filesystem)) == wanted


def test_the_advised_are_marked_and_come_first() -> None:
    found = list(offers("ext4").values())
    advised = [one for one in found if one.advised]
    assert "-T largefile" in {one.option.text for one in advised}
    assert found[: len(advised)] == advised


def test_a_danger_comes_late_and_excludes_what_it_cannot_stand_beside() -> None:
    found = offers("ext4")
    journal = found["ext4-no-journal"]
    assert journal.option.danger and not journal.refusal
    at = list(found).index("ext4-no-journal")
    assert all(one.option.danger or one.refusal for one in list(found.values())[at:])
    assert "data=writeback" in journal.excludes


def test_a_systems_volume_is_refused_every_danger() -> None:
    dangers = [one for one in offers("ext4", "desktop-root").values() if one.option.danger]
    assert dangers and all(one.refusal and not one.advised for one in dangers)
    assert all("not allowed on a system volume" in one.refusal for one in dangers if not one.option.refused)


def test_what_the_kernel_does_not_take_is_refused_with_its_reason() -> None:
    assert not offers("xfs")["xfs-rmapbt"].refusal
    old = offers("xfs", kernel="4.4.0")["xfs-rmapbt"]
    assert "4.8" in old.refusal
