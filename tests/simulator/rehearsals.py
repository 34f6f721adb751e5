"""Real rehearsals of jobs on loop devices, whose changes are then exchanged thousands of times on drives
in memory."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, fill, spec, unknown_kernel
from tests.loop.partition.test_grown import filled
from tests.loop.partition.test_one_partition import Shared
from tests.made_runs import new_run
from tests.simulator.jobs import Job, recorded
from tests.simulator.layers import PASSPHRASE, layered, without_kernel, write_md_records
from wizard.apply.plan.rehearse import rehearse
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal
from wizard.apply.run.process import Purpose
from wizard.model.layout import Level, Stripe
from wizard.model.said import KIB, MIB
from wizard.operations.layers import MakeArray
from wizard.plan.plan import Plan
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import Arrangement, Mode, NewVolumes
from wizard.probe.machine import probe_machine

ODD_SECTOR = 20 * MIB // 512 + 1
"""Where a neighbour that is kept begins; it ends at an odd sector too."""

KEPT_GPT = f"label: gpt\nstart=1MiB,size=8MiB\nstart={ODD_SECTOR},size=16384\nstart=60MiB,size=4MiB\n"
LOGICAL = (
    "label: dos\nstart=1MiB,size=8MiB\nstart=40MiB,size=24MiB,type=5\nstart=41MiB,size=8MiB\n"
    "start=50MiB,size=8MiB,type=82\n"
)

MANY = {
    "ext4": (64, ("mkfs.ext4", "-q")),
    "xfs": (300, ("mkfs.xfs", "-q", "-f")),
    "f2fs": (64, ("mkfs.f2fs", "-q", "-f")),
    "btrfs": (120, ("mkfs.btrfs", "-q", "-f")),
    "ntfs": (16, ("mkfs.ntfs", "-q", "-F", "-f")),
    "fat32": (64, ("mkfs.vfat", "-F", "32")),
    "exfat": (16, ("mkfs.exfat",)),
    "swap": (8, ("mkswap", "-q")),
    "luks": (
        32,
        (
            "cryptsetup",
            "luksFormat",
            "--batch-mode",
            "--pbkdf",
            "pbkdf2",
            "--pbkdf-force-iterations",
            "1000",
            "--key-file",
            "KEY",
        ),
    ),
}
"""What lies on a drive that is set up anew: MiB, and what makes it."""


def _table(drive: str, script: str) -> None:
    tool(
        "sh",
        "-c",
        f"printf '{script.replace(chr(10), chr(92) + 'n')}' | sfdisk --quiet --no-reread --wipe never "
        f"{drive} || true",
    )
    tool("partx", "--update", drive)


def _noise(drive: str, work: Work, size_bytes: int = 0) -> None:
    """Fill with noise, so that every change is visible. The area of the boot code stays empty, since
    libparted would replace it."""
    if not size_bytes:
        fill(drive, work.bench)
    with Path(drive).open("r+b", buffering=0) as device:
        for at in range(0, size_bytes, MIB):
            device.seek(at)
            device.write(bytes(range(1, 256)) * 4112 + bytes(16))
        device.seek(0)
        device.write(bytes(4096))


def _many_old(drive: str, work: Work) -> None:
    """Return every kind of old content, each in a partition of a GPT."""
    _noise(drive, work, 16 * MIB)
    _table(drive, "label: gpt\n" + "".join(f"size={size}MiB\n" for size, _ in MANY.values()))
    key = work.folder / "key"
    key.write_text("a passphrase")
    for number, (_, argv) in enumerate(MANY.values(), 1):
        tool(*(str(key) if word == "KEY" else word for word in argv), f"{drive}p{number}")


def _empty(work: Work, make_drive: MakeDrive) -> Plan:
    return work.plan(make_drive(128 * MIB), spec("ext4"))


def _many(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(720 * MIB)
    _many_old(drive, work)
    return work.plan(drive, spec("xfs", 320 * MIB), spec("f2fs", 128 * MIB), spec("ext4"), mode=Mode.REPLACE)


def _no_table(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(128 * MIB)
    _noise(drive, work)
    tool("mkfs.ext4", "-q", "-F", "-O", "^metadata_csum", drive)
    return work.plan(drive, spec("ext4"), mode=Mode.REPLACE)


def _no_table_4k(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(128 * MIB, 4096)
    _noise(drive, work)
    tool("mkfs.btrfs", "-q", "-f", drive)
    return work.plan(drive, spec("exfat"), mode=Mode.REPLACE)


def _kept(script: str) -> Callable[[Work, MakeDrive], Plan]:
    def plan(work: Work, make_drive: MakeDrive) -> Plan:
        drive = make_drive(96 * MIB)
        _noise(drive, work)
        _table(drive, script)
        tool("mkfs.ext4", "-q", f"{drive}p1")
        return work.plan(drive, spec("ext4", 16 * MIB), mode=Mode.USE_FREE)

    return plan


def _new_mbr(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(192 * MIB)
    _noise(drive, work, 16 * MIB)
    _table(drive, "label: gpt\nstart=1MiB,size=40MiB\nstart=60MiB,size=60MiB\n")
    tool("mkfs.ext4", "-q", f"{drive}p1")
    tool("mkfs.f2fs", "-q", "-f", f"{drive}p2")
    return work.plan(
        drive, spec("exfat", 40 * MIB), spec("ext4"), mode=Mode.REPLACE, arrangement=Arrangement("mbr")
    )


def _two(work: Work, make_drive: MakeDrive) -> Plan:
    drives = [make_drive(256 * MIB) for _ in range(2)]
    _noise(drives[0], work, 16 * MIB)
    _table(drives[0], "label: gpt\nstart=1MiB,size=80MiB\n")
    tool("mkfs.ext4", "-q", f"{drives[0]}p1")
    tool("mkfs.f2fs", "-q", "-f", drives[1])
    return work.striped(drives, spec("btrfs"), Stripe("btrfs"), Mode.REPLACE)


Planned = Callable[[Work, MakeDrive], Plan]


def _encrypted(work: Work, make_drive: MakeDrive) -> Plan:
    """Replace a container by another. Each header has a second copy."""
    drive = make_drive(128 * MIB)
    _noise(drive, work)
    _table(drive, "label: gpt\nstart=1MiB,size=126MiB\n")
    key = work.folder / "key"
    key.write_text("a passphrase")
    tool(*(str(key) if word == "KEY" else word for word in MANY["luks"][1]), f"{drive}p1")
    return work.plan(drive, replace(spec("ext4"), encrypted=True), mode=Mode.REPLACE)


def _encrypted_kept(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(400 * MIB)
    _noise(drive, work, 16 * MIB)
    _table(drive, "label: gpt\nstart=1MiB,size=8MiB\n")
    tool("mkfs.ext4", "-q", f"{drive}p1")
    return work.plan(drive, replace(spec("xfs"), encrypted=True), mode=Mode.USE_FREE)


def _grouped(work: Work, make_drive: MakeDrive) -> Plan:
    """Replace a volume group by a group of two volumes, with metadata at both ends."""
    drive = make_drive(512 * MIB)
    _noise(drive, work, 16 * MIB)
    _table(drive, "label: gpt\nstart=1MiB,size=440MiB\n")
    tool(*without_kernel([drive], ("pvcreate", "--metadatacopies", "2", f"{drive}p1")))
    tool(*without_kernel([drive], ("vgcreate", "simulated-old", f"{drive}p1")))
    specs = spec("ext4", 64 * MIB), spec("xfs")
    return work.plan(drive, *specs, mode=Mode.REPLACE, arrangement=Arrangement(grouped=True))


def _array(level: Level, filesystem: str) -> Planned:
    """Create an array over two drives, one of which was in another array."""

    def plan(work: Work, make_drive: MakeDrive) -> Plan:
        drives = [make_drive(384 * MIB) for _ in range(2)]
        for drive in drives:
            _noise(drive, work, 16 * MIB)
        _table(drives[0], "label: gpt\nstart=1MiB,size=128MiB\n")
        was = MakeArray("/dev/md7", "old", str(UUID(int=7)), 64 * KIB, (f"{drives[0]}p1", drives[1]))
        write_md_records(was, 0, 64 * MIB)
        write_md_records(was, 1, 64 * MIB, super_at=384 * MIB - 8 * KIB)
        machine = unknown_kernel(probe_machine(drives))
        machine = replace(machine, tools=(*machine.tools, ("mdadm", "")))
        asked = Stripe("md", level=level)
        return make_plan(
            machine, machine.drives, NewVolumes((spec(filesystem),), Mode.REPLACE, Arrangement(stripe=asked))
        )

    return plan


def _one(kind: str, was: str, plan: Callable[[Shared], Plan]) -> Planned:
    """Change the partition in the middle, and preserve its neighbours."""

    def planned(work: Work, make_drive: MakeDrive) -> Plan:
        drive = Shared(work, make_drive, kind, 512)
        filled(drive, was)
        return plan(drive)

    return planned


MORE_JOBS: dict[str, Planned] = {
    "encrypted": _encrypted,
    "encrypted-kept": _encrypted_kept,
    "grouped": _grouped,
    "md-stripe": _array("raid0", "xfs"),
    "md-mirror": _array("raid1", "ext4"),
    "xfs-to-btrfs": _one("large", "xfs", lambda drive: drive.format_plan("btrfs")),
    "btrfs-to-xfs": _one("large mbr", "btrfs", lambda drive: drive.format_plan("xfs")),
    "ext4-grown": _one("gpt", "ext4", Shared.grow_plan),
    "ext4-shrunk": _one("mbr", "ext4", lambda drive: drive.shrink_plan(56 * MIB)),
    "xfs-grown": _one("large", "xfs", Shared.grow_plan),
    "btrfs-grown": _one("large", "btrfs", Shared.grow_plan),
}
"""Those with layers, which `layers` makes without this kernel, and those that change one partition."""

JOBS: dict[str, Planned] = {
    "empty": _empty,
    "many": _many,
    "no-table": _no_table,
    "no-table-4k": _no_table_4k,
    "kept-gpt": _kept(KEPT_GPT),
    "kept-logical": _kept(LOGICAL),
    "new-mbr": _new_mbr,
    "two": _two,
}


def rehearsed_job(name: str, work: Work, make_drive: MakeDrive) -> Job:
    """Rehearse one of the jobs with the real tools. Leaves drives and run as they are."""
    plan = {**JOBS, **MORE_JOBS}[name](work, make_drive)
    work.runs.mkdir(mode=0o700, exist_ok=True)
    run = new_run(work.runs, plan, work.environment)
    before = [work.digest(path) for path in plan.devices]
    journal = Journal(run)
    try:
        with layered(work):
            record = rehearse(plan, RunWork(run, Purpose.APPLY, journal, (), PASSPHRASE), work.environment)
    finally:
        journal.close()
    assert [work.digest(path) for path in plan.devices] == before, "the rehearsal wrote to a drive"
    return recorded(name, plan, record, run, [work.bench.image_of(path) for path in plan.devices])
