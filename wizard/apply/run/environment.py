"""What a run may touch outside its drive, said once and handed down; nothing here is global."""

from dataclasses import dataclass
from pathlib import Path

LOOK_SECONDS = 60.0
"""A slow drive right after a long mkfs, on a machine that was short of memory meanwhile, answers late."""

OWN_FSTAB = Path("/etc/fstab")


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a run works.

    `fstab` is the file that says what is mounted at boot; `only` are the drives it may touch at all, None for
    any; `patience_seconds` is granted to every command on top of ten times its estimate.
    """

    fstab: Path = OWN_FSTAB
    only: frozenset[str] | None = None
    patience_seconds: float = 1800.0

    @property
    def crypttab(self) -> Path:
        """The file that says what is opened at boot: beside the fstab, wherever that is."""
        return self.fstab.with_name("crypttab")

    @property
    def rules(self) -> Path:
        """The folder of the rules that an administrator gives udev, of the same system as `fstab`
        (udev(7))."""
        return self.fstab.parent / "udev/rules.d"

    @property
    def is_running_system(self) -> bool:
        """Whether `fstab` is the running system's own: only that one's timers are switched on."""
        return self.fstab == OWN_FSTAB
