"""Changes to one partition or filesystem from the menu of Drives, on real drives: other partitions stay,
and undo restores the old content."""

from hashlib import sha256
from pathlib import Path

import pytest

from tests.devices import MakeDrive, tool
from tests.loop.applying import OLD_FSTAB, Work, fill, old_gpt, story
from tests.loop.desk.walking import MEDIA, Walker, run_of, token_of, walker
from tests.loop.program import MIB, RunState, list_runs, state
from wizard.ui.screens.work import HOME
from wizard.ui.view import Banner


@pytest.fixture
def shared(work: Work, make_drive: MakeDrive) -> str:
    """A drive with two partitions, free space after each, and an ext4 with a file in the first."""
    drive = make_drive(256 * MIB)
    fill(drive, work.bench)
    old_gpt(drive, "start=1MiB,size=48MiB,name=first\\nstart=100MiB,size=48MiB,name=second\\n")
    tool("mkfs.ext4", "-q", "-F", "-L", "old", "-b", "4096", f"{drive}p1")
    place = work.folder / "look"
    place.mkdir()
    tool("mount", f"{drive}p1", str(place))
    (place / "film").write_bytes(b"film" * 5000)
    tool("umount", str(place))
    return drive


def digest_of(node: str) -> str:
    """Return a digest of a partition's content."""
    tool("blockdev", "--flushbufs", node)
    return sha256(Path(node).read_bytes()).hexdigest()


def reviewed(person: Walker, *lost: str) -> None:
    """Check that Review shows these losses, or none."""
    assert person.view.place == "review", (person.view.place, person.said)
    assert ("Nothing is lost." in person.text) is not bool(lost)
    assert all(word in person.text for word in lost), person.text


def done(work: Work, person: Walker, drive: str) -> Path:
    """Start the reviewed plan after a wrong token, and return the newest run."""
    person.begin("wrong")
    assert person.view.place == "review" and token_of(drive) in person.said
    person.begin(token_of(drive))
    run = max(list_runs(work.runs), key=lambda one: one.name)
    assert person.view.place == "result", (person.view.place, person.said, story(run))
    return run


def test_partition_shrinks_to_the_typed_size_and_back(work: Work, shared: str) -> None:
    before = work.digest(shared)
    person = walker(work, shared)
    person.menu(f"{shared}p1", "adjust")
    person.act("type", "size")
    person.act("take", value="1M")
    assert person.view.place == "adjusting" and "cannot be that small" in person.text
    person.act("reset")
    for _ in range(5):
        person.act("less", "size")
    assert "Shrinks by 5 MiB" in person.text
    person.act("review")
    reviewed(person)
    run = done(work, person, shared)
    assert state(run) is RunState.WAITING, story(run)
    person.settle("U")
    assert state(run) is RunState.UNDONE, story(run)
    assert work.digest(shared) == before


@pytest.mark.parametrize("key", ["K", "U"])
def test_format_leaves_the_neighbour_unchanged(work: Work, shared: str, key: str) -> None:
    before, second = work.digest(shared), digest_of(f"{shared}p2")
    person = walker(work, shared)
    person.menu(f"{shared}p1", "format")
    person.act("plan", MEDIA)
    person.act("review")
    reviewed(person, "partition 1")
    run = done(work, person, shared)
    assert state(run) is RunState.WAITING, story(run)
    person.settle(key)
    assert digest_of(f"{shared}p2") == second
    if key == "U":
        assert work.digest(shared) == before and state(run) is RunState.UNDONE
    else:
        assert state(run) is RunState.KEPT, story(run)
        assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{shared}p1").strip() == "media"


@pytest.mark.parametrize("key", ["K", "U"])
def test_delete_leaves_the_neighbour_unchanged(work: Work, shared: str, key: str) -> None:
    before, second = work.digest(shared), digest_of(f"{shared}p2")
    person = walker(work, shared)
    person.menu(f"{shared}p1", "delete")
    reviewed(person, "partition 1")
    run = done(work, person, shared)
    assert state(run) is RunState.WAITING, story(run)
    person.settle(key)
    assert digest_of(f"{shared}p2") == second
    assert Path(f"{shared}p1").exists() is (key == "U")
    if key == "U":
        assert work.digest(shared) == before


def test_partition_grows_and_keeps_its_files(work: Work, shared: str) -> None:
    second = digest_of(f"{shared}p2")
    person = walker(work, shared)
    person.menu(f"{shared}p1", "grow")
    reviewed(person)
    run = done(work, person, shared)
    if state(run) is RunState.WAITING:
        person.settle("K")
    assert state(run) in (RunState.DONE, RunState.KEPT), story(run)
    assert int(tool("blockdev", "--getsize64", f"{shared}p1")) > 90 * MIB
    assert digest_of(f"{shared}p2") == second
    place = work.folder / "look"
    tool("mount", "-o", "ro", f"{shared}p1", str(place))
    try:
        assert (place / "film").read_bytes() == b"film" * 5000
        blocks = tool("findmnt", "-n", "-b", "-o", "SIZE", str(place))
        assert int(blocks) > 80 * MIB
    finally:
        tool("umount", str(place))


def test_renamed_filesystem_gets_its_old_label_back(work: Work, shared: str) -> None:
    person = walker(work, shared)
    person.menu(f"{shared}p1", "rename")
    assert person.view.place == "typing" and [field.value for field in person.view.fields] == ["old"]
    person.act("take", label="much longer than any label of ext4")
    assert person.said and person.view.place in ("typing", "actions")
    if person.view.place == "actions":
        person.act("do", "rename")
    person.act("take", label="films")
    reviewed(person)
    run = done(work, person, shared)
    assert state(run) is RunState.DONE, story(run)
    assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{shared}p1").strip() == "films"
    # Nothing waits for a word: Enter leads home, and still there is a way back.
    assert [str(one.label) for one in person.view.actions if one.key == "enter"] == [str(HOME)]
    assert walker(work, shared).rows[0].key == shared
    person.settle("U")
    assert state(run) is RunState.UNDONE, story(run)
    assert tool("blkid", "-p", "-o", "value", "-s", "LABEL", f"{shared}p1").strip() == "old"
    assert not any(action.name == "undo" for action in person.view.actions)


def test_mount_adds_an_fstab_line_and_unmount_removes_it(work: Work, shared: str) -> None:
    place = work.place("films")
    person = walker(work, shared)
    person.menu(f"{shared}p1", "mount")
    person.act("take", folder=str(place))
    reviewed(person)
    run = done(work, person, shared)
    assert state(run) is RunState.DONE, story(run)
    try:
        assert (place / "film").exists() and str(place) in work.fstab.read_text()
        # A filesystem that exists keeps its owner, so the first line says who can write.
        (banner,) = (block for block in person.view.above if isinstance(block, Banner))
        assert str(banner.text) == f"50.3 MB ready at {place}, writable by root only."
        assert f"ready at {place}, writable by root only." in story(run)
        person.key("enter")
        menu = person
        menu.menu(f"{shared}p1", "format")
        assert menu.view.place == "actions" and "in use" in menu.said + menu.text
        menu.act("do", "unmount")
        menu.turn("when", "boot")
        menu.act("take", when="boot")
        reviewed(menu)
        run = done(work, menu, shared)
        assert state(run) is RunState.DONE, story(run)
        # The last line of the scratch fstab had no end.
        assert not place.is_mount() and work.fstab.read_text().rstrip("\n") == OLD_FSTAB
    finally:
        if place.is_mount():
            tool("umount", str(place))


def test_mount_once_adds_no_fstab_line(work: Work, shared: str) -> None:
    place = work.place("films")
    person = walker(work, shared)
    person.menu(f"{shared}p1", "mount")
    person.turn("when", "once")
    person.act("take", folder=str(place), when="once")
    run = done(work, person, shared)
    try:
        assert state(run) is RunState.DONE, story(run)
        assert place.is_mount() and work.fstab.read_text() == OLD_FSTAB
    finally:
        if place.is_mount():
            tool("umount", str(place))


def test_waiting_run_is_listed_first(work: Work, shared: str) -> None:
    person = walker(work, shared)
    person.menu(f"{shared}p1", "delete")
    done(work, person, shared)
    other = walker(work, shared)
    assert other.rows[0].key == f"run:{run_of(work)}"
    other.key("U")
    other.key("y")
    assert state(run_of(work)) is RunState.UNDONE


def test_misaligned_partition_moves_with_all_its_files(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(256 * MIB)
    fill(drive, work.bench)
    old_gpt(drive, "first-lba: 34\\nstart=63,size=98304,name=first\\n")
    tool("mkfs.ext4", "-q", "-F", "-L", "old", f"{drive}p1")
    first = digest_of(f"{drive}p1")
    person = walker(work, drive)
    person.menu(f"{drive}p1", "move")
    reviewed(person)
    run = done(work, person, drive)
    assert state(run) is RunState.DONE, story(run)
    assert digest_of(f"{drive}p1") == first
    start = int(tool("blkid", "-p", "-o", "value", "-s", "PART_ENTRY_OFFSET", f"{drive}p1"))
    assert start > 63 and start % 2048 == 0
    person.settle("U")
    assert state(run) is RunState.UNDONE, story(run)
    assert digest_of(f"{drive}p1") == first
