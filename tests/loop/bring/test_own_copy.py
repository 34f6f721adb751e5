"""Only files copied by the run are removed or replaced: content decides, not size and dates."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.loop.applying import carry_out, ended, story
from tests.loop.bring.bringing import Ways, temporary
from tests.loop.program import Purpose, Refused, RunState, resume, state, undo
from tests.unit.apply.copy_calls import small
from wizard.apply.copy import copy_tree, job
from wizard.apply.copy.copied import FILE, LIST, BringSite, entries_in
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


def cut_off(ways: Ways, source: Path, target: Path) -> tuple[Path, Path, list[Path], list[Path]]:
    """Return a run killed during a copy, its folder, the copied files, and those with temporary names."""
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
    paths = [path.relative_to(source) for path in sorted(source.glob("folder*/file*"))]
    copied = [folder / path for path in paths if (folder / path).exists()]
    names = {folder / path: folder / os.fsdecode(temporary(run, os.fsencode(path))) for path in paths}
    partial = [path for path, name in names.items() if name.exists()]
    assert len(copied) >= 8 and len(partial) >= 4, story(run)
    return run, folder, copied, partial


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
    run, folder, copied, partial = cut_off(ways, source.place, target.place)
    rewrite(copied[0])
    copied[1].unlink()
    copied[1].write_bytes(b"replaced")
    # The start of what the source holds, but cut by somebody later.
    rewrite(copied[2], CONTENT[:100])
    # Of somebody else, where the run would have copied to.
    partial[0].write_bytes(OTHER)
    kept = {str(path.relative_to(folder)) for path in (*copied[:3], partial[0])}
    with monkeypatch.context() as patch:
        # It is cut off itself, too: what it noted does not count.
        patch.setattr("wizard.apply.copy.compare_copy.BringSite.sync", lambda _: os._exit(7))
        if not (pid := os.fork()):
            carry_out(run, Purpose.UNDO, ())
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert left(folder) == kept, story(run)
    undo(run)
    assert left(folder) == kept and copied[0].read_bytes() == partial[0].read_bytes() == OTHER, story(run)


@pytest.mark.parametrize("version", [1, 2])
def test_undo_after_a_cut_removes_partial_files(ways: Ways, version: int) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run, folder, _, partial = cut_off(ways, source.place, target.place)
    (source.place / "folder0").chmod(0o755)
    names = [folder / os.fsdecode(temporary(run, os.fsencode(one.relative_to(folder)))) for one in partial]
    os.truncate(names[0], 100)
    if version == 1:
        for name in names:
            name.unlink()
        with open_folder(source.place) as top:
            write_manifest(run / BEFORE, read_tree(top, lambda _more: None))
        with pytest.raises(Refused, match=r"Version 1\.0 began this copy"):
            resume(run)
    undo(run)
    assert not folder.exists(), (left(folder), story(run))


def test_resume_does_not_overwrite_foreign_files(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run, _, _, partial = cut_off(ways, source.place, target.place)
    partial[-1].write_bytes(OTHER)
    resume(run)
    assert ended(run) is RunState.FAILED and partial[-1].read_bytes() == OTHER, story(run)
    partial[-1].rename(target.place / "aside")
    resume(run)
    assert ended(run) is RunState.DONE and partial[-1].read_bytes() == CONTENT, story(run)


def test_copy_of_version_1_can_be_undone(ways: Ways) -> None:
    """Convert the lists of a run to the format of version 1.0."""
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run = ways.start(work_out(str(source.place), str(target.place), "in"))
    assert ended(run) is RunState.DONE, story(run)
    write_manifest(run / BEFORE, [entry._replace(digest="") for entry in entries_in(run / LIST)])
    for name in (FILE, LIST):
        (run / name).unlink()
    undo(run)
    assert not (target.place / "in").exists(), story(run)


@pytest.mark.parametrize("becomes", ["gone", "changed"])
def test_catching_up_does_not_overwrite_foreign_files(
    ways: Ways, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    """Change two files in the source during the copy, and also the copy of one of them."""
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    here, folder = source.place / "folder0", target.place / "in/folder0"

    def change(site: BringSite) -> Message:
        for name in ("file02", "file04"):
            (here / name).unlink()
            if becomes == "changed":
                (here / name).write_bytes(b"newer")
        rewrite(folder / "file04")
        return copy_tree.catch_up(site)

    run = ways.begin(work_out(str(source.place), str(target.place), "in"))
    with monkeypatch.context() as patch:
        small(patch)
        patch.setattr(job, "catch_up", change)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.FAILED, story(run)
    assert (folder / "file04").read_bytes() == OTHER
    (folder / "file04").rename(target.place / "aside")
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    for name in ("file02", "file04"):
        assert (folder / name).exists() is (becomes == "changed")
