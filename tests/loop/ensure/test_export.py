"""Exported layouts for other tools: each tool applies its file to a drive, and the tables are compared."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, diskwright, spec, story
from tests.loop.program import MIB, PLANS, Arrangement, Drive, Mode, Partition, Plan, RunState, probe_drive
from wizard.cli import main
from wizard.model.layout import Subvolume
from wizard.plan.export import GROWS, repart_files

SIZE = 128 * MIB
with_repart = pytest.mark.skipif(
    shutil.which("systemd-repart") is None,
    reason="there is no systemd-repart here (package systemd, or systemd-repart)",
)


def exported(plan: Plan, work: Work, kind: str) -> Path:
    file, made = work.folder / "plan.json", work.folder / kind
    file.write_text(PLANS.render(plan))
    assert main.main(["export", str(file), "--as", kind, "-o", str(made)]) == 0
    return made


def made_by_sfdisk(drive: str, work: Work, dump: Path) -> Drive:
    work.bench.own(drive)
    with dump.open() as text:
        done = subprocess.run(
            ["sfdisk", "--no-reread", "--quiet", drive],
            stdin=text,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return probe_drive(drive)


def made_by_repart(drive: str, work: Work, folder: Path) -> Drive:
    work.bench.own(drive)
    tool("systemd-repart", f"--definitions={folder}", "--empty=require", "--dry-run=no", drive)
    forget_partitions(drive)
    tool("partx", "--update", drive)
    return probe_drive(drive)


def entries(parts: tuple[Partition, ...], *left_out: str) -> list[dict[str, Any]]:
    """Return the partitions' fields in the table."""
    fields = ("number", "start_bytes", "size_bytes", "type", "name", "part_uuid", "attributes")
    return [{name: getattr(part, name) or None for name in fields if name not in left_out} for part in parts]


def planned(plan: Plan, *left_out: str) -> list[dict[str, Any]]:
    return entries(plan.after.partitions, *left_out)  # type: ignore[arg-type]


def raw_entries(work: Work, drive: str) -> list[bytes]:
    """Return the first raw entries of a GPT with 512-byte blocks."""
    tool("blockdev", "--flushbufs", drive)
    data = work.bench.image_of(drive).read_bytes()[1024 : 1024 + 8 * 128]
    return [data[at : at + 128] for at in range(0, len(data), 128)]


def without_guid(entry: bytes) -> bytes:
    return entry[:16] + entry[32:]


@pytest.mark.parametrize("block", [512, 4096])
def test_sfdisk_creates_the_same_table(block: int, work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(SIZE, block)
    volumes = (spec("ext4", 40 * MIB), replace(spec("ext4"), label="b ä,c=%"))
    plan = work.plan(drive, *volumes)
    dump = exported(plan, work, "sfdisk")
    made = made_by_sfdisk(make_drive(SIZE, block), work, dump)
    assert entries(made.partitions, "part_uuid") == planned(plan, "part_uuid")
    assert made.table is not None and made.table.kind == "gpt"


def test_sfdisk_preserves_existing_partitions(work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(SIZE)
    lines = (
        "label: gpt",
        "first-lba: 34",
        'start=34,size=2014,name="a \\x22 b"',
        'start=9MiB,size=16MiB,name=second,attrs="LegacyBIOSBootable GUID:60,63"',
    )
    written = " ".join(f"'{line}'" for line in lines)
    work.bench.own(drive)
    tool("sh", "-c", f"printf '%s\\n' {written} | sfdisk --quiet --no-reread {drive}")
    tool("partx", "--update", drive)
    plan = work.plan(drive, spec("ext4"), mode=Mode.USE_FREE)
    assert plan.after.partitions[1].attributes == 1 << 2 | 1 << 60 | 1 << 63
    other = make_drive(SIZE)
    made = made_by_sfdisk(other, work, exported(plan, work, "sfdisk"))
    assert entries(made.partitions[:2]) == planned(plan)[:2]
    assert entries(made.partitions[2:], "part_uuid") == planned(plan, "part_uuid")[2:]
    # What is applied has the same entries, byte by byte, but for the GUID that is drawn for the new one.
    run, now = work.apply(plan)
    assert now is RunState.DONE, story(run)
    by_apply, by_sfdisk = (raw_entries(work, one) for one in (drive, other))
    assert by_apply[:2] == by_sfdisk[:2] and any(by_apply[0])
    assert [without_guid(entry) for entry in by_apply] == [without_guid(entry) for entry in by_sfdisk]


def test_sfdisk_creates_the_same_mbr(work: Work, make_drive: MakeDrive) -> None:
    plan = work.plan(
        make_drive(SIZE), spec("ext4", 40 * MIB), spec("swap", options=()), arrangement=Arrangement("mbr")
    )
    made = made_by_sfdisk(make_drive(SIZE), work, exported(plan, work, "sfdisk"))
    assert entries(made.partitions, "part_uuid", "name") == planned(plan, "part_uuid", "name")
    assert made.table is not None and made.table.kind == "mbr"


@with_repart
def test_repart_creates_the_same_table(
    work: Work, make_drive: MakeDrive, capsys: pytest.CaptureFixture[str]
) -> None:
    volumes = (
        replace(spec("ext4", 40 * MIB), role="root"),
        replace(spec("ext4", 20 * MIB), label="b 100%m"),
        spec("swap", options=()),
    )
    plan = work.plan(make_drive(SIZE), *volumes)
    folder = exported(plan, work, "repart")
    said = capsys.readouterr().err
    assert all(volume.uuid in said for volume in plan.volumes) and "attribute 59" in said
    drive = make_drive(SIZE)
    made = made_by_repart(drive, work, folder)
    assert entries(made.partitions, "part_uuid", "attributes") == planned(plan, "part_uuid", "attributes")
    assert all(part.attributes & ~GROWS == 0 for part in made.partitions)
    assert [part.filesystem for part in made.partitions] == [volume.filesystem for volume in plan.volumes]
    assert json.loads(tool("sfdisk", "--json", drive))["partitiontable"]["label"] == "gpt"
    # All of a folder counts together.
    assert main.main(["export", str(work.folder / "plan.json"), "--as", "repart", "-o", str(folder)]) == 2


@with_repart
def test_repart_preserves_the_gaps_of_a_plan(work: Work, make_drive: MakeDrive) -> None:
    plan = work.plan(
        make_drive(SIZE), spec("ext4", 40 * MIB), spec("ext4", 20 * MIB), spec("swap", options=())
    )
    first, *others = plan.after.partitions
    first = replace(first, size_bytes=first.size_bytes - 4 * MIB)
    plan = replace(plan, after=replace(plan.after, slots=(first, *others)))
    folder = work.folder / "repart"
    folder.mkdir()
    for name, text in repart_files(plan, plan.members[0]).items():
        (folder / name).write_text(text)
    made = made_by_repart(make_drive(SIZE), work, folder)
    assert entries(made.partitions, "part_uuid", "attributes") == planned(plan, "part_uuid", "attributes")


def wanted_from(source: str, work: Work) -> Path:
    """Export a plan or a drive as a file for `ensure`."""
    file = work.folder / "wanted.toml"
    done = diskwright(work, "export", source, "--as", "wanted", "--fstab", str(work.fstab), "-o", str(file))
    assert done.returncode == 0 and "would change or refuse" not in done.stderr, done.stderr
    return file


def ensured(file: Path, work: Work) -> str:
    """Return the state of the only drive after `ensure`."""
    done = diskwright(work, "ensure", str(file), "--fstab", str(work.fstab), "--json")
    (drive,) = json.loads(done.stdout)["drives"]
    return str(drive["state"]) if done.returncode == 0 else done.stdout


def test_ensure_with_an_exported_file_changes_no_drive(work: Work, make_drive: MakeDrive) -> None:
    drive, place = make_drive(400 * MIB), work.place("some where")
    volumes = (
        replace(spec("ext4", 40 * MIB), mount_point=str(place), label="b ä=%"),
        replace(spec("swap", 20 * MIB, options=()), mount_point="none"),
        replace(
            spec("btrfs", options=()),
            subvolumes=(Subvolume("@home", str(work.place("home"))), Subvolume("@old")),
        ),
    )
    plan = work.plan(drive, *volumes)
    file = work.folder / "plan.json"
    file.write_text(PLANS.render(plan))
    work.bench.own(drive)
    from_plan = wanted_from(str(file), work)
    assert ensured(from_plan, work) == "changed"
    fstab = work.fstab.read_text()
    assert ensured(from_plan, work) == "as-wanted"
    from_drive = wanted_from(drive, work)
    assert ensured(from_drive, work) == "as-wanted" and work.fstab.read_text() == fstab
    text = from_drive.read_text()
    assert f'mount = "{place}"' in text and f'subvolume = ["@home:{work.place("home")}"]' in text
    # Of a mount that is missing it says so.
    tool("umount", str(place))
    done = diskwright(work, "export", drive, "--as", "wanted", "--fstab", str(work.fstab))
    assert f"is not mounted at {place}" in done.stderr


@pytest.mark.parametrize("table", ["gpt", "dos"])
def test_layout_of_other_tools_is_exported(table: str, work: Work, make_drive: MakeDrive) -> None:
    drive = make_drive(260 * MIB)
    work.bench.own(drive)
    lines = f"label: {table}\\nstart=3MiB,size=50MiB\\nstart=60MiB,size=150MiB\\n"
    tool("sh", "-c", f"printf '{lines}' | sfdisk --quiet --no-reread {drive}")
    tool("partx", "--update", drive)
    tool("mkfs.ext4", "-q", "-L", "one", f"{drive}p1")
    tool("mkfs.btrfs", "-q", "-L", "two", f"{drive}p2")
    before = work.digest(drive)
    text = (file := wanted_from(drive, work)).read_text()
    assert 'size = "150MiB"' in text and text.count('mount = "none"') == 2
    assert ensured(file, work) == "as-wanted" and work.digest(drive) == before
    # Without a table there is no entry.
    bare = make_drive(SIZE)
    tool("mkfs.ext4", "-q", bare)
    assert "no partition table" in diskwright(work, "export", bare, "--as", "wanted").stderr
