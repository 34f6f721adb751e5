"""Helpers for tests of conversions: an old filesystem with fragile files."""

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, diskwright, ended
from tests.loop.migrate.manifest.manifests import ACL
from tests.loop.program import (
    MIB,
    Migration,
    Purpose,
    RunState,
    Way,
    make_migration,
    make_run,
    probe_machine,
    start_document,
)
from wizard.apply.block.devices import facts_on
from wizard.apply.conversion.guard import look_at_ext
from wizard.apply.engine.stores import FOLDER
from wizard.apply.run.job import Start
from wizard.apply.run.runs import MIGRATION
from wizard.ext4.assessment import BootLine, Situation
from wizard.ext4.document import MIGRATIONS
from wizard.plan.dangers import known_identity

OTHER_LINES = "# mine\nUUID=0d2c3b7a-0000-4000-8000-000000000001 / ext4 errors=remount-ro 0 1\n"
NO_JOURNAL = "^has_journal"
FILES = 400


@dataclass(frozen=True, slots=True)
class Old:
    """An old, unmounted filesystem on a test drive, with a line in the scratch fstab."""

    work: Work
    drive: str
    line: str

    @property
    def saved(self) -> list[Path]:
        """The saved bytes and scratch copies of all runs."""
        return [*self.work.runs.glob(f"*/{FOLDER}/*")]

    @property
    def fstab(self) -> str:
        return self.work.fstab.read_text()

    @property
    def digest(self) -> str:
        return self.work.digest(self.drive)

    def look(self) -> Situation:
        """Inspect the filesystem."""
        machine = probe_machine([self.drive])
        (drive,) = machine.drives
        assert drive.size_bytes is not None and drive.geometry is not None
        number = self.fstab.split("\n").index(self.line) + 1
        return Situation(
            drive=known_identity(machine, drive),
            device=self.drive,
            ext=facts_on(self.drive),
            fstab=str(self.work.fstab),
            fstab_text=self.fstab,
            lines=(BootLine(number, self.line.split()[2], str(self.work.place("old"))),),
        )

    def migration(self, way: Way = Way.FULL, *, manifest: bool = False) -> Migration:
        """Return the conversion for the current state."""
        return make_migration(self.look(), way, manifest=manifest)

    def planned_by_command(self, file: Path) -> None:
        """Write a full conversion to a file with `diskwright migrate`."""
        kept = ("-o", str(file), "--fstab", str(self.work.fstab))
        made = diskwright(self.work, "migrate", self.drive, "--way", "full", *kept)
        assert made.returncode == 0, made.stderr

    def start(self, migration: Migration) -> Path:
        """Start a run."""
        self.work.bench.own(migration.drive.path)
        token = migration.drive.token
        return start_document(migration, Start((token,), self.work.runs, self.work.environment))

    def begin(self, migration: Migration) -> Path:
        """Create a run without starting it, and return its folder."""
        return begin(self.work, migration)

    def migrate_here(self, way: Way = Way.FULL, *, manifest: bool = False) -> Path:
        """Convert in this process, which is faster, and return the run."""
        run = self.begin(self.migration(way, manifest=manifest))
        carry_out(run, Purpose.APPLY, ())
        return run

    def migrate(self, way: Way = Way.FULL, *, manifest: bool = False) -> tuple[Path, RunState]:
        """Start a run and wait for its end."""
        run = self.start(self.migration(way, manifest=manifest))
        return run, ended(run)

    def restarted(self) -> None:
        """Make the drive writable, as after a reboot."""
        self.work.bench.own(self.drive)
        tool("blockdev", "--setrw", self.drive)

    def mount(self, *options: str) -> Path:
        """Mount the filesystem at the place in its fstab line."""
        place = self.work.place("old")
        place.mkdir(parents=True, exist_ok=True)
        self.work.bench.own(self.drive)
        tool("mount", *options, self.drive, str(place))
        return place

    def files(self, kind: str) -> dict[str, object]:
        """Mount read-only as this type, and return everything in the filesystem."""
        place = self.mount("-t", kind, "-o", "ro" if kind == "ext2" else "ro,noload")
        try:
            return everything(place)
        finally:
            tool("umount", str(place))


@dataclass(frozen=True, slots=True)
class System:
    """An unmounted filesystem of an installed system, on a test drive."""

    work: Work
    drive: str

    def look(self) -> Situation:
        return look_at_ext(self.drive, self.work.environment)

    def migrate(self, migration: Migration) -> Path:
        """Convert in this process, which is faster, and return the run."""
        run = begin(self.work, migration)
        carry_out(run, Purpose.APPLY, ())
        return run

    def file(self, path: str) -> bytes:
        copy = self.work.folder / "copy"
        tool("debugfs", "-c", "-R", f"dump {path} {copy}", self.drive)
        return copy.read_bytes()

    @property
    def digest(self) -> str:
        return self.work.digest(self.drive)


def begin(work: Work, migration: Migration) -> Path:
    """Create a run without starting it, and return its folder."""
    work.bench.own(migration.drive.path)
    work.runs.mkdir(exist_ok=True)
    return make_run(work.runs, (migration.device,), MIGRATION, MIGRATIONS.render(migration), work.environment)


def old_filesystem(
    work: Work, make_drive: MakeDrive, options: Sequence[str] = (), size_bytes: int = 32 * MIB
) -> Old:
    """Create a filesystem, by default ext3, with files and a line in the scratch fstab."""
    drive = make_drive(size_bytes)
    work.bench.own(drive)
    kind = "ext2" if any(NO_JOURNAL in option for option in options) else "ext3"
    tool(
        "mke2fs", "-q", "-F", "-t", kind, "-L", "old films", *(options or ("-I", "128", "-b", "1024")), drive
    )
    line = f"LABEL=old\\040films\t{work.place('old')}  {kind}\tdefaults,noatime 0 2 # films"
    work.fstab.write_text(f"{OTHER_LINES}{line}\n# the end\n")
    old = Old(work, drive, line)
    place = old.mount()
    plant(place)
    tool("umount", str(place))
    return old


def plant(place: Path) -> None:
    """Create fragile files: holes, hard links, attributes, ACLs, arbitrary names, deep folders, immutable
    files."""
    deep = place.joinpath(*(f"down {number}" for number in range(40)))
    deep.mkdir(parents=True)
    (deep / "bottom").write_bytes(b"deep" * 999)
    many = place / "many"
    many.mkdir()
    for number in range(FILES):
        (many / f"a file with a name that fills its folder {number}").write_bytes(
            bytes([number % 251]) * (number * 7 % 3000)
        )
    with (place / "holes").open("wb") as file:
        for offset in (0, 50_000, 700_000, 5_000_000):
            file.seek(offset)
            file.write(os.urandom(3000))
        file.truncate(9_000_000)
    (place / "in pieces").write_bytes(os.urandom(900_000))
    os.link(place / "in pieces", place / "many/the same")
    (place / "short link").symlink_to("in pieces")
    (place / "long link").symlink_to("x/" * 90)
    (place / os.fsdecode(b"\xff\xfe not UTF-8 \xe9")).write_bytes(b"strange")
    os.setxattr(place / "holes", "user.note", b"kept" * 10)
    os.setxattr(place / "holes", "system.posix_acl_access", ACL)
    os.mkfifo(place / "pipe")
    os.chown(place / "in pieces", 1234, 5678)
    (place / "in pieces").chmod(0o2750)
    os.utime(place / "in pieces", (1_000_000_000, 900_000_000))
    (place / "fixed").write_text("It cannot be changed.")
    tool("chattr", "+i", str(place / "fixed"))


def everything(place: Path) -> dict[str, object]:
    """Return content, holes, owner, mode, times, links, attributes and inode of every file below a place,
    by name."""
    found: dict[str, object] = {}
    for path in (place, *place.rglob("*")):
        # A place in /proc is a link, which is as old as the last look at it.
        at = f"{path}/." if path == place else str(path)
        status = os.lstat(at)
        is_file, is_link = stat.S_ISREG(status.st_mode), stat.S_ISLNK(status.st_mode)
        found[str(path.relative_to(place))] = (
            status.st_mode,
            (status.st_ino, status.st_nlink, status.st_uid, status.st_gid),
            status.st_size if is_file else 0,
            status.st_mtime_ns,
            {
                name: os.getxattr(at, name, follow_symlinks=False)
                for name in sorted(os.listxattr(at, follow_symlinks=False))
            },
            path.readlink() if is_link else None,
            (hashlib.sha256(path.read_bytes()).hexdigest(), data_ranges(path)) if is_file else (),
        )
    return found


def data_ranges(path: Path) -> tuple[tuple[int, int], ...]:
    """Return the data ranges of a file as the filesystem reports them."""
    ranges: list[tuple[int, int]] = []
    end = 0
    with path.open("rb") as file:
        while True:
            try:
                begin = os.lseek(file.fileno(), end, os.SEEK_DATA)
            except OSError:
                return tuple(ranges)
            end = os.lseek(file.fileno(), begin, os.SEEK_HOLE)
            ranges.append((begin, end))
