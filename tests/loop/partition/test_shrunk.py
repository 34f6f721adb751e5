"""Shrink one partition and its filesystem: files stay, and neighbours stay unchanged."""

import hashlib
import os
import random
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, ended, spec, story, unknown_kernel
from tests.loop.partition.shrinking import ENDINGS, gone_on_with, killed_by_tool, killed_while_it_writes
from tests.loop.partition.test_grown import CHECKS, EXT, files_of, filled
from tests.loop.partition.test_one_partition import Shared
from tests.loop.program import MIB, Mode, Refused, RunState, keep, probe_machine, undo
from wizard.apply.engine.writable_copy import scratch_copy_of
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import ResizePart

START = 9 * MIB
NEW = 200 * MIB
OLD = 400 * MIB
"""Of the partition in the middle of a large drive."""


def at_the_end(drive: Shared, filesystem: str, size_bytes: int = 50 * MIB) -> str:
    """Create files, with one far beyond the new end between deleted files, and return their fingerprint."""
    filled(drive, filesystem)
    with drive.mounted(drive.number) as place:
        room = os.statvfs(place)
        front = room.f_bavail * room.f_frsize - size_bytes * 3 // 2
        with (place / "front").open("wb") as file:
            # Zeros are written only where a filesystem cannot do without.
            os.posix_fallocate(file.fileno(), 0, front // MIB * MIB)
        (place / "front folder").mkdir()
        data = random.Random(13).randbytes(MIB)
        for number in range(size_bytes // MIB):
            (place / f"front folder/{number}").write_bytes(data[number:] + bytes(4096))
        for number in range(0, size_bytes // MIB, 3):
            (place / f"front folder/{number}").unlink()
        tool("sync", "-f", str(place))
        (place / "front").unlink()
    drive.was = drive.work.digest(drive.path)
    return files_of(drive)


def told(text: str, name: str) -> int:
    """Return a number from the output of dumpe2fs."""
    found = re.search(rf"(?m)^{name}:\s+(\d+)$", text)
    assert found, name
    return int(found[1])


def blocks_behind(drive: Shared, end_bytes: int) -> int:
    """Return the number of used blocks beyond this place of the partition."""
    text = tool("dumpe2fs", drive.node(drive.number))
    size, count = told(text, "Block size"), told(text, "Block count")
    free = 0
    for line in re.findall(r"(?m)^\s+Free blocks: (.*)$", text):
        for run in filter(None, line.strip().split(", ")):
            first, _, last = run.partition("-")
            free += max(0, int(last or first) + 1 - max(int(first), end_bytes // size))
    return count - end_bytes // size - free


def held(drive: Shared) -> int:
    """Return the size of the filesystem in bytes."""
    text = tool("dumpe2fs", "-h", drive.node(drive.number))
    size, count = told(text, "Block size"), told(text, "Block count")
    return size * count


@pytest.mark.parametrize(
    ("kind", "block_bytes", "filesystem"),
    one_in(
        2,
        [
            ("large", 512, "ext4"),
            ("large", 4096, "ext4"),
            ("large mbr", 512, "ext3"),
            ("large mbr", 512, "ext2"),
            ("askew", 512, "ext4"),
        ],
    ),
)
def test_shrinking_preserves_files_and_neighbours(
    work: Work, make_drive: MakeDrive, kind: str, block_bytes: int, filesystem: str
) -> None:
    drive = Shared(work, make_drive, kind, block_bytes)
    files = at_the_end(drive, filesystem)
    old = drive.probed()[1]
    assert blocks_behind(drive, NEW) > 5000
    with drive.mounted(1), drive.mounted(3):
        others = drive.others()
        run, state = work.apply(drive.shrink_plan(NEW - MIB // 2), keep=False)
        assert state is RunState.WAITING, story(run)
        assert not drive.probed()[1].signatures and drive.probed()[1].size_bytes == old.size_bytes
        keep(run)
        assert ended(run) is RunState.KEPT, story(run)
        assert drive.others() == others
    part = drive.probed()[1]
    assert part.end_bytes % MIB == 0 and NEW - MIB < part.size_bytes <= NEW
    assert (part.start_bytes, part.kernel_size_bytes) == (old.start_bytes, part.size_bytes)
    assert part.size_bytes - 4096 < held(drive) <= part.size_bytes
    tool(*CHECKS[filesystem], drive.node(2))
    assert files_of(drive) == files
    for number, name in ((1, "before"), (3, "behind")):
        with drive.mounted(number) as place:
            assert (place / "kept").read_bytes() == name.encode() * 1000


SHAPES = {
    "a superblock's copy in the last group": ("-t", "ext4", "-O", "sparse_super2,^resize_inode"),
    "small blocks": ("-t", "ext4", "-b", "1024"),
    "middling blocks": ("-t", "ext3", "-b", "2048"),
    "no journal, no checksums": ("-t", "ext4", "-O", "^has_journal,^metadata_csum,^64bit"),
    "of the first revision": ("-t", "ext2", "-r", "0", "-I", "128"),
    "many small groups": ("-t", "ext4", "-b", "4096", "-O", "^flex_bg", "-g", "4096"),
    "all records in front": ("-t", "ext4", "-b", "4096", "-E", "packed_meta_blocks=1"),
    "a large journal": ("-t", "ext4", "-b", "4096", "-J", "size=64"),
    "today's": ("-t", "ext4", "-b", "4096", "-O", "metadata_csum_seed,orphan_file"),
}


def odd_files(drive: Shared) -> None:
    """Create links, attributes, holes, preallocated files and a large folder, some beyond the new end."""
    with drive.mounted(2) as place:
        room = os.statvfs(place)
        count = (room.f_bavail * room.f_frsize - 60 * MIB) // MIB
        with (place / "front").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, count * MIB)
        for number in range(40):
            (place / f"folder{number}").mkdir()
            (place / f"folder{number}" / "file").write_bytes(hashlib.sha256(b"%d" % number).digest() * 9000)
            (place / f"folder{number}" / "slow").symlink_to("y/" * 150)
        os.link(place / "folder3/file", place / "folder9/linked")
        os.setxattr(place / "folder5/file", "user.long", b"value" * 150)
        (place / "many").mkdir()
        for number in range(2000):
            (place / "many" / f"{number:060}").touch()
        with (place / "holes").open("wb") as file:
            for number in range(0, 400, 3):
                file.seek(number * 8192)
                file.write(b"%d" % number * 1000)
        tool("sync", "-f", str(place))
        (place / "front").unlink()


def odd_files_of(drive: Shared) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    with drive.mounted(2) as place:
        for path in sorted(place.rglob("*")):
            kept = path.lstat()
            # resize2fs dates folders anew in which it gives something another inode.
            when = None if path.is_dir() else kept.st_mtime_ns
            data = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else ""
            marks = [] if path.is_symlink() else [(one, os.getxattr(path, one)) for one in os.listxattr(path)]
            what = hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()
            found.append((str(path.relative_to(place)), kept.st_mode, kept.st_nlink, when, marks, what))
    return found


@pytest.mark.parametrize("shape", one_in(3, SHAPES))
def test_every_shape_shrinks(work: Work, make_drive: MakeDrive, shape: str) -> None:
    drive = Shared(work, make_drive, "large", 512)
    tool("mkfs.ext4", "-q", "-F", *SHAPES[shape], drive.node(2))
    odd_files(drive)
    files = odd_files_of(drive)
    run, state = work.apply(drive.shrink_plan(NEW), keep=False)
    assert state is RunState.WAITING, story(run)
    keep(run)
    assert ended(run) is RunState.KEPT, story(run)
    tool(*CHECKS["ext4"], drive.node(2))
    assert held(drive) <= NEW and odd_files_of(drive) == files


def test_last_group_too_small_for_files_is_omitted(work: Work, make_drive: MakeDrive) -> None:
    """Check that files between the end of the filesystem and the end of its partition are moved too. A
    scratch copy always shows the last MiB."""
    drive = Shared(work, make_drive, "large", 512)
    tool(*EXT, "ext4", "-i", "4096", drive.node(2))
    data = random.Random(14).randbytes(MIB)
    with drive.mounted(2) as place:
        for number in range(280):
            (place / str(number)).write_bytes(data[number:])
        tool("sync", "-f", str(place))
        between = 0
        for number in range(280):
            runs = re.findall(r"(\d+)\.\. +(\d+):", tool("filefrag", "-v", str(place / str(number))))
            lies = any(int(first) < 33280 and int(last) >= 32768 for first, last in runs if first != "0")
            between += lies
            if number % 5 and not lies:
                (place / str(number)).unlink()
    files, group = files_of(drive), 128 * MIB
    assert between
    run, state = work.apply(drive.shrink_plan(group + 3 * MIB))
    assert state is RunState.DONE, story(run)
    assert held(drive) == group and drive.probed()[1].size_bytes == group + 3 * MIB
    tool(*CHECKS["ext4"], drive.node(2))
    assert files_of(drive) == files


def test_drive_shrinks_while_another_scratch_copy_exists(
    work: Work, make_drive: MakeDrive, tmp_path: Path
) -> None:
    """Check that the kernel's equal names of both files do not count as the same file."""
    drive = Shared(work, make_drive, "gpt", 512)
    files = filled(drive, "ext4")
    with scratch_copy_of(make_drive(64 * MIB), tmp_path / "new.img"):
        run, state = work.apply(drive.shrink_plan(52 * MIB))
    assert state is RunState.DONE, story(run)
    assert files_of(drive) == files


def test_freed_space_can_be_used(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "large", 512)
    files = at_the_end(drive, "ext4")
    run, state = work.apply(drive.shrink_plan(NEW))
    assert state is RunState.DONE, story(run)
    known = drive.probed()[0]
    assert any(one.start_bytes == START + NEW for one in known.free)
    run, state = work.apply(work.plan(drive.path, spec("ext4"), mode=Mode.USE_FREE))
    assert state is RunState.DONE, story(run)
    assert files_of(drive) == files
    tool(*CHECKS["ext4"], drive.node(2))


@pytest.mark.parametrize("kind", one_in(3, ["large", "large mbr", "askew"]))
def test_shrinking_is_undone_bit_for_bit(work: Work, make_drive: MakeDrive, kind: str) -> None:
    drive = Shared(work, make_drive, kind, 512)
    files = at_the_end(drive, "ext4")
    was = work.digest(drive.path)
    run, state = work.apply(drive.shrink_plan(NEW), keep=False)
    assert state is RunState.WAITING, story(run)
    assert work.digest(drive.path) != was
    undo(run)
    assert ended(run) is RunState.UNDONE, story(run)
    assert work.digest(drive.path) == was
    assert drive.probed()[1].kernel_size_bytes == drive.probed()[1].size_bytes == OLD
    assert files_of(drive) == files


def test_run_killed_while_shrinking_the_scratch_copy_resumes(
    work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = Shared(work, make_drive, "large", 512)
    files = at_the_end(drive, "ext4")
    run = killed_by_tool(drive, drive.shrink_plan(NEW), monkeypatch, "resize2fs")
    asked = diskwright(work, "resume", str(run)).stderr
    assert f"it writes to {drive.path} again. No file is lost." in asked
    gone_on_with(run)
    tool(*CHECKS["ext4"], drive.node(2))
    assert files_of(drive) == files


@pytest.mark.parametrize(("seed", "way"), ENDINGS)
def test_run_killed_at_any_moment_resumes_or_is_undone(
    work: Work, make_drive: MakeDrive, seed: int, way: str
) -> None:
    drive = Shared(work, make_drive, "large", 512)
    files = at_the_end(drive, "ext4")
    killed_while_it_writes(
        drive, drive.shrink_plan(NEW), seed, way, files, lambda: tool(*CHECKS["ext4"], drive.node(2))
    )


def test_size_that_does_not_fit_is_refused_in_advance(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "large", 512)
    at_the_end(drive, "ext4")
    with pytest.raises(Refused, match=f"{drive.node(2)} cannot be that small"):
        drive.shrink_plan(20 * MIB)
    with pytest.raises(Refused, match="already has"):
        drive.shrink_plan(OLD)
    with drive.mounted(2), pytest.raises(Refused, match=f"`diskwright unmount {drive.node(2)}` first"):
        drive.shrink_plan(NEW)


def test_size_refused_by_resize2fs_leaves_the_drive_unchanged(work: Work, make_drive: MakeDrive) -> None:
    """Check a plan without knowledge of the used size."""
    drive = Shared(work, make_drive, "large", 512)
    at_the_end(drive, "ext4")
    known, part = drive.probed()
    bare = replace(part, signatures=(replace(part.signatures[0], taken_bytes=None),))
    plan = make_plan(
        unknown_kernel(probe_machine([drive.path])), (known,), ResizePart(bare, 20 * MIB, grows=False)
    )
    was = work.digest(drive.path)
    run, state = work.apply(plan)
    assert state is RunState.FAILED, story(run)
    assert "New size smaller than minimum" in story(run) and "written to" in story(run)
    assert work.digest(drive.path) == was


def test_damaged_filesystem_is_refused_with_the_check_to_run(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "large", 512)
    at_the_end(drive, "ext4")
    tool("debugfs", "-w", "-R", "clri /large", drive.node(2))
    was = work.digest(drive.path)
    run, state = work.apply(drive.shrink_plan(NEW))
    assert state is RunState.FAILED, story(run)
    assert f"{drive.node(2)} is not clean: run `e2fsck -f {drive.node(2)}`." in story(run)
    assert work.digest(drive.path) == was


def test_xfs_is_refused_with_a_message(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "large", 512)
    filled(drive, "xfs")
    with pytest.raises(Refused, match=r"XFS cannot shrink\. Copy the files to a smaller volume instead"):
        drive.shrink_plan(NEW)


def test_shrink_by_two_commands(work: Work, make_drive: MakeDrive) -> None:
    drive = Shared(work, make_drive, "gpt", 512)
    files, file = filled(drive, "ext4"), str(work.folder / "shrink.json")
    was = work.digest(drive.path)
    shown = diskwright(work, "plan", drive.node(2), "--shrink", "52M", "-o", file)
    assert shown.returncode == 0 and "preserving all files" in " ".join(shown.stderr.split()), shown.stderr
    assert work.digest(drive.path) == was
    token = re.search(r"--confirm (\S+)", shown.stderr)
    assert token, shown.stderr
    applied = diskwright(work, "apply", file, "--confirm", token[1])
    assert applied.returncode == 0, applied.stderr
    kept = diskwright(work, "keep")
    assert kept.returncode == 0, kept.stderr
    assert drive.probed()[1].size_bytes == 52 * MIB and files_of(drive) == files
    tool(*CHECKS["ext4"], drive.node(2))
    for words, status, said in (
        ((drive.node(2), "--shrink", "1M"), 3, "cannot be that small"),
        ((drive.node(2), "--shrink", "little"), 2, "little"),
        ((drive.path, "--shrink", "52M"), 2, "--shrink"),
    ):
        refused = diskwright(work, "plan", *words)
        assert refused.returncode == status and said in refused.stderr, refused.stderr
