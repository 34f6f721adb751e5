"""Commit and undo of a transaction with a power cut at every write: each is finished or reversed, bit for
bit."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.exchanging import differing
from tests.unit.apply.transaction.committed import (
    AFTER,
    BAR,
    BEFORE,
    CHECKSUMS,
    CHUNK,
    EXTENT,
    RECOVERY,
    SIZE,
    Case,
    mounted,
)
from tests.unit.apply.transaction.committed import saving_takes_time as saving_takes_time
from wizard.apply.engine.record import UNTOUCHED, Phase, load_record
from wizard.apply.engine.stores import new_file, old_file
from wizard.ext4.assessment import DECIDING, block_mounting
from wizard.model.errors import Refused

UNTOLD = 10_000
ROUNDS = 3
"""Of each moment: with another part of the cache lost, and the second cut elsewhere."""


def moments(case: Case, what: str) -> int:
    assert getattr(case, what)(UNTOLD)
    return case.drive.power.moments


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_commit_writes_differences_and_undo_reverts_them(tmp_path: Path, block_bytes: int) -> None:
    case = Case(tmp_path, block_bytes)
    assert case.commit()
    assert (case.content, case.phase) == (case.after, Phase.RELEASED)
    record = load_record(case.run)
    assert record is not None
    (change,) = record.changes
    kept = {
        place.start_bytes // CHUNK + at
        for place in change.places
        for at in range(-(-place.size_bytes // CHUNK))
    }
    assert kept == set(differing(case.before, case.after)), "what stays the same is neither kept nor written"
    old = (old_file(case.run, 0)).read_bytes()
    assert differing(bytes(len(old)), old).keys() <= kept
    assert case.undo()
    assert (case.content, case.phase, case.store.exists()) == (case.before, Phase.UNDONE, False)


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("way_on", ["commit", "undo"])
def test_power_cut_at_every_moment_of_commit(tmp_path: Path, way_on: str, block_bytes: int) -> None:
    for seed in range(ROUNDS * moments(Case(tmp_path / "whole", block_bytes), "commit")):
        case = Case(tmp_path / f"cut{seed}", block_bytes, seed)
        assert not case.commit(seed // ROUNDS)
        if case.phase in UNTOUCHED and way_on == "undo":
            assert case.content == case.before
            continue
        case.goes_on(way_on, seed)
        assert case.content == (case.after if way_on == "commit" else case.before)


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_power_cut_at_every_moment_of_undo(tmp_path: Path, block_bytes: int) -> None:
    whole = Case(tmp_path / "whole", block_bytes)
    assert whole.commit()
    for seed in range(ROUNDS * moments(whole, "undo")):
        case = Case(tmp_path / f"cut{seed}", block_bytes, seed)
        assert case.commit()
        assert not case.undo(seed // ROUNDS)
        case.goes_on("undo", seed)
        assert case.content == case.before


def test_files_of_an_unfinished_collection_are_recreated(tmp_path: Path) -> None:
    case = Case(tmp_path)
    (old_file(case.run, 0)).write_bytes(b"half")
    assert case.commit()
    assert case.content == AFTER


def test_undo_is_refused_after_later_writes(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.commit()
    mounted(case.drive.content)
    found = case.content
    with pytest.raises(Refused, match=r"was modified after.*Nothing was written"):
        case.undo()
    assert (case.content, case.phase) == (found, Phase.RELEASED)


def test_undo_is_refused_if_a_replaced_chunk_changed(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.commit()
    case.drive.content[-1] ^= 1
    with pytest.raises(Refused, match="was modified after the run was complete"):
        case.undo()
    assert case.phase is Phase.RELEASED


def test_commit_is_refused_after_use_before_the_bar(tmp_path: Path) -> None:
    case = Case(tmp_path)
    # Where the phase is written and the bar is not.
    assert not case.commit(3)
    assert case.phase is Phase.CLEARING
    case.drive.content[20 * CHUNK : 21 * CHUNK] = bytes(CHUNK)
    mounted(case.drive.content)
    found = case.content
    with pytest.raises(Refused, match="Left unchanged"):
        case.commit()
    assert (case.content, case.phase) == (found, Phase.LEFT)


def test_use_before_the_bar_is_undone_by_leaving_it(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(3)
    case.drive.content[1024 + 0x34] ^= 1
    found = case.content
    assert case.undo()
    assert (case.content, case.phase) == (found, Phase.LEFT)


@pytest.mark.parametrize("at", [1024 + 0x34, 0], ids=["mounted", "boot loader"])
def test_commit_is_refused_after_use_since_the_rehearsal(tmp_path: Path, at: int) -> None:
    """As after a restart that mounts the filesystem before any superblock is barred."""
    case = Case(tmp_path)
    case.save()
    assert case.phase is Phase.SAVED
    case.drive.content[at] ^= 1
    case.drive.content[20 * CHUNK : 21 * CHUNK] = bytes(CHUNK)
    found = case.content
    with pytest.raises(Refused, match="is left alone: "):
        case.commit()
    assert (case.content, case.phase, case.store.exists()) == (found, Phase.LEFT, False)


def test_commit_is_refused_after_a_change_since_the_rehearsal(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.save()
    case.drive.content[-1] ^= 1
    found = case.content
    with pytest.raises(Refused, match=r"changed after the rehearsal\. Nothing was written"):
        case.commit()
    assert (case.content, case.phase) == (found, Phase.SAVED)
    assert case.undo()
    assert (case.content, case.phase, case.store.exists()) == (found, Phase.UNDONE, False)


def test_undo_does_not_need_the_planned_bytes(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.commit()
    (new_file(case.run, 0)).unlink()
    assert case.undo()
    assert (case.content, case.phase) == (case.before, Phase.UNDONE)


def test_renamed_device_continues_with_a_message(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(10)
    case.device = "/dev/sdy1"
    case.drive.content[-1] ^= 1
    with pytest.raises(
        Refused, match=r"changed /dev/sdy1 at byte \d+ .* The saved data of both states is in"
    ):
        case.commit()
    case.drive.content[-1] ^= 1
    assert case.commit()
    assert case.content == case.after


def test_removed_bar_stops_everything(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(10)
    assert case.phase is Phase.REPLACING
    case.drive.content[DECIDING] = BEFORE[DECIDING]
    for what in ("commit", "undo"):
        with pytest.raises(Refused):
            getattr(case, what)()
    assert case.phase is Phase.REPLACING


@pytest.mark.parametrize("wholly", [False, True])
@pytest.mark.parametrize("what", ["commit", "undo"])
def test_damaged_stores_are_not_written_to_the_drive(tmp_path: Path, what: str, wholly: bool) -> None:
    case = Case(tmp_path)
    assert not case.commit(10)
    found = case.content
    file = new_file(case.run, 0) if what == "commit" else old_file(case.run, 0)
    damaged = bytearray(file.read_bytes())
    for at in range(2 * CHUNK if what == "commit" else 0, len(damaged), CHUNK):
        damaged[at] ^= 1
    damaged = bytearray(len(damaged)) if wholly else damaged
    file.write_bytes(damaged)
    with pytest.raises(Refused, match="changed or damaged"):
        getattr(case, what)()
    assert case.content == found


USED: tuple[Mapping[int, int], ...] = ({}, {0x60: 0x2 | EXTENT | RECOVERY})
"""Mounted and unmounted, and mounted when the power went."""


def released(folder: Path, what: str) -> Case:
    """Return a case whose last block was written but whose phase was not saved."""
    whole = Case(folder / "whole")
    assert what == "commit" or whole.commit()
    case = Case(folder / what)
    assert what == "commit" or case.commit()
    assert not getattr(case, what)(moments(whole, what) - 2)
    assert case.phase is (Phase.RELEASING if what == "commit" else Phase.RELEASING_BACK)
    assert case.content == (AFTER if what == "commit" else BEFORE)
    return case


@pytest.mark.parametrize("change", USED)
def test_use_after_the_last_write_counts_as_committed(tmp_path: Path, change: Mapping[int, int]) -> None:
    case = released(tmp_path, "commit")
    mounted(case.drive.content, change)
    found = case.content
    with pytest.raises(Refused, match="was modified after the run was complete"):
        case.undo()
    assert case.commit()
    assert (case.content, case.phase) == (found, Phase.RELEASED)
    with pytest.raises(Refused, match="was modified after the run was complete"):
        case.undo()
    assert case.content == found


def test_use_after_the_last_write_counts_despite_damaged_old_bytes(
    tmp_path: Path,
) -> None:
    case = released(tmp_path, "commit")
    (old_file(case.run, 0)).write_bytes(bytes(SIZE))
    mounted(case.drive.content)
    found = case.content
    assert case.commit()
    assert (case.content, case.phase) == (found, Phase.RELEASED)


def test_use_after_undo_is_unchanged(tmp_path: Path) -> None:
    case = released(tmp_path, "undo")
    mounted(case.drive.content, {0x64: 0x1 | CHECKSUMS | 0x2})
    found = case.content
    assert case.undo()
    assert (case.content, case.phase, case.store.exists()) == (found, Phase.LEFT, False)


STRANGE: tuple[Mapping[int, int], ...] = (
    {0x68: 0},
    {0x108: 1_000_000_001},
    {0x38: 0},
    {0x60: 0x2},
    {0x60: 0x2 | EXTENT | BAR},
    {0x58: 128},
)
"""Another filesystem, the same made anew, none, the one from before, one that is barred, and one with other
inodes."""


@pytest.mark.parametrize("change", STRANGE)
def test_other_content_is_not_mistaken_for_the_new_filesystem(
    tmp_path: Path, change: Mapping[int, int]
) -> None:
    case = released(tmp_path, "commit")
    mounted(case.drive.content, change)
    found = case.content
    for what in ("commit", "undo"):
        with pytest.raises(Refused, match="Nothing was written"):
            getattr(case, what)()
    assert (case.content, case.phase) == (found, Phase.RELEASING)


def test_new_filesystem_is_not_mistaken_for_the_old_one(tmp_path: Path) -> None:
    case = released(tmp_path, "undo")
    mounted(case.drive.content, {0x60: 0x2 | EXTENT})
    with pytest.raises(Refused, match="Nothing was written"):
        case.undo()
    assert case.phase is Phase.RELEASING_BACK


def test_bar_changes_one_sector_only() -> None:
    changed = [at for at in range(4096) if block_mounting(AFTER[:4096])[at] != AFTER[at]]
    assert changed and all(DECIDING.start <= at < DECIDING.stop for at in changed)
