"""`diskwright install`: programs that are missing, by the distribution's own package manager."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from textwrap import fill

from wizard.advise.missing import known_programs, missing, programs_named
from wizard.apply.packages.install import cost, install, manager_of, offer
from wizard.apply.packages.words import DECLINED, DONE, NEEDS_ROOT, NO_ANSWER, NOTHING_MISSING, UNKNOWN
from wizard.faces.showing.console import say
from wizard.model.errors import BadInput, ExitCode, Refused
from wizard.model.names import printable
from wizard.probe.host.distribution import family_of, os_release
from wizard.tools.program import find

KNOWN = fill(
    ", ".join(known_programs()), 100, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
)
EPILOG = f"""examples:
    sudo diskwright install mkfs.exfat
    sudo diskwright install cryptsetup lvm2 --yes

It installs what brings these programs, with what they need and nothing else, after one question that says how
large that is. Nothing is removed for it. These programs are known, and the packages that bring them:
{KNOWN}
"""


def parser() -> ArgumentParser:
    """`diskwright install NAME... [--yes]`."""
    made = ArgumentParser(
        "diskwright install",
        description="Install programs that diskwright misses, with this distribution's package manager.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("names", metavar="NAME", nargs="+", help="a program, such as mkfs.exfat, or a package")
    made.add_argument("--yes", action="store_true", help="answer the one question")
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
    sys.stderr.write("Do this now? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    say(str(DECLINED()))
    return False
