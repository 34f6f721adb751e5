"""Set up every workload from an empty drive to a mounted filesystem, in all three interfaces, with default
proposals."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import walks
from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, said, story
from tests.loop.program import MIB, PLANS, Event, ExitCode, Plan, RunState, list_runs, probe_machine, state
from wizard.advice.ranking import advise
from wizard.advice.workloads import load_workloads
from wizard.host.services import Services
from wizard.model.advice import Advice

WORKLOADS = tuple(profile.workload.id for profile in load_workloads())
SIZE = 512 * MIB
UNSHOWN = frozenset({"defaults", "nofail", "auto", "rw", "exec"})
"""Mount options that the kernel shows always or never."""
Walk = Callable[[Work, str, str], None]


def services(work: Work, drive: str) -> Services:
    """Return services for this machine, limited to the test's drives and files."""
    return Services(only=(drive,), environment=work.environment, journal_dir=work.runs)


def token_of(drive: str) -> str:
    return drive.removeprefix("/dev/")


def on_the_command_line(work: Work, drive: str, workload: str) -> None:
    plan, more = work.folder / "plan.json", ("--journal", str(work.runs), "--fstab", str(work.fstab))
    done = walks.by_commands(drive, token_of(drive), workload, work.place(workload), plan, *more)
    assert done.returncode == 0, done.stdout + done.stderr


def line_by_line(work: Work, drive: str, workload: str) -> None:
    code, told = walks.by_questions(services(work, drive), token_of(drive), workload, work.place(workload))
    assert code is ExitCode.DONE, told


def on_screens(work: Work, drive: str, workload: str) -> None:
    assert walks.on_screens(services(work, drive), token_of(drive), workload, work.place(workload))


FACES: dict[str, Walk] = {"command line": on_the_command_line, "plain": line_by_line, "screens": on_screens}


def advice_for(drive: str, workload: str) -> Advice:
    machine = probe_machine([drive])
    rules = Services(machine, "")
    recording = rules.diagnose(machine, machine.drives[0]).recording
    return advise(machine, machine.drives[0], recording, rules.profile(workload))


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("face", FACES)
def test_empty_drive_ends_with_mounted_filesystem(
    face: str, workload: str, make_drive: MakeDrive, work: Work
) -> None:
    drive = make_drive(SIZE)
    advice = advice_for(drive, workload)
    if advice.chosen is None:
        pytest.skip(
            f"this kernel mounts nothing that suits {workload}, which is walked in the lab: {reasons(advice)}"
        )
    work.bench.own(drive)
    FACES[face](work, drive, workload)
    (run,) = list_runs(work.runs)
    assert state(run) is RunState.DONE, story(run)
    plan = PLANS.read((run / "plan.json").read_text(), "plan.json")
    (volume,) = plan.volumes
    assert (volume.filesystem, volume.workload) == (advice.chosen.filesystem, workload)
    assert said(run, Event.VERIFIED) and not said(run, Event.NOT_VERIFIED)
    check_in_use(plan, drive, work.place(workload))
    assert f"UUID={volume.uuid} {work.place(workload)} " in work.fstab.read_text()


def reasons(advice: Advice) -> str:
    return " ".join(obstacle for choice in advice.choices for obstacle in choice.obstacles)


def check_in_use(plan: Plan, drive: str, place: Path) -> None:
    """Check the mount in the kernel, and write and read a file there."""
    (volume,) = plan.volumes
    (mount,) = json.loads(tool("findmnt", "-J", "-o", "SOURCE,FSTYPE,OPTIONS", "--mountpoint", str(place)))[
        "filesystems"
    ]
    assert (mount["source"], mount["fstype"]) == (f"{drive}p1", volume.filesystem)
    assert set(volume.mount_options) - UNSHOWN <= set(mount["options"].split(","))
    (place / "kept").write_text("kept")
    assert (place / "kept").read_text() == "kept"


def written_blocks(work: Work, drive: str) -> int:
    """Return the number of allocated blocks of the file behind the drive. An unwritten drive is one hole."""
    tool("blockdev", "--flushbufs", drive)
    return work.bench.image_of(drive).stat().st_blocks


def test_unsuitable_workload_is_refused_by_every_interface(make_drive: MakeDrive, work: Work) -> None:
    drive = make_drive(SIZE)
    refused = [workload for workload in WORKLOADS if advice_for(drive, workload).chosen is None]
    if not refused:
        pytest.skip("this kernel mounts what suits every purpose")
    before = written_blocks(work, drive)
    for workload in refused:
        place = work.place(workload)
        done = walks.by_commands(drive, token_of(drive), workload, place, work.folder / "plan.json")
        assert (
            done.returncode == ExitCode.REFUSED
            and f"No filesystem suitable for {workload} can be created" in done.stderr
        )
        code, told = walks.by_questions(services(work, drive), token_of(drive), workload, place)
        assert code is ExitCode.ENDED_BY_USER and "No filesystem suits this purpose here." in " ".join(
            told.split()
        )
        session = walks.refused_on_screens(services(work, drive), workload)
        assert session is not None and not session.specs
    assert not work.runs.exists() and written_blocks(work, drive) == before
