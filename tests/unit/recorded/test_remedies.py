"""Commands in findings, on every recorded machine and every drive of the tests of findings: each is one that
the command itself accepts."""

import re

import pytest
from msgspec.structs import replace

from tests.machines import name_of, recordings
from tests.unit.findings.test_findings import SCENARIOS
from tests.unit.machines import machine
from wizard.apply.remedies import diagnose
from wizard.cli.main import parser_of
from wizard.findings.diagnose import diagnose as conclude
from wizard.findings.geometry import load_patterns
from wizard.host.services import Services
from wizard.model.errors import DiskwrightError
from wizard.model.finding import FindingCommand
from wizard.model.machine import Drive, Machine
from wizard.plan.partition.move_target import planned_move
from wizard.plan.planner import make_plan
from wizard.plan.request.plan_request import ResizePart, RestoreTable
from wizard.plan.settings.release import plan_release
from wizard.probe.host.system import TOOLS
from wizard.probe.machine import load_machine

SUBJECTS = {
    **{name_of(path): load_machine(path) for path in recordings()},
    **{f"{number}-{code}": machine(subject) for number, (code, _, subject) in enumerate(SCENARIOS)},
}
COMMAND = re.compile(r"`(?:sudo )?[a-z][\w.-]* [^`]+`")


def plan(services: Services, drive: Drive, words: tuple[str, ...]) -> None:
    """Plan what the command would do."""
    parser_of(words[0]).parse_args(words[1:])
    part = drive.partition(words[1]) if len(words) > 1 else None
    match words[0]:
        case "move":
            assert part is not None
            planned_move(services.machine, drive, part)
        case "plan" if words[2:] == ("--restore-table",):
            make_plan(services.machine, (drive,), RestoreTable())
        case "plan":
            assert part is not None and words[2] in ("--grow", "--grow-to")
            size_bytes = int(words[3]) if words[3:] else None
            make_plan(services.machine, (drive,), ResizePart(part, size_bytes))
        case "release":
            plan_release(services.machine, drive)
        case "bench" if "--quick" in words:
            assert not services.quick_test_obstacle(drive)


def with_all_tools(machine: Machine) -> Machine:
    return replace(machine, tools=tuple((tool, f"/bin/{tool}") for tool in TOOLS))


def is_possible(machine: Machine, drive: Drive, command: FindingCommand) -> bool:
    program, *words = command.argv
    if program != "diskwright":
        return program == "sh" or machine.has_tool(program)
    try:
        plan(Services(machine, "recording"), drive, tuple(words))
    except DiskwrightError:
        return False
    return True


@pytest.mark.parametrize("tools", [True, False], ids=["with all tools", "as recorded"])
@pytest.mark.parametrize("name", SUBJECTS)
def test_every_displayed_command_is_possible(name: str, tools: bool) -> None:
    subject = SUBJECTS[name]
    if tools:
        subject = with_all_tools(subject)
    patterns = load_patterns()
    for drive in subject.drives:
        wanted = conclude(subject, drive, patterns).findings
        shown = diagnose(subject, drive, patterns).findings
        for before, after in zip(wanted, shown, strict=True):
            assert all(is_possible(subject, drive, command) for command in after.commands)
            assert all(command.text in str(after.advice) for command in after.commands)
            assert not COMMAND.search(str(before.remedy)), before
            if before.commands and not after.commands:
                assert len(str(after.remedy)) > len(str(before.remedy))
