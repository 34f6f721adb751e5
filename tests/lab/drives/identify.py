"""Change the IDENTIFY data of an emulated SATA drive, for which QEMU has no option: drive-managed zones, an
alignment offset.

QEMU creates the IDENTIFY DEVICE data for the first request, from the firmware, stores them, and then returns
copies. The stored data can be changed in QEMU's memory before the guest's driver reads them. The guest must
wait for the change before it loads the driver, so that the result does not depend on timing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from time import monotonic, sleep

from tests.lab.trouble import GuestTrouble

WORDS, WORD_BYTES = 256, 2
DATA_BYTES = WORDS * WORD_BYTES
SERIAL_AT, MODEL_AT, MODEL_CHARACTERS = 20, 54, 40
FIXED_DRIVE = 0x0040
"""Word 0 as QEMU sets it for a hard disk."""
COMMAND_SETS, CHECKSUM, CHECKED = 83, 255, 0xA5

LARGEST_MAPPING_BYTES = 256 * 1024 * 1024
"""The guest's own memory, and what QEMU compiles into, are larger; what is looked for lies on the heap."""
PIECE_BYTES = 16 * 1024 * 1024
PAUSE_SECONDS = 0.05
MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p 0+ 00:00 0\s*(?:\[heap\])?")
"""A line of /proc/PID/maps about memory of no file that can be read and written."""


@dataclass(frozen=True, slots=True)
class Copy:
    """IDENTIFY data in a process's memory."""

    address: int
    data: bytes

    def word(self, number: int) -> int:
        """Return a 16-bit word by number."""
        return int.from_bytes(self.data[number * WORD_BYTES : (number + 1) * WORD_BYTES], "little")

    @property
    def serial(self) -> bytes:
        """The serial number as stored, with two characters swapped in each word."""
        return self.data[SERIAL_AT : SERIAL_AT + 20]


def poke(pid: int, model: str, words: Sequence[tuple[int, int]], seconds: float) -> None:
    """Set words of the IDENTIFY data that the QEMU process `pid` stores for its only SATA drive of this
    model.

    Call it after the firmware's request, while the guest waits before loading its driver. Searches for the
    data for at most `seconds`. Raises GuestTrouble if they do not appear, two drives have this model, the
    process ends, or the words are not set afterwards.
    """
    limit = monotonic() + seconds
    try:
        while not (copies := list(_copies(pid, model))):
            if monotonic() >= limit:
                raise GuestTrouble(
                    f"QEMU has no IDENTIFY data of {model!r} after {seconds:.0f} s: did its firmware not ask "
                    "for them?"
                )
            sleep(PAUSE_SECONDS)
        if len({copy.serial for copy in copies}) > 1:
            raise GuestTrouble(f"Two drives are called {model!r}: whose words shall be changed?")
        with FileIO(f"/proc/{pid}/mem", "r+") as memory:
            for copy in copies:
                _write(memory, copy.address, changed(copy.data, words))
    except (FileNotFoundError, ProcessLookupError):
        raise GuestTrouble(f"QEMU has ended before the words of {model!r} could be changed.") from None
    except PermissionError as error:
        raise GuestTrouble(f"The memory of QEMU cannot be written: {error.strerror}.") from None


def changed(data: bytes, words: Sequence[tuple[int, int]]) -> bytes:
    """Return IDENTIFY data with some words set, and a valid checksum if there was one (ACS-4, word 255)."""
    new = bytearray(data)
    for number, value in words:
        new[number * WORD_BYTES : (number + 1) * WORD_BYTES] = value.to_bytes(WORD_BYTES, "little")
    if new[CHECKSUM * WORD_BYTES] == CHECKED:
        new[-1] = -sum(new[:-1]) % 256
    return bytes(new)


def _write(memory: FileIO, address: int, data: bytes) -> None:
    memory.seek(address)
    memory.write(data)
    memory.seek(address)
    if memory.read(len(data)) != data:
        raise GuestTrouble("The words that were written into QEMU's memory do not stand there.")


def _copies(pid: int, model: str) -> Iterator[Copy]:
    """Return each place in the process's memory with IDENTIFY data of this model."""
    text = model.encode("ascii").ljust(MODEL_CHARACTERS)[:MODEL_CHARACTERS]
    wanted = bytes(text[at ^ 1] for at in range(MODEL_CHARACTERS))
    maps = Path(f"/proc/{pid}/maps").read_text()
    with FileIO(f"/proc/{pid}/mem") as memory:
        for line in maps.splitlines():
            if found := MAPPING.fullmatch(line.rstrip()):
                start, end = int(found[1], 16), int(found[2], 16)
                if end - start <= LARGEST_MAPPING_BYTES:
                    yield from _copies_within(memory, start, end, wanted)


def _copies_within(memory: FileIO, start: int, end: int, wanted: bytes) -> Iterator[Copy]:
    """Search in overlapping pieces."""
    for begin in range(start, end, PIECE_BYTES):
        size = min(PIECE_BYTES + DATA_BYTES, end - begin)
        try:
            memory.seek(begin)
            piece = memory.read(size)
        except OSError:
            continue
        at = piece.find(wanted)
        while at >= 0:
            first = at - MODEL_AT
            copy = (
                Copy(begin + first, piece[first : first + DATA_BYTES]) if 0 <= first < PIECE_BYTES else None
            )
            # Its bits 15:14 are 01 in any data that are complete (ACS-4): a string of the same letters
            # elsewhere has no such word.
            if (
                copy
                and len(copy.data) == DATA_BYTES
                and copy.word(0) == FIXED_DRIVE
                and copy.word(COMMAND_SETS) >> 14 == 1
            ):
                yield copy
            at = piece.find(wanted, at + 1)
