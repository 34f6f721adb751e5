"""Helpers for tests of changes in use: a mounted filesystem with a scratch fstab and a scratch folder of
udev rules."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, ended
from tests.loop.program import MIB, Environment, RunState, make_run, start_document
from wizard.apply.run.job import Start
from wizard.apply.run.runs import CHANGES
from wizard.apply.settings.existing_filesystem import look_at_filesystem
from wizard.apply.settings.plan_settings import act
from wizard.apply.settings.tune import set_options, set_queue, set_reserve
from wizard.model.requests import Tune
from wizard.plan.changes import SETTINGS, Changes, changes_of
from wizard.probe.host import sysfs

BEFORE_IT, BEHIND_IT = "# at boot\nproc /proc proc defaults 0 0\n", "\n# the end"

BLOCKS = 64 * 1024
"""Of 1 KiB each."""


@dataclass(frozen=True, slots=True)
class Used:
    """A mounted ext4 with all settings different from those in `changes`."""

    work: Work
    drive: str
    place: Path
    line: str

    @property
    def rules(self) -> Path:
        """The drive's own file of udev rules."""
        return self.work.environment.rules / f"60-diskwright-{self.drive.removeprefix('/dev/')}.rules"

    @property
    def queue(self) -> Path:
        return Path(f"/sys/block/{self.drive.removeprefix('/dev/')}/queue")

    @property
    def scheduler(self) -> str:
        return self.queue.joinpath("scheduler").read_text().partition("[")[2].partition("]")[0]

    @property
    def read_ahead(self) -> str:
        return self.queue.joinpath("read_ahead_kb").read_text().strip()

    def set_queue(self, scheduler: str, read_ahead: str) -> None:
        self.work.bench.own(self.drive)
        self.queue.joinpath("scheduler").write_text(scheduler)
        self.queue.joinpath("read_ahead_kb").write_text(read_ahead)

    @property
    def kept_for_root(self) -> int:
        lines = tool("dumpe2fs", "-h", self.drive).splitlines()
        return next(int(line.split()[-1]) for line in lines if line.startswith("Reserved block count"))

    @property
    def words(self) -> set[str]:
        """Active mount options in the kernel."""
        return set(
            tool("findmnt", "-n", "-o", "VFS-OPTIONS,FS-OPTIONS", str(self.place)).replace(",", " ").split()
        )

    @property
    def fstab(self) -> str:
        return self.work.fstab.read_text()

    @property
    def all(self) -> tuple[object, ...]:
        """All changeable settings."""
        rules = self.rules.read_text() if self.rules.exists() else None
        return self.fstab, rules, self.scheduler, self.read_ahead, self.kept_for_root, self.words

    def changes(self) -> Changes:
        """Return one change of each kind, except the timer, for the current state."""
        used = look_at_filesystem(self.drive, self.work.environment)
        queue = {"scheduler": "mq-deadline", "read_ahead_kb": "4096"}
        planned = (
            *set_reserve(used, 1),
            *set_options(used, ("nodev", "noatime", "lazytime")),
            *set_queue(used, queue),
        )
        tune, place = Tune("large-media"), (used.device, used.filesystem, used.uuid)
        made = changes_of(used.identity, place, tune, planned)
        # A run starts only with today's explanations.
        advised = act(self.drive, tune, self.work.environment)
        return replace(made, reasons=advised.reasons, doubts=advised.doubts)

    def apply(self, changes: Changes, environment: Environment | None = None) -> tuple[Path, RunState]:
        """Start a run and wait for its end."""
        run = self.start(changes, environment)
        return run, ended(run)

    def start(self, changes: Changes, environment: Environment | None = None) -> Path:
        self.work.bench.own(changes.drive.path)
        token = changes.drive.token
        return start_document(changes, Start((token,), self.work.runs, environment or self.work.environment))


def used_filesystem(work: Work, make_drive: MakeDrive) -> Used:
    """Create a mounted filesystem on a test drive, with an option that a careless remount would lose."""
    drive, place = make_drive(64 * MIB), work.place("media")
    work.bench.own(drive)
    tool("mkfs.ext4", "-q", "-F", "-b", "1024", "-m", "5", drive)
    uuid = tool("blkid", "-p", "-o", "value", "-s", "UUID", drive).strip()
    place.mkdir(parents=True)
    work.environment.rules.mkdir(parents=True)
    line = f"UUID={uuid}\t{place} ext4 nodev,relatime 0 2 # films"
    work.fstab.write_text(f"{BEFORE_IT}{line}{BEHIND_IT}")
    tool("mount", "-o", "nodev,relatime,commit=30", drive, str(place))
    return Used(work, drive, place, line)


def begin(work: Work, changes: Changes) -> Path:
    """Create a run without starting it, and return its folder."""
    work.bench.own(changes.drive.path)
    work.runs.mkdir(exist_ok=True)
    return make_run(work.runs, (changes.device,), CHANGES, SETTINGS.render(changes), work.environment)


def sysfs_in(folder: Path) -> SimpleNamespace:
    """Stand in for the module `sysfs`, with the block devices in a folder."""

    def folder_of(device: str) -> Path:
        return folder / "class/block" / sysfs.name_of(device)

    return SimpleNamespace(**{**vars(sysfs), "folder_of": folder_of})
