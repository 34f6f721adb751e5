"""Grow one partition and the filesystem into the free space after the partition. Neighbours stay
unchanged."""

import hashlib
import os
import random
import shutil

import pytest

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, stand_in, story, until
from tests.loop.partition.test_one_partition import Shared
from tests.loop.program import KIB, MIB, Refused, RunState, is_locked, keep, resume, state, undo
from wizard.process.program import run as run_command

EXT = ("mkfs.ext4", "-q", "-F", "-b", "4096", "-L", "films", "-t")
MAKERS = {
    **{name: (*EXT, name) for name in ("ext2", "ext3", "ext4")},
    "today's ext4": (*EXT, "ext4", "-O", "orphan_file,metadata_csum_seed"),
    "small ext4": ("mkfs.ext4", "-q", "-F", "-b", "1024", "-L", "films"),
    "xfs": ("mkfs.xfs", "-q", "-f", "-L", "films"),
    "plain xfs": ("mkfs.xfs", "-q", "-f", "-L", "films", "-m", "reflink=0,finobt=0"),
    "btrfs": ("mkfs.btrfs", "-q", "-f", "-L", "films"),
    "ntfs": ("mkfs.ntfs", "-Q", "-q", "-F", "-L", "films"),
    "small xfs": ("mkfs.xfs", "-q", "-f", "-L", "films", "-b", "size=1024"),
    "mixed btrfs": ("mkfs.btrfs", "-q", "-f", "-L", "films", "--mixed"),
    "old btrfs": ("mkfs.btrfs", "-q", "-f", "-L", "films", "-R", "^free-space-tree"),
}


CHECKS = {
    **{name: ("e2fsck", "-f", "-n") for name in ("ext2", "ext3", "ext4")},
    "xfs": ("xfs_repair", "-n"),
    "ntfs": ("ntfsresize", "--check"),
    "btrfs": ("btrfs", "check", "--readonly", "--check-data-csum"),
}
ENDS = {
    "gpt": (50 * MIB, 70 * MIB),
    "mbr": (50 * MIB, 70 * MIB),
    "large": (9 * MIB, 991 * MIB),
    "askew": (18495 * 512, 1000 * MIB - 18495 * 512),
}
"""Where the partition begins that has grown, and how large it is."""


XFS_MDRESTORE_ZEROS = 256 * KIB
"""What it writes at the end, where a machine word has 8 bytes (xfsprogs 6.1, mdrestore/xfs_mdrestore.c)."""


def filled(drive: Shared, filesystem: str) -> str:
    """Format the middle partition with many files, and return their fingerprint."""
    drive.work.bench.own(drive.path)
    tool(*MAKERS[filesystem], drive.node(drive.number))
    with drive.mounted(drive.number) as place:
        for number in range(300):
            folder = place / f"folder{number % 7}"
            folder.mkdir(exist_ok=True)
            (folder / f"file{number}").write_bytes(hashlib.sha256(b"%d" % number).digest() * number * 8)
        (place / "large").write_bytes(random.Random(12).randbytes(20 * MIB))
        (place / "link").symlink_to("x" * 200)
    drive.was = drive.work.digest(drive.path)
    return files_of(drive)


def files_of(drive: Shared) -> str:
    sums = hashlib.sha256()
    with drive.mounted(drive.number) as place:
        for path in sorted(place.rglob("*")):
            sums.update(str(path.relative_to(place)).encode())
            if path.is_file() and not path.is_symlink():
                sums.update(path.read_bytes())
    return sums.hexdigest()


GROWN = (
    ("gpt", 512, "ext4"),
    ("gpt", 4096, "ext4"),
    ("askew", 512, "today's ext4"),
    ("gpt", 512, "small ext4"),
    ("mbr", 512, "ext3"),
    ("mbr", 512, "ext2"),
    ("large", 512, "xfs"),
    ("large", 4096, "xfs"),
    ("large", 512, "btrfs"),
    ("large", 512, "old btrfs"),
    ("askew", 512, "small xfs"),
    ("large", 512, "mixed btrfs"),
)


@pytest.mark.parametrize(("kind", "block_bytes", "filesystem"), one_in(3, GROWN))
def test_growing_preserves_files_and_neighbours(
    work: Work, make_drive: MakeDrive, kind: str, block_bytes: int, filesystem: str
) -> None:
    drive = Shared(work, make_drive, kind, block_bytes)
    files = filled(drive, filesystem)
    with drive.mounted(1), drive.mounted(3):
        others = drive.others()
        run, state = work.apply(drive.grow_plan(), keep=False)
        assert state is RunState.WAITING, story(run)
        assert not drive.probed()[1].signatures
        keep(run)
        assert ended(run) is RunState.KEPT, story(run)
        assert drive.others() == others
        part = drive.probed()[1]
        start, size = ENDS[kind]
        assert (part.start_bytes, part.size_bytes, part.kernel_size_bytes) == (start, size, size)
    tool(*CHECKS[filesystem.split()[-1]], drive.node(2))
    with drive.mounted(2) as place:
        status = os.statvfs(place)
        assert status.f_blocks * status.f_frsize > size * 6 // 7
        (place / "new").write_bytes(bytes(MIB))
        (place / "new").unlink()
    assert files_of(drive) == files
    for number, name in ((1, "before"), (3, "behind")):
        with drive.mounted(number) as place:
            assert (place / "kept").read_bytes() == name.encode() * 1000


@pytest.mark.parametrize("filesystem", one_in(3, ("ext4", "xfs", "btrfs")))
def test_filesystem_grows_into_part_of_the_free_space(
    work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    drive = Shared(work, make_drive, "large", 512)
    files = filled(drive, filesystem)
    was = work.digest(drive.path)
    run, state = work.apply(drive.grow_plan(700 * MIB - 5), keep=False)
    assert state is RunState.WAITING, story(run)
    undo(run)
    assert ended(run) is RunState.UNDONE and work.digest(drive.path) == was, story(run)
    run, state = work.apply(drive.grow_plan(700 * MIB))
    assert state is RunState.DONE, story(run)
    known, part = drive.probed()
    assert part.size_bytes == 700 * MIB
    assert any(one.start_bytes == part.end_bytes for one in known.free)
    tool(*CHECKS[filesystem], drive.node(2))
    assert files_of(drive) == files


@pytest.mark.parametrize(
    ("kind", "filesystem"), one_in(3, [("gpt", "ext4"), ("large", "plain xfs"), ("large", "btrfs")])
)
def test_full_filesystem_grows(work: Work, make_drive: MakeDrive, kind: str, filesystem: str) -> None:
    """Check a full filesystem with no reserved blocks, and files in the area that xfs_mdrestore zeros."""
    drive = Shared(work, make_drive, kind, 512)
    filled(drive, filesystem)
    piece = bytes(range(1, 256)) * 257
    with drive.mounted(2) as place:
        if filesystem == "plain xfs":
            tool("xfs_io", "-x", "-c", "resblks 0", str(place))
        for size in (len(piece), 4096):
            with pytest.raises(OSError, match="No space"), (place / f"of{size}").open("wb") as file:
                while file.write(piece[:size]):
                    file.flush()
    if filesystem == "plain xfs":
        old = drive.probed()[1]
        with work.bench.image_of(drive.path).open("rb") as image:
            image.seek(old.end_bytes - XFS_MDRESTORE_ZEROS)
            assert any(image.read(4096) in piece * 2 for _ in range(XFS_MDRESTORE_ZEROS // 4096))
    files = files_of(drive)
    run, state = work.apply(drive.grow_plan())
    assert state is RunState.DONE, story(run)
    tool(*CHECKS[filesystem.split()[-1]], drive.node(2))
    assert files_of(drive) == files


@pytest.mark.parametrize(
    ("kind", "filesystem"),
    one_in(4, [("gpt", "ext4"), ("large", "xfs"), ("large", "btrfs"), ("large", "old btrfs")]),
)
def test_growing_is_undone_bit_for_bit(work: Work, make_drive: MakeDrive, kind: str, filesystem: str) -> None:
    drive = Shared(work, make_drive, kind, 512)
    files = filled(drive, filesystem)
    was = work.digest(drive.path)
    run, state = work.apply(drive.grow_plan(), keep=False)
    assert state is RunState.WAITING, story(run)
    assert work.digest(drive.path) != was
    undo(run)
    assert ended(run) is RunState.UNDONE, story(run)
    assert work.digest(drive.path) == was
    assert drive.probed()[1].kernel_size_bytes == drive.probed()[1].size_bytes < ENDS[kind][1]
    assert files_of(drive) == files


@pytest.mark.parametrize(
    ("filesystem", "program"), one_in(3, [("ext4", "resize2fs"), ("xfs", "xfs_growfs"), ("btrfs", "btrfs")])
)
def test_run_killed_while_growing_the_scratch_copy_resumes(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch, filesystem: str, program: str
) -> None:
    """Kill the run, with XFS and Btrfs mounted at that moment."""
    drive = Shared(work, make_drive, "large", 512)
    files = filled(drive, filesystem)
    was, killed = work.digest(drive.path), work.folder / "killed"
    real = shutil.which(program)
    last = "resize" if program == "btrfs" else ""
    stand_in(
        work.folder,
        monkeypatch,
        program,
        f'case " $* " in *"{last}"*) [ -e {killed} ] || {{ touch {killed}; kill -9 $PPID; exit 1; }};; esac\n'
        f'exec {real} "$@"',
    )
    run = work.start(drive.grow_plan(), keep=False)
    until(lambda: killed.exists() and not is_locked(run))
    assert state(run) is RunState.INTERRUPTED, story(run)
    assert work.digest(drive.path) == was
    asked = diskwright(work, "resume", str(run)).stderr
    assert f"it writes to {drive.path} again. No file is lost." in asked
    resume(run)
    assert ended(run) is RunState.WAITING, story(run)
    keep(run)
    assert ended(run) is RunState.KEPT, story(run)
    tool(*CHECKS[filesystem], drive.node(2))
    assert drive.probed()[1].size_bytes == ENDS["large"][1]
    assert files_of(drive) == files


@pytest.mark.parametrize("words", [("-O", "^resize_inode", "-g", "256"), ("-O", "quota")])
def test_filesystem_grows_although_metadata_is_in_files_or_files_must_move(
    work: Work, make_drive: MakeDrive, words: tuple[str, ...]
) -> None:
    """Many kernels cannot mount one with quotas."""
    drive, folder, out = Shared(work, make_drive, "far", 512), work.folder / "files", work.folder / "out"
    folder.mkdir()
    data = random.Random(15).randbytes(8 * MIB)
    (folder / "film").write_bytes(data)
    tool("mkfs.ext4", "-q", "-F", "-b", "4096", *words, "-d", str(folder), drive.node(2))
    # mkfs does not count the files in quotas.
    run_command(("e2fsck", "-f", "-y", drive.node(2)), seconds=60, accept=(0, 1))
    was = work.digest(drive.path)
    try:
        run, state = work.apply(drive.grow_plan())
    except Refused as refusal:
        assert "cannot be that large" in str(refusal) and "resize_inode" in words[1]
        assert work.digest(drive.path) == was
        return
    assert state is RunState.DONE, story(run)
    tool(*CHECKS["ext4"], drive.node(2))
    tool("debugfs", "-R", f"dump /film {out}", drive.node(2))
    assert out.read_bytes() == data


def stopped_in_the_middle(drive: Shared, filesystem: str) -> None:
    """Leave a filesystem as after a power cut: copied while mounted, with a synced file."""
    node, copy = drive.node(2), drive.work.folder / "in-the-middle"
    tool(*MAKERS[filesystem], node)
    with drive.mounted(2) as place:
        tool("sync", "-f", str(place))
        (place / "kept").write_bytes(b"kept" * 1000)
        tool("sync", str(place / "kept"))
        tool("dd", f"if={node}", f"of={copy}", "bs=1M", "iflag=direct", "status=none")
    tool("dd", f"if={copy}", f"of={node}", "bs=1M", "oflag=direct", "status=none")


@pytest.mark.parametrize("filesystem", one_in(2, ["xfs", "btrfs"]))
def test_uncleanly_unmounted_filesystem_is_not_grown(
    work: Work, make_drive: MakeDrive, filesystem: str
) -> None:
    drive = Shared(work, make_drive, "large", 512)
    stopped_in_the_middle(drive, filesystem)
    was = work.digest(drive.path)
    run, state = work.apply(drive.grow_plan())
    assert state is RunState.FAILED, story(run)
    assert "was not unmounted cleanly: mount and unmount the filesystem first" in story(run)
    assert work.digest(drive.path) == was


def test_damaged_xfs_is_refused_with_the_check_to_run(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "large", 512)
    filled(drive, "xfs")
    tool("dd", "if=/dev/urandom", f"of={drive.node(2)}", "bs=4096", "seek=2", "count=6", "status=none")
    was = work.digest(drive.path)
    run, state = work.apply(drive.grow_plan())
    assert state is RunState.FAILED, story(run)
    assert f"{drive.node(2)} is not clean: run `xfs_repair -n {drive.node(2)}`." in story(run)
    assert work.digest(drive.path) == was


def test_cloned_drive_grows_to_the_end_of_the_larger_one(work: Work, make_drive: MakeDrive) -> None:
    """Check a GPT with its backup in the middle: one run and one undo for table and filesystem."""
    small = Shared(work, make_drive, "gpt", 512)
    files = filled(small, "ext4")
    tool("sfdisk", "--quiet", "--no-reread", "--delete", small.path, "3")
    large = make_drive(600 * MIB)
    work.bench.own(large)
    tool("dd", f"if={small.path}", f"of={large}", "bs=4M", "conv=notrunc,fsync", "status=none")
    tool("partx", "--update", large)
    small.path = large
    drive, part = small.probed()
    assert drive.table is not None and drive.table.backup == "misplaced"
    was = work.digest(large)
    run, state = work.apply(small.grow_plan(), keep=False)
    assert state is RunState.WAITING, story(run)
    undo(run)
    assert work.digest(large) == was
    run, state = work.apply(small.grow_plan(), keep=False)
    keep(run)
    assert ended(run) is RunState.KEPT, story(run)
    drive, part = small.probed()
    assert drive.table is not None and (drive.table.primary, drive.table.backup) == ("ok", "ok")
    assert (part.start_bytes, part.end_bytes, part.kernel_size_bytes) == (50 * MIB, 599 * MIB, 549 * MIB)
    tool("sfdisk", "--verify", "--quiet", large)
    tool(*CHECKS["ext4"], small.node(2))
    assert files_of(small) == files
    with small.mounted(2) as place:
        status = os.statvfs(place)
        assert status.f_blocks * status.f_frsize > 500 * MIB
