"""Scratch copies: blockers, copy-on-write without the kernel, and samples of empty drives."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from tests.exchanging import Power, VolatileDrive
from tests.unit.plan.raid.stripes import Kind, numbered, striped
from wizard.apply.block import extents, scratch_device
from wizard.apply.conversion.commit import (
    EARLIER,
    FILE,
    SCHEMA,
    ConvertedFilesystem,
    load_filesystem,
    phase_of,
)
from wizard.apply.engine import record
from wizard.apply.engine.changes import SAMPLES, sample_of, zeros_wanted
from wizard.apply.engine.record import GOING_BACK, Phase, power_sentence
from wizard.apply.engine.scratch_copies import blocker
from wizard.apply.engine.stores import FullError, Store
from wizard.apply.engine.survey import first_data
from wizard.apply.engine.writable_copy import WrittenPages, main
from wizard.apply.run.backup_store import replace_document
from wizard.model.errors import BadInput, Failed
from wizard.model.machine import Extent
from wizard.model.said import GIB, MIB, TIB

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


@pytest.fixture
def control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Missing loop control device, with a modprobe that loads nothing."""
    control, programs = tmp_path / "loop-control", tmp_path / "bin"
    programs.mkdir()
    (programs / "modprobe").write_text("#!/bin/sh\nexit 1\n")
    (programs / "modprobe").chmod(0o755)
    monkeypatch.setattr(scratch_device, "CONTROL", str(control))
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return control


def test_without_udev_the_module_is_loaded_first(control: Path) -> None:
    (control.parent / "bin/modprobe").write_text(f'#!/bin/sh\n[ "$2" = loop ] && : > {control}\n')
    assert blocker(control.parent, [1024]) == ""


def test_kernel_without_the_module_is_reported(control: Path) -> None:
    assert blocker(control.parent, [1024]) == f"{control} is not available (No such file or directory)"


def test_concurrent_checks_do_not_interfere(control: Path) -> None:
    """The wizard checks from several threads, and a false blocker would disable undo."""
    control.touch()
    with ThreadPoolExecutor(4) as pool:
        said = set(pool.map(lambda _: blocker(control.parent, [1024]), range(2000)))
    assert said == {""}
    assert not any(path.name.startswith((".size", "tmp")) for path in control.parent.iterdir())


@pytest.mark.parametrize("block", [512, 4096])
@pytest.mark.parametrize("size", [GIB, 256 * GIB + 512 * 7 * 4096, 22 * TIB])
def test_sample_covers_every_256th_of_the_drive(size: int, block: int) -> None:
    sample = sample_of(size, block)
    assert sample[0].start_bytes == 0 and sample[-1].end_bytes == size
    assert all(one.start_bytes % block == one.size_bytes % block == 0 for one in sample)
    assert max(after.start_bytes - one.end_bytes for one, after in pairwise(sample)) < size / SAMPLES
    assert sum(one.size_bytes for one in sample) <= 67 * MIB


def test_small_drive_is_read_completely() -> None:
    assert sample_of(64 * MIB, 512) == (Extent(0, 64 * MIB),)
    assert sample_of(300 * 1024, 512) == (Extent(0, 300 * 1024),)


class Drive:
    """A drive of zeros except for one block, which may be unreadable."""

    size_bytes, logical_block_bytes = GIB, 512

    def __init__(self, at: int, block: bytes) -> None:
        self.at, self.block = at, block

    def read(self, offset_bytes: int, length_bytes: int) -> bytes:
        data = bytearray(length_bytes)
        if offset_bytes <= self.at < offset_bytes + length_bytes:
            if not self.block:
                raise Failed("Input/output error.")
            data[self.at - offset_bytes : self.at - offset_bytes + 512] = self.block
        return bytes(data)

    def write(self, offset_bytes: int, data: bytes) -> None:
        raise AssertionError("it only reads")

    def flush(self) -> None:
        raise AssertionError("it only reads")


@pytest.mark.parametrize("place", [0, 100, -1])
def test_one_byte_in_the_sample_is_found(place: int) -> None:
    sample = sample_of(GIB, 512)
    at = sample[place].end_bytes - 512
    assert first_data(Drive(at, bytes(512)).read, sample) is None
    assert first_data(Drive(at, bytes(511) + b"x").read, sample) == at + 511


def test_unreadable_drive_is_not_empty() -> None:
    sample = sample_of(GIB, 512)
    assert first_data(Drive(sample[100].start_bytes, b"").read, sample) is not None


@pytest.mark.parametrize(
    ("kind", "size", "wanted"),
    [
        ("btrfs", TIB, "a sample"),
        ("md", TIB, "nothing is enough"),
        ("md", GIB, "all"),
    ],
)
def test_drive_that_md_copies_over_is_read_completely(kind: Kind, size: int, wanted: str) -> None:
    """md's initial copy would destroy data outside the sample."""
    plan = striped(numbered(2, size_bytes=size), kind, level="raid1")
    sample = sample_of(size, 512)
    first, second = (zeros_wanted(plan, member) for member in plan.members)
    assert first == sample
    assert second == {"a sample": sample, "nothing is enough": (), "all": (Extent(0, size),)}[wanted]
