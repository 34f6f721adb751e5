"""md arrays across the plan's drives: identify, assemble, stop and dismantle.

An array belongs to the run if all members are partitions of the plan's drives, with the planned UUID.
"""

from collections.abc import Sequence
from pathlib import Path
from time import sleep

from wizard.apply.block import devices
from wizard.apply.run.backup_store import LOOK_SECONDS
from wizard.apply.steps.step_context import TAKEN, Do, foreign
from wizard.model.errors import Failed, Refused
from wizard.model.said import t
from wizard.operations.layers import MakeArray, array_uuid
from wizard.probe.host.sysfs import node_of
from wizard.process.program import run

STOP_TRIES = 10
STOP_PAUSE_SECONDS = 0.3

WAITING_STATES = ("read-auto", "readonly")
"""States in which md copies nothing (Documentation/admin-guide/md.rst, array_state). On Debian, arrays start
in read-auto until the first write (start_ro)."""


def check_free_array(array: MakeArray) -> None:
    """Raises Refused if the node or UUID of a planned array is in use. mdadm does not check the UUID."""
    if _md_taken(array.device):
        raise Refused(TAKEN(what=array.device))
    uuid = array.mdadm_uuid
    if f"UUID={uuid}" in run(("mdadm", "--detail", "--scan"), seconds=LOOK_SECONDS).output.split():
        raise Refused(TAKEN(what=t("An array with the UUID {uuid}", uuid=uuid)))


def taken_arrays() -> tuple[str, ...]:
    """Return the nodes of all existing md arrays."""
    found = (
        node_of(entry.name)
        for entry in sorted(devices.SYS_BLOCK.glob("md*"))
        if not (entry / "partition").exists()
    )
    return tuple(node for node in found if _md_taken(node))


def _md_taken(node: str) -> bool:
    state = devices.SYS_BLOCK / devices.kernel_name(node) / "md/array_state"
    return (devices.SYS_BLOCK / devices.kernel_name(node)).exists() and not (
        state.exists() and state.read_text().strip() == "clear"
    )


def layers_on(parts: Sequence[str]) -> tuple[str, ...]:
    """Return the md arrays and device-mapper nodes on these partitions and no others."""
    names = {devices.kernel_name(part) for part in parts}
    found = []
    for entry in sorted(Path("/sys/block").glob("*")):
        slaves = {slave.name for slave in (entry / "slaves").glob("*")}
        if slaves and slaves <= names and ((entry / "md").exists() or (entry / "dm").exists()):
            found.append(node_of(entry.name))
    return tuple(found)


def running_array(array: MakeArray, do: Do) -> str | None:
    """Return the kernel node of the plan's running array, or None. Raises Failed if another array uses its
    members."""
    node = next(iter(layers_on(array.parts)), None)
    if node is not None and not _is_own(node, array, do):
        raise foreign(node)
    return node


def _is_own(node: str, array: MakeArray, do: Do) -> bool:
    # An array that was never started does not report its UUID, but its members do.
    output = do(("mdadm", "--detail", "--export", node)).output
    return f"MD_UUID={array.mdadm_uuid}" in output.splitlines()


def own_array_node(array: MakeArray, do: Do) -> None:
    """Raises Failed unless the array's device node belongs to the plan's own running array."""
    node, device = running_array(array, do), array.device
    if (
        node is None
        or not Path(device).is_block_device()
        or devices.kernel_name(device) != devices.kernel_name(node)
        or not is_node_of(device)
    ):
        raise foreign(device)


def is_node_of(device: str) -> bool:
    """Return True if the node has the device number that the kernel uses for its name."""
    number = (devices.SYS_BLOCK / devices.kernel_name(device) / "dev").read_text().strip()
    return number == devices.device_number(device)


def own_uses(array: MakeArray, do: Do) -> frozenset[tuple[str, str]]:
    """Return the pairs of member and array by which the run itself uses its drives."""
    node = running_array(array, do)
    return frozenset((part, node) for part in array.parts) if node else frozenset()


def carry(parts: Sequence[str], uuid: str, do: Do) -> bool:
    """Return True if all these partitions have a superblock of the array with this UUID."""
    try:
        return all(
            f"MD_UUID={array_uuid(uuid)}" in do(("mdadm", "--examine", "--export", part)).output.splitlines()
            for part in parts
        )
    except Failed:
        # mdadm fails for partitions without a superblock.
        return False


def _stop(node: str, do: Do) -> None:
    """Stop an array. Retry, since udev may open it for moments."""
    for attempt in range(STOP_TRIES):
        devices.check_unclaimed(node)
        try:
            do(("mdadm", "--stop", node))
        except Failed:
            if attempt == STOP_TRIES - 1:
                raise
            sleep(STOP_PAUSE_SECONDS)
        else:
            return


def stop_own_array(array: MakeArray, do: Do) -> None:
    """Stop the plan's array, under any number. Raises Failed if it is in use, or not the plan's own."""
    if (node := running_array(array, do)) is not None:
        _stop(node, do)


def assemble_own(array: MakeArray, do: Do) -> None:
    """Run the plan's array under its own number, with all members, and start its resync, which md may delay
    until the first write. Raises Failed, and Refused if another array has that number."""
    device = array.device
    if running_array(array, do) != device:
        stop_own_array(array, do)
        check_free_array(array)
        do(("mdadm", "--assemble", device, f"--uuid={array.mdadm_uuid}", *array.parts))
        devices.wait_for(device)
    folder = devices.SYS_BLOCK / devices.kernel_name(device)
    # If the power fails between the drives' last signatures, a mirror may have run with only one of them. md
    # then omits the other until it is added again and copied.
    for part in _missing_members(array, folder):
        do(("mdadm", device, "--re-add", part))
    if absent := _missing_members(array, folder):
        raise Failed(t("{device} runs without {parts:list}.", device=device, parts=tuple(absent)))
    if (folder / "md/array_state").read_text().strip() in WAITING_STATES:
        do(("mdadm", "--readwrite", device))


def _missing_members(array: MakeArray, folder: Path) -> list[str]:
    members = {slave.name for slave in (folder / "slaves").iterdir()}
    return [part for part in array.parts if devices.kernel_name(part) not in members]
