"""Copy-on-write scratch copies without the kernel, and the recorded state of a conversion."""

import json
import os
from contextlib import nullcontext
from pathlib import Path
from random import Random

import pytest

from tests.exchanging import Power, VolatileDrive
from wizard.apply.block import extents
from wizard.apply.conversion.commit import (
    EARLIER,
    FILE,
    SCHEMA,
    ConvertedFilesystem,
    load_filesystem,
    phase_of,
)
from wizard.apply.engine import record
from wizard.apply.engine.record import GOING_BACK, Phase, power_sentence
from wizard.apply.engine.stores import FullError, Store
from wizard.apply.engine.writable_copy import WrittenPages, main
from wizard.apply.run.backup_store import replace_document
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent
from wizard.model.said import MIB

SIZE = 3 * MIB + 1536


HIDDEN = (Extent(2 * 4096, 3 * 4096), Extent(MIB - 4096, 2 * 4096), Extent(MIB + 4096, MIB))


@pytest.mark.parametrize(("block_bytes", "hidden"), [(512, ()), (4096, ()), (512, HIDDEN)])
def test_reads_show_the_writes_over_the_drive(
    tmp_path: Path, block_bytes: int, hidden: tuple[Extent, ...]
) -> None:
    """Random writes of any length in whole blocks, compared with a plain copy."""
    dice, size = Random(block_bytes), SIZE // block_bytes * block_bytes
    drive = VolatileDrive(bytearray(dice.randbytes(size)), Power(), dice, block_bytes)
    before, wanted = bytes(drive.content), bytearray(drive.content)
    for place in hidden:
        wanted[place.start_bytes : place.end_bytes] = bytes(place.size_bytes)
    written, end = bytearray(wanted), 0
    with Store(tmp_path / "new.img", make_bytes=size) as store:
        copy = WrittenPages(drive, store, hidden)
        for _ in range(60):
            start = dice.randrange(size // block_bytes) * block_bytes
            length = min(dice.choice((1, 2, 3, 20, 256)) * block_bytes, size - start)
            data = dice.randbytes(length) if dice.randrange(3) else bytes(length)
            copy.write(start, data)
            wanted[start : start + length] = data
            start = dice.randrange(size // block_bytes) * block_bytes
            assert copy.read(start, 900_000) == wanted[start : start + 900_000]
        for place in copy.written():
            assert place.start_bytes >= end and place.size_bytes
            end = place.end_bytes
            written[place.start_bytes : end] = store.read(place.start_bytes, place.size_bytes)
    assert written == wanted and end <= size
    assert bytes(drive.content) == before and not drive.cached


def test_writes_stop_while_the_overwritten_data_still_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = VolatileDrive(bytearray(SIZE), Power(), Random(1))
    free, spare_bytes = 6, 2 * 4096
    room = os.statvfs_result((4096, 4096, free, free, free, 9, 9, 9, 0, 255))
    monkeypatch.setattr(os, "fstatvfs", lambda fd: room)
    with Store(tmp_path / "new.img", make_bytes=SIZE) as store:
        copy = WrittenPages(drive, store, (), spare_bytes)
        with pytest.raises(FullError, match="No space left"):
            for page in range(9):
                copy.write(page * 4096, b"x" * 4096)
        assert [place.size_bytes // 4096 for place in copy.written()] == [5]


def test_only_the_first_error_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads the reports while a program waits for an answer: a full pipe would block both."""
    drive = VolatileDrive(bytearray(SIZE), Power(), Random(1))
    full = FullError("no space")
    errors = [Failed("unreadable"), *[full] * 9000]
    monkeypatch.setattr(extents, "DeviceMedium", lambda _device: nullcontext(drive))
    monkeypatch.setattr(WrittenPages, "serve", lambda *_: iter(errors))
    with Store(tmp_path / "new.img", make_bytes=SIZE):
        pass
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    main("", str(tmp_path / "new.img"), -1, writer, (), 0)
    first, error, written = map(json.loads, os.read(reader, MIB).splitlines())
    assert (first["full"], first["said"]) == (False, "unreadable")
    assert error["full"] and error["said"] == "no space" and written == []


def test_filesystem_is_recorded_atomically(tmp_path: Path) -> None:
    assert load_filesystem(tmp_path) is None and phase_of(tmp_path) is None
    filesystem = ConvertedFilesystem("uuid", SIZE, "00", "01")
    replace_document(tmp_path / FILE, SCHEMA, filesystem)
    (tmp_path / f"{FILE}.new").write_text("{")
    assert load_filesystem(tmp_path) == filesystem
    (tmp_path / FILE).write_text("{")
    with pytest.raises(BadInput, match="damaged"):
        load_filesystem(tmp_path)


@pytest.mark.parametrize("file", EARLIER)
def test_run_of_an_earlier_version_is_refused_in_a_sentence(tmp_path: Path, file: str) -> None:
    """A run of an unknown earlier version must not be called unchanged."""
    (tmp_path / file).write_text('{"schema": "diskwright.transaction/1", "phase": "replacing"}')
    with pytest.raises(BadInput, match=f"An earlier version of diskwright started the run {tmp_path.name}"):
        phase_of(tmp_path)


def test_run_that_never_waits_is_not_called_waiting() -> None:
    for phase in set(Phase) - {Phase.REHEARSING, Phase.SAVED, Phase.RELEASED, Phase.UNKNOWN}:
        said = power_sentence(phase, "/dev/sdx1", waits=False)
        command = "undo" if phase in GOING_BACK else "resume"
        over = phase in (Phase.UNDONE, Phase.LEFT, Phase.KEPT)
        assert said == ("" if over else str(record.HALF(drives="/dev/sdx1", command=command)))
