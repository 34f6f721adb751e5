"""Counterfeit drives: writes beyond the real capacity overwrite the beginning."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from wizard.apply.engine.exchange import Exchange, mark_over_changes
from wizard.apply.engine.record import DriveChange, Phase, Record, SavedSignature, save_record
from wizard.apply.engine.stores import FOLDER, Store, digest_of, hidden_reader, new_file, old_file
from wizard.model.errors import Failed, Refused
from wizard.model.machine import Extent
from wizard.model.said import KIB, MIB

SIZE, BLOCK = 12 * MIB, 512
PLACES = (
    Extent(0, 64 * KIB),
    Extent(4 * MIB, 64 * KIB),
    Extent(6 * MIB + 512, 32 * KIB),
    Extent(11 * MIB, MIB),
)
MARKS = (SavedSignature(0, BLOCK),)


class Drive:
    """A drive in memory with a real capacity of `holds` bytes. If `cached`, reads return the written data."""

    node = "/dev/sdx"
    size_bytes = SIZE
    logical_block_bytes = BLOCK

    def __init__(self, holds: int, cached: bool = False) -> None:
        self.data, self.cache = bytearray(holds), bytearray(SIZE)
        self.cached = cached

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        if self.cached:
            return bytes(self.cache[offset_bytes : offset_bytes + length_bytes])
        return b"".join(
            self.data[at % len(self.data) : at % len(self.data) + BLOCK]
            for at in range(offset_bytes, offset_bytes + length_bytes, BLOCK)
        )

    def write(self, offset_bytes: int, data: bytes) -> None:
        self.cache[offset_bytes : offset_bytes + len(data)] = data
        for at in range(0, len(data), BLOCK):
            place = (offset_bytes + at) % len(self.data)
            self.data[place : place + BLOCK] = data[at : at + BLOCK]

    def zero(self, place: Extent) -> None:
        self.write(place.start_bytes, bytes(place.size_bytes))

    def flush(self) -> None:
        """Do nothing, since no cache is simulated."""


def prepared(run: Path, drive: Drive, same: Mapping[int, bytes]) -> None:
    """Record a run. `same`: bytes to write in all of a place."""
    (run / FOLDER).mkdir(parents=True)
    with (
        Store(old_file(run, 0), make_bytes=SIZE) as before,
        Store(new_file(run, 0), make_bytes=SIZE) as after,
    ):
        for place in PLACES:
            one = same.get(place.start_bytes, b"") * place.size_bytes
            new = one or Random(place.start_bytes).randbytes(place.size_bytes)
            after.write(place.start_bytes, new)
            before.write(place.start_bytes, drive.read(place.start_bytes, place.size_bytes))
        change = DriveChange("/dev/sdx", SIZE, PLACES, MARKS, MARKS, "", "", "", False)
        digests = (
            digest_of(PLACES, before.read),
            digest_of(PLACES, after.read),
            digest_of(PLACES, hidden_reader(change, before.read, after.read, b"")),
        )
    change = DriveChange("/dev/sdx", SIZE, PLACES, MARKS, MARKS, *digests, False)
    save_record(run, Record(Phase.SAVED, (change,)))


@pytest.mark.parametrize(
    ("holds", "said", "same"),
    [
        (4 * MIB, "4.2 MB", {}),
        (11 * MIB, "11.5 MB", {}),
        (2 * MIB, "2.1 MB", {}),
        (4 * MIB, "4.2 MB", {4 * MIB: b"\0"}),
        (4 * MIB, "4.2 MB", {4 * MIB: b"\xff"}),
        (11 * MIB, "11.5 MB", {11 * MIB: b"\0"}),
    ],
)
@pytest.mark.parametrize("cached", [False, True])
def test_counterfeit_drive_is_named_with_its_capacity(
    tmp_path: Path, holds: int, said: str, same: Mapping[int, bytes], cached: bool
) -> None:
    run, drive = tmp_path / "0001-sdx", Drive(holds)
    drive.data[:] = Random(3).randbytes(holds)
    prepared(run, drive, same)
    drive.cache[:] = drive.read(0, SIZE)
    drive.cached = cached
    exchange = Exchange(run, [drive])
    if cached:
        exchange.commit(lambda _: None)
        drive.cached = False
        for use, error in ((exchange.release, Failed), (exchange.undo, Refused)):
            with pytest.raises(error, match=f"holds {said} or less"):
                use(lambda _: None)
    else:
        with pytest.raises(Failed, match=f"holds {said} or less"):
            exchange.commit(lambda _: None)
    exchange.close()


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("holds", [4 * MIB, 11 * MIB, 2 * MIB])
def test_counterfeit_drive_gets_its_old_bytes_back(tmp_path: Path, holds: int, cached: bool) -> None:
    run, drive = tmp_path / "0001-sdx", Drive(holds)
    was = Random(3).randbytes(holds)
    drive.data[:] = was
    prepared(run, drive, {})
    drive.cache[:] = drive.read(0, SIZE)
    drive.cached = cached
    exchange = Exchange(run, [drive])
    with suppress(Failed):
        exchange.commit(lambda _: None)
    exchange.close()
    drive.cached = False
    exchange = Exchange(run, [drive])
    assert "--over-changes" in str(exchange.next_commands(("sdx",)))
    exchange.close()
    mark_over_changes(run, True)
    exchange = Exchange(run, [drive])
    exchange.undo(lambda _: None)
    exchange.close()
    assert drive.data == was


def overwritten(data: bytearray) -> None:
    data[4 * MIB : 4 * MIB + 4096] = Random(1).randbytes(4096)


def zeroed(data: bytearray) -> None:
    data[: 32 * KIB] = bytes(32 * KIB)


def filled(data: bytearray) -> None:
    data[4 * MIB : 4 * MIB + 4096] = b"\x01" * 4096


def copied_nearby(data: bytearray) -> None:
    data[4 * MIB : 4 * MIB + 4096] = data[4 * MIB + 8192 : 4 * MIB + 12288]


def partly_copied(data: bytearray) -> None:
    data[0:8192] = data[4 * MIB : 4 * MIB + 8192]
    data[4096:8192] = Random(2).randbytes(4096)


@pytest.mark.parametrize("change", [overwritten, zeroed, filled, copied_nearby, partly_copied])
def test_drive_changed_by_another_program_is_not_counterfeit(
    tmp_path: Path, change: Callable[[bytearray], None]
) -> None:
    run, drive = tmp_path / "0001-sdx", Drive(SIZE)
    drive.data[:] = Random(3).randbytes(SIZE)
    prepared(run, drive, {6 * MIB + 512: b"\0"})
    exchange = Exchange(run, [drive])
    exchange.commit(lambda _: None)
    change(drive.data)
    with pytest.raises(Refused, match="was modified after the run was complete"):
        exchange.release(lambda _: None)
    exchange.close()
