"""`diskwright demo`: the whole wizard on a demo drive. Without a terminal, runs unattended."""

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wizard.apply.run.backup_store import Environment
from wizard.cli.demo_walk import Walk
from wizard.cli.open_wizard import plain_hint, report_page
from wizard.cli.output import tell
from wizard.demo.drive import DemoDrive, demo_drive, loop_devices
from wizard.host.services import Services
from wizard.model.errors import ExitCode, Failed
from wizard.model.run import Check
from wizard.model.said import t
from wizard.window.terminal import terminal_of

FSTAB = Path("/etc/fstab")


def demo(arguments: Namespace) -> ExitCode:
    """Run the wizard on the demo drive, or the unattended demo."""
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.by_itself
    if not arguments.plain and not on_terminal:
        return walk_through()
    with demo_drive() as drive:
        # Import late, so that the unattended demo starts without loading the wizard.
        if arguments.plain or not terminal_of(os.environ).addressable:
            from wizard.plain.app import run_lines

            return run_lines(_services(drive), "" if arguments.plain else plain_hint())
        from wizard.window.run import run_window

        return run_window(_services(drive))


def _services(drive: DemoDrive) -> Services:
    """Return services that see only the demo drive and write only to the demo's folder."""
    from wizard.host.this_system import RealServices

    environment = Environment(fstab=drive.fstab, only=frozenset({drive.path}))
    return RealServices(
        only=(drive.path,),
        environment=environment,
        journal_dir=drive.runs,
        mounts=drive.mounts,
        page_of=report_page,
    )


def walk_through() -> ExitCode:
    """Run and print every stage. Raises Failed unless all checks pass."""
    checks: list[Check] = []
    with _unchanged(FSTAB, checks), demo_drive() as drive:
        print(
            t(
                "Created a disposable drive: {drive}, a sparse file in {folder}.",
                drive=drive.path,
                folder=str(drive.folder),
            )
        )
        walk = Walk(drive)
        walk.run()
        checks += walk.checks
    checks.append(_gone(drive))
    _say_checks(checks)
    if not all(check.holds for check in checks):
        raise Failed(
            t(
                "{failed} of {checks} demo checks failed.",
                failed=sum(not check.holds for check in checks),
                checks=len(checks),
            )
        )
    return ExitCode.DONE


@contextmanager
def _unchanged(path: Path, checks: list[Check]) -> Iterator[None]:
    """Check that a file of the running system is byte-identical afterwards."""
    before = path.read_bytes() if path.exists() else None
    yield
    after = path.read_bytes() if path.exists() else None
    checks.append(Check(str(t("{file} is unchanged", file=str(path))), before == after, ""))


def _gone(drive: DemoDrive) -> Check:
    left = [str(drive.folder)] if drive.folder.exists() else []
    left += loop_devices(drive.image)
    return Check(str(t("the demo drive is completely removed")), not left, ", ".join(left))


def _say_checks(checks: list[Check]) -> None:
    print()
    print(t("Checks"))
    for check in checks:
        seen = f": {check.seen}" if check.seen else ""
        tell([f"  {'passed' if check.holds else 'FAILED'} {check.what}{seen}"])
    held = sum(check.holds for check in checks)
    print(t("{held} checks passed, {failed} failed.", held=held, failed=len(checks) - held))
