"""Half-moved partitions and repair tools. A tool that finds a backup superblock would repair the wrong
data, so none must be visible."""

import subprocess
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.daily import SEED, one_in
from tests.devices import MakeDrive
from tests.loop.applying import Work, ended, story
from tests.loop.move.test_move import (
    CONTENTS,
    SECTOR,
    Content,
    begin,
    digest,
    filled,
    is_clean,
    part_of,
    planned,
    table,
)
from tests.loop.program import GIB, MIB, RunState, read_entries, request_stop, resume, undo
from wizard.apply.move.content import THROTTLE
from wizard.process.program import find

EXT4 = ("mkfs.ext4", "-q", "-F", "-E", "nodiscard")
REPAIRS: dict[str, tuple[Content, tuple[tuple[str, ...], ...]]] = {
    "ext4": (
        Content((*EXT4, "-b", "4096"), ("e2fsck", "-fn")),
        (("e2fsck", "-f", "-y"), ("e2fsck", "-y"), ("e2fsck", "-p")),
    ),
    "ext4-1024": (Content((*EXT4, "-b", "1024"), ("e2fsck", "-fn")), (("e2fsck", "-f", "-y"),)),
    "ext4-two": (
        Content((*EXT4, "-b", "1024", "-O", "sparse_super2"), ("e2fsck", "-fn")),
        (("e2fsck", "-f", "-y"), ("e2fsck", "-f", "-y", "-b", "8193", "-B", "1024")),
    ),
    "ext2-every": (
        Content(
            ("mkfs.ext2", "-q", "-F", "-b", "1024", "-O", "^sparse_super,^resize_inode"), ("e2fsck", "-fn")
        ),
        (("e2fsck", "-f", "-y"),),
    ),
    "xfs": (CONTENTS["xfs"], (("xfs_repair", "-n"), ("xfs_repair",))),
    "xfs-former": (
        Content(
            (
                "sh",
                "-ec",
                "mkfs.xfs -q -f -K -d agcount=5 $1; mkfs.ext4 -q -F -E nodiscard $1; "
                "mkfs.xfs -q -f -K -d agcount=4 $1",
                "sh",
            ),
            ("xfs_repair", "-n"),
            512 * MIB,
        ),
        (("xfs_repair", "-n"), ("xfs_repair",)),
    ),
    "btrfs": (
        CONTENTS["btrfs"],
        (("btrfs", "check", "--force", "-s", "1"), ("btrfs", "rescue", "super-recover", "-y")),
    ),
    "ntfs": (CONTENTS["ntfs"], (("ntfsfix",),)),
    "vfat": (CONTENTS["vfat"], (("fsck.fat", "-a", "-w"),)),
    "exfat": (CONTENTS["exfat"], (("fsck.exfat", "-y"),)),
    "f2fs": (CONTENTS["f2fs"], (("fsck.f2fs", "-a"),)),
}


def half_moved(run: Path) -> None:
    """Stop the run with content at both places."""
    until = monotonic() + 60
    while not any(entry.step == 2 for entry in read_entries(run)) and monotonic() < until:
        sleep(0.02)
    sleep(0.3)
    request_stop(run)
    assert ended(run) is RunState.STOPPED, story(run)


SCHEMES = ("gpt", "dos")
WANTED = one_in(3 * len(SCHEMES), ((name, scheme) for name in REPAIRS for scheme in SCHEMES))
"""A third of the contents, each on one of them."""


@pytest.mark.parametrize(("name", "scheme"), WANTED)
def test_repair_tools_leave_a_half_moved_partition_unchanged(
    work: Work, make_drive: MakeDrive, name: str, scheme: str
) -> None:
    content, programs = REPAIRS[name]
    path = make_drive(GIB)
    work.bench.own(path)
    first = "first-lba: 34\n" if scheme == "gpt" else ""
    table(path, f"label: {scheme}\n{first}start=63, size={content.size // SECTOR}\n")
    node = f"{path}p1"
    filled(node, content, SEED)
    before = digest(node)
    run = begin(work, planned(path), rest=2.0)
    half_moved(run)
    half = digest(path)
    for argv in programs:
        if find(argv[0]) is None:
            continue
        ran = subprocess.run([*argv, node], capture_output=True, text=True, timeout=300, check=False)
        assert digest(path) == half, f"{argv}: {ran.stdout}{ran.stderr}"
        assert ran.returncode or "-n" not in argv, f"{argv}: {ran.stdout}{ran.stderr}"
    (run / THROTTLE).unlink()
    resume(run)
    assert ended(run) is RunState.DONE, story(run)
    is_clean(node, content)
    if name not in ("vfat", "exfat", "ntfs"):
        assert digest(node) == before
    undo(run)
    assert part_of(path, 1).start_bytes == 63 * SECTOR
    assert digest(node) == before
