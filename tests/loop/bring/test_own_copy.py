"""Only files copied by the run are removed or replaced: content decides, not size and dates."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.loop.applying import carry_out, ended, story
from tests.loop.bring.bringing import Ways, inodes, killed_placing, site_in
from tests.loop.program import Purpose, Refused, RunState, read_entries, resume, state, undo
from tests.unit.apply.copy_calls import small
from wizard.apply.copy import copy_tree, job
from wizard.apply.copy.copied import FILE, LIST, MANIFEST, BringSite
from wizard.apply.copy.copy_entry import TreeCopy, copy_entry
from wizard.apply.copy.survey import work_out
from wizard.apply.tree.entries import TreeEntry
from wizard.apply.tree.manifest import BEFORE, open_folder, read_tree, write_manifest
from wizard.model.said import Message

CONTENT = b"what was copied" * 300
OTHER = CONTENT[:-1] + b"!"


def files(top: Path, count: int = 24) -> None:
    """Create files in two folders, and some other entries."""
    for number in range(count):
        folder = top / f"folder{number % 2}"
        folder.mkdir(exist_ok=True)
        (folder / f"file{number:02}").write_bytes(CONTENT)
        os.utime(folder / f"file{number:02}", (1_111_111_111, 1_111_111_111))
    (top / "folder1/link").symlink_to("file01")
    (top / "folder1/second name").hardlink_to(top / "folder1/file03")
    (top / "empty").mkdir()


def rewrite(path: Path, content: bytes = OTHER) -> None:
    """Change the content and restore the dates, like a program that copies dates."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def left(folder: Path) -> set[str]:
    """Return all paths except folders."""
    found = (Path(above, name) for above, _, names in os.walk(folder) for name in names)
    return {str(path.relative_to(folder)) for path in found}


def cut_off(ways: Ways, source: Path, target: Path) -> tuple[Path, Path, Path]:
    """Return a run killed during a copy, its folder, and the stage."""
    run, folder = ways.begin(work_out(str(source), str(target), "in")), target / "in"
    if not (pid := os.fork()):
        patch, left_to_copy = pytest.MonkeyPatch(), iter(range(22))

        def copy_or_die(copy: TreeCopy, path: bytes, on_bytes: Callable[[int], None]) -> TreeEntry:
            if next(left_to_copy, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return copy_entry(copy, path, on_bytes)

        small(patch)
        patch.setattr(copy_tree, "copy_entry", copy_or_die)
        carry_out(run, Purpose.APPLY, ())
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL, story(run)
    (stage,) = folder.iterdir()
    copied = {name for name in left(stage) if "file" in name}
    assert len(copied) - len(inodes(run)) >= 4 and len(inodes(run)) >= 8, story(run)
    assert stage.stat().st_mode & 0o777 == 0o700
    return run, folder, stage


def test_undo_removes_only_files_equal_to_the_source(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run = ways.start(work_out(str(source.place), str(target.place), "in"))
    assert ended(run) is RunState.DONE, story(run)
    folder = target.place / "in"
    rewrite(folder / "folder0/file02")
    with (folder / "folder0/file04").open("ab") as file:
        file.write(b"more")
    os.setxattr(folder / "folder0/file06", "user.note", b"mine")
    (folder / "folder0/file08").chmod(0o600)
    (folder / "folder1/link").unlink()
    (folder / "folder1/link").symlink_to("file05")
    (folder / "folder1/second name").unlink()
    (folder / "folder1/second name").write_bytes(OTHER)
    (source.place / "folder1/file05").unlink()
    os.setxattr(folder / "empty", "user.note", b"mine")
    last = undo(run)
    assert left(folder) == {
        "folder0/file02", "folder0/file04", "folder0/file06", "folder0/file08",
        "folder1/link", "folder1/second name", "folder1/file05",
    }  # fmt: skip
    assert (folder / "folder0/file02").read_bytes() == OTHER
    assert (folder / "empty").is_dir()
    assert "/folder0/file02" in last and "3 more" in last, last
    listed = (run / "kept.txt").read_text().splitlines()
    assert {*listed} == {f"/{path}" for path in left(folder)} | {"/empty"}


def test_undo_after_a_cut_keeps_files_changed_since(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    (source.place / "alone").write_bytes(CONTENT)
    run, folder = ways.begin(work_out(str(source.place), str(target.place), "in")), target.place / "in"
    killed_placing(run, 2)
    (stage,) = folder.glob(".diskwright-*")
    moved = sorted(path for path in folder.iterdir() if path != stage)
    assert [path.name for path in moved] == ["alone", "empty"], story(run)
    rewrite(folder / "alone")
    (folder / "empty/new").write_bytes(OTHER)
    # Of somebody else, where the run would have moved its own.
    (folder / "folder0").mkdir()
    (folder / "folder0/file02").write_bytes(CONTENT)
    kept = {"alone", "empty/new", "folder0/file02"}
    with monkeypatch.context() as patch:
        # Undo is cut off, too.
        patch.setattr("wizard.apply.copy.compare_copy.clear", lambda *_: os._exit(7))
        if not (pid := os.fork()):
            carry_out(run, Purpose.UNDO, ())
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert left(folder) >= kept, story(run)
    undo(run)
    assert left(folder) == kept and not stage.exists(), story(run)
    assert (folder / "alone").read_bytes() == (folder / "empty/new").read_bytes() == OTHER


@pytest.mark.parametrize("version", [1, 2])
def test_undo_after_a_cut_removes_partial_files(ways: Ways, version: int) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run, folder, stage = cut_off(ways, source.place, target.place)
    (source.place / "folder0").chmod(0o755)
    if version == 1:
        for path in stage.iterdir():
            path.rename(folder / path.name)
        stage.rmdir()
        with open_folder(source.place) as top:
            write_manifest(run / BEFORE, read_tree(top, lambda _more: None))
        with pytest.raises(Refused, match=r"Version 1\.0 began this copy"):
            resume(run)
    else:
        os.truncate(stage / "folder0/file02", 100)
        (stage / "not listed").mkdir()
    undo(run)
    assert not folder.exists(), (left(folder), story(run))


def test_copy_of_version_1_can_be_undone(ways: Ways) -> None:
    """Convert the lists of a run to the format of version 1.0."""
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run = ways.start(work_out(str(source.place), str(target.place), "in"))
    assert ended(run) is RunState.DONE, story(run)
    write_manifest(run / BEFORE, [entry._replace(digest="") for entry in site_in(run).listed()])
    for name in (FILE, LIST, MANIFEST):
        (run / name).unlink()
    undo(run)
    assert not (target.place / "in").exists(), story(run)


@pytest.mark.parametrize("becomes", ["gone", "changed"])
def test_foreign_files_are_not_overwritten(ways: Ways, monkeypatch: pytest.MonkeyPatch, becomes: str) -> None:
    """Change a file in the source during the copy, and create a file where a folder will be moved."""
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    here, folder = source.place / "folder0/file02", target.place / "in"

    def change(site: BringSite) -> Message:
        here.unlink()
        if becomes == "changed":
            here.write_bytes(b"newer")
        (folder / "folder0").write_bytes(OTHER)
        return copy_tree.catch_up(site)

    run = ways.begin(work_out(str(source.place), str(target.place), "in"))
    with monkeypatch.context() as patch:
        small(patch)
        patch.setattr(job, "catch_up", change)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.FAILED and "/folder0" in read_entries(run)[-1].sentence, story(run)
    for _ in range(2):
        assert (folder / "folder0").read_bytes() == OTHER
        resume(run)
        assert ended(run) is RunState.FAILED, story(run)
    (folder / "folder0").rename(target.place / "aside")
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    assert (folder / "folder0/file02").exists() is (becomes == "changed")
    assert not [*folder.glob(".diskwright-*")]
