"""Stacks of md, LVM, LUKS and filesystems, recorded in the lab under a real kernel, open and closed:
expected findings."""

import pytest

from tests.lab.drives.layers import STACK_FLEET, STACKS, Placed, Stack, placed
from tests.lab.visits.drives.stack_portraits import NAMES, STACK_MACHINES
from tests.lab.visits.drives.stacks import as_expected, findings_of
from tests.readme import finding_codes
from wizard.model.errors import partition_path
from wizard.model.machine import Machine
from wizard.probe.machine import load_machine

PLACED = placed(STACK_FLEET, STACKS)


@pytest.fixture(scope="module")
def machines() -> dict[str, Machine]:
    return {name: load_machine(STACK_MACHINES / f"{name}.json") for name in NAMES}


def partitions_of(machine: Machine, parts: tuple[Placed, ...]) -> list[str]:
    by_serial = {drive.serial: drive.path for drive in machine.drives}
    return [partition_path(by_serial[STACK_FLEET[part.drive].serial], part.number) for part in parts]


@pytest.mark.parametrize("state", NAMES)
@pytest.mark.parametrize(("stack", "parts"), PLACED, ids=[stack.name for stack in STACKS])
def test_each_stack_gets_the_expected_verdict(
    machines: dict[str, Machine], stack: Stack, parts: tuple[Placed, ...], state: str
) -> None:
    machine = machines[state]
    check = as_expected(stack, partitions_of(machine, parts), machine, findings_of(machine), state)
    assert check.holds, check.seen


def test_partitions_are_at_their_planned_offsets(machines: dict[str, Machine]) -> None:
    by_serial = {drive.serial: drive for drive in machines["closed"].drives}
    for _, parts in PLACED:
        for part in parts:
            found = by_serial[STACK_FLEET[part.drive].serial].partitions[part.number - 1]
            assert (found.start_bytes, found.size_bytes) == (part.start_bytes, part.size_bytes)


def test_every_layer_has_an_offset_a_size_and_a_geometry(machines: dict[str, Machine]) -> None:
    layers = [layer for drive in machines["opened"].drives for layer in drive.layers]
    assert len(layers) > 30
    assert all(
        layer.offset_bytes is not None and layer.size_bytes and layer.geometry and layer.signatures
        for layer in layers
    )


def test_expected_codes_exist() -> None:
    assert {code.partition(":")[0] for stack in STACKS for code in (*stack.opened, *stack.closed)} <= set(
        finding_codes()
    )


def test_recording_contains_no_luks_secrets(machines: dict[str, Machine]) -> None:
    del machines
    text = "".join((STACK_MACHINES / f"{name}.json").read_text() for name in NAMES)
    for word in ("digests", "keyslots", "salt"):
        assert word not in text
