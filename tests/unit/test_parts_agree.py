"""What one part of the program knows, the others ask it: they never say something else of the same drive."""

from pathlib import Path

import pytest

from tests.unit.layouts import UUIDS
from tests.unit.machines import drive, machine
from wizard.advise.advise import advise
from wizard.advise.workloads import find_workload
from wizard.faces.advise import advice_lines
from wizard.layout import words as layout_words
from wizard.layout.planner import Mode
from wizard.layout.wishes.wish import Wish
from wizard.model.finding import NOT_JUDGED, Recorded
from wizard.model.plan import Plan
from wizard.probe.recorded import load_machine
from wizard.services.recorded import RecordedServices

MACHINES = Path(__file__).parents[1] / "machines"
UNKNOWN_SHINGLES = str(layout_words.MAY_BE_SHINGLED())


def services_of(name: str) -> RecordedServices:
    uuids = iter(UUIDS * 4)
    return RecordedServices(load_machine(MACHINES / f"{name}.json"), name, lambda: next(uuids))


def planned(name: str, workload: str = "large-media") -> tuple[Recorded, Plan]:
    """What is concluded of the machine's one drive, and the plan for all of it."""
    services = services_of(name)
    (drive,) = services.machine.drives
    recording = services.diagnose(services.machine, drive).recording
    chosen = services.advise(services.machine, drive, recording, workload).chosen
    assert chosen is not None
    purpose = next(one.workload for one in services.profiles() if one.workload.id == workload)
    wish = Wish(chosen, purpose, None, None, None)
    return recording.verdict, services.plan(services.machine, drive, (wish,), Mode.REPLACE)


@pytest.mark.parametrize(
    ("name", "verdict", "doubted"),
    [
        ("archive", Recorded.YES, False),
        ("by-word-69", Recorded.YES, False),
        ("by-list", Recorded.LIKELY, False),
        ("by-trim", Recorded.LIKELY, False),
        ("red", Recorded.UNKNOWN, True),
        ("stick", Recorded.UNKNOWN, False),
        ("virtio-512e", Recorded.UNKNOWN, False),
        ("ssd", Recorded.NOT_APPLICABLE, False),
    ],
)
def test_a_plan_doubts_shingles_only_where_the_diagnosis_does(
    name: str, verdict: Recorded, doubted: bool
) -> None:
    concluded, plan = planned(name)
    assert concluded is verdict
    assert (UNKNOWN_SHINGLES in map(str, plan.doubts)) is doubted


def test_nothing_suits_is_not_nothing_can_be_made() -> None:
    """Without the programs for exFAT, NTFS and FAT32 nothing is advised for a shared stick, and ext4 can be
    made."""
    of = drive()
    advice = advise(machine(of), of, NOT_JUDGED, find_workload("portable"))
    assert advice.chosen is None and "ext4" in {choice.filesystem for choice in advice.usable}
    said = " ".join(" ".join(advice_lines(advice, of)).split())
    assert "Made against the advice can be: " in said and "None of the filesystems can be made" not in said
    nothing = advise(machine(of, tools=()), of, NOT_JUDGED, find_workload("portable"))
    assert not nothing.usable
    assert "None of the filesystems can be made here." in " ".join(advice_lines(nothing, of))
