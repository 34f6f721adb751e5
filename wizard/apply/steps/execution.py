"""Execute and verify each operation of a plan, by type."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wizard.apply.resize.resized import resize_filesystem
from wizard.apply.steps import arrays, containers, filesystem, layers, wipe
from wizard.apply.steps.step_context import Finished, StepContext, described
from wizard.apply.table import write
from wizard.model.run import Check
from wizard.model.said import Message
from wizard.operations import containers as encryption
from wizard.operations import filesystem as made
from wizard.operations import layers as layered
from wizard.operations import mounts, table
from wizard.operations.operation import Operation
from wizard.plan.plan import PlanOperation, Step


def _run_commands(_operation: Operation, context: StepContext) -> None:
    context.run_commands()


def _nothing(_operation: Operation, _finished: Finished) -> tuple[Check, ...]:
    return ()


Execute = Callable[[Any, StepContext], Message | str | None]
"""Executes an operation and returns a summary, or None if the checks describe the result. Raises Failed."""

Checks = Callable[[Any, Finished], Iterable[Check]]
"""Checks the result of an operation, in the order of `Operation.holds`. Raises Failed."""

STEPS: dict[type[Operation], tuple[Execute, Checks]] = {
    table.WipeSignatures: (wipe.wipe_signatures, _nothing),
    table.WriteTable: (write.write_table, write.table_checks),
    table.ResetZones: (wipe.reset_zones, write.empty_checks),
    encryption.MakeContainer: (containers.make_container, containers.container_checks),
    encryption.OpenContainer: (containers.open_container, containers.opened_checks),
    encryption.AddCrypttabLine: (filesystem.add_line, filesystem.line_checks),
    layered.MakeArray: (arrays.make_array, arrays.array_checks),
    # LVM cannot correct the data offset and size of a group later.
    layered.MakeVolumeGroup: (_run_commands, layers.group_checks),
    layered.MakeLogicalVolume: (layers.make_logical_volume, layers.volume_checks),
    made.MakeFilesystem: (filesystem.make_filesystem, filesystem.filesystem_checks),
    made.GrowFilesystem: (resize_filesystem, filesystem.resize_checks),
    made.ShrinkFilesystem: (resize_filesystem, filesystem.resize_checks),
    made.MakeSubvolumes: (filesystem.make_subvolumes, filesystem.subvolume_checks),
    made.SetOwner: (filesystem.set_owner, _nothing),
    mounts.AddFstabLine: (filesystem.add_line, filesystem.line_checks),
    mounts.Mount: (filesystem.mount_in_step, filesystem.mount_checks),
    mounts.TurnOnSwap: (filesystem.turn_on, filesystem.swap_checks),
}
"""How to execute each operation, and how to check the result after the last step."""


def execute(operation: Operation, context: StepContext) -> Message | str:
    """Execute an operation and return a summary. Raises Failed."""
    work, checks = STEPS[type(operation)]
    return work(operation, context) or context.confirm(checks(operation, context.finished()))


def verify(step: Step[PlanOperation], finished: Finished) -> Iterator[Check]:
    """Check the result of a step after the last one. Raises Failed."""
    return described(step, STEPS[type(step.operation)][1](step.operation, finished))
