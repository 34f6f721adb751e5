"""Runs of files, settings, conversions or moves with one file lost, truncated, garbled, or from another
run. Each command ends with a message, and no content is lost."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile, copytree, rmtree

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import tool
from tests.loop.applying import carry_out, said, story, until, without_power
from tests.loop.bring.bringing import ROOTS, Ways, killed_at
from tests.loop.bring.swapping import put_in
from tests.loop.migrate.migrating import old_filesystem
from tests.loop.migrate.transaction.test_resumed import cut_off, sealed
from tests.loop.move.test_move import begin as begin_move
from tests.loop.move.test_move import digest, kill, misaligned, part_of, planned
from tests.loop.program import MIB, DiskwrightError, Event, Purpose, state
from tests.loop.tune.test_actions import label_of, made
from tests.loop.tune.tuning import begin
from wizard.apply import run_control
from wizard.apply.copy.survey import work_out
from wizard.apply.move.content import load_notes, new_name, save_notes
from wizard.apply.run import job, kinds
from wizard.apply.run_control import hand_over
from wizard.apply.settings.plan_settings import act
from wizard.model.requests import SetLabel

OTHER = b"changed by somebody" * 100


def gone(file: Path, _: Path) -> None:
    file.unlink()


def emptied(file: Path, _: Path) -> None:
    file.write_bytes(b"")


def cut(file: Path, _: Path) -> None:
    os.truncate(file, file.stat().st_size * 2 // 3)


def garbled(file: Path, _: Path) -> None:
    file.write_bytes(os.urandom(300))


def strange(file: Path, other: Path) -> None:
    """Replace the file with the file of another run."""
    if (other / file.name).is_file():
        copyfile(other / file.name, file)


DAMAGES = (gone, emptied, cut, garbled, strange)


@dataclass(frozen=True)
class Damaged:
    """An interrupted run, another run of the same kind, the drive, and a check for lost content."""

    run: Path
    other: Path
    drive: str
    place: Path | None
    check: Callable[[], None]


def of_bring(ways: Ways, _: pytest.MonkeyPatch) -> Damaged:
    source, target = ways.volume("old", "ext4"), ways.target("ext4")
    for number in range(60):
        (source.place / f"file{number}").write_bytes(b"%d" % number * 3000)
    run, other = (ways.begin(work_out(str(source.place), str(target.place), name)) for name in ("in", "by"))
    killed_at(other, 50)
    killed_at(run, 30)
    mine = next(path for path in (target.place / "in").iterdir() if path.name.startswith("file"))
    times = mine.stat()
    mine.write_bytes(OTHER)
    os.utime(mine, ns=(times.st_atime_ns, times.st_mtime_ns))

    def check() -> None:
        assert mine.read_bytes() == OTHER and (target.place / "mine/file").read_text() == ROOTS
        assert len([*(target.place / "by").iterdir()]) == others

    others = len([*(target.place / "by").iterdir()])
    return Damaged(run, other, target.drive, target.place, check)


def of_tune(ways: Ways, patch: pytest.MonkeyPatch) -> Damaged:
    work, drive = ways.work, made(ways.work, ways.make_drive, "ext4", "films")
    line = "# mine\nLABEL={} /srv/films ext4 nofail 0 2\n"
    work.fstab.write_text(line.format("films"))
    runs = [begin(work, act(drive, SetLabel(name), work.environment)) for name in ("pictures", "music")]
    without_power(patch, Event.STEP_DONE, 1, lambda: carry_out(runs[0], Purpose.APPLY, ()))

    def check() -> None:
        assert label_of(drive) in ("films", "pictures")
        assert work.fstab.read_text() in (line.format("films"), line.format("pictures"))
        work.fstab.write_text(line.format("films"))

    return Damaged(runs[0], runs[1], drive, None, check)


def of_migration(ways: Ways, _: pytest.MonkeyPatch) -> Damaged:
    old = old_filesystem(ways.work, ways.make_drive)
    before, text = old.digest, old.fstab
    other, run = sealed(old), sealed(old)
    cut_off(run, old.drive, 3)
    was = old.digest

    def check() -> None:
        if old.digest not in (was, before):
            tool("e2fsck", "-fn", old.drive)
        old.work.fstab.write_text(text)

    return Damaged(run, other, old.drive, None, check)


def of_move(ways: Ways, _: pytest.MonkeyPatch) -> Damaged:
    path = misaligned(ways.work, ways.make_drive, size=256 * MIB)
    content, move = digest(f"{path}p1"), planned(path)
    run = begin_move(ways.work, move, rest=0.2)
    until(lambda: any(entry.step == 2 for entry in said(run, Event.STEP_STARTED)))
    kill(run)
    was, other = ways.work.digest(path), ways.work.folder / "other"
    copytree(run, other)
    save_notes(other, [replace(noted, name=new_name()) for noted in load_notes(run, kinds.MOVE.load(run))])

    def check() -> None:
        if ways.work.digest(path) != was:
            assert part_of(path, 1).filesystem == "ext4" and digest(f"{path}p1") == content

    return Damaged(run, other, path, None, check)


def attempt(run: Path, purpose: Purpose) -> str:
    """Continue the run unless refused, and return the state or the message."""
    try:
        hand_over(run, job.JobRequest(purpose))
        carry_out(run, purpose, ())
        return f"{state(run)} {story(run)[-300:]}"
    except DiskwrightError as error:
        assert str(error).strip()
        return str(error)


MAKES = {"bring": of_bring, "tune": of_tune, "migration": of_migration, "move": of_move}


def damages(run: Path) -> Iterator[tuple[str, Callable[[Path, Path], None]]]:
    names = sorted(file.name for file in run.iterdir() if file.is_file() and file.name != "process.log")
    return ((name, damage) for name in names for damage in DAMAGES)


@pytest.mark.parametrize("kind", one_in(len(MAKES), MAKES))
def test_damaged_run_ends_with_a_message(ways: Ways, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    damaged = MAKES[kind](ways, monkeypatch)
    run, aside, image = damaged.run, ways.work.folder / "aside", ways.work.bench.folder / "aside.img"
    copytree(run, aside)
    if damaged.place:
        tool("umount", str(damaged.place))
    tool("blockdev", "--flushbufs", damaged.drive)
    copyfile(ways.work.bench.image_of(damaged.drive), image)
    monkeypatch.setattr(run_control, "begin", lambda *_words, **_named: None)
    for name, damage in one_in(8, damages(aside)):
        for purpose in (Purpose.APPLY, Purpose.UNDO, Purpose.KEEP):
            rmtree(run)
            copytree(aside, run)
            damage(run / name, damaged.other)
            if damaged.place:
                tool("mount", damaged.drive, str(damaged.place))
            ended = attempt(run, purpose)
            tool("blockdev", "--flushbufs", damaged.drive)
            where = f"{name} {damage.__name__} {purpose}: {ended}"
            print(where)
            try:
                damaged.check()
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            if damaged.place:
                tool("umount", str(damaged.place))
            ways.work.bench.own(damaged.drive)
            tool("blockdev", "--setrw", damaged.drive)
            put_in(ways.work.bench, damaged.drive, image)
