"""Programs that are not installed: which packages of this distribution bring them, and how that is said."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from wizard.documents.profiles import BUNDLED, read_profile
from wizard.model.errors import Refused
from wizard.model.machine import Machine
from wizard.model.said import Said, t, tn

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
class Brings:
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

    brings: tuple[Brings, ...]


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
    def said(self) -> Said:
        """The sentence about it."""
        count = len(self.programs)
        programs = tuple(
            t("libparted's binding for Python") if name == BINDING else name for name in self.programs
        )
        if not self.packages:
            return tn(
                "{programs:and} is not installed, and no package of this distribution is known to bring it.",
                "{programs:and} are not installed, and no package of this distribution is "
                "known to bring them.",
                programs=programs,
                count=count,
            )
        if command := self.command:
            return tn(
                "{programs:and} is not installed: `{command}` brings it.",
                "{programs:and} are not installed: `{command}` brings them.",
                programs=programs,
                command=command,
                count=count,
            )
        return tn(
            "{programs:and} is not installed: the package {packages:and} brings it.",
            "{programs:and} are not installed: {packages:and} brings them.",
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
def _table() -> dict[str, Brings]:
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
