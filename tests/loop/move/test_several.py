"""Several misaligned partitions in one run: killed at any moment, moved and undone, bit for bit."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest

from tests.daily import SEED, one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, said, story
from tests.loop.move.test_move import CONTENTS, digest, filled, kill, part_of, table
from tests.loop.program import (
    GIB,
    MIB,
    Event,
    Failed,
    Moves,
    Refused,
    RunState,
    commands_for,
    power_now,
    probe_machine,
    read_entries,
    resume,
    start_document,
    state,
    undo,
)
from wizard.apply.move.content import THROTTLE, load_notes
from wizard.apply.run import kinds
from wizard.apply.run.job import Start
from wizard.model.moves import Scheme
from wizard.plan.partition.moves import planned_moves

GPT = (
    "label: gpt\nfirst-lba: 34\nstart=63, size=200001\nstart=204801, size=250000\nstart=500001, size=180000\n"
)
LOGICAL = (
    "label: dos\nstart=63, size=100001, type=83\nstart=204801, size=1800000, type=5\n"
    "start=204865, size=250000, type=83\nstart=500001, size=180000, type=83\n"
)
"""None has room to move far but the last; each makes room for the one before it."""


def made(work: Work, make_drive: MakeDrive, script: str = GPT) -> tuple[str, list[int]]:
    """Return the drive and the numbers of its partitions with content."""
    path = make_drive(GIB)
    work.bench.own(path)
    table(path, script)
    numbers = [1, 2, 3] if script == GPT else [1, 5, 6]
    for number, kind in zip(numbers, ("ext4", "swap", "ext3"), strict=True):
        filled(f"{path}p{number}", CONTENTS[kind], SEED + number)
    return path, numbers


def planned(path: str) -> Moves:
    machine = probe_machine([path])
    return planned_moves(machine, machine.drives[0])


def begun(work: Work, moves: Moves, rest: float = 0.0) -> Path:
    run = start_document(moves, Start((moves.drive.token,), work.runs, work.environment))
    if rest:
        (run / THROTTLE).write_text(str(rest))
    return run


def digests(path: str, numbers: list[int]) -> list[str]:
    return [digest(f"{path}p{number}") for number in numbers]


@pytest.mark.parametrize("script", one_in(2, (GPT, LOGICAL)), ids=one_in(2, ("gpt", "logical")))
def test_all_move_bit_for_bit_and_back_despite_kills(work: Work, make_drive: MakeDrive, script: str) -> None:
    random = Random(SEED)
    path, numbers = made(work, make_drive, script)
    before, was = digests(path, numbers), tool("sfdisk", "--dump", path)
    moves = planned(path)
    assert len(moves.moves) == 3 and not moves.remarks
    assert moves.moves[0].number == numbers[-1] and moves.moves[0].scheme is Scheme.DIRECT
    run = begun(work, moves, rest=0.05)
    kills = 0
    while kills < 8 and state(run) is RunState.RUNNING:
        sleep(random.uniform(0.2, 1.5))
        kill(run)
        kills += 1
        if state(run) is RunState.INTERRUPTED:
            assert power_now(run) and "resume" in commands_for(run, state(run))
            resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert not said(run, Event.NOT_VERIFIED), story(run)
    assert all(part_of(path, number).start_bytes % MIB == 0 for number in numbers)
    assert digests(path, numbers) == before
    undone(run, random)
    assert tool("sfdisk", "--dump", path) == was
    assert digests(path, numbers) == before


def taking_back(run: Path) -> Future[str]:
    return ThreadPoolExecutor(1).submit(undo, run)


def undone(run: Path, random: Random) -> None:
    """Undo the run, in processes killed at random moments."""
    for _ in range(4):
        going = taking_back(run)
        with suppress(TimeoutError):
            going.exception(random.uniform(0.3, 2.0))
        kill(run)
        going.exception()
        if state(run) is RunState.UNDONE:
            return
    undo(run)
    assert state(run) is RunState.UNDONE, story(run)


def wait_for_step(run: Path, step: int) -> None:
    until = monotonic() + 60
    while not any(entry.step == step for entry in read_entries(run)):
        assert monotonic() < until and state(run) is RunState.RUNNING, story(run)
        sleep(0.02)


def test_another_computer_finishes_the_remaining_moves(work: Work, make_drive: MakeDrive) -> None:
    path, numbers = made(work, make_drive)
    before = digests(path, numbers)
    run = begun(work, planned(path), rest=0.6)
    wait_for_step(run, 6)
    sleep(0.3)
    kill(run)
    run.rename(work.folder / "gone")
    words = ("resume", "--from-drive", path, "--journal", str(work.folder / "elsewhere"))
    done = diskwright(work, *words, "--confirm", path.removeprefix("/dev/"))
    assert done.returncode == 0, done.stderr + done.stdout
    assert all(part_of(path, number).start_bytes % MIB == 0 for number in numbers)
    assert digests(path, numbers) == before
    # And there it is taken back, too.
    (elsewhere,) = (work.folder / "elsewhere").glob("*/run.json")
    undo(elsewhere.parent)
    assert [part_of(path, number).start_bytes // 512 for number in numbers] == [63, 204801, 500001]
    assert digests(path, numbers) == before


def test_another_computer_finishes_an_undo(work: Work, make_drive: MakeDrive) -> None:
    path, numbers = made(work, make_drive)
    before, was = digests(path, numbers), tool("sfdisk", "--dump", path)
    run = begun(work, planned(path))
    assert ended(run) is RunState.DONE, story(run)
    (run / THROTTLE).write_text("0.6")
    going, moves = taking_back(run), kinds.MOVE.load(run)
    # The last comes back by its journal; the one before it by a move of its own.
    until = monotonic() + 60
    while not load_notes(run, moves)[-2].back:
        assert monotonic() < until, story(run)
        sleep(0.05)
    sleep(0.5)
    kill(run)
    going.exception()
    assert not load_notes(run, moves)[-2].is_back
    run.rename(work.folder / "gone")
    folder = work.folder / "elsewhere"
    words = (
        "resume",
        "--from-drive",
        path,
        "--journal",
        str(folder),
        "--confirm",
        path.removeprefix("/dev/"),
    )
    refused = diskwright(work, *words)
    assert refused.returncode == 3 and "undo" in refused.stderr, refused.stderr
    (elsewhere,) = folder.glob("*/run.json")
    undo(elsewhere.parent)
    assert tool("sfdisk", "--dump", path) == was
    assert digests(path, numbers) == before


def test_use_of_one_partition_prevents_undo_of_all(work: Work, make_drive: MakeDrive) -> None:
    path, _ = made(work, make_drive)
    run = begun(work, planned(path))
    assert ended(run) is RunState.DONE, story(run)
    place = work.place("it")
    place.mkdir(parents=True)
    tool("mount", f"{path}p3", str(place))
    (place / "file").write_text("new")
    tool("umount", str(place))
    with pytest.raises((Refused, Failed), match="used after the move"):
        undo(run)
    tool("mount", f"{path}p3", str(place))
    assert (place / "file").read_text() == "new"


def test_partition_changed_during_a_stop_is_not_moved(work: Work, make_drive: MakeDrive) -> None:
    path, numbers = made(work, make_drive)
    moves = planned(path)
    run = begun(work, moves, rest=0.6)
    wait_for_step(run, 4)
    kill(run)
    first = moves.moves[-1].device
    tool("wipefs", "--all", "--quiet", first)
    resume(run)
    assert ended(run) is RunState.REFUSED and "the next to move" in story(run), story(run)
    assert not part_of(path, numbers[0]).signatures


def test_command_lists_moves_and_partitions_that_stay(work: Work, make_drive: MakeDrive) -> None:
    path, _ = made(work, make_drive)
    tool("wipefs", "--all", "--quiet", f"{path}p2")
    shown = diskwright(work, "move", path, "--align")
    assert shown.returncode == 0, shown.stderr
    assert f"{path}p3" in shown.stdout and "unknown if this can be moved" in " ".join(shown.stdout.split())
    token = path.removeprefix("/dev/")
    done = diskwright(work, "move", path, "--align", "--confirm", token, "--journal", str(work.runs))
    assert done.returncode == 0, done.stderr
    assert part_of(path, 3).start_bytes % MIB == 0 and part_of(path, 2).start_bytes == 204801 * 512
