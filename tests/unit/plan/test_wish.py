"""`--volume`, and the rules for labels, mount points and options."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.advice.catalogue import OptionKind, load_catalogue
from wizard.model.ensure import WantedVolume
from wizard.model.errors import BadInput
from wizard.model.geometry import Geometry, Identity
from wizard.model.layout import TableEntry
from wizard.model.said import GIB, MIB
from wizard.operations.filesystem import MakeFilesystem
from wizard.operations.mounts import AddFstabLine, Mount
from wizard.operations.operation import Context
from wizard.operations.rules import (
    is_device_path,
    label_fault,
    mkfs_options_fault,
    mount_options_fault,
    mount_point_fault,
    partition_name,
)
from wizard.operations.table import WipeSignatures, WriteTable
from wizard.plan.request.volume_request import parse_volume

UUID = "11111111-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("workload=large-media", WantedVolume("large-media")),
        ("workload=large-media,size=rest", WantedVolume("large-media", size="rest")),
        ("role=esp", WantedVolume(role="esp")),
        ("role=home,workload=small-files,size=30%", WantedVolume("small-files", "home", "30%")),
        ("size=500G,workload=small-files", WantedVolume("small-files", size="500G")),
        (
            "mount=/srv/my files,fs=xfs,label=media,size=750GB,workload=large-media",
            WantedVolume("large-media", None, "750GB", "media", "/srv/my files", fs="xfs"),
        ),
        ("workload=x,label=$(reboot)", WantedVolume("x", label="$(reboot)")),
        ("workload=x,label=a=b", WantedVolume("x", label="a=b")),
    ],
)
def test_keys_come_in_any_order(text: str, wanted: WantedVolume) -> None:
    assert parse_volume(text) == wanted


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a key=value pair"),
        ("large-media", "is not a key=value pair"),
        ("workload=x,", "is not a key=value pair"),
        ("size=5G", "lacks a workload"),
        ("workload=x,workload=y", "sets workload twice"),
        ("workload=x,colour=red", "Unknown key 'colour'"),
        ("workload=x,size=lots", "'lots' is not a size"),
        ("workload=x,size=0", "has no space"),
        ("workload=x,size=-5G", "not a size"),
        ("workload=x,size=0%", "is not a valid share"),
        ("workload=x,size=101%", "is not a valid share"),
        ("workload=x,size=1.5%", "is not a valid share"),
        ("workload=x,size=%", "is not a valid share"),
        ("role=root2", "Unknown role 'root2'. Choose one of esp, boot, root, home, swap"),
        ("workload=x,role=", "Unknown role ''"),
        ("workload=x,mount=srv", "not an absolute path"),
        ("workload=x,mount=/proc/1", "running system"),
    ],
)
def test_impossible_volume_is_reported(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        parse_volume(text)
    assert str(caught.value).isprintable() and str(caught.value).endswith((".", "?"))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80))
def test_any_text_raises_only_input_errors(text: str) -> None:
    try:
        parse_volume(text)
    except BadInput as error:
        assert str(error).isprintable()


@pytest.mark.parametrize(
    ("label", "filesystem", "says"),
    [
        ("media", "ext4", None),
        ("$(reboot)", "xfs", None),
        ("a b; rm -rf ~", "ext4", None),
        ("x" * 16, "ext4", None),
        ("x" * 17, "ext4", "16 bytes"),
        ("ü" * 9, "ext4", "16 bytes"),
        ("x" * 13, "xfs", "12 bytes"),
        ("x" * 36, "btrfs", None),
        ("x" * 37, "btrfs", "36 characters"),
        ("😀" * 19, "btrfs", "36 characters"),
        ("x" * 200, "btrfs", "longer"),
        ("", "ext4", "empty"),
        (" a", "ext4", "space"),
        ("a/b", "ext4", "slash"),
        ("\x1b[2J", "ext4", "control"),
        ("a\nb", "ext4", "control"),
        ("a\u202eb", "ext4", "control"),
        ("\ud800", "btrfs", "control"),
    ],
)
def test_labels(label: str, filesystem: str, says: str | None) -> None:
    fault = label_fault(label, filesystem)
    assert fault is None if says is None else says in str(fault)


def test_partition_names_are_ascii_because_libparted_truncates_others() -> None:
    assert partition_name("Müsik $(x)") == "M_sik $(x)"


@pytest.mark.parametrize(
    ("path", "sound"),
    [
        ("/srv/media", True),
        ("/mnt/my files", True),
        ("/home", True),
        ("/media/ünï", True),
        ("/etcetera", True),
        ("/var/lib/libvirt", True),
        ("/usr/local", True),
        ("/", False),
        ("//", False),
        ("/srv/", False),
        ("/srv//a", False),
        ("/srv/./a", False),
        ("/srv/../etc", False),
        ("srv", False),
        ("", False),
        ("/etc", False),
        ("/etc/x", False),
        ("/proc", False),
        ("/sys/fs", False),
        ("/dev/shm", False),
        ("/run/media", False),
        ("/boot/efi", False),
        ("/usr", False),
        ("/usr/bin", False),
        ("/var", False),
        ("/lib64", False),
        ("/srv/a\tb", False),
        ("/srv/\x1b[2J", False),
        ("/" + "x" * 256, False),
        ("/x" * 600, False),
    ],
)
def test_mount_points(path: str, sound: bool) -> None:
    assert (mount_point_fault(path) is None) is sound


@pytest.mark.parametrize(
    ("filesystem", "words", "sound"),
    [
        ("ext4", "-m 0 -O metadata_csum,^has_journal -E lazy_itable_init=1,stride=16 -T largefile4", True),
        ("xfs", "-m reflink=1,crc=1 -d su=64k,sw=2 -i maxpct=25 -l size=64m -K", True),
        ("btrfs", "-m dup -d single --csum xxhash -O block-group-tree", True),
        ("btrfs", "--csum=xxhash", True),
        ("ext4", "/dev/vda", False),
        ("ext4", "-F", False),
        ("ext4", "-J device=/dev/vda", False),
        ("ext4", "-J device=UUID=1", False),
        ("ext4", "-d /etc", False),
        ("ext4", "-E offset=4096", False),
        ("ext4", "-m", False),
        ("ext4", "-m0", False),
        ("xfs", "-l logdev=sdb", False),
        ("xfs", "-r rtdev=sdb", False),
        ("xfs", "-d name=sdb", False),
        ("xfs", "-m uuid=1", False),
        ("btrfs", "-r etc", False),
        ("btrfs", "vda", False),
        ("btrfs", "-K=1", False),
        ("ext4", "-b 4096", True),
        ("ext4", "-b 4k", False),
        ("ext4", "-b 0", False),
    ],
)
def test_mkfs_options(filesystem: str, words: str, sound: bool) -> None:
    assert (mkfs_options_fault(filesystem, tuple(words.split())) is None) is sound


@pytest.mark.parametrize(
    ("option", "sound"),
    [
        ("noatime", True),
        ("compress=zstd:1", True),
        ("commit=30", True),
        ("data=ordered", True),
        ("space_cache=v2", True),
        ("loop", False),
        ("offset=5", False),
        ("bind", False),
        ("remount", False),
        ("noatime,bind", False),
        ("a b", False),
        ("subvol=/@", False),
        ("device=/dev/vda", False),
        ("logdev=8:1", False),
        ("x-systemd.automount", False),
        ("X-mount.mkdir", False),
        ("", False),
    ],
)
def test_mount_options(option: str, sound: bool) -> None:
    assert (mount_options_fault((option,)) is None) is sound


def test_every_recommendable_option_is_accepted() -> None:
    options = load_catalogue().values()
    assert len(options) > 10
    for option in options:
        for filesystem in option.filesystems if not option.never else ():
            if option.kind is OptionKind.MKFS:
                assert mkfs_options_fault(filesystem, tuple(option.text.split())) is None, option.text
            elif option.kind is OptionKind.MOUNT:
                assert mount_options_fault(tuple(option.text.split(","))) is None, option.text


@pytest.mark.parametrize("path", ["/dev/sda", "/dev/nvme0n1", "/dev/mapper/vg-lv", "/dev/cciss/c0d0"])
def test_device_paths(path: str) -> None:
    assert is_device_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "sda",
        "/dev",
        "/dev/",
        "/dev//sda",
        "/dev/../sda",
        "/devil/sda",
        "/dev/sd a",
        "/dev/\x1b",
        "/dev/sda\n",
        "-/dev/sda",
    ],
)
def test_other_paths_are_no_devices(path: str) -> None:
    assert not is_device_path(path)


def test_commands_ask_no_questions() -> None:
    assert WipeSignatures("/dev/sda", ("gpt",)).commands() == (("wipefs", "--all", "--quiet", "/dev/sda"),)
    assert MakeFilesystem("/dev/sda1", "ext4", UUID, "a b", ("-m", "0")).commands() == (
        ("mkfs.ext4", "-q", "-F", "-U", UUID, "-L", "a b", "-m", "0", "/dev/sda1"),
    )
    assert MakeFilesystem("/dev/sda1", "xfs", UUID, "x", ()).commands() == (
        ("mkfs.xfs", "-q", "-f", "-m", f"uuid={UUID}", "-L", "x", "/dev/sda1"),
    )
    assert MakeFilesystem("/dev/sda1", "btrfs", UUID, "x", ()).commands() == (
        ("mkfs.btrfs", "-q", "-f", "-U", UUID, "-L", "x", "/dev/sda1"),
    )
    assert Mount("/dev/sda1", "/srv/a b", "ext4", ("noatime", "lazytime")).commands() == (
        ("mount", "-t", "ext4", "-o", "noatime,lazytime", "/dev/sda1", "/srv/a b"),
    )
    assert Mount("/dev/sda1", "/srv/a", "ext4", ()).commands() == (
        ("mount", "-t", "ext4", "/dev/sda1", "/srv/a"),
    )


def test_fstab_lines_escape_separators() -> None:
    line = AddFstabLine(UUID, "/srv/a b#\\c", "ext4", ("noatime", "nofail"), 2).line
    assert line == f"UUID={UUID} /srv/a\\040b\\043\\134c ext4 noatime,nofail 0 2"


def test_table_edits_name_start_size_type_and_name() -> None:
    kept = TableEntry(1, 17408, MIB, "c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "", kept=True)
    new = TableEntry(2, 2 * MIB, GIB, "0fc63daf-8483-4772-8e79-3d69d8477de4", "media")
    drive = Identity("/dev/sda", (), None, None, None, GIB, Geometry(4096, 4096, 0, 4096, 0), None, None)
    lines = WriteTable("/dev/sda", "gpt", False, (kept, new)).edits(Context(drive))
    assert lines[0] == "the GPT on /dev/sda, with these entries"
    assert lines[1].startswith(
        "partition 1, preserved: start 17408 bytes (sector 4), size 1048576 bytes (1 MiB), type EFI system"
    )
    assert lines[2] == (
        "partition 2: start 2097152 bytes (sector 512), size 1073741824 bytes (1 GiB), "
        "type Linux filesystem (0fc63daf-8483-4772-8e79-3d69d8477de4), name 'media'"
    )
