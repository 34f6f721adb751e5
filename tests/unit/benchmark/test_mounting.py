"""Files left open by an interruption of a benchmark."""

import os
from pathlib import Path

import pytest

from wizard.benchmark.candidates.surroundings import close_below


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
