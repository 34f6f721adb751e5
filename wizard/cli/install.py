"""`diskwright install`: install missing tools with the distribution's package manager."""

import os
import sys
from argparse import Namespace

from wizard.advice.missing import known_programs, missing, programs_named
from wizard.apply import packages
from wizard.cli.output import say
from wizard.model.errors import BadInput, ExitCode, Refused, printable
from wizard.model.said import t
from wizard.probe.host.environment import family_of, os_release
from wizard.process.program import find


def install_tools(arguments: Namespace) -> ExitCode:
    """Ask, then install the missing tools."""
    family = family_of(os_release())
    wanted: list[str] = []
    for name in arguments.names:
        programs = programs_named(name, family)
        if not programs:
            raise BadInput(
                t(
                    "Unknown program or package {name}. Known programs: {programs:list}.",
                    name=name,
                    programs=tuple(known_programs()),
                )
            )
        wanted += programs
    absent = [name for name in wanted if find(name) is None]
    if not absent:
        say(t("Already installed: {programs:list}.", programs=tuple(wanted)))
        return ExitCode.DONE
    lacks = missing(absent, family)
    packages.manager_of(lacks)
    if os.geteuid() != 0:
        raise Refused(packages.NEEDS_ROOT(programs=" ".join(lacks.programs)))
    say(packages.offer(lacks))
    if not arguments.yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise Refused(
                t(
                    "No packages were installed: confirmation requires a terminal. Use --yes to skip the "
                    "question."
                )
            )
        question = t("Do this now? [y/N]")
        sys.stderr.write(f"{question} ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            say(t("No packages were installed."))
            return ExitCode.REFUSED
    packages.install(lacks, lambda line: say(f"    {printable(line, 200)}"))
    say(t("Installed {packages:and} for {programs:and}.", packages=lacks.packages, programs=lacks.programs))
    return ExitCode.DONE
