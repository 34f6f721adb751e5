"""Copying between real filesystems: complete, without writes to the source, and undo removes only copied
files."""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import tool
from tests.fingerprint import fingerprint
from tests.loop.applying import carry_out, diskwright, ended, said, story
from tests.loop.bring.bringing import MAKERS, ROOTS, Ways, assert_alike, contents, killed_at, listed
from tests.loop.desk.walking import walker
from tests.loop.migrate.manifest.manifests import ACL, NOT_UTF8
from tests.loop.program import (
    MIB,
    BadInput,
    Event,
    Failed,
    Purpose,
    Refused,
    RunState,
    read_entries,
    start_document,
    state,
    undo,
)
from tests.loop.runs.published import kept_schemas
from tests.unit.report.reports import Page
from wizard.apply.copy import copy_tree
from wizard.apply.copy import job as running
from wizard.apply.copy.compare_copy import compare
from wizard.apply.copy.copied import BringSite
from wizard.apply.copy.copy_entry import TreeCopy, copy_entry
from wizard.apply.copy.survey import work_out
from wizard.apply.run.job import Start
from wizard.apply.run.journal import done_steps
from wizard.apply.tree import manifest
from wizard.apply.tree.differences import differences
from wizard.apply.tree.entries import TreeEntry
from wizard.apply.tree.manifest import changed_entries
from wizard.filesystems.registry import KINDS


@pytest.mark.parametrize("mounted", [True, False], ids=["mounted", "unmounted"])
@pytest.mark.parametrize("kind", ["xfs", "btrfs"])
def test_copy_is_complete_and_only_reads_the_source(
    ways: Ways, image_of: Callable[[str], Path], kind: str, mounted: bool
) -> None:
    source, target = ways.source(), ways.target(kind)
    before = listed(source.place, ways.work.folder / "before")
    if not mounted:
        tool("umount", str(source.place))
        tool("blockdev", "--flushbufs", source.drive)
        was = fingerprint(image_of(source.drive))
    run = ways.start(work_out(source.drive, str(target.place), "old/files"))
    assert ended(run) is RunState.DONE, story(run)
    assert kept_schemas(run.parent) >= {"bring", "copied", "run", "journal-entry"}
    if not mounted:
        tool("blockdev", "--flushbufs", source.drive)
        assert fingerprint(image_of(source.drive)) == was
        tool("mount", "-o", "ro,noload", source.drive, str(source.place))
    after = listed(source.place, ways.work.folder / "after")
    assert not differences(changed_entries(before, after))
    folder = target.place / "old/files"
    assert_alike(ways, source.place, folder, kind)
    assert (folder / "huge").stat().st_blocks * 512 < MIB
    assert (folder / "file").stat().st_ino == (folder / "other name").stat().st_ino
    assert (folder / "socket").is_socket() and (folder / "pipe").is_fifo()
    assert os.fsencode(folder) + b"/" + NOT_UTF8 in map(os.fsencode, folder.iterdir())
    assert os.getxattr(folder / "guarded", "system.posix_acl_access") == ACL
    assert os.getxattr(folder / "by others", "system.posix_acl_default") == ACL
    assert os.getxattr(folder / "guarded", "trusted.mine") == b"\0\1"
    program = (folder / "by others/program").stat()
    assert (program.st_uid, program.st_gid, stat.S_IMODE(program.st_mode)) == (12, 34, 0o6755)
    assert (folder / "file").stat().st_mtime_ns == 1_111_111_111 * 10**9 or (
        folder / "file"
    ).stat().st_mtime == (source.place / "file").stat().st_mtime
    assert "i" in tool("lsattr", "-d", str(folder / "still")).split()[0]
    assert "i" in tool("lsattr", "-d", str(folder / "by others")).split()[0]
    assert (target.place / "mine/file").read_text() == ROOTS
    assert not (folder / "lost+found").exists()
    assert done_steps(read_entries(run)) == {1, 2, 3} and len(said(run, Event.VERIFIED)) == 1


def test_unsupported_features_are_omitted(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that unsupported features are omitted. Without FAT in the kernel, use XFS with FAT's limits."""
    real = "vfat" in Path("/proc/filesystems").read_text()
    kind = "vfat" if real else "xfs"
    holds = KINDS["vfat"].holds
    monkeypatch.setitem(KINDS, kind, replace(KINDS[kind], holds=holds))
    source, target = ways.volume("old", "ext4"), ways.volume("new", kind)
    (source.place / "folder").mkdir()
    (source.place / "folder/file").write_bytes(b"content" * 3000)
    (source.place / "other name").hardlink_to(source.place / "folder/file")
    (source.place / "link").symlink_to("folder/file")
    os.mkfifo(source.place / "pipe")
    os.setxattr(source.place / "folder/file", "user.mine", b"1")
    with (source.place / "sparse").open("wb") as file:
        file.truncate(5 * MIB)
    os.chown(source.place / "folder/file", 12, 34)
    tool("chattr", "+i", str(source.place / "folder/file"))
    os.utime(source.place / "folder", (1_000_000_001, 1_000_000_001))
    bring = work_out(str(source.place), str(target.place), None)
    told = " ".join(map(str, bring.doubts))
    assert "2 are omitted" in told and "1 extra name becomes a separate copy" in told
    assert bring.amount.room_bytes > 5 * MIB
    run = ways.begin(bring)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE, story(run)
    assert {path.name for path in target.place.iterdir()} == {"folder", "other name", "sparse"}
    copies = [target.place / "folder/file", target.place / "other name"]
    assert [path.read_bytes() for path in copies] == [b"content" * 3000] * 2
    assert copies[0].stat().st_ino != copies[1].stat().st_ino and copies[0].stat().st_uid == 0
    for name, why in (("what?", r"allow '\?'"), ("FOLDER", "as identical"), ("end.", "dot or space")):
        (source.place / name).touch()
        with pytest.raises(Refused, match=why):
            work_out(str(source.place), str(target.place), "elsewhere")
        (source.place / name).unlink()


def test_unsuitable_sources_and_targets_are_refused(ways: Ways) -> None:
    source, target = ways.volume("old", "ext4"), ways.target("ext4")
    (source.place / "mine").mkdir()
    (source.place / "large").write_bytes(bytes(MIB))
    (source.place / "in/side").mkdir(parents=True)
    was = contents(target.place)

    def refused(why: str, from_: object, to: object, into: str | None = None) -> None:
        with pytest.raises((Refused, BadInput), match=why):
            work_out(str(from_), str(to), into)

    refused("mine already exists", source.place, target.place)
    refused("is not a folder", source.place, target.place, "mine/file")
    refused("one contains the other", source.place, source.place)
    refused("one contains the other", source.place, source.place / "in/side", "new")
    refused("one contains the other", source.place / "in/side", source.place)
    refused("one contains the other", source.drive, source.place / "in")
    refused("within the target", source.place, target.place, "../out")
    refused("within the target", source.place, target.place, "/out")
    refused("is empty", source.place / "in/side", target.place)
    refused("does not exist", source.place / "none", target.place)
    (target.place / "link").symlink_to("/etc")
    refused("is not a folder", source.place, target.place, "link/in")
    (target.place / "link").unlink()
    # What lies in other folders of one filesystem is apart.
    assert work_out(str(source.place / "in"), str(source.place / "mine"), None).amount.entries == 1
    with (source.place / "large").open("r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 150 * MIB)
    (target.place / "filled").write_bytes(bytes(60 * MIB))
    refused("free; the copy needs", source.place, target.place, "new")
    (source.place / "large").unlink()
    tool("mount", "-o", "remount,ro", str(target.place))
    refused("read-only", source.place, target.place, "new")
    tool("mount", "-o", "remount,rw", str(target.place))
    (target.place / "filled").unlink()
    assert contents(target.place) == was
    bring = work_out(str(source.place), str(target.place), "new")
    with pytest.raises(Refused, match="does not match"):
        start_document(bring, Start(("other",), ways.work.runs, ways.work.environment))
    tool("umount", str(target.place))
    with pytest.raises(Refused, match="not the ext4 target of this copy"):
        ways.start(bring)
    refused("is not mounted", source.place, target.drive)


def test_undo_leaves_changed_files_and_files_missing_from_the_source(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    run = ways.start(work_out(str(source.place), str(target.place), "in"))
    assert ended(run) is RunState.DONE, story(run)
    folder = target.place / "in"
    (folder / "many/1/1").write_text("mine now")
    (folder / "many/2/new").write_text("mine")
    (source.place / "many/3/3").unlink()
    kept = (folder / "many/3/3").read_bytes()
    last = undo(run)
    assert "/many/1/1" in last and "/many/3/3" in last and "/many/2" in last
    left = {path for path, (mode, _) in contents(folder).items() if stat.S_ISREG(mode)}
    assert left == {"many/1/1", "many/2/new", "many/3/3"}
    assert (folder / "many/3/3").read_bytes() == kept
    assert (folder / "many/1/1").read_text() == "mine now"


def test_undo_is_refused_without_the_source(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    run = ways.start(work_out(source.drive, str(target.place), "in"))
    assert ended(run) is RunState.DONE, story(run)
    held = contents(target.place)
    tool("umount", str(source.place))
    for spoil in (MAKERS["ext4"], ("wipefs", "--all", "--quiet")):
        ways.work.bench.own(source.drive)
        tool(*spoil, source.drive)
        with pytest.raises(Failed, match="No files were removed"):
            undo(run)
        assert contents(target.place) == held


def test_files_changed_during_the_copy_are_copied_again_or_named(
    ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = ways.source(), ways.target()
    top = source.place
    run = ways.begin(work_out(str(top), str(target.place), "in"))

    def change_others(copy: TreeCopy, path: bytes, on_bytes: Callable[[int], None]) -> TreeEntry:
        entry = copy_entry(copy, path, on_bytes)
        if path == b"many/3/3":
            (top / "many/0/0").write_text("changed once it was copied")
            (top / "many/5/5").unlink()
            (top / "many/1/1").unlink()
            (top / "many/1/1").mkdir()
            (top / "many/1/1/in it").write_text("a folder by now")
            (top / "many/2/appeared").write_text("new")
            (top / "many/2/appeared too").hardlink_to(top / "many/2/appeared")
            (top / "empty").chmod(0o604)
            (top / "at the top").write_text("new at the top")
            (top / "many/4").rename(top / "many/renamed")
        elif path == b"many/0/0" and (top / "many/renamed").exists():
            with (top / "many/0/0").open("a") as file:
                file.write("and again")
        return entry

    with monkeypatch.context() as patch:
        patch.setattr(copy_tree, "copy_entry", change_others)
        patch.setattr(manifest, "SHARED_FROM", 1 << 20)
        carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE, story(run)
    last = read_entries(run)[-1].sentence
    assert "still changing: /many/0/0." in last, last
    assert "created during the copy: /at the top." in last, last
    (top / "at the top").unlink()
    folder = target.place / "in"
    (folder / "many/0/0").write_bytes((top / "many/0/0").read_bytes())
    for path in (folder / "many/0/0", top / "many/0/0"):
        os.utime(path, (1, 1))
    for path in (folder, top):
        os.utime(path, (1, 1))
    assert_alike(ways, top, folder, "xfs")
    assert (folder / "many/2/appeared").stat().st_nlink == 2
    assert (folder / "many/1/1/in it").read_text() == "a folder by now"


def test_data_lost_on_the_drive_is_detected(
    ways: Ways, image_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that data in the page cache but lost on the drive is detected."""
    source, target = ways.volume("old", "ext4"), ways.target()
    mark = os.urandom(64)
    (source.place / "file").write_bytes(mark * 2000)
    run = ways.begin(work_out(str(source.place), str(target.place), None))

    def spoil(site: BringSite) -> object:
        site.sync()
        image = image_of(target.drive)
        at = image.read_bytes().index(mark * 4)
        with image.open("r+b") as file:
            file.seek(at)
            file.write(b"\0")
        return compare(site)

    monkeypatch.setattr(running, "compare", spoil)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.FAILED, story(run)
    assert "/file: content differs" in said(run, Event.NOT_VERIFIED)[0].output


def test_only_one_filesystem_is_copied(ways: Ways) -> None:
    source, other, target = (ways.volume(name, "ext4") for name in ("old", "other", "new"))
    (source.place / "file").write_text("here")
    (source.place / "point").mkdir()
    (other.place / "elsewhere").write_text("there")
    tool("mount", "--bind", str(other.place), str(source.place / "point"))
    try:
        bring = work_out(str(source.place), str(target.place), "in")
        assert str(source.place / "point") in " ".join(map(str, bring.doubts))
        run = ways.start(bring)
        assert ended(run) is RunState.DONE, story(run)
        assert sorted(contents(target.place / "in")) == ["file", "point"]
    finally:
        tool("umount", str(source.place / "point"))


def test_subvolumes_with_equal_inode_numbers_are_copied(ways: Ways) -> None:
    source, target = ways.volume("old", "btrfs"), ways.target("ext4")
    for name in ("a", "b"):
        tool("btrfs", "subvolume", "create", str(source.place / name))
        (source.place / name / "file").write_text(f"of {name}")
        (source.place / name / "other").hardlink_to(source.place / name / "file")
    run = ways.start(work_out(str(source.place), str(target.place), None))
    assert ended(run) is RunState.DONE, story(run)
    # Else what is taken for another name of a file is found and copied again.
    assert "0 entries changed during the copy and were copied again." in [
        one.sentence for one in said(run, Event.STEP_DONE)
    ]
    for name in ("a", "b"):
        assert (target.place / name / "other").read_text() == f"of {name}"
    assert (target.place / "a/file").stat().st_ino == (target.place / "a/other").stat().st_ino


def test_wizard_follows_resumes_and_undoes_a_copy(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    was = contents(target.place)
    run = ways.begin(work_out(str(source.place), str(target.place), "in"))
    killed_at(run, 60)
    person = walker(ways.work, target.drive)
    assert person.rows[0].key == f"run:{run}", person.text
    person.act("show-run", f"run:{run}")
    assert person.view.place == "result", (person.view.place, person.said)
    assert "if the source is still identical" in person.text
    person.key("G")
    assert person.view.place == "result" and state(run) is RunState.DONE, story(run)
    assert "removes the copy" in person.text
    person.settle("U")
    assert state(run) is RunState.UNDONE and contents(target.place) == was, story(run)


def test_copy_by_command(ways: Ways) -> None:
    source, target = ways.source(), ways.target()
    words = ("bring", str(source.place), str(target.place), "--into", "in")
    was = contents(target.place)
    for more in ((), ("--dry-run",)):
        done = diskwright(ways.work, *words, *more)
        assert done.returncode == 0, done.stderr
        assert "Enough space" in done.stdout and contents(target.place) == was
    token = work_out(str(source.place), str(target.place), "in").drive.token
    assert f"--confirm {token}" in diskwright(ways.work, *words).stderr
    assert diskwright(ways.work, *words, "--confirm", "other").returncode == 3
    assert contents(target.place) == was
    done = diskwright(ways.work, *words, "--confirm", token)
    assert done.returncode == 0, done.stderr
    assert "passed All copied entries match" in done.stdout
    assert_alike(ways, source.place, target.place / "in", "xfs")
    listed_ = diskwright(ways.work, "status").stdout
    assert "done" in listed_ and "3 of 3 steps" in listed_
    report = ways.work.folder / "report.html"
    done = diskwright(ways.work, "report", "-o", str(report), "--json")
    assert done.returncode == 0, done.stderr
    document, page = json.loads(done.stdout), Page(report.read_text())
    folder = str(target.place / "in")
    assert document["bring"]["target"]["folder"] == folder and folder in page.text
    assert [drive["path"] for drive in document["facts"]["drives"]] == [target.drive]
    assert [step["state"] for step in document["run"]["steps"]] == ["done"] * 3
    hidden = diskwright(ways.work, "report", "--json", "--without-serials").stdout
    assert not any(place in hidden for place in (folder, str(source.place)))
    assert diskwright(ways.work, "keep").returncode != 0
    assert diskwright(ways.work, "undo").returncode == 0
    assert contents(target.place) == was
