"""Separate process for libparted: one WriteTable as JSON on stdin, exactly one table written.

libparted caches devices by path, aborts on some hostile tables and never releases the interpreter lock. The
process isolates all three. Its result is verified by other modules.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import parted

from wizard.apply.table.proof import WRONG_TABLE
from wizard.documents.codec import from_json
from wizard.model.errors import BadInput, Failed
from wizard.model.layout import TableEntry
from wizard.operations.table import WriteTable

LABELS = {"gpt": "gpt", "mbr": "msdos"}

REFUSALS = (
    Failed,
    BadInput,
    ArithmeticError,
    parted.PartedException,
    parted.IOException,
    parted.DiskException,
    parted.DiskLabelException,
    parted.PartitionException,
    parted.ConstraintException,
    parted.DeviceException,
    parted.GeometryException,
    parted.CreateException,
)
"""They share no base class."""


def write(operation: WriteTable) -> None:
    """Write the new table. Raises Failed before the first write if it cannot be exactly as planned."""
    if not operation.fresh or any(entry.kept for entry in operation.entries):
        raise Failed(WRONG_TABLE(detail=operation.device))
    device = parted.getDevice(operation.device)
    disk = parted.freshDisk(device, LABELS[operation.table])
    for entry in operation.entries:
        _add(disk, device, operation, entry)
    with _without_udevadm():
        disk.commitToDevice()
        print("libparted", parted.version()["libparted"])
        try:
            disk.commitToOS()
        except parted.IOException as error:
            # The table is on the drive. The caller notifies the kernel by other means and compares.
            print(error)


@contextmanager
def _without_udevadm() -> Iterator[None]:
    """Debian's libparted runs `udevadm settle` around each commit (its patch udevadm-settle). udev delays
    events of locked drives, so this would wait two minutes for our own lock. Hide udevadm from the shell, and
    its complaint."""
    errors = os.dup(2)
    os.environ["PATH"] = "/nonexistent"
    with Path(os.devnull).open("wb") as null:
        os.dup2(null.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(errors, 2)
        os.close(errors)


def _add(disk: parted.Disk, device: parted.Device, operation: WriteTable, entry: TableEntry) -> None:
    """Add a partition with libparted's default type. The caller sets the type afterwards."""
    sector_bytes = device.sectorSize
    if entry.start_bytes % sector_bytes or entry.size_bytes % sector_bytes:
        raise Failed(WRONG_TABLE(detail=f"partition {entry.number}"))
    geometry = parted.Geometry(
        device, start=entry.start_bytes // sector_bytes, length=entry.size_bytes // sector_bytes
    )
    part = parted.Partition(disk=disk, type=parted.PARTITION_NORMAL, geometry=geometry)
    disk.addPartition(part, parted.Constraint(exactGeom=geometry))
    made = (part.geometry.start, part.geometry.length, part.number)
    if made != (geometry.start, geometry.length, entry.number):
        raise Failed(WRONG_TABLE(detail=f"partition {made[2]}"))
    if operation.table == "gpt" and entry.name:
        part.getPedPartition().set_name(entry.name)


def main() -> int:
    """Write the table from standard input. Prints an error on standard error and returns 1."""
    try:
        write(from_json(json.load(sys.stdin), WriteTable, "the operation"))
    except REFUSALS as error:
        print(" ".join(str(error).split()) or type(error).__name__, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
