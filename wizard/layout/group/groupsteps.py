"""What is shown of a logical volume within a group: its sentence, and what is checked afterwards."""

from wizard.model.group import MakeLogicalVolume
from wizard.model.units import MIB, format_capacity

DATA_BYTES = MIB
"""How far into its partition a group's first extent begins: asked for, and read back."""


def logical_sentence(operation: MakeLogicalVolume) -> str:
    """What the step does."""
    return f"Make the logical volume {operation.device}: {_size(operation)}."


def logical_holds(operation: MakeLogicalVolume) -> tuple[str, ...]:
    """What is checked after it."""
    return (
        f"LVM finds {operation.device} as a linear volume of exactly {operation.size_bytes} bytes.",
        f"The kernel finds {operation.device} aligned.",
    )


def _size(operation: MakeLogicalVolume) -> str:
    return f"{format_capacity(operation.size_bytes)} ({operation.size_bytes} bytes)"
