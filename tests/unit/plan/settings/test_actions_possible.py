"""Possible actions on existing content, the reasons against others, and refused forgeries."""

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, gpt, machine, partition
from tests.unit.report.reports import RECORDINGS
from wizard.filesystems.registry import KINDS
from wizard.model.errors import BadInput
from wizard.model.machine import Drive, Machine, Signature, Use
from wizard.model.requests import Attach, Detach, NewUuid, Release, SetLabel, SwitchOff, Wanted
from wizard.operations.fstab import LineEdit, edit_of
from wizard.operations.layers import StopLayer
from wizard.operations.mounts import Mount, Remount, Unmount
from wizard.operations.operation import Context, Setting
from wizard.operations.rules import label_fault_of, old_label_fault
from wizard.operations.settings import PowerOff, Relabel
from wizard.plan.changes import SETTINGS, Changes
from wizard.plan.dangers import known_identity
from wizard.plan.plan import steps_of
from wizard.plan.settings.possible import (
    driver_of,
    why_not_mount,
    why_not_power_off,
    why_not_relabel,
    why_not_remount,
    why_not_unmount,
)
from wizard.probe.host.uses import ELSEWHERE, HIDDEN_AT
from wizard.probe.machine import load_machine

PART = "/dev/sda1"
UUID = "0d2c3b7a-0000-4000-8000-000000000001"


def held(filesystem: str | None = "ext4", *uses: Use, **changes: Any) -> Drive:  # noqa: ANN401
    part = partition(filesystem=filesystem) if filesystem else partition()
    return drive(**{"table": gpt(), "partitions": (part,), "uses": uses, **changes})


def at(place: str = "/srv/films") -> Use:
    return Use("mounted", PART, place)


ROOT = Use("running-system", PART, "/")
SWAP = Use("swap", PART, "swap")
LOOP = Use("loop-backing", PART, "/dev/loop7")
UNSEEN = f"{PART} is mounted outside this session's view; unmount {PART} there."
HIDDEN = Use("mounted", PART, ELSEWHERE)
# In this session the same path may be another mount, which must not be unmounted.
OF_OTHERS = Use("mounted", PART, HIDDEN_AT(place="/srv/films"))


@pytest.mark.parametrize(
    ("on", "says"),
    [
        (held(), None),
        (held("ext4", at()), None),
        (held("ext4", at(), ROOT), None),
        (held("ext2", at()), None),
        (held("xfs", at()), None),
        (held("vfat"), None),
        (held("swap"), None),
        (held("vfat", at()), "FAT32 accepts a new label only while unmounted; unmount /srv/films first."),
        (held("xfs", HIDDEN), UNSEEN),
        (held("swap", SWAP), f"{PART} is in use as swap; run swapoff first."),
        (held("ext4", LOOP), f"{PART} backs the loop device /dev/loop7; detach that first."),
        (held("crypto_LUKS"), f"{PART} contains crypto_LUKS, not a filesystem."),
        (held(None), f"{PART} contains no filesystem."),
        (held(None, content_digest=None), f"Cannot read the contents of {PART}: run as root."),
        (held("ufs"), "diskwright cannot change the label of UFS2."),
        (held(read_only=True), "/dev/sda is read-only."),
    ],
)
def test_reasons_against_changing_a_label(on: Drive, says: str | None) -> None:
    reason = why_not_relabel(on, PART)
    assert (str(reason) if reason else None) == says


@pytest.mark.parametrize(
    ("on", "possible"),
    [
        (held(), True),
        (held("xfs"), True),
        (held("btrfs"), True),
        (held("swap"), True),
        (held("ext4", at()), False),
        (held("xfs", HIDDEN), False),
        (held("swap", SWAP), False),
        (held("ext4", LOOP), False),
        (held("jfs"), False),
        (held("crypto_LUKS"), False),
        (held(read_only=True), False),
    ],
)
def test_uuid_is_changed_only_on_an_unmounted_filesystem(on: Drive, possible: bool) -> None:
    assert (why_not_relabel(on, PART, uuid=True) is None) is possible


def test_filesystem_on_a_whole_drive_works_too() -> None:
    on = drive(signatures=(Signature("ext4", "filesystem"),))
    assert why_not_relabel(on, "/dev/sda") is None
    both = drive(signatures=(Signature("ext4", "filesystem"), Signature("xfs", "filesystem")))
    assert str(why_not_relabel(both, "/dev/sda")) == ("/dev/sda contains ext4 and xfs, not a filesystem.")


@pytest.mark.parametrize(
    ("on", "boot", "says"),
    [
        (held(), False, None),
        (held("ext3"), False, None),
        (held("ext4", at()), False, f"{PART} is already mounted at /srv/films."),
        (held("ext4", at()), True, None),
        (held("swap"), False, f"{PART} contains swap, which is never mounted."),
        (held("reiser4"), False, "This kernel cannot mount Reiser4."),
        (held("ext4", LOOP), False, f"{PART} backs the loop device /dev/loop7; detach that first."),
    ],
)
def test_reasons_against_mounting(on: Drive, boot: bool, says: str | None) -> None:
    reason = why_not_mount(machine(on), on, PART, boot=boot)
    assert (str(reason) if reason else None) == says


@pytest.mark.parametrize(
    ("drivers", "tools", "driver"),
    [
        ({"ntfs3"}, (), "ntfs3"),
        ({"ntfs3", "fuse"}, ("mount.ntfs-3g",), "ntfs3"),
        ({"fuse"}, ("mount.ntfs-3g",), "ntfs-3g"),
        ({"fuseblk"}, ("mount.ntfs-3g",), "ntfs-3g"),
        ({"fuse"}, (), None),
        ({"ext4"}, ("mount.ntfs-3g",), None),
    ],
)
def test_ntfs_is_mounted_by_either_driver(
    drivers: set[str], tools: tuple[str, ...], driver: str | None
) -> None:
    on = held("ntfs")
    plain = machine(on, tools=tuple((name, f"/sbin/{name}") for name in tools))
    seen = replace(plain, kernel=replace(plain.kernel, filesystems=frozenset(drivers)))
    assert driver_of(seen, KINDS["ntfs"]) == driver
    assert (why_not_mount(seen, on, PART) is None) is (driver is not None)


@pytest.mark.parametrize(
    ("on", "boot", "says"),
    [
        (held("ext4", at()), False, None),
        (held(), True, None),
        (held(), False, f"{PART} is not mounted."),
        (held("ext4", at("/"), ROOT), False, f"The running system needs {PART} (/)."),
        (held("ext4", OF_OTHERS), False, UNSEEN),
        (
            held("ext4", HIDDEN),
            False,
            UNSEEN,
        ),
    ],
)
def test_reasons_against_unmounting(on: Drive, boot: bool, says: str | None) -> None:
    reason = why_not_unmount(on, PART, boot=boot)
    assert (str(reason) if reason else None) == says


def test_reasons_against_changing_options() -> None:
    assert why_not_remount(held(), PART, has_line=True) is None
    assert (
        str(why_not_remount(held("swap"), PART, has_line=True))
        == f"{PART} contains swap, which is never mounted."
    )


@pytest.mark.parametrize(
    ("on", "says"),
    [
        (held("ext4", bus="usb"), None),
        (held("ext4", at(), bus="usb"), None),
        (held("ext4", bus="sata", removable=True), None),
        (held(), "/dev/sda is not a removable drive."),
        (held(bus="loop", removable=True), "/dev/sda is not a removable drive."),
        (held(bus="nvme"), "/dev/sda is not a removable drive."),
        (held("ext4", at("/"), ROOT, bus="usb"), f"The running system needs {PART} (/)."),
        (held("swap", SWAP, bus="usb"), f"{PART} is in use as swap; run swapoff first."),
        (
            held("ext4", HIDDEN, bus="usb"),
            UNSEEN,
        ),
    ],
)
def test_reasons_against_powering_off(on: Drive, says: str | None) -> None:
    reason = why_not_power_off(on)
    assert (str(reason) if reason else None) == says


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_recorded_machine_gets_an_answer(path: Any) -> None:  # noqa: ANN401
    """Every reason is a sentence."""
    seen: Machine = load_machine(path)
    for one in seen.drives:
        devices = [one.path, *(part.path for part in one.partitions)]
        reasons = [why_not_power_off(one)]
        for ask in (
            why_not_relabel,
            partial(why_not_mount, seen),
            why_not_unmount,
            partial(why_not_remount, has_line=False),
        ):
            reasons += [ask(one, device) for device in devices]
        said = [str(reason) for reason in reasons if reason is not None]
        assert said and all(one.endswith(".") and "{" not in one for one in said)


@pytest.mark.parametrize(
    ("filesystem", "label", "fault"),
    [
        ("ext2", "sixteen-letters!", None),
        ("ext3", "seventeen-letters", "is longer than the 16 bytes"),
        ("xfs", "a b", "contains a blank"),
        ("xfs", 'a"b', "contains a blank or quotation mark"),
        ("xfs", "--", "begins with --"),
        ("ntfs", "-x", "begins with a dash"),
        ("vfat", "small", "lowercase letters"),
        ("ext4", "", "is empty"),
        ("ufs", "x", "cannot be changed"),
    ],
)
def test_valid_and_invalid_labels(filesystem: str, label: str, fault: str | None) -> None:
    found = label_fault_of(label, filesystem)
    assert found is None if fault is None else fault in str(found)


def test_old_label_must_be_restorable() -> None:
    assert old_label_fault("", "xfs") is None and old_label_fault("/home", "ext4") is None
    assert old_label_fault("a b", "xfs") and old_label_fault("a\N{REPLACEMENT CHARACTER}", "vfat")
    assert old_label_fault("a\x07", "ext4")


def test_removed_mount_options_are_negated_by_name() -> None:
    old, new = ("rw", "nodev", "noexec", "noatime"), ("rw", "noexec", "relatime")
    operation = Remount(PART, "/srv/a", old, new)
    assert operation.commands() == (("mount", "-o", "remount,rw,noexec,relatime,dev", PART, "/srv/a"),)
    assert operation.commands_to(new=False) == (
        ("mount", "-o", "remount,rw,nodev,noexec,noatime", PART, "/srv/a"),
    )
    (step,) = steps_of([operation], Context(wanting(LABEL).drive))
    assert step.sentence == (
        f"Remount {PART} at /srv/a with rw, noexec, relatime instead of rw, nodev, noexec, noatime "
        "while in use."
    )


TEXT = "# mine\nLABEL=old\t/a ext4 nofail 0 2\nUUID=1 /b ext4 nofail 0 2\n# end"


edits = partial(edit_of, "/etc/fstab", TEXT)
CHANGED = LineEdit(2, "LABEL=old\t/a ext4 nofail 0 2", "LABEL=new\t/a ext4 nofail 0 2")
GONE = LineEdit(3, "UUID=1 /b ext4 nofail 0 2", None)
FIRST_GONE = LineEdit(1, "# mine", None)
ADDED = LineEdit(0, None, "UUID=2 /c ext4 nofail 0 2")


@pytest.mark.parametrize("lines", [(CHANGED,), (GONE,), (ADDED,), (CHANGED, GONE, ADDED), (FIRST_GONE, GONE)])
def test_lines_are_changed_and_restored_byte_for_byte(lines: tuple[LineEdit, ...]) -> None:
    operation = edits(*lines)
    after = operation.edited(TEXT)
    assert after is not None and operation.is_edited(after) and not operation.is_edited(TEXT)
    assert operation.restored(after) == TEXT and operation.restored(TEXT) == TEXT
    assert operation.edited(f"{TEXT}\n") is None, "another file by now"
    theirs = f"{after.rstrip()}\nUUID=9 /new ext4 nofail 0 2\n"
    back = operation.restored(theirs).split("\n")
    assert "UUID=9 /new ext4 nofail 0 2" in back and {*TEXT.split("\n")} <= {*back}
    assert ADDED.new not in back and CHANGED.new not in back


def test_later_changed_line_is_unchanged() -> None:
    after = edits(CHANGED).edited(TEXT)
    assert after is not None
    theirs = after.replace("LABEL=new", "LABEL=theirs")
    assert edits(CHANGED).restored(theirs) == theirs


def wanting(wanted: Wanted, *operations: Setting, **fields: object) -> Changes:
    on = held()
    assert on.size_bytes is not None and on.geometry is not None
    identity = known_identity(machine(on), on)
    made = Changes(identity, PART, "ext4", UUID, wanted, steps_of(operations, Context(identity)))
    return replace(made, **fields)


LABEL = SetLabel("new")
RELABEL = Relabel(PART, "ext4", "", "old", "new")
OTHER_UUID = UUID.replace("1", "2")
RENUMBER = Relabel(PART, "ext4", "", UUID, OTHER_UUID, "uuid")
MOUNT = Mount(PART, "/srv/a", "ext4", ("noatime",))
UNMOUNT = Unmount(PART, "/srv/a", "ext4", ("rw", "noatime"))
POWER = PowerOff("/dev/sda", ("/sys/class/block/sda/device/delete",))
STOP = StopLayer("/dev/md0", "md", ("/dev/sda1", "/dev/sdb1"), UUID)
INACTIVE = StopLayer("nas", "lvm", ("/dev/md0",), volumes=("nas/films", "nas/my-mail"))
CLOSE = StopLayer("/dev/mapper/open", "luks", ("/dev/mapper/nas-films",))
WHOLE = {"device": "/dev/sda", "filesystem": "", "uuid": ""}


@pytest.mark.parametrize(
    "good",
    [
        wanting(LABEL, RELABEL, edits(CHANGED)),
        wanting(NewUuid(), RENUMBER),
        wanting(Attach(), MOUNT, edits(ADDED)),
        wanting(Detach(boot=True), UNMOUNT, edits(GONE)),
        wanting(SwitchOff(), UNMOUNT, POWER, **WHOLE),
        wanting(Release(), CLOSE, INACTIVE, STOP, **WHOLE),
        wanting(Release(), replace(STOP, name="/dev/md/nas:photos"), **WHOLE),
    ],
)
def test_action_document_is_consistent(good: Changes) -> None:
    SETTINGS.check(good)


@pytest.mark.parametrize(
    ("forged", "says"),
    [
        (wanting(LABEL, replace(RELABEL, device="/dev/sdb1")), "relabel"),
        (wanting(LABEL, replace(RELABEL, filesystem="xfs")), "relabel"),
        (wanting(LABEL, replace(RELABEL, new="seventeen-letters")), "relabel"),
        (wanting(LABEL, MOUNT), "steps"),
        (wanting(LABEL, RENUMBER), "relabel"),
        (wanting(NewUuid(), RELABEL), "relabel"),
        (wanting(NewUuid(), RENUMBER, edits(CHANGED)), "steps"),
        (wanting(NewUuid(), replace(RENUMBER, device="/dev/sda2")), "relabel"),
        (wanting(NewUuid(), replace(RENUMBER, filesystem="xfs")), "relabel"),
        (wanting(NewUuid(), replace(RENUMBER, old=OTHER_UUID)), "relabel"),
        (wanting(NewUuid(), replace(RENUMBER, new=UUID)), "relabel"),
        (wanting(NewUuid(), replace(RENUMBER, new="$(reboot)")), "relabel"),
        (wanting(LABEL, RELABEL, edits(GONE)), "edit-fstab"),
        (wanting(LABEL, RELABEL, edits(replace(CHANGED, new="LABEL=new /etc ext4 nofail"))), "edit-fstab"),
        (wanting(LABEL, RELABEL, edits(replace(CHANGED, old="UUID=1 /a ext4 nofail 0 2"))), "edit-fstab"),
        (wanting(Attach(), replace(MOUNT, mount_point="/etc")), "mount"),
        (wanting(Attach(), replace(MOUNT, options=("bind",))), "mount"),
        (wanting(Attach(), replace(MOUNT, filesystem="xfs")), "mount"),
        (wanting(Attach(), edits(GONE)), "edit-fstab"),
        (wanting(Detach(), edits(ADDED)), "edit-fstab"),
        (wanting(Detach(), replace(UNMOUNT, device="/dev/sda2")), "unmount"),
        (wanting(Detach(), replace(UNMOUNT, options=("rw,bind",))), "unmount"),
        (wanting(Detach(), POWER), "steps"),
        (wanting(SwitchOff(), replace(POWER, files=("/etc/passwd",)), **WHOLE), "power-off"),
        (wanting(SwitchOff(), replace(POWER, device=PART), **WHOLE), "power-off"),
        (wanting(SwitchOff(), POWER), "filesystem"),
        (wanting(Release(), STOP), "filesystem"),
        (wanting(Release(), POWER, **WHOLE), "steps"),
        (wanting(Release(), STOP, STOP, **WHOLE), "steps"),
        (wanting(Release(), replace(STOP, name="/dev/sda1"), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(STOP, name="/dev/md/../sda1"), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(CLOSE, name="/dev/md/nas"), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(STOP, device="/dev/sdb"), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(STOP, uuid="$(reboot)"), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(STOP, members=("--force",)), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(INACTIVE, device="-f"), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(INACTIVE, volumes=("other/root",)), **WHOLE), "stop-layer"),
        (wanting(Release(), replace(CLOSE, device="/dev/sda1"), **WHOLE), "stop-layer"),
    ],
)
def test_impossible_action_document_is_refused(forged: Changes, says: str) -> None:
    with pytest.raises(BadInput, match=f"invalid {says}"):
        SETTINGS.check(forged, "c.json")
