"""Operations on mounts and swap, and the data of fstab lines."""

import re
from collections.abc import Sequence

from wizard.filesystems.kind import Commands
from wizard.filesystems.registry import KINDS, MADE
from wizard.model.errors import FrozenStruct, WhereUsed, is_partition_of
from wizard.model.layout import NO_PLACE, Writer
from wizard.model.requests import Attach, Detach, SetOptions, SwitchOff, Tune
from wizard.model.said import Message, Sentence, t
from wizard.operations.fstab import fstab_escaped
from wizard.operations.operation import (
    AtDevice,
    Context,
    OnNodes,
    Operation,
    Setting,
    Subject,
    Summary,
    filled,
)
from wizard.operations.rules import mount_options_fault, mount_point_fault

UNMOUNT = Sentence("Unmount {device} from {mount_point}.")
NOT_MOUNTED_AT = Sentence("{device} is not mounted at {mount_point}")
MOUNTED_AT = Sentence("{device} is mounted at {mount_point}")

OPPOSITES = {"lazytime": "nolazytime", "nodev": "dev", "nosuid": "suid", "noexec": "exec"}
"""Generic mount options and the options that disable them (mount(8))."""

ACCESS_TIME = frozenset({"atime", "noatime", "relatime", "strictatime"})
TUNED = (ACCESS_TIME - {"atime"}) | {"lazytime"}
REMOUNTED = TUNED | frozenset(OPPOSITES)
"""Generic mount options that can be changed while in use: those that a workload may need, and all that a user
may request."""

REMOUNTING = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs"})
"""Filesystems that keep unnamed options on remount. F2FS resets them to defaults (fs/f2fs/super.c)."""

_WORD = re.compile(r"[a-z]+")
_WORDS = re.compile(r"[a-z0-9-]+")
_SHOWN = re.compile(r"[^\s,\\]+")


SUBVOLUME = "subvol=/"
"""Mount option for a subvolume, by path from the top level (btrfs(5))."""

# How a line is removed again.
SAVED_BESIDE = Sentence("The old {file} is saved next to the new file. To undo, remove the line.")
ONE_LINE = Sentence("{file} has exactly one line for {what}.")


def mounted_subvolume(options: Sequence[str]) -> str:
    """Return the subvolume in mount options, by path from the top level, or an empty string."""
    return next((option.removeprefix(SUBVOLUME) for option in options if option.startswith(SUBVOLUME)), "")


MOUNTED = Sentence("Mount {what:and}, now and on every boot.")
SWAPPED = Sentence("Use {what:and} as swap, now and on every boot.")


class AddFstabLine(Operation):
    """Add an fstab line for `uuid`."""

    uuid: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    pass_number: int

    edits_boot = True

    @property
    def line(self) -> str:
        """The line without newline: UUID, mount point, filesystem, options, no dump, fsck pass (fstab(5))."""
        place, options = fstab_escaped(self.mount_point), ",".join(self.options)
        return f"UUID={self.uuid} {place} {self.filesystem} {options} 0 {self.pass_number}"

    def sentence(self, context: Context) -> Message:
        if self.mount_point == NO_PLACE:
            return t("Enable swap on every boot (one line in {file}).", file=context.fstab)
        return t(
            "Mount {what} at {place} on every boot (one line in {file}).",
            what=mounted_subvolume(self.options) or t("the filesystem"),
            place=self.mount_point,
            file=context.fstab,
        )

    def summary(self, sentence: str) -> Summary:
        """Omitted: in a plan, the mount or swap follows."""
        return ""

    def edits(self, context: Context) -> tuple[str, ...]:
        return (self.line,)

    def undo_text(self, context: Context) -> str:
        return str(SAVED_BESIDE(file=context.fstab))

    def holds(self, context: Context) -> tuple[Message, ...]:
        name = mounted_subvolume(self.options)
        return (ONE_LINE(file=context.fstab, what=f"{self.uuid} {name}".rstrip()),)


def fstab_line(uuid: str, place: str, filesystem: str, driver: str, options: Sequence[str]) -> AddFstabLine:
    """Return the line that mounts a `filesystem` (libblkid's name) by the kernel's `driver`, with the fsck
    pass."""
    kind = KINDS[filesystem]
    rules = kind.relabelling.rules if kind.relabelling else ""
    made = MADE.get(rules or kind.name)
    return AddFstabLine(uuid, place, driver, tuple(options), made.fsck_pass if made else 0)


class Mount(OnNodes, Setting):
    """Mount `device` at `mount_point`, which is created if missing. `others`: further devices of a
    multi-device Btrfs."""

    device: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]
    others: WhereUsed[tuple[str, ...]] = ()

    requests = (Attach,)
    turn = 1
    lasts = False
    mounts = True

    writes_also = (Sentence("directory {mount_point}, created if missing"),)
    undone = UNMOUNT
    aims = MOUNTED_AT

    @property
    def mounted_at(self) -> str:
        return self.mount_point

    @property
    def subvolume(self) -> str:
        """The mounted subvolume, by path from the top level, or an empty string."""
        return mounted_subvolume(self.options)

    def sentence(self, context: Context) -> Message:
        if self.subvolume:
            return filled(Sentence("Mount {subvolume} of {device} at {mount_point}."), self)
        return filled(Sentence("Mount {device} at {mount_point}."), self)

    def summary(self, sentence: str) -> Summary:
        """Name all mounts together. In a plan, each has an fstab line."""
        place = self.mount_point
        return MOUNTED, t("{what} at {place}", what=name, place=place) if (name := self.subvolume) else place

    def commands_to(self, *, new: bool) -> Commands:
        if not new:
            return (("umount", self.mount_point),)
        # The kernel assembles a Btrfs from registered devices (btrfs-device(8)).
        scan = [("btrfs", "device", "scan", *self.devices)] if self.others else []
        options = ("-o", ",".join(self.options)) if self.options else ()
        return (*scan, ("mount", "-t", self.filesystem, *options, self.device, self.mount_point))

    def holds(self, context: Context) -> tuple[Message, ...]:
        if not self.options:
            return Setting.holds(self, context)
        how = Sentence("{device} is mounted at {place} with {options}.")
        return (how(device=self.device, place=self.mount_point, options=",".join(self.options)),)

    def fits(self, subject: Subject) -> bool:
        kind = KINDS[subject.filesystem]
        return (
            not self.others
            and self.filesystem in filter(None, (*kind.kernel_names, kind.mount_helper))
            and not mount_point_fault(self.mount_point)
            and not mount_options_fault(self.options)
        )

    def added_options(self, filesystem: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return ((self.filesystem, self.options),)


class TurnOnSwap(AtDevice):
    """Activate swap on `device`."""

    says = Sentence("Enable swap on {device}.")
    undone = Sentence("Run `swapoff {device}`.")
    checks = (Sentence("The kernel lists {device} as swap."),)

    def summary(self, sentence: str) -> Summary:
        """Name all swap spaces together. In a plan, each has an fstab line."""
        return SWAPPED, self.device

    def commands(self) -> Commands:
        return (("swapon", self.device),)


class Remount(Setting):
    """Remount `device` at `mount_point` with other options while in use.

    `old` and `new`: all generic mount options, as the kernel lists them. Options specific to the filesystem
    do not change.
    """

    device: str
    mount_point: str
    old: tuple[str, ...]
    new: tuple[str, ...]

    requests = (Tune, SetOptions)
    turn = 1
    lasts = False

    says = Sentence("Remount {device} at {mount_point} with {new:list} instead of {old:list} while in use.")

    def commands_to(self, *, new: bool) -> Commands:
        """Name device and mount point, so that fstab is ignored and omitted options are lost (mount(8)).
        Current versions of mount(8) only change options that are given, so disable removed ones."""
        now, wanted = (self.old, self.new) if new else (self.new, self.old)
        removed = (OPPOSITES[word] for word in now if word in OPPOSITES and word not in wanted)
        return (("mount", "-o", ",".join(("remount", *wanted, *removed)), self.device, self.mount_point),)

    @property
    def goal(self) -> Message:
        return t("mounted with {options}", options=",".join(self.new))

    def fits(self, subject: Subject) -> bool:
        old, new = {*self.old}, {*self.new}
        return (
            self.mount_point.startswith("/")
            and subject.filesystem in REMOUNTING
            and all(map(_WORD.fullmatch, old | new))
            and not (old ^ new) - (REMOUNTED if isinstance(subject.wanted, SetOptions) else TUNED)
            and old != new
            and "rw" in new & old
        )


class Top(FrozenStruct):
    """Metadata of the top folder of a filesystem. `attributes`: names and values in hexadecimal."""

    owner: int
    group: int
    mode: int
    attributes: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.owner}:{self.group} {self.mode:04o}"

    def writable_by(self, owner: Writer) -> "Top":
        """Return the top folder as it is writable by the owner, with other permissions preserved if
        possible."""
        modes = {"person": self.mode | 0o700, "root": self.mode & ~0o022}
        return Top(owner.uid, owner.gid, modes.get(owner.kind, owner.mode))


class ChangeOwner(Setting):
    """Change owner, group and mode of the top folder at `mount_point`, where `device` is mounted.
    `filesystem`: the kernel's name."""

    device: str
    mount_point: str
    filesystem: str
    old: Top
    new: Top

    requests = (Tune, Attach)
    turn = 2

    undone = Sentence("By restoring the old owner and mode.")

    def sentence(self, context: Context) -> Message:
        return t(
            "Change the owner of {place} from {old} to {new}. Files in it keep theirs.",
            place=self.mount_point,
            old=str(self.old),
            new=str(self.new),
        )

    def commands_to(self, *, new: bool) -> Commands:
        # A change of owner can clear bits of the mode. Only five digits clear setgid (chmod(1)).
        top, place = self.new if new else self.old, self.mount_point
        return ("chown", f"{top.owner}:{top.group}", place), ("chmod", f"{top.mode:05o}", place)

    @property
    def goal(self) -> Message:
        return t("{place} belongs to {owner}", place=self.mount_point, owner=str(self.new))

    def fits(self, subject: Subject) -> bool:
        owner = subject.wanted.owner if isinstance(subject.wanted, Attach | Tune) else None
        return (
            not mount_point_fault(self.mount_point)
            and owner is not None
            and self.new == self.old.writable_by(owner) != self.old
            and self.filesystem in KINDS[subject.filesystem].kernel_names
        )


class Unmount(Setting):
    """Unmount `device` from `mount_point`. `filesystem` (the kernel's name) and `options` serve to mount it
    again."""

    device: str
    mount_point: str
    filesystem: str
    options: tuple[str, ...]

    requests = (Detach, SwitchOff)
    turn = 1
    lasts = False

    says = UNMOUNT
    aims = NOT_MOUNTED_AT

    @property
    def once(self) -> str:
        return self.mount_point

    @property
    def mount(self) -> Mount:
        return Mount(self.device, self.mount_point, self.filesystem, self.options)

    def commands_to(self, *, new: bool) -> Commands:
        return self.mount.commands_to(new=not new)

    def fits(self, subject: Subject) -> bool:
        return (
            # Before a drive is powered off, its partitions are unmounted.
            (
                self.device == subject.device
                or (
                    isinstance(subject.wanted, SwitchOff) and is_partition_of(self.device, subject.drive.path)
                )
            )
            and self.mount_point.startswith("/")
            and bool(_WORDS.fullmatch(self.filesystem))
            and all(map(_SHOWN.fullmatch, self.options))
        )
