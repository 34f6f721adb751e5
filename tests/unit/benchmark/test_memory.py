"""Memory required by a benchmark."""

from pathlib import Path

import psutil
import pytest

from wizard.benchmark.candidates.surroundings import MEMORY_BYTES, refuse_little_memory
from wizard.model.errors import Refused
from wizard.model.said import KIB, MIB


def computer_with(available_bytes: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate /proc/meminfo (Documentation/filesystems/proc.rst)."""
    told = {"MemTotal": 512 * MIB, "MemFree": 40 * MIB, "MemAvailable": available_bytes, "Buffers": MIB}
    told |= {"Cached": 90 * MIB, "Shmem": MIB, "Active": 30 * MIB, "Inactive": 30 * MIB}
    lines = (f"{name}: {size // KIB} kB\n" for name, size in told.items())
    (folder / "meminfo").write_text("".join(lines))
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(folder))


def test_trial_is_refused_with_less_memory_than_a_phase_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computer_with(MEMORY_BYTES - KIB, tmp_path, monkeypatch)
    with pytest.raises(Refused, match=r"Only 134 MB .* Nothing was written\."):
        refuse_little_memory()


def test_computer_with_just_enough_memory_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computer_with(MEMORY_BYTES, tmp_path, monkeypatch)
    refuse_little_memory()
