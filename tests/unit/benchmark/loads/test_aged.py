"""Ageing: the filled share, the number of files, and no written data."""

import errno
import os
from pathlib import Path

import pytest

from tests.unit.benchmark.loads.witness import Witness, digest, root_of
from wizard.benchmark.loads import script as aged
from wizard.model.said import GIB, MIB


@pytest.fixture
def no_room_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allocation replaced: files get their size without using space."""

    def sized(file: int, size_bytes: int) -> int:
        os.ftruncate(file, size_bytes)
        return 0

    monkeypatch.setattr(aged, "_fallocate", sized)


def age(folder: Path, free_bytes: int, seed: int = 1) -> int:
    folder.mkdir(exist_ok=True)
    with root_of(folder) as root:
        return aged.aged(root, free_bytes, seed)


def sizes(folder: Path) -> dict[str, int]:
    return {
        str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.usefixtures("no_room_is_taken")
@pytest.mark.parametrize("free_bytes", [GIB, 4000 * GIB])
def test_volume_ends_85_percent_full_with_3000_files(free_bytes: int, tmp_path: Path) -> None:
    with Witness().watching() as seen:
        taken = age(tmp_path, free_bytes)
    left = sizes(tmp_path)
    assert taken == sum(left.values()) == pytest.approx(0.85 * free_bytes, rel=0.01)
    assert len(left) == pytest.approx(3000, rel=0.05)
    assert len(seen.deleted) == pytest.approx(3000, rel=0.05)
    assert len(seen.made) == len(left) + len(seen.deleted)
    assert seen.written_bytes == 0


@pytest.mark.usefixtures("no_room_is_taken")
def test_half_the_space_was_free_in_between(tmp_path: Path) -> None:
    """About a quarter of the first files remain, among later ones."""
    age(tmp_path, GIB)
    numbers = sorted(int(Path(name).name) for name in sizes(tmp_path))
    first = [number for number in numbers if number < 2900]
    assert len(first) == pytest.approx(750, rel=0.15)
    assert max(numbers) > 5500


@pytest.mark.usefixtures("no_room_is_taken")
def test_same_seed_ages_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aged, "FILES", 300)
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        age(tmp_path / name, GIB, seed)
    assert sizes(tmp_path / "one") == sizes(tmp_path / "two") != sizes(tmp_path / "three")


def test_space_is_really_allocated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aged, "FILES", 300)
    taken = age(tmp_path, 32 * MIB)
    files = [path.stat() for path in tmp_path.rglob("*") if path.is_file()]
    assert taken == pytest.approx(0.85 * 32 * MIB, rel=0.2)
    assert all(file.st_blocks * 512 >= file.st_size for file in files)


def test_full_volume_ends_a_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [64 * MIB]

    def scarce(file: int, size_bytes: int) -> int:
        if size_bytes > left[0]:
            return errno.ENOSPC
        left[0] -= size_bytes
        os.ftruncate(file, size_bytes)
        return 0

    monkeypatch.setattr(aged, "_fallocate", scarce)
    taken = age(tmp_path, GIB)
    assert taken == sum(sizes(tmp_path).values()) <= 64 * MIB
    assert 0 not in sizes(tmp_path).values()


def test_filesystem_without_fallocate_is_not_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aged, "_fallocate", lambda _file, _size_bytes: errno.EOPNOTSUPP)
    before = digest(tmp_path)
    with pytest.raises(OSError) as caught:
        age(tmp_path, GIB)
    assert caught.value.errno == errno.EOPNOTSUPP
    assert sizes(tmp_path) == {} and before != digest(tmp_path)
