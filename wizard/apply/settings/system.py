"""The running system for settings: its commands, and values read from it."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from stat import S_IMODE
from time import monotonic, sleep

from wizard.apply.run.backup_store import ANY, Environment
from wizard.apply.run.job import RunWork
from wizard.apply.run.journal import Journal
from wizard.apply.run.runs import load_environment
from wizard.apply.steps.step_context import journalled
from wizard.apply.system import mounts
from wizard.apply.tree.mount_read_only import mounted_as_it_is
from wizard.documents.files import UNREADABLE
from wizard.ext4 import superblock
from wizard.model.errors import BadInput, Failed, FrozenStruct
from wizard.model.ext import ExtFacts
from wizard.model.geometry import Identity
from wizard.model.said import failing, t
from wizard.operations.mounts import Top
from wizard.operations.operation import Setting
from wizard.plan.changes import Bring, Changes, Migration
from wizard.process.program import find, run

GONE_SECONDS = 10.0
"""Time limit for the kernel to add or remove a device."""

SYSTEMD = Path("/run/systemd/system")
PROCESS = Path("/proc/self/status")


class RunningSystem(FrozenStruct):
    """The system that settings of the document are read from and changed in. `step` counts from 1. Commands
    need a journal; reading does not."""

    drive: Identity
    settings: tuple[Setting, ...]
    environment: Environment = ANY
    step: int = 0
    run_name: str = ""
    journal: Journal | None = None
    drive_locks: tuple[int, ...] = ()

    def command(self, argv: Sequence[str]) -> None:
        """Run and journal a command under the drive's lock. Raises Failed."""
        assert self.journal is not None
        journalled(argv, self.journal, self.step, self.environment.patience_seconds, self.drive_locks)

    def reload_units(self) -> None:
        """Reload systemd, which generates units from fstab, if it runs and uses this fstab."""
        if self.environment.is_running_system and SYSTEMD.exists():
            with suppress(Failed):
                self.command(("systemctl", "daemon-reload"))


def wait_until(is_done: Callable[[], bool]) -> None:
    """Wait up to ten seconds for the kernel."""
    until = monotonic() + GONE_SECONDS
    while not is_done() and monotonic() < until:
        sleep(0.05)


def system_of(document: Changes | Migration | Bring) -> RunningSystem:
    """Return the system for reading the settings of a document."""
    return RunningSystem(document.drive, document.settings)


def system_in(work: RunWork, document: Changes | Migration | Bring, step: int = 0) -> RunningSystem:
    """Return the system for changing the settings of a run's document."""
    run, environment = work.run, load_environment(work.run)
    return RunningSystem(
        document.drive, document.settings, environment, step, run.name, work.journal, work.drive_locks
    )


def has_capability(number: int) -> bool:
    """Return True if this process has an effective capability (proc_pid_status(5))."""
    found = re.search(r"(?m)^CapEff:\s+([0-9a-f]+)$", PROCESS.read_text())
    return found is not None and bool(int(found[1], 16) >> number & 1)


def unit_state(unit: str) -> str | None:
    """Return systemd's state of a unit, such as enabled or masked; None without systemd. Raises BadInput."""
    if not SYSTEMD.exists() or find("systemctl") is None:
        return None
    argv = ["systemctl", "is-enabled", unit]
    try:
        return run(argv, accept=range(256)).output.strip() or None
    except Failed as error:
        raise BadInput(str(error)) from None


def read_superblock(device: str) -> ExtFacts:
    """Read the ext superblock of a device, which may be mounted. Raises Failed."""
    with failing(UNREADABLE, file=device), Path(device).open("rb") as file:
        file.seek(superblock.START_BYTES)
        found = superblock.read_ext(file.read(superblock.SUPERBLOCK_BYTES))
    if found is None:
        raise Failed(t("{device} has no valid ext superblock.", device=device))
    return found


def read_top(device: str, place: str, driver: str) -> Top:
    """Read the top folder of a filesystem, through a private read-only mount if it is not at its mount point.
    Raises Failed."""
    with failing(UNREADABLE, file=place):
        if mounts.mounted_from(device, place) is not None:
            status = Path(place).stat()
        else:
            with mounted_as_it_is(device, (driver,)) as top:
                status = top.stat()
    return Top(status.st_uid, status.st_gid, S_IMODE(status.st_mode))
