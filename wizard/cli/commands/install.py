"""`diskwright install`: install missing tools with the distribution's package manager."""

import os
import sys
from argparse import ArgumentParser, Namespace

from wizard.advice.missing import known_programs, missing, programs_named
from wizard.apply.packages import NEEDS_ROOT, cost, install, manager_of, offer
from wizard.cli.command import CommandParser, root
from wizard.cli.passphrase import say
from wizard.model.errors import BadInput, ExitCode, Refused, printable
from wizard.model.said import t, tn
from wizard.probe.host.environment import family_of, os_release
from wizard.process.program import find

ASK = t("Do this now? [y/N]")


def parser() -> ArgumentParser:
    """`diskwright install NAME... [--yes]`."""
    made = CommandParser(
        "install",
        (root("install", "mkfs.exfat"), root("install", "cryptsetup", "lvm2", "--yes")),
        (
            t(
                "Installs packages and dependencies, after one question that shows the size. "
                "Never removes packages."
            ),
            t(
                "Known programs and their packages: {programs:list}.",
                programs=tuple(known_programs()),
            ),
        ),
    )
    made.add_argument(
        "names", metavar="NAME", nargs="+", help=str(t("a program, such as mkfs.exfat, or a package"))
    )
    made.add_argument("--yes", action="store_true", help=str(t("do not ask")))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Ask, then install the missing tools."""
    family = family_of(os_release())
    wanted: list[str] = []
    for name in arguments.names:
        programs = programs_named(name, family)
        if not programs:
            raise BadInput(
                str(
                    t(
                        "Unknown program or package {name}; `diskwright install --help` lists all.",
                        name=printable(name, 60),
                    )
                )
            )
        wanted += programs
    absent = [name for name in wanted if find(name) is None]
    if not absent:
        say(
            str(
                tn(
                    "{programs:and} is already installed.",
                    "{programs:and} are already installed.",
                    programs=tuple(wanted),
                    count=len(wanted),
                )
            )
        )
        return ExitCode.DONE
    lacks = missing(absent, family)
    manager_of(lacks)
    if os.geteuid() != 0:
        raise Refused(str(NEEDS_ROOT(programs=" ".join(lacks.programs))))
    say(str(offer(lacks, cost(lacks))))
    if not arguments.yes and not _agreed():
        return ExitCode.REFUSED
    install(lacks, lambda line: say(f"    {printable(line, 200)}"))
    say(
        str(
            tn(
                "Installed {packages:and}: {programs:and} is now available.",
                "Installed {packages:and}: {programs:and} are now available.",
                packages=lacks.packages,
                programs=lacks.programs,
                count=len(lacks.programs),
            )
        )
    )
    return ExitCode.DONE


def _agreed() -> bool:
    """Ask for confirmation. Raises Refused without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused(
            str(
                t(
                    "No packages were installed: confirmation requires a terminal. Use --yes to "
                    "skip the question."
                )
            )
        )
    sys.stderr.write(f"{ASK} ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    say(str(t("No packages were installed.")))
    return False
