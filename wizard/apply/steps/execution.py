"""Execute and verify each operation of a plan, by type."""

from collections.abc import Iterator
from functools import singledispatch

from wizard.apply.resize.resized import resize_filesystem
from wizard.apply.steps import arrays, containers, filesystem, layers, wipe
from wizard.apply.steps.step_context import Finished, StepContext, described
from wizard.apply.table.write import empty_checks, table_checks, write_table
from wizard.model.errors import Failed
from wizard.model.run import Check
from wizard.model.said import Message, t
from wizard.operations import mounts, table
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.filesystem import MakeFilesystem, MakeSubvolumes, Resize, SetOwner
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.operation import Operation
from wizard.plan.plan import PlanOperation, Step


@singledispatch
def execute(operation: Operation, _context: StepContext) -> Message | str:
    """Execute an operation and return a summary. Raises Failed."""
    raise Failed(t("Unknown operation: {name}", name=type(operation).__name__))


@singledispatch
def checks_of(_operation: Operation, _finished: Finished) -> Iterator[Check]:
    """Check the result of an operation after the last step, in the order of `Operation.holds`. Raises
    Failed."""
    return iter(())


def verify(step: Step[PlanOperation], finished: Finished) -> Iterator[Check]:
    """Check the result of a step after the last one. Raises Failed."""
    return described(step, checks_of(step.operation, finished))


execute.register(table.WipeSignatures, wipe.wipe_signatures)

execute.register(table.WriteTable, write_table)
checks_of.register(table.WriteTable, table_checks)

execute.register(table.ResetZones, wipe.reset_zones)
checks_of.register(table.ResetZones, empty_checks)

execute.register(MakeContainer, containers.make_container)
checks_of.register(MakeContainer, containers.container_checks)

execute.register(OpenContainer, containers.open_container)
checks_of.register(OpenContainer, containers.opened_checks)

execute.register(AddCrypttabLine, containers.add_crypttab_line)
checks_of.register(AddCrypttabLine, containers.crypttab_checks)

execute.register(MakeArray, arrays.make_array)
checks_of.register(MakeArray, arrays.array_checks)

execute.register(MakeVolumeGroup, layers.make_group)
checks_of.register(MakeVolumeGroup, layers.group_checks)

execute.register(MakeLogicalVolume, layers.make_logical_volume)
checks_of.register(MakeLogicalVolume, layers.volume_checks)

execute.register(MakeFilesystem, filesystem.make_filesystem)
checks_of.register(MakeFilesystem, filesystem.filesystem_checks)

execute.register(Resize, resize_filesystem)
checks_of.register(Resize, filesystem.resize_checks)

execute.register(MakeSubvolumes, filesystem.make_subvolumes)
checks_of.register(MakeSubvolumes, filesystem.subvolume_checks)

execute.register(SetOwner, filesystem.set_owner)

execute.register(mounts.AddFstabLine, filesystem.add_fstab_line)
checks_of.register(mounts.AddFstabLine, filesystem.fstab_checks)

execute.register(mounts.Mount, filesystem.mount_in_step)
checks_of.register(mounts.Mount, filesystem.mount_checks)

execute.register(mounts.TurnOnSwap, filesystem.turn_on)
checks_of.register(mounts.TurnOnSwap, filesystem.swap_checks)
