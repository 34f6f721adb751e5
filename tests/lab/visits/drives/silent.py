"""Jobs: unreported values are not invented, a drive without a size is listed, and two drives with equal
numbers are distinguished."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from tests.lab.drives.fleet import GIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, node_of, shown
from wizard.cli.main import main
from wizard.model.run import Check


def _disk(name: str, number: int, serial: str, *, shares_serial: bool = False) -> EmulatedDrive:
    """Return a SCSI drive with 0000h in page B1h."""
    return EmulatedDrive(
        name,
        Bus.SCSI,
        serial=serial,
        vendor="LAB",
        model="Silent Disk",
        wwn=0x5000C500AAAA0500 + number,
        logical_block_bytes=512,
        physical_block_bytes=4096,
        size_bytes=GIB,
        shares_serial=shares_serial,
    )


SILENT_FLEET = Fleet(
    "silent",
    (
        _disk("silent", 1, "LAB-SILENT"),
        # One drive on two paths, or a clone: all identifiers are the same.
        _disk("path-one", 2, "LAB-TWIN", shares_serial=True),
        _disk("path-two", 2, "LAB-TWIN", shares_serial=True),
        EmulatedDrive("metadata", Bus.NVME, "LAB-METADATA", 4096, 4096, GIB, metadata_bytes=64),
    ),
)


def untold(fleet: Fleet) -> Iterator[Check]:
    """Check a drive that does not report rotation."""
    drive = _inspected()[node_of(fleet["silent"])]
    codes = [finding["code"] for finding in drive["findings"]]
    yield Check(
        "silent: the rotation is unknown",
        drive["rotational"] is None and drive["kernel_rotational"] is True,
        shown(drive["rotational"]),
    )
    yield Check("silent: no contradiction is reported", "recording-contradiction" not in codes, shown(codes))
    verdict = drive["recording"]["verdict"]
    yield Check("silent: the recording method is unknown", verdict == "unknown", shown(verdict))


def sizeless(fleet: Fleet) -> Iterator[Check]:
    """Check a namespace with metadata that the kernel cannot use."""
    path = _nvme()
    size = (Path("/sys/block") / Path(path).name / "size").read_text().strip()
    yield Check("metadata: the kernel reports no size", size == "0", size)
    drive = _inspected().get(path)
    codes = [finding["code"] for finding in drive["findings"]] if drive else []
    yield Check("metadata: inspect lists the drive, with a finding", "drive-no-size" in codes, shown(codes))
    status, said = _told("plan", path, "--workload", "small-files", "--replace")
    yield Check(
        "metadata: plan refuses", status == 3 and not said.startswith("/dev/nvme"), f"{status}: {said}"
    )


def twins(fleet: Fleet) -> Iterator[Check]:
    """Check two drives with the same serial number and WWN."""
    seen = [drive for drive in _inspected().values() if drive["serial"] == "LAB-TWIN"]
    names = [drive["path"].removeprefix("/dev/") for drive in seen]
    yield Check("twins: both drives are listed", len(seen) == 2, shown(names))
    for drive in seen:
        codes = [finding["code"] for finding in drive["findings"]]
        yield Check(
            f"{drive['path']}: a finding reports a drive with the same identifiers",
            "identity-same-drive" in codes,
            shown(codes),
        )
    file = str(SHARED / "plan-twin.json")
    status, said = _told("plan", seen[0]["path"], "--workload", "small-files", "-o", file)
    yield Check("twins: the plan warns about the twin", status == 0 and "same identifiers" in said, said)
    for token in ("LAB-TWIN", names[1]):
        status, said = _told("apply", file, "--confirm", token)
        refused = status == 3 and "Nothing was written" in said
        yield Check(f"twins: {token} does not confirm the run", refused, f"{status}: {said}")
    status, said = _told("apply", file, "--confirm", names[0])
    yield Check("twins: the device name confirms the run", status == 0, f"{status}: {said}")
    drives = _inspected()
    written = [bool(drives[drive["path"]]["partitions"]) for drive in seen]
    yield Check("twins: the other drive is unchanged", written == [True, False], shown(written))


def _nvme() -> str:
    return next(f"/dev/{entry.name}" for entry in sorted(Path("/sys/block").glob("nvme*n*")))


def _inspected() -> dict[str, Any]:
    _, text = _told("inspect", "--json")
    return {drive["path"]: drive for drive in json.loads(text)["drives"]}


def _told(*words: str) -> tuple[int, str]:
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        status = main(words)
    return status, said.getvalue()


JOBS = {"untold": untold, "sizeless": sizeless, "twins": twins}

VISITS = (
    Visit(
        "drives without reports, without a size, or with the same identifiers",
        SILENT_FLEET,
        ("untold", "sizeless", "twins"),
        seconds=300,
        udev=False,
    ),
)
