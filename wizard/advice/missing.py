"""Find the tools that a filesystem needs and the distribution packages that provide them."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from wizard.documents.profiles import BUNDLED, read_profile
from wizard.filesystems.btrfs import KIND as BTRFS
from wizard.filesystems.kind import MadeKind as Filesystem
from wizard.filesystems.registry import MADE as FILESYSTEMS
from wizard.filesystems.registry import not_made_because
from wizard.filesystems.xfs import KIND as XFS
from wizard.model.advice import Choice
from wizard.model.errors import BadInput, Refused
from wizard.model.machine import Drive, Machine
from wizard.model.said import MIB, Message, t, tn

COMMANDS = {
    "debian": ("apt", "install"),
    "fedora": ("dnf", "install"),
    "arch": ("pacman", "-S"),
    "suse": ("zypper", "install"),
    "alpine": ("apk", "add"),
    "void": ("xbps-install",),
}
"""How a person installs packages, by family."""


BINDING = "pyparted"
"""libparted's binding for Python: not a program, but missed in the same way."""


@dataclass(frozen=True, slots=True)
class PackageChoice:
    """Programs and the package that brings them: `package`, or in a family the one that is named for it;
    empty where none is known."""

    programs: tuple[str, ...]
    package: str
    debian: str | None = None
    fedora: str | None = None
    arch: str | None = None
    suse: str | None = None
    alpine: str | None = None
    void: str | None = None

    def in_family(self, family: str) -> str:
        """The package's name in a family, the usual one where the family is not known."""
        named: str | None = getattr(self, family) if family in COMMANDS else None
        return self.package if named is None else named


@dataclass(frozen=True, slots=True)
class Packages:
    """All that is known of packages."""

    brings: tuple[PackageChoice, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """Programs that are not installed, and the packages of `family` that bring those of them for which one is
    known."""

    programs: tuple[str, ...]
    packages: tuple[str, ...] = ()
    family: str = ""

    @property
    def command(self) -> str:
        """What a person types to install them; empty where the family or a package is not known."""
        known = self.family in COMMANDS and self.packages
        return shlex.join((*COMMANDS[self.family], *self.packages)) if known else ""

    @property
    def said(self) -> Message:
        """The sentence about it."""
        count = len(self.programs)
        programs = tuple(
            t("the libparted binding for Python") if name == BINDING else name for name in self.programs
        )
        if not self.packages:
            return tn(
                "{programs:and} is not installed, and the package is unknown for this distribution.",
                "{programs:and} are not installed, and the packages are unknown for this distribution.",
                programs=programs,
                count=count,
            )
        if command := self.command:
            return tn(
                "{programs:and} is not installed. Install with `{command}`.",
                "{programs:and} are not installed. Install with `{command}`.",
                programs=programs,
                command=command,
                count=count,
            )
        return tn(
            "{programs:and} is not installed. Install the package {packages:and}.",
            "{programs:and} are not installed. Install {packages:and}.",
            programs=programs,
            packages=self.packages,
            count=count,
        )


class Lacking(Refused):
    """Something is refused since programs are not installed; installing them is the way on."""

    def __init__(self, absent: Missing) -> None:
        super().__init__(str(absent.said))
        self.missing = absent


@cache
def _table() -> dict[str, PackageChoice]:
    """By program. Only what comes along decides what root installs, and no profile of a user's."""
    known = read_profile(BUNDLED / "packages.toml", Packages)
    return {program: brings for brings in known.brings for program in brings.programs}


def missing(programs: Iterable[str], family: str) -> Missing:
    """What brings these programs in a family of distributions."""
    wanted = tuple(dict.fromkeys(programs))
    found = (_table()[name].in_family(family) for name in wanted if name in _table())
    return Missing(wanted, tuple(dict.fromkeys(filter(None, found))), family)


def programs_named(name: str, family: str) -> tuple[str, ...]:
    """What a person means by the name of a program, or of a package in a family; none where it is neither."""
    if name in _table():
        return (name,)
    return tuple(program for program, brings in _table().items() if name and brings.in_family(family) == name)


def known_programs() -> tuple[str, ...]:
    """Every program whose package is known somewhere."""
    return tuple(name for name in _table() if name != BINDING)


def lacking(machine: Machine, programs: Iterable[str]) -> Missing | None:
    """What of these is not installed on a machine; None where all is there."""
    absent = [name for name in programs if not machine.has_tool(name)]
    return missing(absent, machine.family) if absent else None


TABLE_BYTES = 2 * MIB
"""What a partition table and the aligned start before the first partition take from a drive."""

LARGEST_BLOCK_BYTES = 4096
"""Filesystems here are made with blocks of 4096 bytes, which a logical block may not exceed."""


def filesystem(name: str) -> Filesystem:
    """A filesystem by name; raises BadInput naming those there are."""
    if name not in FILESYSTEMS:
        raise BadInput(not_made_because(name))
    return FILESYSTEMS[name]


def obstacles(kind: Filesystem, machine: Machine, drive: Drive, room: int | None) -> tuple[str, ...]:
    """Sentences on why `kind` cannot be made and mounted here at all, zones apart; empty where it can.

    `room` is the bytes the volume can have, None where that is unknown.
    """
    found: list[Message] = []
    if (
        machine.kernel.filesystems
        and kind.kernel_names
        and not machine.kernel.filesystems.intersection(kind.kernel_names)
    ):
        found.append(
            t(
                "The running kernel ({release}) does not support {title}. Boot another "
                "kernel or install the module.",
                release=machine.kernel.release,
                title=kind.title,
            )
        )
    found += _missing(kind, machine)
    if drive.geometry is not None and drive.geometry.logical_block_bytes > LARGEST_BLOCK_BYTES:
        size = drive.geometry.logical_block_bytes
        found.append(
            t(
                "The drive's logical blocks have {size} bytes. {title} supports at most 4096.",
                size=size,
                title=kind.title,
            )
        )
    if room is not None:
        found += _size_obstacles(kind, room)
    return tuple(map(str, found))


def _missing(kind: Filesystem, machine: Machine) -> list[Message]:
    """Programs and files that its maker cannot do without."""
    absent = lacking(machine, kind.makers)
    said = [absent.said] if absent else []
    said += [
        t("{program} needs {path}, which is missing: {how}.", path=path, program=kind.tool, how=how)
        for path, how in kind.needs_files
        if path in machine.missing_files
    ]
    return said


def for_files(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """The choices that hold files: swap is made where it is asked for by name or as a role, and suits no
    work."""
    return tuple(choice for choice in choices if FILESYSTEMS[choice.filesystem].mounts)


def room_bytes(drive: Drive, size_bytes: int | None, *, table: bool = True) -> int | None:
    """The bytes a volume can have: those asked for, else the drive's less what a `table` takes; None where
    neither is known."""
    if size_bytes is not None:
        return size_bytes
    return None if drive.size_bytes is None else max(0, drive.size_bytes - TABLE_BYTES * table)


def _size_obstacles(kind: Filesystem, size: int) -> list[Message]:
    if size < kind.minimum_bytes:
        least = kind.minimum_bytes // MIB
        return [
            t(
                "Only {room:size} available. {title} needs {least} MiB: {why}.",
                room=size,
                title=kind.title,
                least=least,
                why=kind.minimum_why,
            )
        ]
    if size > kind.maximum_bytes:
        return [t("{size:size} exceeds the limit of {title}.", size=size, title=kind.title)]
    return []


__all__ = ["BTRFS", "FILESYSTEMS", "XFS", "Filesystem", "filesystem", "for_files", "obstacles", "room_bytes"]
