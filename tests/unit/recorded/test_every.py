"""Every recorded machine through all code that needs no disk: no crash, and only printable text."""

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.lab.errands.record import traces
from tests.lab.visits.drives.portraits import file_of
from tests.machines import FOLDER, LOOPS, name_of, recordings
from tests.machines.catalogue import README, catalogue
from tests.machines.made import MACHINES
from tests.machines.record import AROUND
from tests.unit.plan.layouts import UUIDS, plan_page
from wizard.advice.ranking import advise
from wizard.cli.main import main
from wizard.documents.codec import to_json
from wizard.host.services import Services
from wizard.model.advice import Advice
from wizard.model.errors import DiskwrightError, ExitCode, why_not
from wizard.model.machine import Drive
from wizard.plan.documents import PLANS
from wizard.plan.plan import Plan
from wizard.plan.refusals import refuse_drive
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.probe.machine import load_facts, load_machine

FILES = {name_of(path): path for path in recordings()}
NAMES = sorted(FILES)


@cache
def services_of(name: str) -> Services:
    return Services(load_machine(FILES[name]), name, lambda: UUIDS[0])


def plan_of(services: Services, drive: Drive, advice: Advice, mode: Mode) -> Plan | str:
    """Return the plan for one volume on the whole drive, or the planner's error."""
    if advice.chosen is None:
        return "nothing can live there"
    try:
        return services.plan(
            services.machine,
            (drive,),
            NewVolumes((VolumeSpec(advice.chosen, advice.workload, None, None, None),), mode),
        )
    except DiskwrightError as error:
        return str(error)


def unfit(value: Any) -> Iterator[str]:  # noqa: ANN401 - plain JSON
    """Yield the texts that a terminal cannot show in one line."""
    match value:
        case dict():
            yield from (found for inner in value.values() for found in unfit(inner))
        case list() | tuple():
            yield from (found for inner in value for found in unfit(inner))
        case str() if not value.isprintable():
            yield value


@pytest.mark.parametrize("name", NAMES)
def test_every_workload_is_planned_or_refused_with_a_reason(name: str) -> None:
    services = services_of(name)
    for drive in services.machine.drives:
        diagnosis = services.diagnose(services.machine, drive)
        assert not [*unfit(to_json(diagnosis))]
        blocker = why_not(refuse_drive, drive)
        for profile in services.profiles:
            advice = advise(services.machine, drive, diagnosis.recording, profile)
            assert not [*unfit(to_json(advice))]
            for mode in Mode:
                plan = plan_of(services, drive, advice, mode)
                if isinstance(plan, str):
                    assert plan.isprintable()
                    assert mode is Mode.USE_FREE or blocker or advice.chosen is None, (
                        f"{drive.path} can be replaced, and is not: {plan}"
                    )
                else:
                    assert not blocker
                    PLANS.check(plan)
                    assert not [*unfit(to_json(plan)), *unfit(plan_page(plan, 80))]


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Return a command's exit code and printable output."""
    code = main(words)
    text = "".join(capsys.readouterr())
    assert not [line for line in text.split("\n") if not line.isprintable()]
    assert text
    return code, text


@pytest.mark.parametrize("name", NAMES)
def test_every_reading_command_accepts_it(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    services, recorded = services_of(name), ("--machine", str(FILES[name]))
    code, text = said(capsys, "inspect", *recorded)
    assert code == ExitCode.DONE and all(drive.path in text for drive in services.machine.drives)
    assert said(capsys, "inspect", "--json", *recorded)[0] == ExitCode.DONE
    for drive in services.machine.drives:
        workload, plan = ("--workload", services.profiles[0].workload.id), tmp_path / "plan.json"
        code, text = said(capsys, "advise", drive.path, *workload, *recorded)
        assert code == ExitCode.DONE and drive.path in text
        code, text = said(capsys, "plan", drive.path, "--replace", *workload, "-o", str(plan), *recorded)
        assert drive.path in text
        assert code == (ExitCode.DONE if plan.exists() else ExitCode.REFUSED)
        if plan.exists():
            code, text = said(capsys, "show", str(plan))
            assert code == ExitCode.DONE and drive.path in text
            plan.unlink()


def test_recording_can_come_through_a_pipe() -> None:
    text = FILES["loops/blank"].read_text(encoding="utf-8")
    argv = [sys.executable, "-m", "wizard", "inspect", "--machine", "-"]
    done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (ExitCode.DONE, "") and "/dev/loop64" in done.stdout
    done = subprocess.run(argv, input=text[:1000], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "") and done.stderr.startswith(
        "diskwright: The input is not"
    )


def test_drive_with_a_lost_table_is_never_planned_as_known() -> None:
    services = services_of("loops/broken")
    lost = [
        drive for drive in services.machine.drives if any(one.what == "partitions" for one in drive.unread)
    ]
    assert len(lost) == 4
    for drive in lost:
        recording = services.diagnose(services.machine, drive).recording
        advice = advise(services.machine, drive, recording, services.profile("small-files"))
        assert isinstance(plan_of(services, drive, advice, Mode.USE_FREE), str)
        plan = plan_of(services, drive, advice, Mode.REPLACE)
        assert isinstance(plan, Plan) and any(
            "Any contents will be lost" in doubt for doubt in map(str, plan.doubts)
        ), drive.path


def test_list_of_recordings_is_current() -> None:
    assert README.read_text(encoding="utf-8") == catalogue(recordings())


def test_exactly_the_loop_device_machines_are_recorded() -> None:
    assert {path.stem: len(load_machine(path).drives) for path in LOOPS.glob("*.json")} == {
        name: len(drives) for name, drives in MACHINES.items()
    }
    assert len(recordings()) == len(NAMES) and all(path.is_relative_to(FOLDER) for path in recordings())


@pytest.mark.parametrize("name", MACHINES)
def test_loop_device_machine_reveals_no_facts_of_its_host(name: str) -> None:
    path, around = LOOPS / f"{name}.json", load_facts(file_of(AROUND))
    facts = load_facts(path)
    assert not traces(path.read_text(encoding="utf-8"))
    assert (facts.release, facts.memory, facts.tools, facts.boot_id) == (
        around.release,
        around.memory,
        around.tools,
        None,
    )
    drives = {drive.name for drive in facts.drives}
    assert {block.disk or number for number, block in facts.graph.blocks.items()} <= drives
    foreign = [
        line
        for space in facts.graph.mounts
        for line in space.text.split("\n")
        if not line.split(" ")[-2].startswith("/dev/loop")
    ]
    assert foreign == [line for space in around.graph.mounts for line in space.text.split("\n")]
