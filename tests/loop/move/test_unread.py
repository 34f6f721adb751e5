"""Sectors that cannot be read midway of a move: it stops with their places listed, and goes back, or on."""

import json
import subprocess
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from tests.daily import SEED
from tests.devices import tool
from tests.loop.applying import Work, diskwright, ended, story
from tests.loop.move.test_move import (
    CONTENTS,
    SECTOR,
    Content,
    begin,
    digest,
    filled,
    part_of,
    planned,
    table,
)
from tests.loop.probe.failing import FailingDrive, failing_drive
from tests.loop.program import MIB, RunState, read_entries, resume, undo
from wizard.apply.move.content import THROTTLE

SIZE = 96 * MIB
CONTENT = Content(CONTENTS["ext4"].make, CONTENTS["ext4"].check, SIZE)
BAD_AT = 4 * MIB + 512 * 1024
"""Within the partition; whole blocks of its drive."""


@pytest.fixture
def drive(work: Work) -> FailingDrive:
    made = failing_drive(work.bench, 256 * MIB)
    work.bench.own(made.path)
    table(made.path, f"label: gpt\nfirst-lba: 34\nstart=64, size={SIZE // SECTOR}\n")
    filled(f"{made.path}p1", CONTENT, SEED)
    with Path(f"{made.path}p1").open("r+b") as file:
        file.seek(BAD_AT)
        file.write(Random("bad").randbytes(8192))
    return made


def stopped_at(work: Work, drive: FailingDrive, start: int) -> Path:
    """A run that stopped at 8 KiB that fail after they were read once."""
    places = drive.where(64 * SECTOR + BAD_AT, 8192)
    run = begin(work, planned(drive.path, 1, start), rest=3.0)
    until = monotonic() + 60
    while not any(entry.step == 2 for entry in read_entries(run)):
        assert monotonic() < until, story(run)
        sleep(0.02)
    drive.fail(places)
    (run / THROTTLE).write_text("0")
    assert ended(run) is RunState.FAILED, story(run)
    return run


def without_bad(node: str) -> str:
    return digest(node, ((BAD_AT, 8192),))


def words_of(done: "subprocess.CompletedProcess[str]") -> str:
    """All that a command said, in one line."""
    return " ".join((done.stdout + done.stderr).split())


STARTS = (MIB, 128 * MIB)


@pytest.mark.parametrize("start", STARTS)
def test_it_goes_on_over_them_and_back_but_for_them(work: Work, drive: FailingDrive, start: int) -> None:
    node = f"{drive.path}p1"
    before, rest = digest(node), without_bad(node)
    run = stopped_at(work, drive, start)
    told = diskwright(work, "status", run.name)
    first = (64 * SECTOR + BAD_AT) // SECTOR
    assert f"sectors {first} to {first + 15}" in words_of(told), told
    (row,) = json.loads(diskwright(work, "status", "--json").stdout)["runs"]
    (bad,) = row["bad_sectors"]
    assert bad == {
        "partition": node,
        "start_bytes": BAD_AT,
        "size_bytes": 8192,
        "drive_start_bytes": first * SECTOR,
        "zeros": False,
    }
    # Nothing is given up unless that is asked for.
    resume(run)
    assert ended(run) is RunState.FAILED, story(run)
    words = ("resume", run.name, "--over-bad-sectors")
    asked = diskwright(work, *words)
    assert asked.returncode == 3 and f"sectors {first} to {first + 15}" in words_of(asked), asked
    done = diskwright(work, *words, "--confirm", drive.path.removeprefix("/dev/"))
    assert done.returncode == 0, story(run)
    assert "except 8 KiB of unreadable data" in words_of(done), done
    assert part_of(drive.path, 1).start_bytes == start
    assert without_bad(node) == rest and digest(node) != before
    assert not any(Path(node).read_bytes()[BAD_AT : BAD_AT + 8192])
    (row,) = json.loads(diskwright(work, "status", "--json").stdout)["runs"]
    assert row["bad_sectors"] == [{**bad, "zeros": True}]
    back = diskwright(work, "undo", run.name)
    assert back.returncode == 0 and "except 8 KiB" in words_of(back), back
    assert part_of(drive.path, 1).start_bytes == 64 * SECTOR and without_bad(node) == rest


@pytest.mark.parametrize("start", STARTS)
def test_it_goes_back_and_nothing_was_written_there(work: Work, drive: FailingDrive, start: int) -> None:
    node = f"{drive.path}p1"
    rest = without_bad(node)
    run = stopped_at(work, drive, start)
    said = undo(run)
    assert "except 8 KiB" in said, said
    assert part_of(drive.path, 1).start_bytes == 64 * SECTOR
    drive.forget()
    with pytest.raises(OSError):
        Path(node).read_bytes()
    # Once it can be read again it is whole.
    with Path(node).open("r+b") as file:
        file.seek(BAD_AT)
        file.write(bytes(8192))
    assert without_bad(node) == rest


def test_another_computer_knows_them(work: Work, drive: FailingDrive) -> None:
    node = f"{drive.path}p1"
    rest = without_bad(node)
    run = stopped_at(work, drive, MIB)
    run.rename(work.folder / "gone")
    token = drive.path.removeprefix("/dev/")
    words = ("resume", "--from-drive", drive.path, "--journal", str(work.folder / "elsewhere"))
    done = diskwright(work, *words, "--confirm", token, "--over-bad-sectors")
    assert done.returncode == 0 and "Cannot read sectors" in words_of(done), done
    assert "leaves zeros in these places" in words_of(done), done
    assert part_of(drive.path, 1).start_bytes == MIB and without_bad(node) == rest


def test_a_bad_sector_before_the_start_refuses_the_move(work: Work, drive: FailingDrive) -> None:
    before = tool("sfdisk", "--dump", drive.path)
    move = planned(drive.path, 1, MIB)
    drive.fail(drive.where(64 * SECTOR + BAD_AT))
    run = begin(work, move)
    assert ended(run) is RunState.FAILED, story(run)
    assert "Nothing was written" in read_entries(run)[-1].sentence
    assert tool("sfdisk", "--dump", drive.path) == before
