"""Sectors that fail where a move keeps or writes what stands there: a head, a copy of a superblock,
what is back already. Whoever meets them has a way on, or back."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.daily import SEED, one_in
from tests.devices import tool
from tests.loop.applying import Work, carry_out, diskwright, ended, story
from tests.loop.move.test_move import Content, digest, filled, part_of, planned, table
from tests.loop.move.test_unread import words_of
from tests.loop.probe.failing import FailingDrive, failing_drive
from tests.loop.program import (
    KIB,
    MIB,
    DiskwrightError,
    Failed,
    Moves,
    Purpose,
    Refused,
    RunState,
    make_run,
    probe_machine,
    read_entries,
    resume,
    state,
    undo,
)
from wizard.apply.move.content import OnDrive
from wizard.apply.move.mover.mover import Mover
from wizard.apply.run.runs import MOVE
from wizard.model.migration import Move
from wizard.plan.partition.moves import planned_moves, render_moves

BLOCK = 4096
SIZE = 32 * MIB
CONTENT = Content(("mkfs.ext4", "-q", "-F", "-g", "4096"), ("e2fsck", "-fn"), SIZE)
OLD, NEW = MIB + 32 * KIB, 2 * MIB
HEAD, COPY, FILES = 0, 16 * MIB, 29 * MIB
"""Within the partition, whole blocks of its drive: its superblock, the first copy of it, and none of them."""


@pytest.fixture
def drive(work: Work) -> FailingDrive:
    made = failing_drive(work.bench, 128 * MIB, BLOCK)
    work.bench.own(made.path)
    parts = (f"start={start // BLOCK}, size={SIZE // BLOCK}\n" for start in (OLD, OLD + 64 * MIB))
    table(made.path, f"label: gpt\n{''.join(parts)}")
    filled(f"{made.path}p1", CONTENT, SEED)
    filled(f"{made.path}p2", CONTENT, SEED + 1)
    with Path(f"{made.path}p1").open("r+b") as file:
        file.seek(FILES)
        file.write(Random("file").randbytes(BLOCK))
    return made


def made_run(work: Work, *moves: Move) -> Path:
    """A run that no process has taken up."""
    document = Moves(moves)
    work.bench.own(moves[0].drive.path)
    work.runs.mkdir(exist_ok=True)
    run = make_run(work.runs, document.devices, MOVE, render_moves(document), work.environment)
    return run


def moved(work: Work, *moves: Move) -> Path:
    run = made_run(work, *moves)
    carry_out(run, Purpose.APPLY, ())
    return run


def fails_before(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, drive: FailingDrive, at: int
) -> None:
    """From the first call of it on, a place of the drive cannot be read."""
    real: Callable[..., object] = getattr(owner, name)

    def failing(*args: object, **rest: object) -> object:
        monkeypatch.setattr(owner, name, real)
        drive.fail_at(at)
        return real(*args, **rest)

    monkeypatch.setattr(owner, name, failing)


@pytest.mark.parametrize("at", one_in(2, (HEAD, COPY)))
def test_what_fails_before_anything_was_written_refuses_the_move(
    work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    before = tool("sfdisk", "--dump", drive.path)
    fails_before(monkeypatch, OnDrive, "prepared", drive, OLD + at)
    run = moved(work, planned(drive.path, 1, NEW))
    last = read_entries(run)[-1].sentence
    assert state(run) is RunState.FAILED and "Nothing was written" in last, story(run)
    assert f"sectors {(OLD + at) // BLOCK} to" in last, last
    assert tool("sfdisk", "--dump", drive.path) == before
    with pytest.raises(Refused, match="made no changes"):
        undo(run)


def test_a_copy_of_the_superblock_that_fails_is_restored(
    work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = f"{drive.path}p1"
    before = digest(node)
    fails_before(monkeypatch, Mover, "_untable", drive, OLD + COPY)
    run = moved(work, planned(drive.path, 1, NEW))
    assert state(run) is RunState.DONE, story(run)
    assert digest(node) == before
    drive.fail_at(NEW + COPY)
    assert "bit for bit" in undo(run)
    assert digest(node) == before and part_of(drive.path, 1).start_bytes == OLD


def stopped_at_head(work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch) -> Path:
    fails_before(monkeypatch, Mover, "_untable", drive, OLD + HEAD)
    run = moved(work, planned(drive.path, 1, NEW))
    last = read_entries(run)[-1].sentence
    assert state(run) is RunState.FAILED and "no data has moved" in last, story(run)
    return run


def test_a_head_that_fails_is_gone_over(
    work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = f"{drive.path}p1"
    before = digest(node)
    run = stopped_at_head(work, drive, monkeypatch)
    resume(run)
    assert ended(run) is RunState.FAILED, story(run)
    words = ("resume", run.name, "--over-bad-sectors")
    asked = diskwright(work, *words)
    assert asked.returncode == 3 and "The journal on the drive has the old data" in words_of(asked), asked
    done = diskwright(work, *words, "--confirm", drive.path.removeprefix("/dev/"))
    assert done.returncode == 0 and "contains the same data as before:" in words_of(done), story(run)
    assert digest(node) == before and part_of(drive.path, 1).start_bytes == NEW
    undo(run)
    assert digest(node) == before and part_of(drive.path, 1).start_bytes == OLD


def test_a_head_that_fails_stays_where_it_is(
    work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    was = tool("sfdisk", "--dump", drive.path)
    rest = digest(f"{drive.path}p1", ((HEAD, BLOCK),))
    run = stopped_at_head(work, drive, monkeypatch)
    said = undo(run)
    assert "except 4 KiB" in said and f"sectors {OLD // BLOCK} to" in said, said
    assert tool("sfdisk", "--dump", drive.path) == was
    with Path(f"{drive.path}p1").open("r+b") as file:
        file.write(bytes(BLOCK))
    assert digest(f"{drive.path}p1", ((HEAD, BLOCK),)) == rest


def test_a_head_that_fails_at_the_new_place_is_called_a_doubt(work: Work, drive: FailingDrive) -> None:
    node = f"{drive.path}p1"
    before = digest(node)
    run = moved(work, planned(drive.path, 1, NEW))
    drive.fail_at(NEW + HEAD)
    with pytest.raises(Refused, match="It is therefore unknown"):
        undo(run)
    (row,) = json.loads(diskwright(work, "status", "--json").stdout)["runs"]
    assert [bad["drive_start_bytes"] for bad in row["bad_sectors"]] == [NEW], row
    assert "bit for bit" in undo(run, over_bad_sectors=True), story(run)
    assert digest(node) == before and part_of(drive.path, 1).start_bytes == OLD


def test_what_fails_once_it_is_back_is_named(
    work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = f"{drive.path}p1"
    rest = digest(node, ((FILES, BLOCK),))
    run = moved(work, planned(drive.path, 1, NEW))
    fails_before(monkeypatch, OnDrive, "digests", drive, OLD + FILES)
    carry_out(run, Purpose.UNDO, ())
    assert state(run) is RunState.UNDONE, story(run)
    assert "except 4 KiB" in read_entries(run)[-1].sentence
    with Path(node).open("r+b") as file:
        file.seek(FILES)
        file.write(bytes(BLOCK))
    assert digest(node, ((FILES, BLOCK),)) == rest


@pytest.mark.parametrize("at", one_in(2, (HEAD, COPY)))
def test_of_several_one_that_fails_is_gone_over(work: Work, drive: FailingDrive, at: int) -> None:
    machine = probe_machine([drive.path])
    moves = planned_moves(machine, machine.drives[0]).moves
    assert [move.number for move in moves] == [2, 1]
    nodes = [move.device for move in moves]
    was = tool("sfdisk", "--dump", drive.path)
    before, rest = digest(nodes[1]), digest(nodes[0], ((at, BLOCK),))
    run = moved(work, *moves)
    assert state(run) is RunState.DONE, story(run)
    start = moves[0].after.start_bytes
    drive.fail_at(start + at)
    with pytest.raises(DiskwrightError, match="over-bad-sectors") as refused:
        undo(run)
    assert isinstance(refused.value, Refused if at == HEAD else Failed)
    assert f"sectors {(start + at) // BLOCK} to" in str(refused.value)
    said = undo(run, over_bad_sectors=True)
    assert "except 4 KiB" in said, story(run)
    assert tool("sfdisk", "--dump", drive.path) == was
    assert digest(nodes[1]) == before and digest(nodes[0], ((at, BLOCK),)) == rest
    assert not any(Path(nodes[0]).read_bytes()[at : at + 4096])
