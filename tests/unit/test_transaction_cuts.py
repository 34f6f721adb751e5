"""A transaction's commit and its undoing, with the power cut at every moment: each is finished, or taken
back, to the bit."""

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest

from tests.exchanging import Power, PowerCut, VolatileDrive, differing, unheard, write_cow_store
from wizard.apply.engine import exchange
from wizard.apply.engine.record import UNTOUCHED, Phase, Record, load_record, save_record
from wizard.apply.transaction import committing
from wizard.apply.transaction.committing import Committing
from wizard.apply.transaction.snapshotted import OLD, WORK, Snapshotted, save_snapshotted
from wizard.migrate.ext.bar import DECIDING, FIRST_BYTES, barred
from wizard.model.errors import Refused

CHUNK, CHUNKS = 4096, 48
SIZE = CHUNK * CHUNKS - 1024
"""The last chunk is cut off, as of a partition that ends anywhere."""
UNTOLD = 10_000
ROUNDS = 3
"""Of each moment: with another part of the cache lost, and the second cut elsewhere."""


EXTENT, CHECKSUMS, RECOVERY, BAR = 0x40, 0x400, 0x4, 1 << 31
"""Bits of s_feature_incompat, of s_feature_ro_compat, and two of the first again."""


def _superblock(content: bytearray, incompatible: int) -> bytes:
    """Noise with a superblock of one filesystem, of one group, which has checksums on and no bar."""
    content[1024:2048] = bytes(1024)
    sizes = (
        (0x00, 64),
        (0x04, CHUNKS),
        (0x18, 2),
        (0x1C, 2),
        (0x20, 32768),
        (0x24, 32768),
        (0x28, 64),
        (0x4C, 1),
        (0x54, 11),
        (0x58, 256),
    )
    for offset, value in (*sizes, (0x5C, 0x4), (0x60, 0x2 | incompatible), (0x64, 0x1 | CHECKSUMS)):
        struct.pack_into("<I", content, 1024 + offset, value)
    struct.pack_into("<I", content, 1024 + 0x108, 1_000_000_000)
    struct.pack_into("<H", content, 1024 + 0x38, 0xEF53)
    content[1024 + 0x68 : 1024 + 0x78] = b"one filesystem's"
    return bytes(content)


def mounted(content: bytearray, changes: Mapping[int, int] = MappingProxyType({})) -> None:
    """What the kernel writes to the superblock, and what else is wanted there."""
    struct.pack_into("<II", content, 1024 + 0x2C, 1_700_000_000, 1_700_000_000)
    content[1024 + 0x34] ^= 1
    for offset, value in changes.items():
        struct.pack_into("<I", content, 1024 + offset, value)


BEFORE = _superblock(bytearray(Random("before").randbytes(SIZE)), 0)
DIFFERENT = (0, CHUNKS - 1, *Random("chunks").sample(range(1, CHUNKS - 1), 24))


def _after() -> bytes:
    changed = bytearray(BEFORE)
    for number in DIFFERENT:
        begin = number * CHUNK
        data = Random(number).randbytes(min(CHUNK, SIZE - begin))
        changed[begin : begin + len(data)] = data
    return _superblock(changed, EXTENT)


AFTER = _after()


class Case:
    """One transaction whose snapshot is closed, on a drive that can lose its power."""

    def __init__(self, folder: Path, block_bytes: int = 512, seed: int = 0) -> None:
        self.run, self.store = folder / "run", folder / "store"
        for one in (self.run, self.store):
            one.mkdir(parents=True)
        self.before, self.after = (one[: SIZE // block_bytes * block_bytes] for one in (BEFORE, AFTER))
        written = differing(self.before, self.after)
        # What a program wrote as it was before.
        same = {
            number: BEFORE[number * CHUNK : (number + 1) * CHUNK]
            for number in range(1, CHUNKS - 1)
            if number not in written
        }
        write_cow_store(
            self.store / WORK, dict(sorted({**written, **same}.items(), key=lambda item: item[0] * 7 % 11))
        )
        first = self.before[:FIRST_BYTES].hex()
        save_snapshotted(self.run, Snapshotted("uuid", len(self.before), str(self.store), first, closed=True))
        save_record(self.run, Record(Phase.REHEARSING, waits=False))
        self.drive = VolatileDrive(bytearray(self.before), Power(), Random(seed), block_bytes)
        self.device = "/dev/sdx1"
        POWERS[self.run] = self.drive.power

    def committing(self) -> Committing:
        return Committing(self.run, self.device, self.drive, unheard)

    def commit(self, goes_at: int | None = None) -> bool:
        """Whether it came to its end before the power went."""
        return self._until(goes_at, "commit")

    def undo(self, goes_at: int | None = None) -> bool:
        return self._until(goes_at, "undo")

    def _until(self, goes_at: int | None, what: str) -> bool:
        self.drive.power.goes_at, self.drive.power.moments = goes_at, 0
        try:
            getattr(self.committing(), what)(lambda share: None)
        except PowerCut:
            assert self.mountable() in (self.before, self.after, None), (
                "something half replaced can be mounted"
            )
            return False
        return True

    def goes_on(self, what: str, seed: int) -> None:
        """To its end, after a second power cut on the way."""
        over = (Phase.RELEASED,) if what == "commit" else (Phase.UNDONE, Phase.LEFT)
        if (
            self.phase not in over
            and not self._until(Random(seed).randrange(60), what)
            and self.phase not in over
        ):
            assert self._until(None, what)

    def mountable(self) -> bytes | None:
        """The drive, but where its superblock has a bar."""
        head = bytes(self.drive.content)[DECIDING]
        bars = (barred(BEFORE[:4096])[DECIDING], barred(AFTER[:4096])[DECIDING])
        return None if head in bars else bytes(self.drive.content)

    @property
    def content(self) -> bytes:
        return bytes(self.drive.content)

    @property
    def phase(self) -> Phase:
        record = load_record(self.run)
        assert record is not None
        return record.phase


@pytest.fixture(autouse=True)
def saving_takes_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The power can go before the phase is written, and right after."""

    def save(run: Path, record: Record) -> None:
        power = POWERS[run]
        power.moment()
        save_record(run, record)
        power.moment()

    for module in (exchange, committing):
        monkeypatch.setattr(module, "save_record", save)
    # It is the drive whose power goes here, not this machine's disk, which has no need to be waited for.
    monkeypatch.setattr("os.fsync", lambda fd: None)
    yield
    POWERS.clear()


POWERS: dict[Path, Power] = {}


def moments(case: Case, what: str) -> int:
    assert getattr(case, what)(UNTOLD)
    return case.drive.power.moments


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_commit_writes_what_differs_and_undo_takes_it_back(tmp_path: Path, block_bytes: int) -> None:
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
    old = (case.store / OLD).read_bytes()
    assert differing(bytes(len(old)), old).keys() <= kept
    assert case.undo()
    assert (case.content, case.phase, case.store.exists()) == (case.before, Phase.UNDONE, False)


@pytest.mark.parametrize("block_bytes", [512, 4096])
@pytest.mark.parametrize("way_on", ["commit", "undo"])
def test_power_cut_at_every_moment_of_the_commit(tmp_path: Path, way_on: str, block_bytes: int) -> None:
    for seed in range(ROUNDS * moments(Case(tmp_path / "whole", block_bytes), "commit")):
        case = Case(tmp_path / f"cut{seed}", block_bytes, seed)
        assert not case.commit(seed // ROUNDS)
        if case.phase in UNTOUCHED and way_on == "undo":
            assert case.content == case.before
            continue
        case.goes_on(way_on, seed)
        assert case.content == (case.after if way_on == "commit" else case.before)


@pytest.mark.parametrize("block_bytes", [512, 4096])
def test_power_cut_at_every_moment_of_the_undoing(tmp_path: Path, block_bytes: int) -> None:
    whole = Case(tmp_path / "whole", block_bytes)
    assert whole.commit()
    for seed in range(ROUNDS * moments(whole, "undo")):
        case = Case(tmp_path / f"cut{seed}", block_bytes, seed)
        assert case.commit()
        assert not case.undo(seed // ROUNDS)
        case.goes_on("undo", seed)
        assert case.content == case.before


def test_files_of_an_unfinished_collection_are_made_again(tmp_path: Path) -> None:
    case = Case(tmp_path)
    (case.store / OLD).write_bytes(b"half")
    assert case.commit()
    assert case.content == AFTER


def test_nothing_is_undone_that_was_written_to_since(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.commit()
    mounted(case.drive.content)
    found = case.content
    with pytest.raises(Refused, match=r"was written to since.*Nothing was written"):
        case.undo()
    assert (case.content, case.phase) == (found, Phase.RELEASED)


def test_nothing_is_undone_where_a_replaced_chunk_changed(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.commit()
    case.drive.content[-1] ^= 1
    with pytest.raises(Refused, match="was written to since it was complete"):
        case.undo()
    assert case.phase is Phase.RELEASED


def test_nothing_is_committed_on_what_somebody_used_before_the_bar(tmp_path: Path) -> None:
    case = Case(tmp_path)
    # Where the phase is written and the bar is not.
    assert not case.commit(3)
    assert case.phase is Phase.CLEARING
    case.drive.content[20 * CHUNK : 21 * CHUNK] = bytes(CHUNK)
    mounted(case.drive.content)
    found = case.content
    with pytest.raises(Refused, match="left as it is"):
        case.commit()
    assert (case.content, case.phase) == (found, Phase.LEFT)


def test_what_was_used_before_the_bar_is_undone_by_leaving_it(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(3)
    case.drive.content[1024 + 0x34] ^= 1
    found = case.content
    assert case.undo()
    assert (case.content, case.phase) == (found, Phase.LEFT)


@pytest.mark.parametrize("at", [1024 + 0x34, 0], ids=["mounted", "boot loader"])
@pytest.mark.parametrize("moment", [0, None])
def test_nothing_is_committed_on_what_somebody_used_since_the_snapshot_was_closed(
    tmp_path: Path, moment: int | None, at: int
) -> None:
    """As after a restart, which mounts it: nothing is barred yet."""
    case = Case(tmp_path)
    assert moment is None or not case.commit(moment)
    assert case.phase is Phase.REHEARSING
    case.drive.content[at] ^= 1
    case.drive.content[20 * CHUNK : 21 * CHUNK] = bytes(CHUNK)
    found = case.content
    with pytest.raises(Refused, match="left as it is"):
        case.commit()
    assert (case.content, case.phase, case.store.exists()) == (found, Phase.LEFT, False)


def test_nothing_is_committed_on_what_somebody_used_after_it_was_kept(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(2)
    assert case.phase is Phase.SAVED
    mounted(case.drive.content)
    found = case.content
    with pytest.raises(Refused, match=r"changed after the rehearsal\. Nothing was written"):
        case.commit()
    assert (case.content, case.phase) == (found, Phase.SAVED)
    assert case.undo()
    assert (case.content, case.phase, case.store.exists()) == (found, Phase.UNDONE, False)


def test_the_way_back_does_not_need_the_snapshots_store(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert case.commit()
    (case.store / WORK).unlink()
    assert case.undo()
    assert (case.content, case.phase) == (case.before, Phase.UNDONE)


def test_under_another_name_it_goes_on_and_says_so(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(10)
    case.device = "/dev/sdy1"
    case.drive.content[-1] ^= 1
    with pytest.raises(
        Refused, match=r"/dev/sdy1 was changed at byte \d+ .* What is kept of both states lies"
    ):
        case.commit()
    case.drive.content[-1] ^= 1
    assert case.commit()
    assert case.content == case.after


def test_a_bar_that_somebody_took_away_stops_everything(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert not case.commit(10)
    assert case.phase is Phase.REPLACING
    case.drive.content[DECIDING] = BEFORE[DECIDING]
    for what in ("commit", "undo"):
        with pytest.raises(Refused):
            getattr(case, what)()
    assert case.phase is Phase.REPLACING


@pytest.mark.parametrize("wholly", [False, True])
@pytest.mark.parametrize(("file", "what"), [(WORK, "commit"), (OLD, "undo")])
def test_damaged_stores_are_not_written_to_the_drive(
    tmp_path: Path, file: str, what: str, wholly: bool
) -> None:
    case = Case(tmp_path)
    assert not case.commit(10)
    found = case.content
    damaged = bytearray((case.store / file).read_bytes())
    for at in range(2 * CHUNK if file == WORK else 0, len(damaged), CHUNK):
        damaged[at] ^= 1
    damaged = bytearray(len(damaged)) if wholly else damaged
    (case.store / file).write_bytes(damaged)
    with pytest.raises(Refused, match="changed or damaged"):
        getattr(case, what)()
    assert case.content == found


USED: tuple[Mapping[int, int], ...] = ({}, {0x60: 0x2 | EXTENT | RECOVERY})
"""Mounted and unmounted, and mounted when the power went."""


def released(folder: Path, what: str) -> Case:
    """The last block was written, and the phase was not."""
    whole = Case(folder / "whole")
    assert what == "commit" or whole.commit()
    case = Case(folder / what)
    assert what == "commit" or case.commit()
    assert not getattr(case, what)(moments(whole, what) - 2)
    assert case.phase is (Phase.RELEASING if what == "commit" else Phase.RELEASING_BACK)
    assert case.content == (AFTER if what == "commit" else BEFORE)
    return case


@pytest.mark.parametrize("change", USED)
def test_used_after_the_last_write_counts_as_committed(tmp_path: Path, change: Mapping[int, int]) -> None:
    case = released(tmp_path, "commit")
    mounted(case.drive.content, change)
    found = case.content
    with pytest.raises(Refused, match="written to since"):
        case.undo()
    assert case.commit()
    assert (case.content, case.phase) == (found, Phase.RELEASED)
    with pytest.raises(Refused, match="written to since"):
        case.undo()
    assert case.content == found


def test_used_after_the_last_write_it_is_left_so_also_where_the_old_bytes_are_damaged(
    tmp_path: Path,
) -> None:
    case = released(tmp_path, "commit")
    (case.store / OLD).write_bytes(bytes(SIZE))
    mounted(case.drive.content)
    found = case.content
    assert case.commit()
    assert (case.content, case.phase) == (found, Phase.RELEASED)


def test_used_after_it_was_put_back_is_left_as_it_is(tmp_path: Path) -> None:
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
def test_what_is_not_the_new_filesystem_is_not_taken_for_it(
    tmp_path: Path, change: Mapping[int, int]
) -> None:
    case = released(tmp_path, "commit")
    mounted(case.drive.content, change)
    found = case.content
    for what in ("commit", "undo"):
        with pytest.raises(Refused, match="Nothing was written"):
            getattr(case, what)()
    assert (case.content, case.phase) == (found, Phase.RELEASING)


def test_the_new_filesystem_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    case = released(tmp_path, "undo")
    mounted(case.drive.content, {0x60: 0x2 | EXTENT})
    with pytest.raises(Refused, match="Nothing was written"):
        case.undo()
    assert case.phase is Phase.RELEASING_BACK


def test_a_bar_changes_one_sector_only() -> None:
    changed = [at for at in range(4096) if barred(AFTER[:4096])[at] != AFTER[at]]
    assert changed and all(DECIDING.start <= at < DECIDING.stop for at in changed)
