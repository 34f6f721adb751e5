"""Memory required by a benchmark, and files left open by its interruption."""

import os
from pathlib import Path

import psutil
import pytest

from wizard.benchmark.candidates.surroundings import MEMORY_BYTES, close_below, refuse_little_memory
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


def test_only_mounts_below_are_closed(tmp_path: Path) -> None:
    below, beside = tmp_path / "volume", tmp_path / "volume-2"
    below.mkdir()
    names = (below / "kept", below / "deleted", beside)
    lost, deleted, other = (os.open(name, os.O_CREAT | os.O_WRONLY, 0o600) for name in names)
    folder = os.open(below, os.O_RDONLY)
    (below / "deleted").unlink()
    close_below(below)
    for descriptor in (lost, deleted, folder):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)
    os.close(other)
