"""SD cards and ChromeOS slots: their factory layout does not count as misaligned."""

# ruff: noqa: ANN401 - the builders hand keywords of every type on to dataclasses.replace

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import E512, N512, machine, partition, partitioned
from wizard.findings.diagnose import diagnose
from wizard.model.finding import Severity
from wizard.model.geometry import Geometry
from wizard.model.machine import Drive, Signature
from wizard.model.said import GIB, MIB
from wizard.probe.content.superblocks import read_inside

CARD: dict[str, Any] = {"bus": "mmc", "rotational": False, "kernel_rotational": False, "removable": True}
READER = CARD | {"bus": "usb", "rotational": None}
SLOT = "fe3a2a5d-4f32-41a7-b725-accc3285a309"


def formatted(kind: str, start: int, files_at: int, size: int, **changes: Any) -> Drive:
    """Return a card whose file data starts at `files_at`."""
    holds = Signature(kind, "filesystem", data_offset_bytes=files_at - start)
    part = partition(1, start, size - start, signatures=(holds,))
    return partitioned(part, geometry=N512, size_bytes=size, free=(), **changes)


def alignment(of: Drive) -> dict[str, Severity]:
    found = diagnose(machine(of), of, ()).findings
    return {one.code: one.severity for one in found if one.code.startswith("alignment")}


@pytest.mark.parametrize(
    "of",
    [
        formatted("vfat", 135 * 512, 512 * 512, 2 * GIB, **CARD),
        formatted("vfat", 249 * 512, 480 * 512, GIB, **READER),
        formatted("vfat", 8191 * 512, 8 * MIB, 16 * GIB, **CARD),
        formatted("exfat", 8193 * 512, 16 * MIB, 64 * GIB, **READER),
    ],
)
def test_card_with_files_on_an_erase_block_is_not_misaligned(of: Drive) -> None:
    assert alignment(of) == {"alignment-compensated": Severity.INFO}


def test_card_starting_at_4_mib_is_aligned() -> None:
    assert alignment(formatted("exfat", 4 * MIB, 16 * MIB, 64 * GIB, **CARD)) == {"alignment-ok": Severity.OK}


@pytest.mark.parametrize(
    "of",
    [
        formatted("vfat", 135 * 512, 513 * 512, 2 * GIB, **CARD),
        formatted("vfat", 63 * 512, MIB, 16 * GIB, **CARD),
        formatted("vfat", 135 * 512, 512 * 512, 2 * GIB),
        formatted("ext4", 63 * 512, 4 * MIB, 16 * GIB, **CARD),
    ],
)
def test_other_layout_or_drive_keeps_its_warning(of: Drive) -> None:
    assert alignment(of) == {"alignment-4096": Severity.WARNING}


@pytest.mark.parametrize("geometry", [N512, E512])
@pytest.mark.parametrize("sector", [64, 65, 71])
def test_slot_within_one_block_needs_no_alignment(sector: int, geometry: Geometry) -> None:
    slots = partition(11, sector * 512, 512, type=SLOT), partition(1, 4 * MIB)
    assert alignment(partitioned(*slots, geometry=geometry)) == {"alignment-ok": Severity.OK}
    wide = replace(slots[0], size_bytes=8 * 4096, kernel_size_bytes=8 * 4096)
    assert len(alignment(partitioned(wide, slots[1], geometry=geometry))) == 2


@pytest.mark.parametrize(("bits", "size"), [("12", 2 * MIB), ("16", 64 * MIB), ("32", 300 * MIB)])
def test_fat_file_area_matches_fsck(tmp_path: Path, bits: str, size: int) -> None:
    path, mkfs, fsck = tmp_path / "fat", shutil.which("mkfs.fat"), shutil.which("fsck.fat")
    if mkfs is None or fsck is None:
        pytest.skip("dosfstools is not installed")
    with path.open("wb") as file:
        file.truncate(size)
    subprocess.run((mkfs, "-F", bits, path), check=True, capture_output=True)
    said = subprocess.run((fsck, "-nv", path), check=True, capture_output=True, text=True).stdout
    boot = path.read_bytes()[:512]
    found = read_inside(Signature("vfat", ""), lambda at, length: boot[at : at + length], size)
    assert f"Data area starts at byte {found.data_offset_bytes} " in said
