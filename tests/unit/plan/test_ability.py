"""A kernel without the device mapper or md: plans that need them are refused and disabled with the reason.
Without loop devices: plans state that no rehearsal is possible."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.plain.conversation import recorded
from tests.unit.plan.layouts import EVERYTHING, spec
from tests.unit.plan.raid.stripes import numbered, striped
from tests.unit.ui.person import Person
from wizard.model.errors import Refused
from wizard.model.machine import Kernel, Machine
from wizard.model.said import GIB, MIB
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.plan.text import promise

PLAIN_KERNEL = machine().kernel


def without(*modules: str) -> Kernel:
    return replace(PLAIN_KERNEL, modules=tuple((module, False) for module in modules))


def here(kernel: Kernel) -> Machine:
    return machine(
        drive(size_bytes=64 * GIB), tools=(*EVERYTHING, ("cryptsetup", "/usr/sbin/cryptsetup")), kernel=kernel
    )


def encrypted(kernel: Kernel) -> Plan:
    on = here(kernel)
    return make_plan(on, on.drives, NewVolumes((replace(spec("ext4"), encrypted=True),)))


def grouped(kernel: Kernel) -> Plan:
    on = here(kernel)
    return make_plan(on, on.drives, NewVolumes((spec("ext4"),), None, Arrangement(grouped=True)))


WAYS: dict[str, tuple[Callable[[Kernel], Plan], str, str]] = {
    "encrypted": (
        encrypted,
        "dm_crypt",
        "does not support dm-crypt. Boot another kernel",
    ),
    "grouped": (
        grouped,
        "dm_mod",
        "does not support device mapper. Boot another kernel",
    ),
    "striped by md": (
        lambda kernel: striped(numbered(), "md", kernel=kernel),
        "raid0",
        "support md RAID0",
    ),
    "mirrored by md": (
        lambda kernel: striped(numbered(), "md", level="raid1", kernel=kernel),
        "raid1",
        "support md RAID1",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_missing_kernel_support_is_refused_when_planning(way: str) -> None:
    plan, module, says = WAYS[way]
    with pytest.raises(Refused, match=says):
        plan(without(module))


@pytest.mark.parametrize("way", WAYS)
def test_present_or_possible_kernel_support_is_planned(way: str) -> None:
    plan, module, _ = WAYS[way]
    others = [needed for _, needed, _ in WAYS.values() if needed != module]
    assert plan(replace(without(*others), modules=((module, True), *without(*others).modules))).steps
    assert plan(replace(PLAIN_KERNEL, modules=())).steps


def test_btrfs_and_partitions_need_no_kernel_support() -> None:
    nothing = without("dm_mod", "dm_crypt", "md_mod", "raid0", "raid1")
    assert striped(numbered(), "btrfs", level="raid1", kernel=nothing).steps
    on = here(nothing)
    assert make_plan(on, on.drives, NewVolumes((spec("ext4"),))).steps


def test_wizard_shows_the_reason_next_to_the_choice() -> None:
    person = Person(recorded(here(without("dm_mod", "dm_crypt"))))
    person.act("set-up")
    person.act("plan", "large-media")
    person.act("table")
    assert "The running kernel (6.12.9) does not support device mapper" in person.text
    person.act("back")
    person.act("edit")
    assert "The running kernel (6.12.9) does not support dm-crypt" in person.text


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("grouped", [False, True])
def test_plan_without_loop_devices_announces_no_rehearsal(mode: Mode, grouped: bool) -> None:
    """Without loop devices, the plan warns before the start, with or without a volume group."""
    old = partitioned(partition(1, MIB, GIB, filesystem="ext3"), size_bytes=64 * GIB)

    def planned(kernel: Kernel) -> Plan:
        on = machine(old, tools=EVERYTHING, kernel=kernel)
        return make_plan(on, on.drives, NewVolumes((spec("ext4"),), mode, Arrangement(grouped=grouped)))

    without_loops = planned(without("loop"))
    said = "The running kernel (6.12.9) has no loop devices, so "
    told = [doubt.removeprefix(said) for doubt in map(str, without_loops.doubts) if doubt.startswith(said)]
    assert [doubt.partition(".")[0] for doubt in told] == ["plans cannot be rehearsed"]
    assert not any("loop devices" in doubt for doubt in map(str, planned(PLAIN_KERNEL).doubts))
    assert promise(without_loops).startswith("The plan is rehearsed on a scratch copy")
