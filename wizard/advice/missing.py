"""Find the tools that a filesystem needs and the distribution packages that provide them."""

import shlex
from collections.abc import Iterable
from functools import cache

from msgspec import field

from wizard.documents.profiles import BUNDLED, read_profile
from wizard.filesystems.kind import FilesystemKind, MadeKind
from wizard.filesystems.registry import MADE
from wizard.model.advice import Choice
from wizard.model.errors import FrozenStruct, Refused
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.said import MIB, Message, Sentence, join, t, tn

COMMANDS = {
    "debian": ("apt", "install"),
    "fedora": ("dnf", "install"),
    "arch": ("pacman", "-S"),
    "suse": ("zypper", "install"),
    "alpine": ("apk", "add"),
    "void": ("xbps-install",),
}
"""Install command by distribution family."""


BINDING = "pyparted"
"""Python binding of libparted: not a program, but reported in the same way."""


class PackageChoice(FrozenStruct):
    """Tools and the package that provides them: `package`, or a family's own name in `elsewhere`. Empty if
    unknown."""

    programs: tuple[str, ...]
    package: str
    elsewhere: dict[str, str] = field(default_factory=dict)

    def in_family(self, family: str) -> str:
        """Return the package name in a family, or the common name if the family is unknown."""
        return self.elsewhere.get(family, self.package)


class Packages(FrozenStruct):
    """All known packages."""

    brings: tuple[PackageChoice, ...]


class Missing(FrozenStruct):
    """Tools that are not installed, and the known packages of `family` that provide them."""

    programs: tuple[str, ...]
    packages: tuple[str, ...] = ()
    family: str = ""

    @property
    def command(self) -> str:
        """Command to install the packages, empty if family or packages are unknown."""
        known = self.family in COMMANDS and self.packages
        return shlex.join((*COMMANDS[self.family], *self.packages)) if known else ""

    @property
    def said(self) -> Message:
        """Message about the missing tools."""
        count = len(self.programs)
        programs = tuple(
            t("the libparted binding for Python") if name == BINDING else name for name in self.programs
        )
        remedy = t("The package is unknown for this distribution.")
        if command := self.command:
            remedy = t("Install with `{command}`.", command=command)
        elif self.packages:
            remedy = tn(
                "Install the package {packages:and}.",
                "Install the packages {packages:and}.",
                packages=self.packages,
                count=len(self.packages),
            )
        absent = tn(
            "{programs:and} is not installed.",
            "{programs:and} are not installed.",
            programs=programs,
            count=count,
        )
        return join(absent, remedy)


class MissingTools(Refused):
    """Refusal because of missing tools, which can be installed."""

    def __init__(self, absent: Missing) -> None:
        super().__init__(str(absent.said))
        self.missing = absent


@cache
def _by_tool() -> dict[str, PackageChoice]:
    """Return packages by tool. Only the bundled file counts, since root installs the packages. User profiles
    are ignored."""
    known = read_profile(BUNDLED / "packages.toml", Packages)
    return {program: brings for brings in known.brings for program in brings.programs}


def missing(programs: Iterable[str], family: str) -> Missing:
    """Return the packages that provide these tools in a distribution family."""
    wanted = tuple(dict.fromkeys(programs))
    found = (_by_tool()[name].in_family(family) for name in wanted if name in _by_tool())
    return Missing(wanted, tuple(dict.fromkeys(filter(None, found))), family)


def programs_named(name: str, family: str) -> tuple[str, ...]:
    """Return the tools meant by a tool's or package's name, empty if unknown."""
    if name in _by_tool():
        return (name,)
    return tuple(
        program for program, brings in _by_tool().items() if name and brings.in_family(family) == name
    )


def known_programs() -> tuple[str, ...]:
    """Return all tools with a known package."""
    return tuple(name for name in _by_tool() if name != BINDING)


def lacking(machine: Machine, programs: Iterable[str]) -> Missing | None:
    """Return those of these tools that are not installed, or None if all are."""
    absent = [name for name in programs if not machine.has_tool(name)]
    return missing(absent, machine.family) if absent else None


NO_DRIVER = Sentence(
    "The running kernel ({release}) does not support {title}. Boot another kernel or install the module."
)
NO_LIST = t("Cannot read the kernel's list of filesystems. Mounting will show which are supported.")

LARGEST_BLOCK_BYTES = 4096
"""Filesystems are created with 4096-byte blocks, so larger logical blocks are not supported."""


def why_not_mounted(kernel: Kernel, kind: FilesystemKind) -> Message | None:
    """Return that the kernel has no driver for a filesystem, or None."""
    if not kernel.filesystems or not kind.kernel_names or kernel.filesystems.intersection(kind.kernel_names):
        return None
    return NO_DRIVER(release=kernel.release, title=kind.title)


def obstacles(kind: MadeKind, machine: Machine, drive: Drive, room: int | None) -> tuple[str, ...]:
    """Return sentences on why `kind` cannot be created and mounted here, except for zones.

    `room`: available bytes, None if unknown.
    """
    found: list[Message] = []
    if why := why_not_mounted(machine.kernel, kind):
        found.append(why)
    if absent := lacking(machine, kind.makers):
        found.append(absent.said)
    found += [
        t("{program} needs {path}, which is missing: {how}.", path=path, program=kind.tool, how=how)
        for path, how in kind.needs_files
        if path in machine.missing_files
    ]
    if drive.geometry is not None and drive.geometry.logical_block_bytes > LARGEST_BLOCK_BYTES:
        size = drive.geometry.logical_block_bytes
        found.append(
            t(
                "The drive's logical blocks have {size} bytes. {title} supports at most 4096.",
                size=size,
                title=kind.title,
            )
        )
    if room is not None and (limit := size_obstacle(kind, room)):
        found.append(limit)
    return tuple(map(str, found))


def for_files(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Return the choices that store files. Swap suits no workload and is only created by name or role."""
    return tuple(choice for choice in choices if MADE[choice.filesystem].mounts)


def size_obstacle(kind: MadeKind, size: int) -> Message | None:
    """Return why a volume of this size in bytes cannot have this filesystem, or None."""
    if size < kind.minimum_bytes:
        least = kind.minimum_bytes // MIB
        return t(
            "Only {room:size} available. {title} needs {least} MiB: {why}.",
            room=size,
            title=kind.title,
            least=least,
            why=kind.minimum_why,
        )
    if size > kind.maximum_bytes:
        return t("{size:size} exceeds the limit of {title}.", size=size, title=kind.title)
    return None
