"""Every operation of a plan is executed, and has a test that applies, verifies, interrupts and undoes it. Few
files name an operation."""

import ast
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import wizard
from wizard.apply.plan.run import STEPS
from wizard.documents.decode import family_of
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
from wizard.operations.operation import Operation, Setting
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable
from wizard.plan.plan import PlanOperation

TESTS, PROGRAM = Path(__file__).parents[3], Path(wizard.__file__).parent
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


DO = ("apply/steps", "apply/settings/states.py", "apply/table/write.py", "apply/resize/resized.py")
"""Where operations are executed."""


@cache
def names() -> dict[str, set[str]]:
    """Return the identifiers in each file outside `operations`, except where operations are executed."""
    found = {}
    for path in PROGRAM.rglob("*.py"):
        file = str(path.relative_to(PROGRAM))
        if not file.startswith(("operations/", *DO)):
            nodes = [*ast.walk(ast.parse(path.read_text()))]
            found[file] = {node.id for node in nodes if isinstance(node, ast.Name)}
            found[file] |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return found


@pytest.mark.parametrize("operation", [*get_args(PlanOperation), *family_of(Setting)])
def test_few_files_name_an_operation(operation: type[Operation]) -> None:
    """Each of them may have to change with the operation."""
    files = [file for file, found in names().items() if operation.__name__ in found]
    assert len(files) <= 4, files
