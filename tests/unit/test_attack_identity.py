"""Plans that lie about the drive: whatever is shown of it must be what the drive says of itself."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.machines import drive, machine
from wizard.apply.plan.guard import check_same_start, identity_difference
from wizard.layout.planner import identity_of
from wizard.model.errors import Refused
from wizard.model.identity import Identity
from wizard.model.machine import Drive


def known(one: Drive) -> Identity:
    assert one.size_bytes is not None and one.geometry is not None
    return identity_of(one, one.size_bytes, one.geometry)


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
def test_what_is_shown_of_the_drive_is_compared(lie: Callable[[Identity], Identity]) -> None:
    one = drive(serial="S1", wwn="0x5000c500a1b2c3d4", model="Some Model")
    assert identity_difference(known(one), one) is None
    assert identity_difference(lie(known(one)), one) is not None


def test_a_drive_known_by_the_kernels_count_is_not_known_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel begins to count anew: another drive of the same size, as empty, can have the same number."""
    one = replace(known(drive(serial=None, wwn=None, diskseq=9)), boot_id="before")
    monkeypatch.setattr("wizard.apply.plan.guard.boot_id", lambda: "before")
    check_same_start(one)
    monkeypatch.setattr("wizard.apply.plan.guard.boot_id", lambda: "after")
    with pytest.raises(Refused, match=r"started again.*make the plan again"):
        check_same_start(one)
    assert machine().boot_id is None
