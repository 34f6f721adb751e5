"""Every operation of a plan is executed, and has a test that applies, verifies, interrupts and undoes it."""

from pathlib import Path
from typing import get_args

import pytest

from wizard.apply.steps.execution import STEPS
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import (
    GrowFilesystem,
    MakeFilesystem,
    MakeSubvolumes,
    SetOwner,
    ShrinkFilesystem,
)
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.operation import Operation
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.plan import PlanOperation

TESTS = Path(__file__).parents[3]
CUTS = "loop/engine/test_power_cuts.py::test_every_state_after_a_power_cut_can_be_finished"
REBOOTS = "loop/volumes/test_reboots.py::test_reboot_between_any_two_steps_of_keep"

LIFECYCLES: dict[type[Operation], str] = {
    **dict.fromkeys((WipeSignatures, WriteTable, MakeFilesystem), CUTS),
    **dict.fromkeys((MakeContainer, MakeArray, MakeVolumeGroup, MakeLogicalVolume), CUTS),
    **dict.fromkeys((GrowFilesystem, ShrinkFilesystem), CUTS),
    **dict.fromkeys((MakeSubvolumes, SetOwner, AddFstabLine, Mount, TurnOnSwap), REBOOTS),
    **dict.fromkeys((OpenContainer, AddCrypttabLine), "lab/visits/layers/rebooted.py::_ended"),
    ResetZones: "lab/visits/drives/zoned.py::_planned_and_applied",
}


@pytest.mark.parametrize("operation", get_args(PlanOperation))
def test_every_operation_is_executed_and_tested(operation: type[Operation]) -> None:
    assert operation in STEPS
    file, name = LIFECYCLES[operation].split("::")
    assert f"def {name}(" in (TESTS / file).read_text()
