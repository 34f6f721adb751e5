"""A copy between two folders is killed before each of its calls, then finished or undone."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.loop.migrate.manifest.manifests import ACL
from tests.unit.apply.copy_calls import count_calls, small
from tests.unit.apply.test_bring import BRING, TARGET
from wizard.apply.copy import copy_tree
from wizard.apply.copy.compare_copy import remove_brought
from wizard.apply.copy.copied import LIST, BringSite, entries_in
from wizard.apply.copy.copy_entry import TreeCopy
from wizard.apply.tree.differences import as_held, differences
from wizard.apply.tree.entries import EntryKind, paired
from wizard.apply.tree.manifest import open_folder, read_tree
from wizard.filesystems.registry import KINDS

HOLDS = KINDS["ext4"].holds


@pytest.fixture(autouse=True)
def no_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill loses nothing that was written, so flushes only cost time."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(BringSite, "sync", lambda _: None)


def fill(top: Path) -> None:
    for name in ("old", "new", "run"):
        rmtree(top / name, ignore_errors=True)
        (top / name).mkdir()
    for number in range(18):
        (top / f"old/d{number % 3}").mkdir(exist_ok=True)
        (top / f"old/d{number % 3}/{number}").write_bytes(b"%d" % number * 50)
    (top / "old/d2/other").hardlink_to(top / "old/d0/0")
    (top / "old/link").symlink_to("d0")
    (top / "old/empty").mkdir()


def change(top: Path) -> None:
    (top / "old/d1/1").write_bytes(b"changed")
    (top / "old/d2/new").write_bytes(b"new")
    (top / "old/d1/other").hardlink_to(top / "old/d1/4")
    (top / "old/d0/6").unlink()
    (top / "old/empty").rmdir()
    (top / "old/empty").write_bytes(b"a file now")


def sites(top: Path) -> Iterator[BringSite]:
    with open_folder(top / "old") as source, open_folder(top / "new") as target:
        bring = replace(BRING, target=replace(TARGET, filesystem="ext4", folder=str(top / "new")))
        yield BringSite(source, target, HOLDS, b"run", top / "run", bring)


def inodes(top: Path) -> dict[bytes, int]:
    """Return the inodes of recorded files."""
    found = {}
    for entry in entries_in(top / "run" / LIST):
        if entry.kind is EntryKind.FILE:
            names = (entry.path, TreeCopy(0, 0, HOLDS, b"run").temporary(entry.path))
            paths = (top / "new" / os.fsdecode(name) for name in names)
            found[entry.path] = next(path.stat().st_ino for path in paths if path.exists())
    return found


def copy(top: Path, changes: bool) -> None:
    for site in sites(top):
        copy_tree.copy_listed(site)
        if changes and not (top / "run/changed").exists():
            change(top)
            (top / "run/changed").touch()
        copy_tree.catch_up(site)


def assert_alike(site: BringSite) -> None:
    source, target = (read_tree(top, lambda _more: None) for top in (site.source, site.target))
    assert not differences(paired(source, target), seen_as=as_held(HOLDS))


def killed(top: Path, number: int, changes: bool) -> None:
    if not (pid := os.fork()):
        try:
            patch = pytest.MonkeyPatch()
            small(patch)
            count_calls(patch, lambda now: os.kill(os.getpid(), signal.SIGKILL) if now == number else None)
            copy(top, changes)
        finally:
            os._exit(7)
    os.waitpid(pid, 0)


@pytest.mark.parametrize("changes", [False, True])
def test_killed_copy_is_finished_or_undone(tmp_path: Path, changes: bool) -> None:
    fill(tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        calls = count_calls(patch, lambda _now: None)
        copy(tmp_path, changes)
    for number in one_in(3, range(1, calls() + 1)):
        fill(tmp_path)
        killed(tmp_path, number, changes)
        trusted = {} if changes else inodes(tmp_path)
        copy(tmp_path, changes)
        assert changes or trusted.items() <= inodes(tmp_path).items(), f"copied again after {number}"
        for site in sites(tmp_path):
            assert_alike(site)
            assert not [*tmp_path.glob("new/**/.diskwright*")], number
        fill(tmp_path)
        for cut in (number, 7):
            killed(tmp_path, cut, False)
        for site in sites(tmp_path):
            remove_brought(site)
        assert not [*(tmp_path / "new").iterdir()], number


def test_default_acl_of_the_target_is_not_inherited(tmp_path: Path) -> None:
    fill(tmp_path)
    os.setxattr(tmp_path / "new", "system.posix_acl_default", ACL)
    copy(tmp_path, changes=False)
    for site in sites(tmp_path):
        assert_alike(site)
