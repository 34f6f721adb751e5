"""What is shown of a logical volume within a group: its sentence, and what is checked afterwards."""

from wizard.layout.group import words
from wizard.model.operations.group import MakeLogicalVolume
from wizard.model.said import Said
from wizard.model.units import MIB

DATA_BYTES = MIB
"""How far into its partition a group's first extent begins: asked for, and read back."""


def logical_sentence(operation: MakeLogicalVolume) -> Said:
    """What the step does."""
    return words.LOGICAL(device=operation.device, size=operation.size_bytes)


def logical_holds(operation: MakeLogicalVolume) -> tuple[str, ...]:
    """What is checked after it."""
    device = operation.device
    found = words.LOGICAL_FOUND(device=device, size=operation.size_bytes)
    return (str(found), str(words.ALIGNED(device=device)))
