"""Real rehearsals of jobs on loop drives. What each changes is then exchanged thousands of times on drives
that exist in memory."""

from collections.abc import Callable
from pathlib import Path

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, fill, wish
from tests.simulator.jobs import Job, recorded
from wizard.apply.plan.rehearse import Ground, rehearse
from wizard.apply.plan.run import execute
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import new_run
from wizard.layout.planner import Mode
from wizard.layout.several.striped import StripeWish
from wizard.layout.wishes.wish import Arrangement
from wizard.model.plan import Plan
from wizard.model.units import MIB

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
    """So that every byte that is changed shows; without boot code, in whose place libparted would put its
    own."""
    if not size_bytes:
        fill(drive, work.bench)
    with Path(drive).open("r+b", buffering=0) as device:
        for at in range(0, size_bytes, MIB):
            device.seek(at)
            device.write(bytes(range(1, 256)) * 4112 + bytes(16))
        device.seek(0)
        device.write(bytes(4096))


def _many_old(drive: str, work: Work) -> None:
    """Every kind of old content, each in a partition of a GPT."""
    _noise(drive, work, 16 * MIB)
    _table(drive, "label: gpt\n" + "".join(f"size={size}MiB\n" for size, _ in MANY.values()))
    key = work.folder / "key"
    key.write_text("a passphrase")
    for number, (_, argv) in enumerate(MANY.values(), 1):
        tool(*(str(key) if word == "KEY" else word for word in argv), f"{drive}p{number}")


def _empty(work: Work, make_drive: MakeDrive) -> Plan:
    return work.plan(make_drive(128 * MIB), wish("ext4"))


def _many(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(720 * MIB)
    _many_old(drive, work)
    return work.plan(drive, wish("xfs", 320 * MIB), wish("f2fs", 128 * MIB), wish("ext4"), mode=Mode.REPLACE)


def _no_table(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(128 * MIB)
    _noise(drive, work)
    tool("mkfs.ext4", "-q", "-F", "-O", "^metadata_csum", drive)
    return work.plan(drive, wish("ext4"), mode=Mode.REPLACE)


def _no_table_4k(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(128 * MIB, 4096)
    _noise(drive, work)
    tool("mkfs.btrfs", "-q", "-f", drive)
    return work.plan(drive, wish("exfat"), mode=Mode.REPLACE)


def _kept(script: str) -> Callable[[Work, MakeDrive], Plan]:
    def plan(work: Work, make_drive: MakeDrive) -> Plan:
        drive = make_drive(96 * MIB)
        _noise(drive, work)
        _table(drive, script)
        tool("mkfs.ext4", "-q", f"{drive}p1")
        return work.plan(drive, wish("ext4", 16 * MIB), mode=Mode.USE_FREE)

    return plan


def _new_mbr(work: Work, make_drive: MakeDrive) -> Plan:
    drive = make_drive(192 * MIB)
    _noise(drive, work, 16 * MIB)
    _table(drive, "label: gpt\nstart=1MiB,size=40MiB\nstart=60MiB,size=60MiB\n")
    tool("mkfs.ext4", "-q", f"{drive}p1")
    tool("mkfs.f2fs", "-q", "-f", f"{drive}p2")
    return work.plan(
        drive, wish("exfat", 40 * MIB), wish("ext4"), mode=Mode.REPLACE, arrangement=Arrangement("mbr")
    )


def _two(work: Work, make_drive: MakeDrive) -> Plan:
    drives = [make_drive(256 * MIB) for _ in range(2)]
    _noise(drives[0], work, 16 * MIB)
    _table(drives[0], "label: gpt\nstart=1MiB,size=80MiB\n")
    tool("mkfs.ext4", "-q", f"{drives[0]}p1")
    tool("mkfs.f2fs", "-q", "-f", drives[1])
    return work.striped(drives, wish("btrfs"), StripeWish("btrfs"), Mode.REPLACE)


JOBS: dict[str, Callable[[Work, MakeDrive], Plan]] = {
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
    """One of the jobs, rehearsed by the real tools. Its drives and its run are left as they are."""
    plan = JOBS[name](work, make_drive)
    work.runs.mkdir(mode=0o700, exist_ok=True)
    run = new_run(work.runs, plan, work.environment)
    before = [work.digest(path) for path in plan.paths]
    journal = Journal(run)
    try:
        record = rehearse(plan, Ground(run, work.environment, journal, execute))
    finally:
        journal.close()
    assert [work.digest(path) for path in plan.paths] == before, "the rehearsal wrote to a drive"
    return recorded(name, plan, record, run, [work.bench.image_of(path) for path in plan.paths])
