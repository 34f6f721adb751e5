"""How much swap a system usually has, by its memory.

After the table "Recommended system swap space" of Red Hat Enterprise Linux 9 (Managing storage devices,
Getting started with swap), in the column without hibernation: twice the memory up to 2 GiB, as much as the
memory up to 8 GiB, at least 4 GiB beyond. Hibernation would need as much as the memory and more.
"""

from wizard.model.units import GIB

UNKNOWN_MEMORY_BYTES = 4 * GIB
"""What is taken where the memory is not known: what the table says of most machines."""


def swap_bytes(memory_bytes: int | None) -> int:
    """The usual size, a whole number of GiB. The kernel reports a little less memory than there is, so that
    is rounded up first."""
    if memory_bytes is None:
        return UNKNOWN_MEMORY_BYTES
    memory = max(1, -(-memory_bytes // GIB)) * GIB
    if memory <= 2 * GIB:
        return 2 * memory
    return memory if memory <= 8 * GIB else 4 * GIB
