"""A verified change of a filesystem, on a drive that can lose power."""

import struct
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest

from tests.exchanging import Power, PowerCut, VolatileDrive, differing, save_chunks, unheard
from wizard.apply.conversion import commit as committing
from wizard.apply.conversion.commit import Committer
from wizard.apply.engine import exchange
from wizard.apply.engine.record import Phase, Record, load_record, save_record
from wizard.apply.engine.stores import FOLDER
from wizard.ext4.assessment import DECIDING, block_mounting

CHUNK, CHUNKS = 4096, 48
SIZE = CHUNK * CHUNKS - 1024
"""The last chunk is cut off, as of a partition that ends anywhere."""
EXTENT, CHECKSUMS, RECOVERY, BAR = 0x40, 0x400, 0x4, 1 << 31
"""Bits of s_feature_incompat, of s_feature_ro_compat, and two of the first again."""


def _superblock(content: bytearray, incompatible: int) -> bytes:
    """Write the superblock of a one-group filesystem with checksums over noise, and return the content."""
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
    """Change the superblock as a mount by the kernel does, with further `changes`."""
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


POWERS: dict[Path, Power] = {}


class Case:
    """A verified change of a filesystem, on a drive that can lose power."""

    def __init__(self, folder: Path, block_bytes: int = 512, seed: int = 0) -> None:
        self.run, self.store = folder / "run", folder / "run" / FOLDER
        self.store.mkdir(parents=True)
        self.before, self.after = (one[: SIZE // block_bytes * block_bytes] for one in (BEFORE, AFTER))
        written = differing(self.before, self.after)
        # What a program wrote as it was before.
        same = {
            number: self.before[number * CHUNK : (number + 1) * CHUNK]
            for number in range(1, CHUNKS - 1)
            if number not in written
        }
        self.written = dict(sorted({**written, **same}.items(), key=lambda item: item[0] * 7 % 11))
        save_record(self.run, Record(Phase.REHEARSING, waits=False))
        self.drive = VolatileDrive(bytearray(self.before), Power(), Random(seed), block_bytes)
        self.device = "/dev/sdx1"
        POWERS[self.run] = self.drive.power

    def save(self) -> None:
        """Save the result of the rehearsal."""
        save_chunks(self.run, self.device, self.drive, self.written)

    def committing(self) -> Committer:
        return Committer(self.run, self.device, self.drive, unheard)

    def commit(self, goes_at: int | None = None) -> bool:
        """Return True if the commit ended before the power cut."""
        return self._until(goes_at, "commit")

    def undo(self, goes_at: int | None = None) -> bool:
        return self._until(goes_at, "undo")

    def _until(self, goes_at: int | None, what: str) -> bool:
        self.drive.power.goes_at, self.drive.power.moments = goes_at, 0
        try:
            if self.phase is Phase.REHEARSING:
                self.save()
            with closing(self.committing()) as committer:
                getattr(committer, what)(lambda share: None)
        except PowerCut:
            assert self.mountable() in (self.before, self.after, None), (
                "something half replaced can be mounted"
            )
            return False
        return True

    def goes_on(self, what: str, seed: int) -> None:
        """Finish the commit or undo, after a second power cut on the way."""
        over = (Phase.RELEASED,) if what == "commit" else (Phase.UNDONE, Phase.LEFT)
        if (
            self.phase not in over
            and not self._until(Random(seed).randrange(60), what)
            and self.phase not in over
        ):
            assert self._until(None, what)

    def mountable(self) -> bytes | None:
        """Return the drive's content, or None while a barred superblock prevents mounting."""
        head = bytes(self.drive.content)[DECIDING]
        bars = (block_mounting(BEFORE[:4096])[DECIDING], block_mounting(AFTER[:4096])[DECIDING])
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
    """Power cuts possible right before and right after each saved phase."""

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
