"""`diskwright install`: programs that are missing, by the distribution's own package manager."""

import os
import sys
from argparse import ArgumentParser, Namespace

from wizard.advise.missing import known_programs, missing, programs_named
from wizard.apply.packages.install import cost, install, manager_of, offer
from wizard.apply.packages.words import DECLINED, DONE, NEEDS_ROOT, NO_ANSWER, NOTHING_MISSING, UNKNOWN
from wizard.faces.itself.words import install as words
from wizard.faces.showing.command import Command, root
from wizard.faces.showing.console import say
from wizard.model.errors import BadInput, ExitCode, Refused
from wizard.model.names import printable
from wizard.probe.host.distribution import family_of, os_release
from wizard.tools.program import find


def parser() -> ArgumentParser:
    """`diskwright install NAME... [--yes]`."""
    made = Command(
        "install",
        words.SAYS(),
        (root("install", "mkfs.exfat"), root("install", "cryptsetup", "lvm2", "--yes")),
        (words.ABOUT(), words.KNOWN(programs=tuple(known_programs()))),
    )
    made.add_argument("names", metavar="NAME", nargs="+", help=str(words.NAMES()))
    made.add_argument("--yes", action="store_true", help=str(words.YES()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Ask, and install."""
    family = family_of(os_release())
    wanted: list[str] = []
    for name in arguments.names:
        programs = programs_named(name, family)
        if not programs:
            raise BadInput(str(UNKNOWN(name=printable(name, 60))))
        wanted += programs
    absent = [name for name in wanted if find(name) is None]
    if not absent:
        say(str(NOTHING_MISSING(programs=tuple(wanted), count=len(wanted))))
        return ExitCode.DONE
    lacks = missing(absent, family)
    manager_of(lacks)
    if os.geteuid() != 0:
        raise Refused(str(NEEDS_ROOT(programs=" ".join(lacks.programs))))
    say(str(offer(lacks, cost(lacks))))
    if not arguments.yes and not _agreed():
        return ExitCode.REFUSED
    install(lacks, lambda line: say(f"    {printable(line, 200)}"))
    say(str(DONE(packages=lacks.packages, programs=lacks.programs, count=len(lacks.programs))))
    return ExitCode.DONE


def _agreed() -> bool:
    """The one question; raises Refused where there is nobody to ask."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused(str(NO_ANSWER()))
    sys.stderr.write(f"{words.ASK()} ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    say(str(DECLINED()))
    return False
