"""What the wizard offers beside its advice: every option of the filesystem, with what stands against it."""

import pytest

from tests.unit.machines import drive, machine
from wizard.advise.advise import advise, site_of
from wizard.advise.catalogue import Kind, load_catalogue
from wizard.advise.offered import Offered, offered
from wizard.advise.workloads import find_workload
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
        if filesystem in option.filesystems and option.kind in (Kind.MKFS, Kind.MOUNT) and not option.default
    }
    assert set(offers(filesystem)) == wanted


def test_the_advised_are_marked_and_come_first() -> None:
    found = list(offers("ext4").values())
    advised = [one for one in found if one.advised]
    assert "-T largefile" in {one.option.text for one in advised}
    assert found[: len(advised)] == advised
    assert {one.standing for one in advised} == {"recommended"}


def test_a_danger_is_called_one_and_says_what_it_cannot_stand_beside() -> None:
    journal = offers("ext4")["ext4-no-journal"]
    assert journal.standing == "danger" and not journal.refusal
    assert any(
        sentence.startswith("Danger: ") and str(journal.option.never) in sentence
        for sentence in journal.sentences
    )
    assert "data=writeback" in journal.excludes


def test_a_systems_volume_is_refused_every_danger() -> None:
    dangers = [one for one in offers("ext4", "desktop-root").values() if one.option.danger]
    assert dangers and all(one.standing == "not possible" for one in dangers)
    assert all("the system lives on" in one.refusal for one in dangers if not one.option.refused)


def test_what_the_kernel_does_not_take_is_refused_with_its_reason() -> None:
    assert offers("xfs")["xfs-rmapbt"].standing == "can be taken"
    old = offers("xfs", kernel="4.4.0")["xfs-rmapbt"]
    assert old.standing == "not possible" and "4.8" in old.refusal
