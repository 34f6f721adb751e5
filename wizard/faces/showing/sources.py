"""Where a command's facts come from: the running machine, or one that was recorded."""

from collections.abc import Sequence
from pathlib import Path

from wizard.faces.words.shared import not_recorded
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine, Partition
from wizard.model.names import printable
from wizard.model.said import t
from wizard.probe.machine import drive_under, probe_machine
from wizard.probe.recorded import load_machine


def machine_and_drive(device: str, recorded: str | None) -> tuple[Machine, Drive]:
    """The machine with the drive at `device`, probed now or read from the file `recorded`; raises BadInput
    where it has none."""
    machine, drives = machine_and_drives([device], recorded)
    return machine, drives[0]


def machine_and_drives(devices: Sequence[str], recorded: str | None) -> tuple[Machine, tuple[Drive, ...]]:
    """The machine with the drives at `devices`, in their order; raises BadInput where it lacks one, or one is
    named twice."""
    if recorded is None:
        machine = probe_machine(devices)
        if len(machine.drives) != len(devices):
            raise BadInput(t("One drive was named twice."))
        return machine, machine.drives
    machine = load_machine(Path(recorded))
    return machine, tuple(_recorded_drive(machine, device, recorded) for device in devices)


def machine_and_part(device: str, recorded: str | None) -> tuple[Machine, Drive, Partition] | None:
    """The machine with the partition at `device` and its drive; None where that is no partition. Raises
    BadInput where the drive does not list it."""
    if recorded is None:
        if not (path := drive_under(device)):
            return None
        machine = probe_machine([path])
        node = str(Path(device).resolve())
    else:
        machine, node = load_machine(Path(recorded)), device
    for drive in machine.drives:
        if part := drive.partition(node):
            return machine, drive, part
    if recorded is None:
        raise BadInput(
            t(
                "The table of {drive} could not be read, or does not list {part}.",
                drive=path,
                part=printable(device),
            )
        )
    return None


def _recorded_drive(machine: Machine, device: str, recorded: str) -> Drive:
    found = machine.drive(device)
    if found is None:
        raise BadInput(not_recorded(machine, device, recorded))
    return found
