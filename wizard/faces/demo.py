"""`diskwright demo`: the whole wizard on a drive that is made for it; without a terminal the whole job by
itself."""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wizard.apply.run.environment import Environment
from wizard.demo.drive import DemoDrive, demo_drive
from wizard.demo.release import loop_devices
from wizard.faces.showing.lines import tell
from wizard.faces.showing.walk import Walk
from wizard.faces.walk import plain_hint
from wizard.model.errors import ExitCode, Failed
from wizard.model.journal import Check
from wizard.services.contract import Services
from wizard.tui.console.terminal import terminal_of

EPILOG = """examples:
    sudo diskwright demo              the wizard, on a disposable drive with an old and badly laid out table
    sudo diskwright demo --plain      the wizard line by line, for screen readers and serial lines
    sudo diskwright demo --by-itself  the whole job without a question: inspect, warn, advise, plan, measure,
                                      apply, take back, keep, verify

The drive is a sparse file behind a loop device. No other drive is touched, and nothing of it stays behind,
/etc/fstab included.
Without a terminal it goes through by itself, and exits 0 only if every check holds.
"""

FSTAB = Path("/etc/fstab")


def parser() -> ArgumentParser:
    """`diskwright demo [--plain | --by-itself]`."""
    made = ArgumentParser(
        "diskwright demo",
        description="Try everything on a drive that is made for it and deleted afterwards.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    way = made.add_mutually_exclusive_group()
    way.add_argument("--plain", action="store_true", help="ask line by line; chosen by itself on TERM=dumb")
    way.add_argument(
        "--by-itself", action="store_true", help="go through the whole job without asking, also on a terminal"
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """The wizard on the demo drive, or the walk."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.by_itself
    if not arguments.plain and not on_terminal:
        return walk_through()
    with demo_drive() as drive:
        # Only here: the walk does not wait for the wizard to load.
        if arguments.plain or not terminal_of(os.environ).addressable:
            from wizard.plain.app import run_plain

            return run_plain(_services(drive), "" if arguments.plain else plain_hint())
        from wizard.tui.app import run_wizard

        return run_wizard(_services(drive))


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
        print(f"A disposable drive was made: {drive.path}, a sparse file in {drive.folder}.")
        walk = Walk(drive)
        walk.run()
        checks += walk.checks
    checks.append(_gone(drive))
    _say_checks(checks)
    if not all(check.holds for check in checks):
        raise Failed(
            f"{sum(not check.holds for check in checks)} of {len(checks)} checks of the demo do not hold."
        )
    return ExitCode.DONE


@contextmanager
def _unchanged(path: Path, checks: list[Check]) -> Iterator[None]:
    """That the system's own file is the same afterwards, to the byte."""
    before = path.read_bytes() if path.exists() else None
    yield
    after = path.read_bytes() if path.exists() else None
    checks.append(
        Check(
            f"{path} was not touched",
            before == after,
            "the same bytes" if before == after else "it was changed",
        )
    )


def _gone(drive: DemoDrive) -> Check:
    left = [str(drive.folder)] if drive.folder.exists() else []
    left += loop_devices(drive.image)
    return Check(
        "nothing of the demo drive stays behind",
        not left,
        f"still there: {', '.join(left)}" if left else "all gone",
    )


def _say_checks(checks: list[Check]) -> None:
    print("\nChecks")
    tell(f"  {'holds ' if check.holds else 'FAILS '} {check.what}: {check.seen}" for check in checks)
    print(
        f"{sum(check.holds for check in checks)} checks hold, {sum(not check.holds for check in checks)} "
        "fail."
    )
