"""Copying files: the document is read as written or refused, and lost attributes are reported."""

import ctypes
import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.earlier import sealed
from tests.unit.machines import drive, machine
from wizard.apply.block import devices
from wizard.apply.block.devices import drives_under
from wizard.apply.copy import copy_entry, places, survey
from wizard.apply.copy.copied import EntryList, entries_in
from wizard.apply.copy.copy_entry import TreeCopy, give_name
from wizard.apply.copy.places import FolderLocation
from wizard.apply.run import progress_log
from wizard.apply.run.progress_log import progress_sentence
from wizard.apply.tree.entries import EntryKind, TreeEntry, to_line
from wizard.apply.tree.manifest import open_folder
from wizard.filesystems.kind import EVERYTHING
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput
from wizard.model.said import GIB, MIB
from wizard.operations.fstab import LineEdit
from wizard.operations.mounts import Top
from wizard.plan.changes import Bring, BringAmount, BringFrom, BringStep, BringTo, TakePlace
from wizard.plan.copy import BRINGS, losses_of, moved, name_fault, place_edit, size_fault, takes_fault
from wizard.plan.dangers import known_identity
from wizard.probe.host.sysfs import mounts_in

FOUND = drive()
assert FOUND.size_bytes is not None and FOUND.geometry is not None
IDENTITY = known_identity(machine(FOUND), FOUND)
SOURCE = BringFrom("/home/anna", False, "ext4", "0d2c", ("/home/anna/usb",))
TARGET = BringTo("/dev/sda1", "xfs", "1e3f", "/srv", "/srv/old/anna", ("/srv/old", "/srv/old/anna"))
AMOUNT = BringAmount(100, 80, 5 * MIB, 6 * MIB, links=3, names=2, others=1)
BRING = Bring(IDENTITY, SOURCE, TARGET, AMOUNT)

FSTAB = "UUID=1e3f /srv/new xfs nofail,noatime 0 0\nUUID=0d2c /home ext4 defaults 0 2\nproc /proc proc\n"
TAKES = replace(
    BRING,
    source=BringFrom("/home", False, "ext4", "0d2c"),
    target=BringTo("/dev/sda1", "xfs", "1e3f", "/srv/new", "/srv/new"),
    takes=TakePlace(
        "/home",
        "/dev/sdb1",
        "0d2c",
        place_edit("/etc/fstab", FSTAB, 2, 1, "UUID=1e3f /srv/new xfs nofail,noatime 0 0"),
        Top(0, 0, 0o755),
    ),
)
"""The volume takes the place of /home."""


def told(bring: Bring) -> str:
    return " ".join(map(str, losses_of(bring)))


def on(filesystem: str, source: str = "ext4") -> Bring:
    return replace(
        BRING, target=replace(TARGET, filesystem=filesystem), source=replace(SOURCE, filesystem=source)
    )


def test_document_is_read_as_written() -> None:
    text = BRINGS.render(BRING)
    assert json.loads(text)["schema"] == BRINGS.schema == "diskwright.bring/1"
    read = BRINGS.read(text, "it")
    assert read == replace(BRING, doubts=losses_of(BRING)) and read.doubts
    # Names need not be text.
    odd = replace(BRING, source=replace(SOURCE, path=os.fsdecode(b"/home/\xff")))
    assert os.fsencode(BRINGS.read(BRINGS.render(odd), "it").source.path) == b"/home/\xff"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda body: body.pop("amount"),
        lambda body: body.__setitem__("more", 1),
        lambda body: body["source"].__setitem__("path", "home"),
        lambda body: body["source"].__setitem__("path", "/home/../etc"),
        lambda body: body["source"].__setitem__("is_device", True),
        lambda body: body["target"].__setitem__("device", "/tmp/disk"),
        lambda body: body["target"].__setitem__("folder", "/etc"),
        lambda body: body["target"].__setitem__("makes", ["/srv/old"]),
        lambda body: body["target"].__setitem__("makes", ["/srv", "/srv/old", "/srv/old/anna"]),
        lambda body: body["target"].__setitem__("filesystem", "swap"),
        lambda body: body["amount"].__setitem__("files", -1),
        lambda body: body["amount"].__setitem__("entries", 7),
    ],
)
def test_impossible_document_is_refused(
    spoil: Callable[[dict[str, object]], object],
) -> None:
    body = json.loads(BRINGS.render(BRING))
    del body["schema"], body["digest"]
    BRINGS.read(sealed(body, BRINGS.schema), "it")
    spoil(body)
    with pytest.raises(BadInput):
        BRINGS.read(sealed(body, BRINGS.schema), "it")


def test_changed_document_is_refused() -> None:
    with pytest.raises(BadInput):
        BRINGS.read(BRINGS.render(BRING).replace("/home/anna", "/home/anne"), "it")


def test_attributes_lost_on_linux_filesystems() -> None:
    assert told(on("ext4")) == "Not copied because on another filesystem: /home/anna/usb."
    assert "Flags of chattr unknown to XFS" in told(on("xfs"))
    assert "multiples of 1 s." in told(on("ext3"))


@pytest.mark.parametrize("filesystem", ["vfat", "exfat", "ntfs"])
def test_attributes_lost_on_windows_filesystems(filesystem: str) -> None:
    said, title = told(on(filesystem)), KINDS[filesystem].title
    assert f"{title} does not store owners, permissions" in said
    for count in ("4 are omitted", "2 extra names"):
        assert count in said
    assert ("does not support holes" in said) is (filesystem != "ntfs")
    back = told(on("ext4", filesystem))
    assert f"{title} does not store owners. The copies belong to" in back
    assert "not store owners." not in told(on(filesystem, "ext4"))


def test_impossible_names_and_sizes() -> None:
    for name, fits in (
        ("plain.txt", True),
        ("what?", False),
        ("a:b", False),
        ("end.", False),
        ("x\n", False),
    ):
        assert (name_fault(name, "vfat") is None) is fits, name
        assert name_fault(name, "ext4") is None
    assert (
        size_fault(4 * GIB, "vfat")
        and not size_fault(4 * GIB - 1, "vfat")
        and not size_fault(4 * GIB, "exfat")
    )


def entry(**fields: object) -> TreeEntry:
    made = TreeEntry(
        b"a", EntryKind.FILE, 0o640, 5, 6, 10, "", 1_234_567_890_123_456_789, 7, 8, 9, 2, b"b", b"", 0x10,
        (("user.a", "00"), ("btrfs.compression", "11")), "digest", "10 in 1, 00",
    )  # fmt: skip
    return made._replace(**fields)  # type: ignore[arg-type]


def test_speed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, 10.0))
    monkeypatch.setattr(progress_log, "monotonic", lambda: next(clock))
    progress_log.noting(tmp_path, 1, (0.5, 1.0), 200_000_000)(0.5)
    seen = progress_log.read_progress(tmp_path)
    assert seen == progress_log.StepProgress(1, 0.75, 10.0, 10_000_000.0)
    assert progress_sentence(seen) == "Step 1 is at 75 percent, about 10 s left, at 10.0 MB a second."


def test_drives_below_every_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "SYS_BLOCK", tmp_path / "class/block")
    for name in ("sda/sda1", "sdb", "dm-0", "dm-1"):
        (tmp_path / "devices" / name / "slaves").mkdir(parents=True)
    (tmp_path / "devices/sda/slaves").mkdir()
    (tmp_path / "devices/sda/sda1/partition").write_text("1")
    for above, below in (("dm-0", "sda/sda1"), ("dm-1", "dm-0"), ("dm-1", "sdb")):
        (tmp_path / f"devices/{above}/slaves/{Path(below).name}").symlink_to(tmp_path / "devices" / below)
    (tmp_path / "class/block").mkdir(parents=True)
    for name in ("sda", "sda/sda1", "sdb", "dm-0", "dm-1"):
        (tmp_path / "class/block" / Path(name).name).symlink_to(tmp_path / "devices" / name)
    assert drives_under("/dev/sda1") == ("/dev/sda",)
    assert drives_under("/dev/dm-0") == ("/dev/sda",)
    assert drives_under("/dev/dm-1") == ("/dev/sda", "/dev/sdb")


def test_overlapping_places() -> None:
    mounts = [
        *mounts_in(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
            "2 1 8:2 / /srv rw - xfs /dev/sdb1 rw\n"
            "3 1 8:2 /in/side /mnt rw - xfs /dev/sdb1 rw\n"
        )
    ]

    def ground(folder: str, at: int) -> FolderLocation:
        return FolderLocation(Path(folder), mounts[at])

    assert ground("/srv", 1).overlaps(ground("/srv/a/b", 1)) and ground("/srv/a", 1).overlaps(
        ground("/srv", 1)
    )
    assert not ground("/srv/a", 1).overlaps(ground("/srv/ab", 1))
    assert not ground("/", 0).overlaps(ground("/srv", 1))
    # The same folder by another mount.
    assert ground("/srv/in", 1).overlaps(ground("/mnt/x", 2))
    assert ground("/srv/in/side/x", 1).overlaps(ground("/mnt/x", 2))
    assert not ground("/srv/other", 1).overlaps(ground("/mnt", 2))


def test_folder_is_read_if_its_device_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(device: str) -> places.DeviceFilesystem:
        raise BadInput(f"{device} cannot be opened.")

    monkeypatch.setattr(places, "held_on", unreadable)
    monkeypatch.setattr(places, "device_of", lambda _: "/dev/vda")
    source, _ = survey._source(str(tmp_path))
    assert source.path == str(tmp_path.resolve()) and source.filesystem and source.uuid == ""


def test_volume_takes_over_the_fstab_line_and_returns_it() -> None:
    assert TAKES.takes is not None and TAKES.steps[-1] is BringStep.TAKE_PLACE
    assert BringStep.TAKE_PLACE not in BRING.steps
    after = TAKES.takes.edit.edited(FSTAB)
    # The new line stands where the old one stood, so what is mounted below the place comes behind it.
    assert after == (
        "# before diskwright: UUID=0d2c /home ext4 defaults 0 2\n"
        "UUID=1e3f /home xfs noatime 0 0\n"
        "proc /proc proc\n"
    )
    assert TAKES.takes.edit.is_edited(after) and TAKES.takes.edit.restored(after) == FSTAB
    # Another line that came since stays.
    assert TAKES.takes.edit.restored(after + "tmpfs /x tmpfs\n") == FSTAB + "tmpfs /x tmpfs\n"
    text = "UUID=0d2c\t/home\text4"
    edit = place_edit("/etc/fstab", text, 1, None, "UUID=1e3f /home xfs defaults 0 0")
    after = edit.edited(text)
    assert after == "UUID=1e3f /home xfs defaults 0 0\n# before diskwright: UUID=0d2c\t/home\text4\n"
    assert edit.restored(after) == text
    # A comment of an earlier run is another line.
    twice = place_edit("/etc/fstab", FSTAB + after, 2, 1, "UUID=1e3f /srv/new xfs nofail,noatime 0 0")
    again = place_edit(
        "/etc/fstab", twice.edited(FSTAB + after) or "", 2, None, "UUID=9 /home xfs defaults 0 0"
    )
    assert again.is_edited(again.edited(twice.edited(FSTAB + after) or "") or "")


def test_options_of_a_mount_point_are_preserved() -> None:
    old = "UUID=1 /home\\040of ext4 nosuid,nodev,ro,data=journal 0 2"
    assert moved("UUID=2\t/srv/a  xfs", old) == "UUID=2\t/home\\040of  xfs nosuid,nodev"
    assert moved("UUID=2 /srv/a xfs nofail,noexec,noatime 0 0", old) == (
        "UUID=2 /home\\040of xfs noatime,nosuid,nodev 0 0"
    )
    assert moved("UUID=2 /srv/a xfs nofail 0 0", "UUID=1 /home ext4") == "UUID=2 /home xfs defaults 0 0"


def test_unsuitable_places_are_refused() -> None:
    assert "boot loader" in str(takes_fault("/"))
    assert all(takes_fault(place) for place in ("/boot", "/boot/efi", "/usr", "/etc"))
    assert takes_fault("/home") is None and takes_fault("/srv/x") is None


@pytest.mark.parametrize(
    "lines",
    [
        (),
        (LineEdit(2, "UUID=0d2c /home ext4 defaults 0 2", None), LineEdit(0, None, "# x")),
        (
            LineEdit(2, "UUID=0d2c /home ext4 defaults 0 2", "UUID=9 / xfs defaults 0 0"),
            LineEdit(0, None, "# before diskwright: UUID=0d2c /home ext4 defaults 0 2"),
        ),
        (
            LineEdit(2, "UUID=0d2c /home ext4 defaults 0 2", "UUID=1e3f /home xfs defaults 0 0"),
            LineEdit(0, None, "UUID=0d2c /root ext4 defaults 0 2"),
        ),
        (
            LineEdit(3, "UUID=0d2c /var ext4 defaults 0 2", "UUID=1e3f /var xfs defaults 0 0"),
            LineEdit(0, None, "# before diskwright: UUID=0d2c /var ext4 defaults 0 2"),
        ),
    ],
)
def test_no_document_changes_fstab_otherwise(lines: tuple[LineEdit, ...]) -> None:
    assert BRINGS.read(BRINGS.render(TAKES), "it").takes == TAKES.takes
    assert TAKES.takes is not None
    edit = replace(TAKES.takes.edit, lines=lines)
    with pytest.raises(BadInput, match="invalid takes"):
        BRINGS.read(BRINGS.render(replace(TAKES, takes=replace(TAKES.takes, edit=edit))), "it")


def test_no_document_replaces_the_root() -> None:
    assert TAKES.takes is not None
    wrong = replace(TAKES, takes=replace(TAKES.takes, place="/"))
    with pytest.raises(BadInput, match="invalid takes"):
        BRINGS.read(BRINGS.render(wrong), "it")


def test_entries_after_the_last_count_are_dropped(tmp_path: Path) -> None:
    def record(*paths: bytes) -> None:
        recorder = EntryList(tmp_path / "list")
        recorder.add([to_line(entry(path=path)) for path in paths])
        recorder.close()

    def recorded() -> list[bytes]:
        return [one.path for one in entries_in(tmp_path / "list")]

    assert recorded() == []
    record(b"a", b"b")
    # A power cut leaves anything after what was synced.
    for torn in (
        to_line(entry(path=b"c")) + b"\n",
        to_line(entry(path=b"c"))[:40],
        b"\0" * 5000,
        b'{"entries',
    ):
        before = recorded()
        with (tmp_path / "list").open("ab") as file:
            file.write(torn)
        assert recorded() == before
        record(b"d")
        assert recorded() == [*before, b"d"]


def test_file_gets_its_name_without_support_for_the_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OldFuse:
        def renameat2(self, *_: object) -> int:
            ctypes.set_errno(errno.EINVAL)
            return -1

    monkeypatch.setattr(copy_entry, "LIBRARY", OldFuse())
    with open_folder(tmp_path) as top:
        copy = TreeCopy(top, top, EVERYTHING, b"run")
        for content in ("copied", "again"):
            (tmp_path / os.fsdecode(copy.temporary(b"a"))).write_text(content)
            if content == "copied":
                give_name(copy, b"a")
        with pytest.raises(FileExistsError):
            give_name(copy, b"a")
        assert (tmp_path / "a").read_text() == "copied"
        give_name(copy, b"a", replace=True)
    assert (tmp_path / "a").read_text() == "again"


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"",
        lambda text: b"\xff\0" * 300,
        lambda text: text.replace(b'"b"', b'"b'),
        lambda text: text.replace(b'["b"', b'"b"'),
    ],
)
def test_damaged_list_is_refused(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    recorder = EntryList(tmp_path / "list")
    for path in (b"a", b"b", b"c"):
        recorder.add([to_line(entry(path=path))])
    recorder.close()
    (tmp_path / "list").write_bytes(damage((tmp_path / "list").read_bytes()))
    with pytest.raises(BadInput):
        list(entries_in(tmp_path / "list"))
