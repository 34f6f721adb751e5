"""Changing IDENTIFY words in the memory of a small process instead of QEMU."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.lab.drives.identify import changed, poke
from tests.lab.trouble import GuestTrouble

MODEL = "LAB Words 512e"
STAND_IN = """
import ctypes, sys
model, serials = sys.argv[1].ljust(40), sys.argv[2:]
def made(serial):
    data = (ctypes.c_uint16 * 256)()
    data[0], data[83], data[69] = 0x0040, 0x7400, 0x4000
    for at, text in ((10, serial.ljust(20)), (27, model)):
        for index in range(0, len(text), 2):
            data[at + index // 2] = ord(text[index]) << 8 | ord(text[index + 1])
    return data
kept = [made(serial) for serial in serials]
print("ready", flush=True)
for _ in sys.stdin:
    print(*(f"{data[69]:#06x} {data[209]:#06x}" for data in kept), flush=True)
"""


class StandIn:
    """A process with IDENTIFY data like QEMU's, which returns words 69 and 209 of each on request."""

    def __init__(self, *serials: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", STAND_IN, MODEL, *serials],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None and self.process.stdin is not None
        self.said, self.asked = self.process.stdout, self.process.stdin
        assert self.said.readline() == "ready\n"

    def words(self) -> str:
        self.asked.write("\n")
        self.asked.flush()
        return self.said.readline().strip()

    def end(self) -> None:
        self.asked.close()
        self.said.close()
        self.process.wait()


@pytest.fixture
def one() -> Iterator[StandIn]:
    stand_in = StandIn("S1")
    yield stand_in
    stand_in.end()


def test_words_are_changed_in_the_process_itself(one: StandIn) -> None:
    assert one.words() == "0x4000 0x0000"
    poke(one.process.pid, MODEL, [(69, 0x4002), (209, 0x4001)], 30)
    assert one.words() == "0x4002 0x4001"


def test_missing_model_is_reported_in_time(one: StandIn) -> None:
    with pytest.raises(GuestTrouble, match="no IDENTIFY data of 'LAB Words 4Kn'"):
        poke(one.process.pid, "LAB Words 4Kn", [(69, 0x4002)], 0)
    assert one.words() == "0x4000 0x0000"


def test_two_drives_of_one_model_are_refused() -> None:
    two = StandIn("S1", "S2")
    try:
        with pytest.raises(GuestTrouble, match="Two drives"):
            poke(two.process.pid, MODEL, [(69, 0x4002)], 30)
        assert two.words() == "0x4000 0x0000 0x4000 0x0000"
    finally:
        two.end()


def test_ended_process_is_reported() -> None:
    gone = StandIn("S1")
    gone.end()
    with pytest.raises(GuestTrouble, match="has ended"):
        poke(gone.process.pid, MODEL, [(69, 0x4002)], 30)


def test_existing_checksum_is_corrected() -> None:
    bare = bytes(512)
    assert changed(bare, [(69, 0x4002)])[138:140] == b"\x02\x40"
    assert changed(bare, [(69, 0x4002)])[510:] == b"\0\0"
    signed = changed(bare, [(255, 0xA5)])
    assert sum(signed) % 256 == 0
    assert sum(changed(signed, [(69, 0x4002)])) % 256 == 0
