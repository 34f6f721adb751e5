"""Plans with false facts about the drive are refused."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from wizard.apply.plan.identity_check import check_same_start, identity_difference
from wizard.model.errors import Refused
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.plan.dangers import known_identity


def known(one: Drive) -> Identity:
    assert one.size_bytes is not None and one.geometry is not None
    return known_identity(machine(one), one)


@pytest.mark.parametrize(
    "lie",
    [
        lambda one: replace(one, model="Another Model 4000"),
        lambda one: replace(one, serial="another"),
        lambda one: replace(one, wwn="0x5000000000000001"),
        lambda one: replace(one, size_bytes=one.size_bytes + 512),
    ],
    ids=["model", "serial", "wwn", "size"],
)
def test_changed_identity_of_the_drive_is_detected(lie: Callable[[Identity], Identity]) -> None:
    one = drive(serial="S1", wwn="0x5000c500a1b2c3d4", model="Some Model")
    assert identity_difference(known(one), one) is None
    assert identity_difference(lie(known(one)), one) is not None


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Function that sets the boot ID."""
    return lambda name: monkeypatch.setattr("wizard.apply.plan.identity_check.boot_id", lambda: name)


def test_drive_known_by_diskseq_is_unknown_after_a_reboot(start: Callable[[str], None]) -> None:
    """The kernel restarts its count at boot, so a similar empty drive can get the same number."""
    seen = drive(serial=None, wwn=None, diskseq=9)
    one = replace(known(seen), boot_id="before")
    start("before")
    check_same_start(one, seen)
    start("after")
    with pytest.raises(Refused, match=r"machine restarted.*Make a new plan"):
        check_same_start(one, seen)
    assert machine().boot_id is None


@pytest.mark.parametrize("serial", [None, "DOCK-1"])
def test_another_drive_in_the_same_dock_is_not_accepted(
    start: Callable[[str], None], serial: str | None
) -> None:
    """The dock reports its own serial number for both drives, so the confirmation matches as well."""
    seen = drive(serial=serial, wwn=None, diskseq=9)
    one = replace(known(seen), boot_id="this start")
    other = replace(seen, diskseq=10)
    assert identity_difference(one, other) is None
    start("this start")
    check_same_start(one, seen)
    with pytest.raises(Refused, match=r"reattached after planning.*Make a new plan"):
        check_same_start(one, other)
    if serial:
        start("another start")
        check_same_start(one, other)


def test_plan_records_the_boot_of_its_diskseq() -> None:
    held = drive(serial="DOCK-1")
    assert known_identity(replace(machine(held), boot_id="this start"), held).boot_id == "this start"


def test_plans_of_older_versions_are_compared_as_far_as_possible(start: Callable[[str], None]) -> None:
    start("this start")
    for serial in (None, "S1"):
        seen = drive(serial=serial, wwn=None, diskseq=9)
        check_same_start(known(seen), seen)
        check_same_start(known(seen), replace(seen, diskseq=None))
    check_same_start(known(seen), replace(seen, diskseq=10))
    with pytest.raises(Refused, match="reattached after planning"):
        check_same_start(
            known(drive(serial=None, wwn=None, diskseq=9)), drive(serial=None, wwn=None, diskseq=10)
        )
