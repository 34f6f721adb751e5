"""A lost partition table is written back around the contents found, and undone to the bit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.daily import one_in
from tests.devices import MakeDrive, forget_partitions, tool
from tests.loop.applying import Work, diskwright, ended, story
from tests.loop.program import (
    MIB,
    PLANS,
    BadInput,
    Partition,
    Plan,
    RunState,
    keep,
    partition_path,
    probe_drive,
    probe_machine,
)
from wizard.apply.remedies import diagnose
from wizard.findings.geometry import load_patterns
from wizard.model.finding import Finding, FindingCommand
from wizard.plan.text import losses

SIZE = 700 * MIB
MAKES = {
    "ext4": ("mkfs.ext4", "-q", "-L", "films"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
    "vfat": ("mkfs.vfat",),
    "ntfs": ("mkfs.ntfs", "-q", "-f"),
}
GPT = 'label: gpt\nstart=1MiB,size=310MiB,name="größer",attrs="GUID:59,63"\nstart=320MiB,size=320MiB,type=H\n'
TABLES = {
    "gpt": GPT,
    "close": "label: gpt\nstart=1MiB,size=330MiB\nsize=330MiB\n",
    "mbr": "label: dos\nstart=1MiB,size=310MiB\nsize=320MiB\n",
    "dos": "label: dos\nstart=63,size=310MiB\n",
    "full": "label: dos\nstart=1MiB,size=699MiB\n",
}


def erase(path: str, how: str) -> None:
    """Lose the table: with its signatures, with the first MiB, or with both ends."""
    if how == "signatures":
        tool("wipefs", "--all", "--quiet", path)
        return
    with Path(path).open("r+b") as device:
        device.write(bytes(MIB if "dos" not in how else 512))
        if how == "ends":
            device.seek(SIZE - 33 * 4096)
            device.write(bytes(33 * 4096))


def made(work: Work, make_drive: MakeDrive, table: str, kind: str, block_bytes: int) -> str:
    """Make a drive with this table, and a filesystem with a file in each partition."""
    path = make_drive(SIZE, block_bytes)
    script = work.folder / "script"
    script.write_text(TABLES[table])
    tool("sh", "-c", f"sfdisk --quiet --no-reread {path} < {script}")
    tool("partx", "--add", path)
    for part in probe_drive(path).partitions:
        work.bench.own(path)
        tool(*MAKES[kind], part.path)
        if kind != "vfat":
            with mounted(work, part.path, kind) as place:
                (place / "kept").write_bytes(b"films" * 1000)
    return path


@contextmanager
def mounted(work: Work, node: str, kind: str) -> Iterator[Path]:
    place = work.place("of-test")
    place.mkdir(parents=True, exist_ok=True)
    tool(*(("ntfs-3g",) if kind == "ntfs" else ("mount", "-t", kind)), node, str(place))
    try:
        yield place
    finally:
        tool("umount", str(place))


def finding(path: str, code: str) -> Finding:
    machine = probe_machine([path])
    found = diagnose(machine, machine.drives[0], load_patterns()).findings
    assert code in {one.code for one in found}, (machine.drives[0], found)
    return next(one for one in found if one.code == code)


def planned(work: Work, found: Finding) -> Plan:
    """Return the plan that the finding's command makes."""
    file = work.folder / "plan.json"
    done = diskwright(work, *found.commands[0].argv[1:], "-o", str(file))
    assert done.returncode == 0, done.stderr
    return PLANS.read(file.read_text(), "the plan")


def shown(part: Partition, *, with_entry: bool) -> tuple[object, ...]:
    entry = (part.type, part.name, part.part_uuid, part.attributes) if with_entry else ()
    return part.number, part.start_bytes, part.size_bytes, part.filesystem, *entry


LOST = [
    ("gpt", "ext4", 512, "head"),
    ("gpt", "xfs", 4096, "head"),
    ("close", "xfs", 512, "ends"),
    ("close", "ext4", 4096, "signatures"),
    ("close", "ntfs", 512, "signatures"),
    ("mbr", "btrfs", 512, "head"),
    ("mbr", "ext4", 4096, "signatures"),
    ("dos", "vfat", 512, "dos head"),
    ("dos", "ext4", 4096, "dos head"),
    ("full", "ext4", 512, "head"),
]


@pytest.mark.parametrize(("table", "kind", "block_bytes", "how"), one_in(3, LOST))
def test_lost_table_is_restored(
    work: Work, make_drive: MakeDrive, table: str, kind: str, block_bytes: int, how: str
) -> None:
    path = made(work, make_drive, table, kind, block_bytes)
    before = probe_drive(path)
    forget_partitions(path)
    erase(path, how)
    was = work.digest(path)
    plan = planned(work, finding(path, "table-lost"))
    assert losses(plan) == [] and len(plan.steps) == 1
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING, story(run)
    assert work.digest(path) == was
    assert diskwright(work, "undo", run.name).returncode == 0
    assert work.digest(path) == was
    run, state = work.apply(plan, keep=False)
    assert state is RunState.WAITING, story(run)
    keep(run)
    assert ended(run) is RunState.KEPT, story(run)
    after = probe_drive(path)
    exact = table == "gpt"
    assert [shown(part, with_entry=exact) for part in after.partitions] == [
        shown(part, with_entry=exact) for part in before.partitions
    ]
    assert after.table is not None and before.table is not None
    assert after.table.kind == ("mbr" if table in ("dos", "full") else "gpt")
    if exact:
        assert after.table.uuid == before.table.uuid
    for part in after.partitions:
        assert part.kernel_size_bytes == part.size_bytes
        if kind == "vfat":
            tool("fsck.vfat", "-n", part.path)
            continue
        with mounted(work, part.path, kind) as place:
            assert (place / "kept").read_bytes() == b"films" * 1000
    tool("sfdisk", "--verify", path)


@pytest.mark.parametrize("case", ["table", "nothing", "inside"])
def test_table_is_not_written_over_contents(work: Work, make_drive: MakeDrive, case: str) -> None:
    path = made(work, make_drive, "close", "ext4", 512)
    forget_partitions(path)
    if case != "table":
        erase(path, "ends")
    work.bench.own(path)
    if case == "nothing":
        with Path(path).open("r+b") as device:
            device.write(bytes(SIZE))
    if case == "inside":
        # A backup GPT whose partitions overlap.
        script = "label: gpt\nstart=1MiB,size=400MiB\nstart=500MiB,size=100MiB\n"
        tool("sh", "-c", f"printf '{script}' | sfdisk --quiet --no-reread --wipe never {path}")
        forget_partitions(path)
        overlap(path)
    was = work.digest(path)
    done = diskwright(work, "plan", path, "--restore-table")
    assert done.returncode == 3, done.stderr
    assert not any(one.commands for one in findings(path))
    assert work.digest(path) == was


def findings(path: str) -> tuple[Finding, ...]:
    machine = probe_machine([path])
    return diagnose(machine, machine.drives[0], load_patterns()).findings


def overlap(path: str) -> None:
    """Let the second entry of the backup GPT begin in the first partition, then erase the primary GPT."""
    import struct
    import zlib

    with Path(path).open("r+b") as device:
        device.seek(SIZE - 33 * 512)
        entries = bytearray(device.read(32 * 512))
        struct.pack_into("<Q", entries, 128 + 32, 100 * MIB // 512)
        header = bytearray(device.read(512))
        struct.pack_into("<I", header, 88, zlib.crc32(entries))
        struct.pack_into("<I", header, 16, 0)
        struct.pack_into("<I", header, 16, zlib.crc32(header[:92]))
        device.seek(SIZE - 33 * 512)
        device.write(entries + header)
        device.seek(0)
        device.write(bytes(MIB))


@pytest.mark.parametrize("at", [20 * 512, SIZE - 512], ids=["boot loader", "end"])
def test_gpt_is_not_written_over_data(work: Work, make_drive: MakeDrive, at: int) -> None:
    """Data in the place of a GPT stays, and an MBR fits."""
    path = made(work, make_drive, "mbr", "ext4", 512)
    before = probe_drive(path).partitions
    forget_partitions(path)
    erase(path, "signatures")
    with Path(path).open("r+b") as device:
        device.seek(at)
        device.write(b"GRUB")
    was = work.digest(path)
    plan = planned(work, finding(path, "table-lost"))
    run, state = work.apply(plan)
    assert state is RunState.FAILED and work.digest(path) == was, story(run)
    assert diskwright(work, "undo", run.name).returncode == 0
    mbr = FindingCommand(("diskwright", "plan", path, "--restore-table", "--table", "mbr"))
    again = replace(finding(path, "table-lost"), commands=(mbr,))
    run, state = work.apply(planned(work, again))
    assert state is RunState.DONE, story(run)
    assert [shown(one, with_entry=False) for one in probe_drive(path).partitions] == [
        shown(one, with_entry=False) for one in before
    ]
    with Path(path).open("rb") as device:
        device.seek(at)
        assert device.read(4) == b"GRUB"


def test_forged_plan_is_refused(work: Work, make_drive: MakeDrive) -> None:
    path = made(work, make_drive, "close", "ext4", 512)
    forget_partitions(path)
    erase(path, "ends")
    plan = planned(work, finding(path, "table-lost"))
    first, second = plan.after.partitions

    def forged(one: object, two: object) -> Plan:
        slots = tuple({first: one, second: two}.get(slot, slot) for slot in plan.after.slots)
        return replace(plan, after=replace(plan.after, slots=slots))

    bad = [
        forged(replace(first, size_bytes=second.end_bytes), second),
        forged(first, replace(second, size_bytes=SIZE)),
        forged(first, replace(second, number=1)),
        forged(replace(first, type="ee"), second),
        forged(replace(first, kept=False), second),
        forged(replace(first, part_uuid=None), second),
        replace(plan, steps=()),
        replace(plan, before=replace(plan.before, table="gpt")),
    ]
    for one in bad:
        with pytest.raises(BadInput):
            PLANS.read(PLANS.render(one), "the plan")


def test_drive_changed_since_the_plan_is_refused(work: Work, make_drive: MakeDrive) -> None:
    path = made(work, make_drive, "close", "ext4", 512)
    forget_partitions(path)
    erase(path, "ends")
    plan = planned(work, finding(path, "table-lost"))
    tool("sh", "-c", f"echo '1MiB,20MiB' | sfdisk --quiet --label gpt --no-reread --wipe never {path}")
    was = work.digest(path)
    file = work.folder / "plan.json"
    assert diskwright(work, "apply", str(file), "--confirm", plan.drive.token).returncode == 3
    assert work.digest(path) == was


def test_partitions_in_the_kernel_are_refused(work: Work, make_drive: MakeDrive) -> None:
    path = made(work, make_drive, "close", "ext4", 512)
    with mounted(work, partition_path(path, 1), "ext4"):
        erase(path, "ends")
        assert diskwright(work, "plan", path, "--restore-table").returncode == 3
    done = diskwright(work, "plan", path, "--restore-table")
    assert done.returncode == 3 and "the kernel has old partitions" in done.stderr
