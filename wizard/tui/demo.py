"""The wizard on the demo drive: it sees no other drive, and writes nowhere but in the demo's folder."""

from wizard.apply.environment import Environment
from wizard.demo.drive import DemoDrive
from wizard.model.errors import ExitCode
from wizard.services.real import RealServices
from wizard.tui.app import run_wizard


def run_demo_wizard(drive: DemoDrive) -> ExitCode:
    """Show the wizard on this drive until it ends."""
    return run_wizard(
        RealServices(
            only=(drive.path,),
            environment=Environment(fstab=drive.fstab, only=frozenset({drive.path})),
            journal_dir=drive.runs,
            mounts=drive.mounts,
        )
    )
