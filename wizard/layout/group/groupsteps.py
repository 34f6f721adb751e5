"""What is shown of a logical volume within a group: its sentence, and what is checked afterwards."""

from wizard.model.operations.group import MakeLogicalVolume
from wizard.model.said import Said, t
from wizard.model.units import MIB

DATA_BYTES = MIB
"""How far into its partition a group's first extent begins: asked for, and read back."""


def logical_sentence(operation: MakeLogicalVolume) -> Said:
    """What the step does."""
    return t(
        "Make the logical volume {device}: {size:size} ({size} bytes).",
        device=operation.device,
        size=operation.size_bytes,
    )


def logical_holds(operation: MakeLogicalVolume) -> tuple[str, ...]:
    """What is checked after it."""
    device = operation.device
    found = t(
        "LVM finds {device} as a linear volume of exactly {size} bytes.",
        device=device,
        size=operation.size_bytes,
    )
    return (str(found), str(t("The kernel finds {device} aligned.", device=device)))
