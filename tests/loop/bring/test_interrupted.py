"""Copying with kills, power cuts and stops: no copied file is lost or copied again."""

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.daily import one_in
from tests.devices import tool
from tests.fingerprint import fingerprint
from tests.loop.applying import carry_out, ended, story
from tests.loop.bring.bringing import (
    LOG_FLUSH,
    NO_FLUSH,
    Ways,
    assert_alike,
    cut_off,
    inodes,
    killed_at,
)
from tests.loop.program import MIB, Failed, Purpose, RunState, request_stop, resume, state
from wizard.apply.block.devices import open_exclusively
from wizard.apply.copy import copy_tree
from wizard.apply.copy.copied import LIST, entries_in
from wizard.apply.copy.copy_entry import TreeCopy, copy_entry
from wizard.apply.copy.places import source_open
from wizard.apply.copy.survey import work_out
from wizard.apply.run.process import STOP
from wizard.apply.tree import manifest
from wizard.apply.tree.entries import TreeEntry


@pytest.mark.parametrize("kind", one_in(2, ("ext4", "xfs")))
def test_files_noted_as_copied_survive_a_power_cut(ways: Ways, kind: str) -> None:
    source, target = ways.source(), ways.target(kind)
    for number in (45, 130, 190):
        run = ways.begin(work_out(str(source.place), str(target.place), f"cut {number}"))
        killed_at(run, number)
        cut_off(target.place, NO_FLUSH)
        tool("mount", target.drive, str(target.place))
        trusted = inodes(run, target.place / f"cut {number}")
        assert trusted
        resume(run)
        assert ended(run) is RunState.DONE, (number, story(run))
        assert_alike(ways, source.place, target.place / f"cut {number}", kind)
        now = inodes(run, target.place / f"cut {number}")
        assert {path: now[path] for path in trusted} == trusted


@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_journal_of_the_source_is_never_replayed(
    ways: Ways, image_of: Callable[[str], Path], kind: str
) -> None:
    source, target = ways.volume("old", kind), ways.target()
    (source.place / "file").write_text("in the journal")
    cut_off(source.place, LOG_FLUSH)
    tool("blockdev", "--flushbufs", source.drive)
    was = fingerprint(image_of(source.drive))
    with pytest.raises(Failed, match=f"Cannot mount {source.drive}"):
        work_out(source.drive, str(target.place), None)
    tool("blockdev", "--flushbufs", source.drive)
    assert fingerprint(image_of(source.drive)) == was


def test_source_is_locked_and_read_only_during_the_copy(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    tool("umount", str(source.place))
    bring = work_out(source.drive, str(target.place), "in")
    assert open_exclusively(source.drive) is None
    with source_open(bring.source) as top:
        assert open_exclusively(source.drive) is not None
        with pytest.raises(OSError, match="Read-only file system"):
            (top / "new").touch()
    assert open_exclusively(source.drive) is None


def test_run_stops_between_files_and_resumes(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = ways.source(), ways.target()
    run = ways.begin(work_out(str(source.place), str(target.place), "in"))
    seen: list[bytes] = []

    def stop_at_thirty(copy: TreeCopy, path: bytes, on_bytes: Callable[[int], None]) -> TreeEntry:
        seen.append(path)
        if len(seen) == 30:
            request_stop(run)
        return copy_entry(copy, path, on_bytes)

    with monkeypatch.context() as patch:
        patch.setattr(copy_tree, "copy_entry", stop_at_thirty)
        patch.setattr(manifest, "SHARED_FROM", 1 << 20)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.STOPPED, story(run)
    assert len(seen) == 30 and seen[-1] not in inodes(run, target.place / "in")
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert_alike(ways, source.place, target.place / "in", "xfs")


def test_kill_or_stop_with_parallel_workers(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    for number in range(1500):
        folder = source.place / str(number % 30)
        folder.mkdir(exist_ok=True)
        (folder / str(number)).write_bytes(b"%d" % number * (number % 700))
    (source.place / "29/linked").hardlink_to(source.place / "0/0")
    monkeypatch.setattr(copy_tree, "BATCH_ENTRIES", 400)
    drawn = random.Random(14)
    for name in ("killed", "stopped"):
        run = ways.begin(work_out(str(source.place), str(target.place), name))
        pid = os.fork()
        if not pid:
            try:
                carry_out(run, Purpose.APPLY, ())
            finally:
                os._exit(7)
        wanted = drawn.randrange(30, 700)
        while sum(len(names) for *_, names in os.walk(target.place / name)) < wanted:
            assert os.waitpid(pid, os.WNOHANG) == (0, 0), story(run)
        if name == "killed":
            os.kill(pid, signal.SIGKILL)
        else:
            request_stop(run)
        os.waitpid(pid, 0)
        assert state(run) is (RunState.INTERRUPTED if name == "killed" else RunState.STOPPED), story(run)
        trusted = inodes(run, target.place / name)
        resume(run)
        assert ended(run) is RunState.DONE, story(run)
        assert_alike(ways, source.place, target.place / name, "xfs")
        now = inodes(run, target.place / name)
        assert {path: now[path] for path in trusted} == trusted
        assert (target.place / name / "29/linked").samefile(target.place / name / "0/0")


def test_stop_takes_effect_within_a_file(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    (source.place / "big").write_bytes(os.urandom(40 * MIB))
    run = ways.begin(work_out(str(source.place), str(target.place), "in"))

    def stop_before(copy: TreeCopy, path: bytes, on_bytes: Callable[[int], None]) -> TreeEntry:
        request_stop(run)
        return copy_entry(copy, path, on_bytes)

    with monkeypatch.context() as patch:
        patch.setattr(copy_tree, "copy_entry", stop_before)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.STOPPED, story(run)
    assert not (target.place / "in/big").exists() and [*entries_in(run / LIST)] == []
    (run / STOP).unlink()
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert_alike(ways, source.place, target.place / "in", "xfs")
