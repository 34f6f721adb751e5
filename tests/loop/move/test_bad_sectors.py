"""Sectors that cannot be read: a move stops there and names the byte. It goes back to the bit without them,
and on once the drive reads again."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from tests.daily import SEED, one_in
from tests.devices import tool
from tests.loop.applying import Work, carry_out, diskwright, ended, story
from tests.loop.bring.swapping import put_in
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
from tests.loop.program import (
    KIB,
    MIB,
    Failed,
    Moves,
    Purpose,
    RunState,
    make_run,
    power_now,
    probe_machine,
    read_entries,
    resume,
    state,
    undo,
)
from wizard.apply.move.content import THROTTLE, OnDrive
from wizard.apply.run.runs import MOVE
from wizard.model.moves import Move
from wizard.plan.partition.moves import MOVES, planned_moves

SIZE = 96 * MIB
CONTENT = Content(CONTENTS["ext4"].make, CONTENTS["ext4"].check, SIZE)
OLD, NEW = 64 * SECTOR, MIB
BAD_AT = 4 * MIB + 512 * KIB
"""Within the partition; whole blocks of its drive."""
BAD_BYTES = 8192


@pytest.fixture
def drive(work: Work) -> FailingDrive:
    made = failing_drive(work.bench, 256 * MIB)
    work.bench.own(made.path)
    table(made.path, f"label: gpt\nfirst-lba: 34\nstart=64, size={SIZE // SECTOR}\n")
    filled(f"{made.path}p1", CONTENT, SEED)
    put_content(made, OLD)
    return made


def put_content(drive: FailingDrive, start: int) -> None:
    """Write the blocks that fail, as a drive does that has spare sectors."""
    with Path(drive.path).open("r+b") as file:
        file.seek(start + BAD_AT)
        file.write(Random("bad").randbytes(BAD_BYTES))


def stopped_at(work: Work, drive: FailingDrive, start: int) -> tuple[Path, tuple[int, ...]]:
    """A run that stopped at blocks that fail after they were read once, and where these are."""
    places = drive.where(OLD + BAD_AT, BAD_BYTES)
    run = begin(work, planned(drive.path, 1, start), rest=3.0)
    until = monotonic() + 60
    while not any(entry.step == 2 for entry in read_entries(run)):
        assert monotonic() < until, story(run)
        sleep(0.02)
    drive.fail(places)
    (run / THROTTLE).write_text("0")
    assert ended(run) is RunState.FAILED, story(run)
    last = read_entries(run)[-1].sentence
    assert f"at byte {OLD + BAD_AT}:" in last and "ddrescue" in last, last
    return run, places


STARTS = (NEW, 128 * MIB)


@pytest.mark.parametrize("start", STARTS)
def test_move_stops_and_resumes_once_the_drive_is_readable(
    work: Work, drive: FailingDrive, start: int
) -> None:
    node = f"{drive.path}p1"
    before = digest(node)
    run, places = stopped_at(work, drive, start)
    resume(run)
    assert ended(run) is RunState.FAILED, story(run)
    assert f"at byte {OLD + BAD_AT}:" in read_entries(run)[-1].sentence
    drive.fail(places)
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert part_of(drive.path, 1).start_bytes == start and digest(node) == before
    assert "bit for bit" in undo(run)
    assert part_of(drive.path, 1).start_bytes == OLD and digest(node) == before


@pytest.mark.parametrize("start", STARTS)
def test_undo_succeeds_without_writing_to_bad_sectors(work: Work, drive: FailingDrive, start: int) -> None:
    node = f"{drive.path}p1"
    before, was = digest(node), tool("sfdisk", "--dump", drive.path)
    run, places = stopped_at(work, drive, start)
    said = undo(run)
    assert state(run) is RunState.UNDONE, story(run)
    assert f"at byte {OLD + BAD_AT}." in said and "ddrescue" in said and "bit for bit" not in said, said
    assert tool("sfdisk", "--dump", drive.path) == was
    drive.forget()
    with pytest.raises(OSError):
        Path(node).read_bytes()
    drive.fail(places)
    assert digest(node) == before


def test_copy_of_the_stopped_drive_resumes(work: Work, drive: FailingDrive) -> None:
    """As ddrescue makes it: with zeros where the drive could not be read."""
    rest = digest(f"{drive.path}p1", ((BAD_AT, BAD_BYTES),))
    _, places = stopped_at(work, drive, NEW)
    drive.fail(places)
    data, other = bytearray(drive.image.read_bytes()), work.bench.folder / "other"
    data[OLD + BAD_AT : OLD + BAD_AT + BAD_BYTES] = bytes(BAD_BYTES)
    other.write_bytes(data)
    put_in(work.bench, drive.path, other)
    words = ("resume", "--from-drive", drive.path, "--journal", str(work.folder / "elsewhere"))
    done = diskwright(work, *words, "--confirm", drive.path.removeprefix("/dev/"))
    assert done.returncode == 1 and "differ from before" in words_of(done), done
    assert part_of(drive.path, 1).start_bytes == NEW
    assert digest(f"{drive.path}p1", ((BAD_AT, BAD_BYTES),)) == rest


def words_of(done: "subprocess.CompletedProcess[str]") -> str:
    """All that a command said, in one line."""
    return " ".join((done.stdout + done.stderr).split())


def table_bytes(drive: FailingDrive) -> bytes:
    """Return the start of the drive, before its first partition."""
    with drive.image.open("rb") as file:
        return file.read(34 * SECTOR)


def made_run(work: Work, *moves: Move) -> Path:
    """A run that no process has taken up."""
    document = Moves(moves)
    work.bench.own(moves[0].drive.path)
    work.runs.mkdir(exist_ok=True)
    return make_run(work.runs, document.devices, MOVE, MOVES.render(document), work.environment)


def moved(work: Work, *moves: Move) -> Path:
    run = made_run(work, *moves)
    carry_out(run, Purpose.APPLY, ())
    return run


def test_bad_sectors_before_the_start_are_refused(work: Work, drive: FailingDrive) -> None:
    before = tool("sfdisk", "--dump", drive.path)
    move = planned(drive.path, 1, NEW)
    drive.fail(drive.where(OLD + BAD_AT))
    run = moved(work, move)
    last = read_entries(run)[-1].sentence
    assert state(run) is RunState.FAILED and "Nothing was written" in last, story(run)
    assert f"at byte {OLD + BAD_AT}:" in last and "ddrescue" in last, last
    assert tool("sfdisk", "--dump", drive.path) == before


def test_sector_that_fails_after_reading_refuses_the_move(
    work: Work, drive: FailingDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table_bytes(drive)
    real: Callable[..., object] = OnDrive.new_mover

    def failing(*args: object, **rest: object) -> object:
        drive.fail_at(OLD)
        return real(*args, **rest)

    monkeypatch.setattr(OnDrive, "new_mover", failing)
    run = moved(work, planned(drive.path, 1, NEW))
    last = read_entries(run)[-1].sentence
    assert state(run) is RunState.FAILED and "Nothing was written" in last, story(run)
    assert f"at byte {OLD}:" in last, last
    assert table_bytes(drive) == before


@pytest.mark.parametrize("start", STARTS)
def test_moved_partition_with_bad_sectors_stays_complete(work: Work, drive: FailingDrive, start: int) -> None:
    node = f"{drive.path}p1"
    before, rest = digest(node), digest(node, ((BAD_AT, BAD_BYTES),))
    run = moved(work, planned(drive.path, 1, start))
    assert state(run) is RunState.DONE, story(run)
    drive.fail_at(start + BAD_AT)
    for _ in range(2):
        with pytest.raises(Failed, match=f"at byte {start + BAD_AT}: .*ddrescue.*is complete"):
            undo(run)
        assert part_of(drive.path, 1).start_bytes == start and "complete at its new" in power_now(run)
    put_content(drive, start)
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert digest(node) == before and digest(node, ((BAD_AT, BAD_BYTES),)) == rest
    assert "bit for bit" in undo(run), story(run)
    assert part_of(drive.path, 1).start_bytes == OLD and digest(node) == before


def test_unreadable_start_prevents_undo(work: Work, drive: FailingDrive) -> None:
    run = moved(work, planned(drive.path, 1, NEW))
    was = table_bytes(drive)
    drive.fail_at(NEW)
    with pytest.raises(Failed, match=f"at byte {NEW}: .*ddrescue"):
        undo(run)
    assert table_bytes(drive) == was


@pytest.mark.parametrize("number", one_in(2, (0, 1)))
def test_unreadable_partition_stays_and_the_other_is_undone(
    work: Work, drive: FailingDrive, number: int
) -> None:
    table(drive.path, "label: gpt\nfirst-lba: 34\nstart=63, size=65536\nstart=131105, size=65536\n")
    nodes = [f"{drive.path}p{one}" for one in (1, 2)]
    for seed, node in enumerate(nodes):
        filled(node, Content(CONTENT.make, CONTENT.check, 32 * MIB), SEED + seed)
        with Path(node).open("r+b") as file:
            file.seek(BAD_AT)
            file.write(Random(node).randbytes(2 * BAD_BYTES))
    machine = probe_machine([drive.path])
    moves = planned_moves(machine, machine.drives[0]).moves
    was, before = tool("sfdisk", "--dump", drive.path), [digest(node) for node in nodes]
    run = moved(work, *moves)
    assert state(run) is RunState.DONE, story(run)
    failing = moves[number]
    at = failing.after.start_bytes + BAD_AT
    data = Path(failing.device).read_bytes()[BAD_AT : BAD_AT + 2 * BAD_BYTES]
    drive.fail_at(at)
    with pytest.raises(Failed, match=rf"at byte {at}: .*is complete"):
        undo(run)
    assert part_of(drive.path, failing.number).start_bytes == failing.after.start_bytes
    with Path(failing.device).open("r+b") as file:
        file.seek(BAD_AT)
        file.write(data)
    assert [digest(node) for node in nodes] == before
    assert "bit for bit" in undo(run), story(run)
    assert tool("sfdisk", "--dump", drive.path) == was and [digest(node) for node in nodes] == before


def test_run_of_an_earlier_version_with_skipped_sectors_is_undone(work: Work, drive: FailingDrive) -> None:
    """It left zeros at the new place, and noted them."""
    node = f"{drive.path}p1"
    rest = digest(node, ((BAD_AT, BAD_BYTES),))
    run = moved(work, planned(drive.path, 1, NEW))
    with Path(node).open("r+b") as file:
        file.seek(BAD_AT)
        file.write(bytes(BAD_BYTES))
    notes = json.loads((run / "moved.json").read_text())
    place = {"start_bytes": BAD_AT, "size_bytes": BAD_BYTES}
    bad = {"content": place, "drive_bytes": OLD + BAD_AT, "is_zeros": True, "is_kept": False}
    stop = {**bad, "content": {"start_bytes": 0, "size_bytes": 4096}, "is_zeros": False}
    notes["moves"][0]["bad"] = [stop, bad]
    (run / "moved.json").write_text(json.dumps(notes))
    said = undo(run)
    assert state(run) is RunState.UNDONE and "replace 8 KiB of" in said and "bit for bit" not in said, said
    assert "Cannot read" not in said, said
    assert part_of(drive.path, 1).start_bytes == OLD
    assert digest(node, ((BAD_AT, BAD_BYTES),)) == rest
