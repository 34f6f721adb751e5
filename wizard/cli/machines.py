"""Find the machine and drives that a command names: attached, or recorded in a file."""

from collections.abc import Sequence
from pathlib import Path

from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.said import t
from wizard.probe.machine import drive_under, load_machine, probe_machine, recorded_drive, with_others


def machine_and_drives(devices: Sequence[str], recorded: str | None) -> tuple[Machine, tuple[Drive, ...]]:
    """Return the machine and the drives, in order, probed or `recorded`. Raises BadInput if one is missing or
    listed twice."""
    if recorded is None:
        machine = with_others(probe_machine(devices))
        if len(machine.drives) != len(devices):
            raise BadInput(t("A drive is listed twice."))
        return machine, machine.drives
    machine = load_machine(Path(recorded))
    return machine, tuple(recorded_drive(machine, device) for device in devices)


def machine_and_part(device: str, recorded: str | None) -> tuple[Machine, Drive, Partition] | None:
    """Return the machine, drive and partition, or None if `device` is not a partition. Raises BadInput if the
    table does not list it."""
    if recorded is None:
        if not (path := drive_under(device)):
            return None
        machine = with_others(probe_machine([path]))
        node = str(Path(device).resolve())
    else:
        machine, node = load_machine(Path(recorded)), device
    for drive in machine.drives:
        if part := drive.partition(node):
            return machine, drive, part
    if recorded is None:
        raise BadInput(
            t("The table of {drive} could not be read, or does not list {part}.", drive=path, part=device)
        )
    return None
