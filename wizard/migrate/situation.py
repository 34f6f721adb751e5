"""Everything that was found out about an ext filesystem before a migration, by looking and writing
nothing."""

from dataclasses import dataclass

from wizard.model.ext import ExtFacts
from wizard.model.identity import Identity


@dataclass(frozen=True, slots=True)
class BootLine:
    """A line of fstab for the filesystem: its number from 1, the type it names, and where it is mounted."""

    number: int
    kind: str
    mount_point: str


@dataclass(frozen=True, slots=True)
class Folder:
    """Where stores or undo files would lie. `fault` is a clause on why they cannot, empty where they can;
    `asked`: a person named it."""

    path: str
    free_bytes: int = 0
    fault: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The volume for a fresh ext4 on `drive`. `fault` is a clause on why it cannot be had, empty where it
    can."""

    device: str
    size_bytes: int
    drive: Identity
    fault: str = ""


@dataclass(frozen=True, slots=True)
class BootPath:
    """What starts a system from this filesystem. `place` is / or /boot, empty where neither lies on it;
    `root_type` what rootfstype= says.

    `grub` is the version of GRUB's programs, (0, 0) where there are none; `initramfs` the name of what makes
    the first root. `grub_folder` is where GRUB's settings lie on the filesystem, empty where they do not or
    it was not looked for; `grub_reader` is the program that has GRUB's own driver, empty where there is none.
    """

    place: str = ""
    root_type: str = ""
    grub: tuple[int, int] = (0, 0)
    initramfs: str = ""
    grub_folder: str = ""
    grub_reader: str = ""


@dataclass(frozen=True, slots=True)
class OwnFstab:
    """The text of /etc/fstab on the filesystem itself, which nobody has mounted, and the lines of it that are
    for this filesystem.

    `fault` is a clause on why it cannot be changed there, empty where it can; the text can be missing then.
    """

    text: str = ""
    lines: tuple[BootLine, ...] = ()
    fault: str = ""


NO_BOOT = BootPath()


@dataclass(frozen=True, slots=True)
class Situation:
    """The filesystem `ext` on `device`, which is `drive`, a partition of it or a volume on it, and everything
    around it.

    `device_bytes` is the size of the device, `mounts` are the places where anybody sees it mounted.
    `is_root`: the running system stands on it; `opened`: another block device or a program holds it for
    itself. `damaged`: the first error that its checker finds, None where that was not found out. `fstab` is
    the file of mounts with its text, `own` the one on the filesystem itself, None where there is none or it
    was not looked for; `units` are systemd's own files for it. `missing` are programs that are not there,
    `family` is the distribution's, as a machine has it, `e2fsprogs` their version. `no_snapshots` is a clause
    on why device mapper cannot be used, empty where it can. `manifest_seconds`: how long comparing every file
    takes, both times together.
    """

    drive: Identity
    device: str
    ext: ExtFacts
    fstab: str
    fstab_text: str
    device_bytes: int = 0
    mounts: tuple[str, ...] = ()
    swap_files: tuple[str, ...] = ()
    is_root: bool = False
    opened: bool = False
    damaged: str | None = None
    lines: tuple[BootLine, ...] = ()
    units: tuple[str, ...] = ()
    own: OwnFstab | None = None
    boot: BootPath = NO_BOOT
    missing: tuple[str, ...] = ()
    family: str = ""
    e2fsprogs: tuple[int, int] = (1, 47)
    no_snapshots: str = ""
    store: Folder = Folder("")
    undo_dir: Folder = Folder("")
    target: Target | None = None
    manifest_seconds: float = 0.0
