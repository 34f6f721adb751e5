"""`diskwright migrate` on real filesystems: correct reports, and no byte changes."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.devices import MakeDrive, in_own_namespace, tool
from tests.earlier import sealed
from tests.loop.applying import Work, diskwright
from tests.loop.program import MIB, BadInput, Event, ExitCode, Refused, Way, make_migration, make_run
from wizard.apply.conversion.guard import look_at_ext, read_superblock
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import MIGRATION
from wizard.documents.codec import to_json
from wizard.ext4.assessment import Situation
from wizard.ext4.document import MIGRATIONS
from wizard.ext4.ways import against
from wizard.operations.fstab import EditFstab


def ext3(work: Work, make_drive: MakeDrive, *options: str, size_bytes: int = 32 * MIB) -> str:
    drive = make_drive(size_bytes)
    work.bench.own(drive)
    tool("mke2fs", "-q", "-F", "-t", "ext3", "-I", "128", "-b", "4096", "-L", "films", *options, drive)
    return drive


def look(work: Work, drive: str) -> Situation:
    return look_at_ext(drive, work.environment)


def uuid_of(drive: str) -> str:
    return tool("blkid", "-p", "-o", "value", "-s", "UUID", drive).strip()


@contextmanager
def mounted(drive: str, place: Path) -> Iterator[None]:
    place.mkdir(parents=True)
    tool("mount", "-t", "ext4", drive, str(place))
    try:
        yield
    finally:
        tool("umount", str(place))


@contextmanager
def mounted_elsewhere(drive: str, place: Path) -> Iterator[None]:
    """Mount only in the mount namespace of another process."""
    place.mkdir(parents=True)
    script = f"mount -t ext4 {drive} {place} && echo there && read -r _"
    argv = in_own_namespace("sh", "-c", script)
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == "there\n"
        try:
            yield
        finally:
            process.stdin.close()


def test_methods_are_shown_and_planned_without_changes(work: Work, make_drive: MakeDrive) -> None:
    drive = ext3(work, make_drive)
    work.fstab.write_text(f"# mine\nUUID={uuid_of(drive)}\t/srv ext3 noatime 0 2\n")
    before, fstab = work.digest(drive), work.fstab.read_text()
    words = ("migrate", drive, "--fstab", str(work.fstab))
    assert json.loads(diskwright(work, *words, "--json").stdout)["default"] in ("light", "full")
    told = diskwright(work, *words)
    assert told.returncode == 0, told.stderr
    for said in ("mount: ", "light: ", "full: ", "Recommended: ", "`diskwright bring`"):
        assert said in told.stdout
    assert "Not possible here:" not in told.stdout
    plan = work.folder / "films.json"
    options = ("--way", "full", "-o", str(plan))
    planned = diskwright(work, *words, *options)
    assert planned.returncode == 0, planned.stderr
    migration = MIGRATIONS.read(plan.read_text(), "films.json")
    assert (migration.device, migration.before.label) == (drive, "films")
    assert isinstance(migration.steps[-1].operation, EditFstab) and "+UUID=" in planned.stdout
    assert "tune2fs -I 256" in planned.stdout and "A power cut loses no data" in planned.stdout
    assert f"--confirm {migration.drive.token}" in planned.stderr and "--fstab" in planned.stderr
    assert (work.digest(drive), work.fstab.read_text()) == (before, fstab)


@pytest.mark.alone
def test_mounted_filesystem_is_refused_in_any_namespace(work: Work, make_drive: MakeDrive) -> None:
    drive = ext3(work, make_drive)
    assert against(look(work, drive), Way.FULL) is None
    with mounted(drive, work.place("here")):
        refused = diskwright(work, "migrate", drive, "--way", "full", "--fstab", str(work.fstab))
        assert refused.returncode == 3 and f"mounted at {work.place('here')}" in refused.stderr
    with mounted_elsewhere(drive, work.place("there")):
        assert look(work, drive).mounts
        with pytest.raises(Refused, match="is mounted at"):
            make_migration(look(work, drive), Way.LIGHT)
    assert not look(work, drive).mounts


@pytest.mark.parametrize("named", ["UUID={uuid}", 'LABEL="films"', "{drive}", "{link}"])
@pytest.mark.parametrize("kind", ["ext3", "auto"])
def test_fstab_line_is_found_by_any_name(work: Work, make_drive: MakeDrive, named: str, kind: str) -> None:
    drive, link = ext3(work, make_drive, size_bytes=16 * MIB), work.folder / "link"
    link.symlink_to(drive)
    source = named.format(uuid=uuid_of(drive), drive=drive, link=link)
    work.fstab.write_text(f"LABEL=other /other ext3\n{source} /srv {kind} noatime 0 2\n")
    found = look(work, drive)
    assert [(line.number, line.kind, line.mount_point) for line in found.lines] == [(2, kind, "/srv")]
    assert (against(found, Way.MOUNT) is None) is (kind == "ext3")


def test_boot_settings_and_mount_units_are_reported(work: Work, make_drive: MakeDrive) -> None:
    drive, etc = ext3(work, make_drive, size_bytes=16 * MIB), work.folder
    units = etc / "systemd/system"
    units.mkdir(parents=True)
    (units / "srv.mount").write_text(
        f"[Mount]\nWhat=/dev/disk/by-uuid/{uuid_of(drive)}\nWhere=/srv\nType=ext3\n"
    )
    (units / "other.mount").write_text("[Mount]\nWhat=/dev/disk/by-label/other\nWhere=/other\n")
    (units / "broken.mount").write_text("What=films\n")
    (etc / "default").mkdir()
    (etc / "default/grub").write_text('GRUB_CMDLINE_LINUX="quiet rootfstype=ext3"\n')
    (etc / "initramfs-tools").mkdir()
    work.fstab.write_text(f"{drive} / ext3 defaults 0 1\n")
    found = look(work, drive)
    assert found.units == (str(units / "srv.mount"),)
    assert (found.boot.place, found.boot.root_type, found.boot.initramfs) == ("/", "ext3", "initramfs-tools")
    doubts = " ".join(map(str, make_migration(found, Way.LIGHT).doubts))
    assert "Type=ext4" in doubts and "rootfstype=ext3" in doubts and "update-initramfs -u" in doubts


def test_damaged_superblock_is_reported_with_its_backup(work: Work, make_drive: MakeDrive) -> None:
    drive = ext3(work, make_drive, "-b", "1024")
    work.bench.own(drive)
    with Path(drive).open("r+b") as file:
        file.write(bytes(4096))
    before = work.digest(drive)
    with pytest.raises(Refused, match=f"e2fsck -b 8193 -B 1024 {drive}"):
        look(work, drive)
    assert work.digest(drive) == before


def test_superblock_refused_by_e2fsprogs_is_reported_with_its_backup(
    work: Work, make_drive: MakeDrive
) -> None:
    """Set a wrong journal inode in the superblock."""
    drive = ext3(work, make_drive, "-b", "1024")
    work.bench.own(drive)
    tool("debugfs", "-w", "-R", "ssv journal_inum 4000", drive)
    refused = diskwright(work, "migrate", drive, "--way", "light", "--fstab", str(work.fstab))
    assert (
        refused.returncode == 3
        and "is damaged. dumpe2fs: " in refused.stderr
        and "e2fsck -b 8193 -B 1024" in refused.stderr
    )


def test_other_filesystems_are_reported(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(64 * MIB)
    for device, said in (
        (drive, "does not contain an ext2"),
        (str(work.fstab), "block device"),
        ("/dev/nothing", "block device"),
    ):
        with pytest.raises(BadInput, match=said):
            look(work, device)
    without_way = diskwright(work, "migrate", drive, "-o", str(work.folder / "plan"))
    assert without_way.returncode == 2 and "--way" in without_way.stderr


def test_filesystem_larger_than_its_device_is_refused(work: Work, make_drive: MakeDrive) -> None:
    drive = ext3(work, make_drive, size_bytes=64 * MIB)
    work.bench.own(drive)
    with work.bench.image_of(drive).open("r+b") as file:
        file.truncate(48 * MIB)
    tool("losetup", "--set-capacity", drive)
    with pytest.raises(Refused, match="smaller than its filesystem"):
        make_migration(look(work, drive), Way.FULL)


def test_copying_run_of_an_earlier_version_is_refused(work: Work, make_drive: MakeDrive) -> None:
    drive, target = ext3(work, make_drive), make_drive(64 * MIB)
    body = to_json(make_migration(look(work, drive), Way.FULL))
    made = {"kind": "make-fresh", "target": target, "uuid": uuid_of(drive), "label": "", "options": []}
    steps = [{"operation": made}, {"operation": {"kind": "copy-files", "target": target}}]
    body |= {"way": "fresh", "means": "copy", "store": "", "undo_dir": "", "steps": steps}
    body |= {"target": body["drive"]}
    del body["gains"], body["room_bytes"]
    text = sealed(body, "diskwright.migration/2")
    work.runs.mkdir(exist_ok=True)
    run = make_run(work.runs, (drive,), MIGRATION, text, work.environment)
    journal = Journal(run)
    journal.add(Event.STARTED, "Converting.")
    journal.add(Event.STEP_STARTED, "Create a new ext4.", step=1)
    journal.close()
    plan = work.folder / "copy.json"
    plan.write_text(text)
    before = work.digest(drive), work.digest(target)
    for words in (("resume", run.name), ("undo", run.name), ("keep", run.name), ("apply", str(plan))):
        done = diskwright(work, *words)
        said = " ".join(done.stderr.split())
        assert done.returncode in (2, 3) and "works without a scratch copy" in said, (words, said)
    listed = diskwright(work, "status")
    assert listed.returncode == 0 and "works without a scratch copy" in " ".join(listed.stdout.split())
    assert (work.digest(drive), work.digest(target)) == before


def conversion_of(work: Work, drive: str) -> tuple[str, ...]:
    """Return the command to convert a drive, with all files of the run in the test's folder."""
    return "migrate", drive, "--fstab", str(work.fstab), "--journal", str(work.runs)


def test_conversion_starts_only_with_the_confirmation_token(work: Work, make_drive: MakeDrive) -> None:
    drive = ext3(work, make_drive)
    work.bench.own(drive)
    words = conversion_of(work, drive)
    token, before = drive.removeprefix("/dev/"), work.digest(drive)
    assert diskwright(work, *words, "--way", "light", "--confirm", "another").returncode == 3
    assert work.digest(drive) == before
    done = diskwright(work, *words, "--way", "light", "--confirm", token)
    assert done.returncode == 0 and "passed The superblock lists extent" in done.stdout, done.stderr
    assert "extent" in read_superblock(drive).features


def test_damage_stops_a_conversion_unless_repair_is_requested(work: Work, make_drive: MakeDrive) -> None:
    drive = ext3(work, make_drive)
    tree = work.folder / "tree"
    (tree / "films/old").mkdir(parents=True)
    (tree / "films/old/one").write_text("one")
    work.bench.own(drive)
    tool("mke2fs", "-q", "-F", "-t", "ext3", "-d", str(tree), drive)
    tool("debugfs", "-w", "-R", "clri films/old", drive)
    before = work.digest(drive)
    words = (*conversion_of(work, drive), "--way", "light")
    failed = diskwright(work, *words, "--confirm", drive.removeprefix("/dev/"))
    assert (
        failed.returncode == ExitCode.REFUSED
        and "is damaged but not marked" in failed.stderr
        and "'old'" in failed.stderr
    )
    assert "--repair" in failed.stderr and work.digest(drive) == before
    repaired = diskwright(work, *words, "--repair", "--confirm", drive.removeprefix("/dev/"))
    assert repaired.returncode == 0 and "e2fsck repaired the damage" in repaired.stderr, repaired.stderr
    tool("e2fsck", "-f", "-n", drive)


def test_damage_behind_a_clean_superblock_is_found_before_a_proposal(
    work: Work, make_drive: MakeDrive
) -> None:
    """Check damage in a filesystem that its superblock still calls clean."""
    drive = ext3(work, make_drive)
    assert look(work, drive).damaged == ""
    tool("debugfs", "-w", "-R", "clri <2>", drive)
    before = work.digest(drive)
    assert read_superblock(drive).clean and look(work, drive).damaged
    words = conversion_of(work, drive)
    told = json.loads(diskwright(work, *words, "--json").stdout)
    assert told["default"] in (None, "mount")
    assert "migrate-damaged" in {offer["obstacle_code"] for offer in told["offers"]}
    planned = diskwright(work, *words, "--way", "full", "-o", str(work.folder / "plan.json"))
    dry = diskwright(work, *words, "--way", "full", "--dry-run")
    assert planned.returncode == dry.returncode == ExitCode.REFUSED, (planned.stderr, dry.stderr)
    assert "damaged but not marked" in planned.stderr and "--repair" in planned.stderr
    assert work.digest(drive) == before
    assert against(look(work, drive), Way.FULL, repairs=True) is None
