"""A drive with an unwritable block: the commit fails and the old content is restored."""

from pathlib import Path

import pytest

from wizard.apply.engine.exchange import Exchange
from wizard.apply.engine.record import DriveChange, Phase, Record, SavedSignature, load_record, save_record
from wizard.apply.engine.stores import FOLDER, Store, digest_of, hidden_reader, new_file, old_file
from wizard.model.errors import Failed
from wizard.model.machine import Extent
from wizard.model.said import KIB

SIZE, BLOCK, BAD = 64 * KIB, 512, 20 * KIB


class Drive:
    """A drive in memory with one unwritable block."""

    node = "/dev/sdx"
    size_bytes = SIZE
    logical_block_bytes = BLOCK

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        return bytes(self.data[offset_bytes : offset_bytes + length_bytes])

    def write(self, offset_bytes: int, data: bytes) -> None:
        if offset_bytes <= BAD < offset_bytes + len(data):
            raise Failed("/dev/sdx could not be written.")
        self.data[offset_bytes : offset_bytes + len(data)] = data

    def zero(self, place: Extent) -> None:
        self.write(place.start_bytes, bytes(place.size_bytes))

    def flush(self) -> None:
        """Do nothing, since no cache is simulated."""


def prepared(run: Path, old: bytes, new: bytes) -> None:
    """Create a rehearsed run whose commit writes all of `new`."""
    (run / FOLDER).mkdir(parents=True)
    places, marks = (Extent(0, SIZE),), (SavedSignature(0, BLOCK),)
    for file, data in ((old_file(run, 0), old), (new_file(run, 0), new)):
        with Store(file, make_bytes=SIZE) as store:
            store.write(0, data)
    change = DriveChange("/dev/sdx", SIZE, places, marks, marks, "", "", "", False)
    with Store(old_file(run, 0)) as before, Store(new_file(run, 0)) as after:
        hidden = digest_of(places, hidden_reader(change, before.read, after.read, b""))
        digests = digest_of(places, before.read), digest_of(places, after.read), hidden
    save_record(
        run, Record(Phase.SAVED, (DriveChange("/dev/sdx", SIZE, places, marks, marks, *digests, False),))
    )


def test_unwritable_change_is_undone(tmp_path: Path) -> None:
    old, new = bytes(range(256)) * (SIZE // 256), bytes(reversed(range(256))) * (SIZE // 256)
    run = tmp_path / "0001-sdx"
    prepared(run, old, new)
    drive = Drive(old)
    exchange = Exchange(run, [drive])
    with pytest.raises(Failed, match="could not be written"):
        exchange.commit(lambda _: None)
    exchange.close()
    assert drive.data != old
    again = Exchange(run, [drive])
    again.undo(lambda _: None)
    again.close()
    record = load_record(run)
    assert record is not None and record.phase is Phase.UNDONE
    assert drive.data == old
