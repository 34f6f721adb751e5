"""A Btrfs with two copies on several drives, from the command line to the loss of a drive. The lab's
guests test md."""

import os
from pathlib import Path

from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, diskwright, said, spec, story
from tests.loop.program import MIB, PLANS, Event, RunState, Stripe, Subvolume


def test_btrfs_mirror_is_readable_from_either_drive(work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    file, place = work.folder / "mirrored.json", work.place("files")
    made = diskwright(
        work,
        "plan",
        one,
        two,
        "--mirror",
        "btrfs",
        "--workload",
        "nas",
        "--mount",
        str(place),
        "-o",
        str(file),
    )
    assert made.returncode == 0, made.stderr
    assert "A mirror survives the loss of 1 of 2 drives, but is not a backup" in " ".join(made.stderr.split())
    plan = PLANS.read(file.read_text(), str(file))
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED)
    usage = tool("btrfs", "filesystem", "df", str(place))
    assert "Data, RAID1" in usage and "Metadata, RAID1" in usage and "RAID0" not in usage
    letter = os.urandom(2 * MIB)
    (place / "letter").write_bytes(letter)
    tool("umount", str(place))
    for lost, left in ((one, two), (two, one)):
        tool("btrfs", "device", "scan", "--forget", f"{one}p1", f"{two}p1")
        image = work.bench.image_of(lost)
        kept = image.read_bytes()
        tool("wipefs", "--all", "--quiet", f"{lost}p1")
        try:
            tool("mount", "-t", "btrfs", "-o", "ro,degraded", f"{left}p1", str(place))
            assert (place / "letter").read_bytes() == letter
        finally:
            tool("umount", str(place))
            tool("blockdev", "--flushbufs", lost)
            Path(lost).write_bytes(kept)


def test_btrfs_mirror_has_its_subvolumes(work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    home = work.place("home")
    wanted = replace(spec("btrfs"), subvolumes=(Subvolume("@"), Subvolume("@home", str(home))))
    run, now = work.apply(work.striped([one, two], wanted, Stripe("btrfs", level="raid1")))
    assert now is RunState.DONE, story(run)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED)
    assert "subvol=/@home" in tool(
        "findmnt", "--noheadings", "--output", "OPTIONS", "--mountpoint", str(home)
    )
    assert "Data, RAID1" in tool("btrfs", "filesystem", "df", str(home))
    tool("umount", str(home))
