"""Job: the workload whose filesystem many kernels lack, from an empty drive to a mounted filesystem in all
three interfaces. Loop tests cover the other workloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.lab.drives.fleet import MIB, Bus, EmulatedDrive, Fleet
from tests.lab.errands.visit import Visit
from tests.lab.guest.inside import SHARED, node_of
from tests.lab.visits.whole.whole_path import stands
from wizard.apply.run.runs import runs_folder
from wizard.host.services import Services
from wizard.model.errors import ExitCode
from wizard.model.run import Check
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan

PURPOSE = "portable"


def _drive(name: str) -> EmulatedDrive:
    return EmulatedDrive(
        name,
        Bus.VIRTIO,
        serial=f"LAB-{name.upper()}",
        logical_block_bytes=512,
        physical_block_bytes=512,
        size_bytes=96 * MIB,
    )


COMMANDS, QUESTIONS, SCREENS = _drive("by-commands"), _drive("by-questions"), _drive("on-screens")
COMMANDS_FLEET, WIZARD_FLEET = (
    Fleet("purpose-commands", (COMMANDS,)),
    Fleet("purpose-wizard", (QUESTIONS, SCREENS)),
)


def by_commands(fleet: Fleet) -> Iterator[Check]:
    """Set up on the command line."""
    from tests import walks

    node = node_of(fleet[COMMANDS.name])
    done = walks.by_commands(node, COMMANDS.serial, PURPOSE, _place(COMMANDS), SHARED / "plan.json")
    yield Check(
        "command line: setup succeeds",
        done.returncode == 0,
        f"{done.returncode}: {done.stdout[-800:]} {done.stderr[-800:]}",
    )
    yield from _stands(COMMANDS, node)


def by_wizard(fleet: Fleet) -> Iterator[Check]:
    """Set up in the line-by-line wizard, and on screens."""
    from tests import walks

    node = node_of(fleet[QUESTIONS.name])
    code, told = walks.by_questions(Services(only=(node,)), QUESTIONS.serial, PURPOSE, _place(QUESTIONS))
    yield Check("plain: setup succeeds", code is ExitCode.DONE, told[-1500:])
    yield from _stands(QUESTIONS, node)
    node = node_of(fleet[SCREENS.name])
    run = walks.on_screens(Services(only=(node,)), SCREENS.serial, PURPOSE, _place(SCREENS))
    yield Check("screens: a run starts", run is not None, str(run))
    yield from _stands(SCREENS, node)


def _place(drive: EmulatedDrive) -> Path:
    return Path("/srv/lab", drive.name)


def _stands(drive: EmulatedDrive, node: str) -> Iterator[Check]:
    """Check the run's plan with other tools."""
    plans = [plan for plan in _plans() if plan.drive.path == node]
    yield Check(f"{drive.name}: exactly one run exists", len(plans) == 1, str(len(plans)))
    for plan in plans:
        yield from stands(drive.name, plan, node)


def _plans() -> Iterator[Plan]:
    for file in runs_folder().glob("*/plan.json"):
        yield PLANS.read(file.read_text(), str(file))


JOBS = {"purpose-by-commands": by_commands, "purpose-by-wizard": by_wizard}
VISITS = (
    Visit(
        "a workload whose filesystem many kernels lack: commands",
        COMMANDS_FLEET,
        ("purpose-by-commands",),
        600,
        udev=False,
    ),
    Visit(
        "a workload whose filesystem many kernels lack: plain wizard and screens",
        WIZARD_FLEET,
        ("purpose-by-wizard",),
        900,
        udev=False,
        full_only=True,
    ),
)
