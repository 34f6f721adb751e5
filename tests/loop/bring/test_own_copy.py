"""Only files copied by the run are removed or replaced: content decides, not size and dates."""

import os
import signal
from pathlib import Path

import pytest

from tests.loop.applying import carry_out, ended, story
from tests.loop.bring.bringing import Ways, small
from tests.loop.program import Purpose, RunState, resume, state, undo
from wizard.apply.copy import catch_up, copying
from wizard.apply.copy import copying as pieces
from wizard.apply.copy.site import load_copied
from wizard.apply.copy.survey import work_out
from wizard.apply.tree.copying import TreeCopy, copy_entry
from wizard.apply.tree.entry import EntryKind
from wizard.apply.tree.manifest import BEFORE

CONTENT = b"what was copied" * 300
OTHER = CONTENT[:-1] + b"!"
EARLIER = 3600.0


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


def half_there(run: Path, folder: Path) -> list[Path]:
    """Return partially copied files of an interrupted run, in order."""
    copied = load_copied(run)
    assert copied is not None
    entries = [*copying.entries_in(run / BEFORE)][copied.done : copied.begun]
    paths = (folder / os.fsdecode(one.path) for one in entries if one.kind is EntryKind.FILE)
    return [path for path in paths if path.exists() and path.stat().st_nlink == 1]


def cut_off(ways: Ways, source: Path, target: Path) -> tuple[Path, Path, list[Path]]:
    """Return a run killed long ago during a copy, its folder, and its partially copied files."""
    run, folder = ways.begin(work_out(str(source), str(target), "in")), target / "in"
    if not (pid := os.fork()):
        patch, left_to_copy = pytest.MonkeyPatch(), iter(range(22))

        def copy_or_die(copy: TreeCopy, path: bytes, *rest: object) -> int:
            if next(left_to_copy, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return copy_entry(copy, path, *rest)  # type: ignore[arg-type]

        patch.setattr(pieces, "copy_entry", copy_or_die)
        carry_out(run, Purpose.APPLY, ())
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL, story(run)
    for file in run.iterdir():
        status = file.stat()
        os.utime(file, (status.st_atime - EARLIER, status.st_mtime - EARLIER))
    found = half_there(run, folder)
    assert len(found) >= 4, story(run)
    return run, folder, found


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
    run, folder, half = cut_off(ways, source.place, target.place)
    rewrite(half[0])
    half[1].unlink()
    half[1].write_bytes(b"replaced")
    # The start of what the source holds, but cut by somebody later.
    rewrite(half[2], CONTENT[:100])
    kept = {str(path.relative_to(folder)) for path in half[:3]}
    with monkeypatch.context() as patch:
        # It is cut off itself, too: what it noted does not count.
        patch.setattr("wizard.apply.copy.undo.BringSite.sync", lambda _: os._exit(7))
        if not (pid := os.fork()):
            carry_out(run, Purpose.UNDO, ())
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert left(folder) == kept, story(run)
    undo(run)
    assert left(folder) == kept and half[0].read_bytes() == OTHER, story(run)


def test_undo_after_a_cut_removes_partial_files(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run, folder, half = cut_off(ways, source.place, target.place)
    (source.place / "folder0").chmod(0o755)
    os.truncate(half[0], 100)
    # Blocks that did not reach the drive are zeros.
    rewrite(half[1], bytes(4096) + CONTENT[4096:])
    progress = (run / "copied.json").stat().st_mtime + 2 * EARLIER
    os.utime(run / "copied.json", (progress, progress))
    undo(run)
    assert not folder.exists(), (left(folder), story(run))


def test_resume_does_not_overwrite_foreign_files(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    run, _, half = cut_off(ways, source.place, target.place)
    rewrite(half[-1])
    resume(run)
    assert ended(run) is RunState.FAILED and half[-1].read_bytes() == OTHER, story(run)
    half[-1].rename(target.place / "aside")
    resume(run)
    assert ended(run) is RunState.DONE and half[-1].read_bytes() == CONTENT, story(run)


@pytest.mark.parametrize("becomes", ["gone", "changed"])
def test_catching_up_does_not_overwrite_foreign_files(
    ways: Ways, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    """Change two files in the source during the copy, and also the copy of one of them."""
    source, target = ways.volume("old", "ext4"), ways.target()
    files(source.place)
    here, folder = source.place / "folder0", target.place / "in/folder0"
    real = catch_up.catch_up

    def change(site: object) -> object:
        for name in ("file02", "file04"):
            (here / name).unlink()
            if becomes == "changed":
                (here / name).write_bytes(b"newer")
        rewrite(folder / "file04")
        return real(site)  # type: ignore[arg-type]

    run = ways.begin(work_out(str(source.place), str(target.place), "in"))
    with monkeypatch.context() as patch:
        small(patch)
        patch.setattr("wizard.apply.copy.job.catch_up", change)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.FAILED, story(run)
    assert (folder / "file04").read_bytes() == OTHER
    (folder / "file04").rename(target.place / "aside")
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    for name in ("file02", "file04"):
        assert (folder / name).exists() is (becomes == "changed")
