"""A volume over several drives, attacked: kills at every step, other writers, shared drives, and what an undo
may not touch."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, ended, gate, old_gpt, said, stand_in, story, until, wish
from tests.loop.attack.attacking import fails, unharmed
from tests.loop.attack.test_resume import killed_at
from tests.loop.program import (
    MIB,
    DiskwrightError,
    Event,
    Mode,
    Plan,
    Refused,
    RunState,
    StripeWish,
    resume,
    start_run,
    state,
    undo,
)

pytestmark = pytest.mark.usefixtures("direct")

BTRFS = StripeWish("btrfs")
LAST_WIPEFS = 12
"""wipefs looks, erases and looks again at the first drive's old partition, at that drive, and at both new
partitions."""


def pair(make_drive: MakeDrive) -> tuple[str, str]:
    """Two drives, the first with an old table and an old filesystem."""
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    old_gpt(one)
    return one, two


def over(work: Work, *drives: str, place: Path | None = None) -> Plan:
    return work.striped(drives, wish("btrfs", None, place), BTRFS, Mode.REPLACE)


def test_undoing_again_leaves_alone_what_is_back(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner used the first drive again, before the second could be put back."""
    one, two = pair(make_drive)
    run = killed_at(work, over(work, one, two), monkeypatch, "wipefs", LAST_WIPEFS)
    opened = work.folder / "undoing"
    real = gate("partx", opened).splitlines()
    stand_in(
        work.folder / "bin",
        monkeypatch,
        "partx",
        f'case "$*" in *{two}) {"; ".join(real[:-1])}; sleep 0.3; exit 1;; esac\n{real[-1]}',
    )
    with ThreadPoolExecutor(1) as pool:
        undoing = pool.submit(undo, run)
        until(lambda: Path(f"{opened}.reached").exists() or undoing.done())
        assert not undoing.done(), undoing.exception()
        os.kill(int((run / "pid").read_text()), signal.SIGKILL)
        (work.folder / "bin/partx").unlink()
        assert isinstance(undoing.exception(), DiskwrightError)
    place = work.place("mine")
    place.mkdir(parents=True)
    tool("mount", f"{one}p1", str(place))
    (place / "letter").write_text("the only copy")
    tool("umount", str(place))
    with unharmed(work, one):
        undo(run)
    assert state(run) is RunState.UNDONE


def _kill_there(run: Path, opened: Path) -> None:
    """Kill the process of a run as soon as it has come to a gate."""
    until(lambda: Path(f"{opened}.reached").exists() or state(run) is not RunState.RUNNING)
    assert state(run) is RunState.RUNNING, story(run)
    os.kill(int((run / "pid").read_text()), signal.SIGKILL)
    until(lambda: state(run) is RunState.INTERRUPTED)


def test_killed_at_every_step_and_taken_up_again(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair(make_drive)
    neighbour = make_drive(64 * MIB)
    tool("mkfs.ext4", "-q", "-F", neighbour)
    place = work.place("media")
    plan = over(work, one, two, place=place)
    folder, opened = work.folder / "bin", work.folder / "opened"
    killed = 0
    with unharmed(work, neighbour):
        run = killed_at(work, plan, monkeypatch, "wipefs", 1)
        for step in plan.steps:
            if not step.commands:
                continue
            argv = step.commands[0]
            real = gate(argv[0], opened).splitlines()
            stand_in(
                folder,
                monkeypatch,
                argv[0],
                f'if [ "$*" = "{" ".join(argv[1:])}" ]; then {real[0]}; sleep 0.3; exit 1; fi\n{real[-1]}',
            )
            Path(f"{opened}.reached").unlink(missing_ok=True)
            resume(run)
            _kill_there(run, opened)
            (folder / argv[0]).unlink()
            killed += 1
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
    assert killed >= 5 and not said(run, Event.NOT_VERIFIED) and place.is_mount()


@pytest.mark.parametrize("call", [2, LAST_WIPEFS])
def test_killed_and_put_back(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    one, two = pair(make_drive)
    tool("mkfs.ext4", "-q", "-F", two)
    with unharmed(work, one, two):
        run = killed_at(work, over(work, one, two), monkeypatch, "wipefs", call)
        undo(run)
        assert state(run) is RunState.UNDONE


def test_the_second_drive_was_used_before_it_went_on(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = pair(make_drive)
    run = killed_at(work, over(work, one, two), monkeypatch, "wipefs", 2)
    tool("mkfs.ext4", "-q", "-F", "-L", "mine", two)
    with unharmed(work, one, two):
        for go_on in (resume, undo):
            with pytest.raises(Refused, match=f"{two} changed (at byte|after)"):
                go_on(run)


def test_two_runs_that_share_a_drive(work: Work, make_drive: MakeDrive) -> None:
    """Whichever comes first, the other is refused, and neither waits for the other."""
    one, two, three = (make_drive(256 * MIB) for _ in range(3))
    plans = [over(work, one, two), over(work, three, two)]

    def start(number: int) -> Path | str:
        plan = plans[number]
        try:
            return start_run(
                plan,
                *plan.tokens,
                journal_dir=work.folder / f"runs{number}/runs",
                environment=work.environment,
            )
        except Refused as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        came = list(pool.map(start, range(2)))
    runs = [run for run in came if isinstance(run, Path)]
    assert [ended(run) for run in runs] == [RunState.DONE], came


def test_one_file_behind_both_drives(work: Work, make_drive: MakeDrive) -> None:
    one = make_drive(256 * MIB)
    again = tool("losetup", "--find", "--show", str(work.bench.image_of(one))).strip()
    work.bench.images[again] = work.bench.image_of(one)
    with unharmed(work, one), pytest.raises(DiskwrightError):
        work.start(over(work, one, again))


def test_a_drive_of_a_btrfs_that_is_mounted_by_the_neighbour(work: Work, make_drive: MakeDrive) -> None:
    one, two = pair(make_drive)
    victim = make_drive(256 * MIB)
    plan = over(work, one, two)
    tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", victim, two)
    place = work.place("theirs")
    place.mkdir(parents=True)
    tool("mount", victim, str(place))
    (place / "letter").write_text("the only copy")
    tool("sync")
    with unharmed(work, victim, two, one):
        fails(work, plan, "in use")
        with pytest.raises(Refused, match="in use"):
            over(work, one, two)
    assert (place / "letter").read_text() == "the only copy"


def test_the_uuid_of_the_neighbours_filesystem(work: Work, make_drive: MakeDrive) -> None:
    one, two = pair(make_drive)
    victim, beside = make_drive(256 * MIB), make_drive(256 * MIB)
    plan = over(work, one, two, place=work.place("media"))
    tool("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-U", plan.volumes[0].uuid, victim, beside)
    with unharmed(work, victim, beside):
        fails(work, plan, "UUID")


@pytest.mark.alone
def test_drives_that_changed_places(work: Work, make_drive: MakeDrive) -> None:
    one, two = pair(make_drive)
    plan = over(work, one, two)
    images = [work.bench.image_of(one), work.bench.image_of(two)]
    forget_partitions(one)
    for drive in (one, two):
        tool("losetup", "--detach", drive)
    tool("losetup", one, str(images[1]))
    tool("losetup", two, str(images[0]))
    work.bench.images = {one: images[1], two: images[0]}
    with unharmed(work, one, two):
        fails(work, plan, "may be another drive now")
