"""`diskwright demo`: the whole wizard on a drive that is made for it; without a terminal the whole job by
itself."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wizard.apply.run.environment import Environment
from wizard.demo.drive import DemoDrive, demo_drive
from wizard.demo.release import loop_devices
from wizard.faces.itself.walk import plain_hint
from wizard.faces.itself.words import demo as words
from wizard.faces.showing.command import Command, root
from wizard.faces.showing.lines import tell
from wizard.faces.showing.walk import Walk
from wizard.model.errors import ExitCode, Failed
from wizard.model.journal import Check
from wizard.services.contract import Services
from wizard.window.console.terminal import terminal_of

FSTAB = Path("/etc/fstab")


def parser() -> ArgumentParser:
    """`diskwright demo [--plain | --by-itself]`."""
    made = Command(
        "demo",
        words.SAYS(),
        (
            root("demo", says=words.SCREENS()),
            root("demo", "--plain", says=words.BY_LINE()),
            root("demo", "--by-itself", says=words.WHOLE_JOB()),
        ),
        (words.ABOUT_DRIVE(), words.ABOUT_TERMINAL()),
    )
    way = made.add_mutually_exclusive_group()
    way.add_argument("--plain", action="store_true", help=str(words.PLAIN()))
    way.add_argument("--by-itself", action="store_true", help=str(words.BY_ITSELF()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """The wizard on the demo drive, or the walk."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.by_itself
    if not arguments.plain and not on_terminal:
        return walk_through()
    with demo_drive() as drive:
        # Only here: the walk does not wait for the wizard to load.
        if arguments.plain or not terminal_of(os.environ).addressable:
            from wizard.lines.app import run_lines

            return run_lines(_services(drive), "" if arguments.plain else plain_hint())
        from wizard.window.run import run_window

        return run_window(_services(drive))


def _services(drive: DemoDrive) -> Services:
    """They see no other drive, and write nowhere but in the demo's folder."""
    from wizard.services.real import RealServices

    environment = Environment(fstab=drive.fstab, only=frozenset({drive.path}))
    return RealServices(
        only=(drive.path,), environment=environment, journal_dir=drive.runs, mounts=drive.mounts
    )


def walk_through() -> ExitCode:
    """Every stage in turn, printed; DONE only if all checks hold."""
    checks: list[Check] = []
    with _unchanged(FSTAB, checks), demo_drive() as drive:
        print(words.MADE(drive=drive.path, folder=str(drive.folder)))
        walk = Walk(drive)
        walk.run()
        checks += walk.checks
    checks.append(_gone(drive))
    _say_checks(checks)
    if not all(check.holds for check in checks):
        raise Failed(words.FAILS(failed=sum(not check.holds for check in checks), checks=len(checks)))
    return ExitCode.DONE


@contextmanager
def _unchanged(path: Path, checks: list[Check]) -> Iterator[None]:
    """That the system's own file is the same afterwards, to the byte."""
    before = path.read_bytes() if path.exists() else None
    yield
    after = path.read_bytes() if path.exists() else None
    seen = words.SAME_BYTES() if before == after else words.CHANGED()
    checks.append(Check(str(words.UNTOUCHED(file=str(path))), before == after, str(seen)))


def _gone(drive: DemoDrive) -> Check:
    left = [str(drive.folder)] if drive.folder.exists() else []
    left += loop_devices(drive.image)
    seen = words.STILL_THERE(places=tuple(left)) if left else words.ALL_GONE()
    return Check(str(words.GONE()), not left, str(seen))


def _say_checks(checks: list[Check]) -> None:
    print(f"\n{words.CHECKS()}")
    tell(f"  {'holds ' if check.holds else 'FAILS '} {check.what}: {check.seen}" for check in checks)
    held = sum(check.holds for check in checks)
    print(words.COUNT(held=held, failed=len(checks) - held))
