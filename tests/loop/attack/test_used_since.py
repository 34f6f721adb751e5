"""Refuse plans that would destroy a filesystem used since planning, for every filesystem."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, old_gpt, spec
from tests.loop.attack.attacking import unharmed
from tests.loop.program import MIB, PLANS, Mode, Plan, Refused, preflight, probe_drive
from wizard.plan.dangers import held_on
from wizard.process.program import find

WRITERS = {
    "vfat": ("mcopy", "-i", "{device}", "{file}", "::letter"),
    "exfat": (
        "sh",
        "-c",
        "printf '\\60' | dd of={device} bs=1 seek=112 count=1 conv=notrunc,fsync status=none",
    ),
    "ntfs3": ("ntfscp", "--quiet", "{device}", "{file}", "letter"),
    "f2fs": ("sload.f2fs", "-f", "{folder}", "{device}"),
    "nilfs2": ("nilfs-tune", "-f", "-i", "77", "{device}"),
}
"""What writes to a filesystem that the kernel here cannot mount: of exFAT, how much of it is in use, as the
kernel writes it."""

MAKERS = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "vfat": ("mkfs.vfat",),
    "exfat": ("mkfs.exfat",),
    "ntfs3": ("mkfs.ntfs", "--quick", "--quiet", "--force"),
    "f2fs": ("mkfs.f2fs", "-q", "-f"),
    "nilfs2": ("mkfs.nilfs2", "-q", "-f"),
}


def check(work: Work, plan: Plan) -> None:
    preflight(plan, *plan.tokens, journal_dir=work.runs, environment=work.environment)


def is_mountable(kind: str) -> bool:
    return f"\t{kind}\n" in Path("/proc/filesystems").read_text()


def write_a_file(work: Work, device: str, kind: str) -> None:
    """Mount the device, add one file, and unmount it, like another user."""
    place = work.place("theirs")
    place.mkdir(parents=True, exist_ok=True)
    if is_mountable(kind):
        tool("mount", "-t", kind, device, str(place))
    (place / "letter").write_text("important\n")
    if is_mountable(kind):
        tool("umount", str(place))
    else:
        tool(*(word.format(device=device, file=place / "letter", folder=place) for word in WRITERS[kind]))


@pytest.mark.parametrize("whole", [False, True], ids=["partition", "drive"])
@pytest.mark.parametrize("kind", MAKERS)
def test_file_written_since_the_plan_is_not_destroyed(
    work: Work, make_drive: MakeDrive, kind: str, whole: bool
) -> None:
    missing = [name for name in (MAKERS[kind][0], *WRITERS.get(kind, ())[:1]) if find(name) is None]
    if missing and not (is_mountable(kind) and find(MAKERS[kind][0])):
        pytest.skip(f"{missing} is not installed")
    drive = make_drive(512 * MIB)
    device = drive if whole else f"{drive}p2"
    if not whole:
        old_gpt(drive, "start=1MiB,size=8MiB\nstart=9MiB,size=440MiB\n")
    tool(*MAKERS[kind], device)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    assert len(plan.drive.held) == (1 if whole else 2)
    plan = PLANS.read(PLANS.render(plan), "it")
    check(work, plan)
    check(work, plan)
    write_a_file(work, device, kind)
    with (
        unharmed(work, drive),
        pytest.raises(Refused, match=rf"{device} was used after planning.*make a new plan"),
    ):
        check(work, plan)
    check(work, work.plan(drive, spec("ext4"), mode=Mode.REPLACE))


def test_plan_without_facts_about_its_drive_is_refused(work: Work, make_drive: MakeDrive) -> None:
    """Check that plans with missing facts about the drive but a valid digest are refused."""
    drive = make_drive(96 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
    first, *rest = plan.drive.held
    assert not rest and plan.drive.diskseq
    for known in (
        replace(plan.drive, held=()),
        replace(plan.drive, diskseq=None),
        replace(plan.drive, held=(replace(first, number=2),)),
    ):
        forged = PLANS.read(PLANS.render(replace(plan, drive=known)), "it")
        with unharmed(work, drive), pytest.raises(Refused):
            check(work, forged)
    check(work, plan)


LUKS = ("luksFormat", "--batch-mode", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--key-file")


def test_changed_header_is_detected(work: Work, make_drive: MakeDrive, tmp_path: Path) -> None:
    """Check that changes in the header of swap and of a container are detected, though the signatures are
    the same."""
    for first, then in (
        (
            ("mkswap",),
            ("dd", "if=/dev/urandom", "bs=1", "seek=1100", "count=8", "conv=notrunc,fsync", "status=none"),
        ),
        (
            ("cryptsetup", *LUKS, str(tmp_path / "key")),
            ("cryptsetup", "config", "--priority", "prefer", "--key-slot", "0"),
        ),
    ):
        (tmp_path / "key").write_bytes(b"a key of this test")
        drive = make_drive(64 * MIB)
        tool(*first, drive)
        plan = work.plan(drive, spec("ext4"), mode=Mode.REPLACE)
        check(work, plan)
        tool(*then, f"of={drive}" if then[0] == "dd" else drive)
        with unharmed(work, drive), pytest.raises(Refused, match="was used after planning"):
            check(work, plan)


def test_preserved_partition_may_be_used_after_the_plan(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(128 * MIB)
    old_gpt(drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.USE_FREE)
    write_a_file(work, f"{drive}p1", "ext4")
    check(work, plan)


def test_partition_in_use_during_inspection_has_no_digest(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(128 * MIB)
    old_gpt(drive)
    place = work.place("theirs")
    place.mkdir(parents=True)
    tool("mount", f"{drive}p1", str(place))
    assert held_on(probe_drive(drive)) == ()
    tool("umount", str(place))
    assert [held.number for held in held_on(probe_drive(drive))] == [1]
