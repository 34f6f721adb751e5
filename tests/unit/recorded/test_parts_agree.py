"""Facts known by one part of the program are shared: other parts never contradict them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, machine
from tests.unit.pages import page_lines
from tests.unit.plan.layouts import UUIDS, plan_for, spec
from wizard.advice.evidence import load_evidence
from wizard.advice.ranking import advise
from wizard.advice.workloads import find_workload
from wizard.cli.plan import advice_text
from wizard.findings.diagnose import diagnose
from wizard.host.services import Services
from wizard.model.finding import NOT_JUDGED, Recorded
from wizard.model.geometry import Geometry
from wizard.model.said import GIB, KIB, MIB, TIB
from wizard.plan import dangers as layout_words
from wizard.plan.plan import Plan
from wizard.plan.request.plan_request import Mode, NewVolumes
from wizard.plan.request.volume_request import VolumeSpec
from wizard.plan.request.wanted import desktop_requests, spec_of
from wizard.probe.machine import load_machine

MACHINES = Path(__file__).parents[2] / "machines"
UNKNOWN_SHINGLES = str(layout_words.MAY_BE_SHINGLED)


def services_of(name: str) -> Services:
    uuids = iter(UUIDS * 4)
    return Services(load_machine(MACHINES / f"{name}.json"), name, lambda: next(uuids))


def planned(name: str, workload: str = "large-media") -> tuple[Recorded, Plan]:
    """Return the verdict on the machine's only drive, and the plan for the whole drive."""
    services = services_of(name)
    (drive,) = services.machine.drives
    recording = services.diagnose(services.machine, drive).recording
    chosen = advise(services.machine, drive, recording, services.profile(workload)).chosen
    assert chosen is not None
    purpose = next(one.workload for one in services.profiles if one.workload.id == workload)
    spec = VolumeSpec(chosen, purpose, None, None, None)
    return recording.verdict, services.plan(services.machine, (drive,), NewVolumes((spec,), Mode.REPLACE))


@pytest.mark.parametrize(
    ("name", "verdict", "doubted"),
    [
        ("archive", Recorded.YES, False),
        ("by-word-69", Recorded.YES, False),
        ("by-list", Recorded.LIKELY, False),
        ("by-trim", Recorded.LIKELY, False),
        ("red", Recorded.UNKNOWN, False),
        ("huge", Recorded.UNKNOWN, False),
        ("p300", Recorded.UNKNOWN, True),
        ("stick", Recorded.UNKNOWN, False),
        ("virtio-512e", Recorded.UNKNOWN, False),
        ("ssd", Recorded.NOT_APPLICABLE, False),
    ],
)
def test_plan_doubts_shingles_only_if_the_diagnosis_does(name: str, verdict: Recorded, doubted: bool) -> None:
    concluded, plan = planned(name)
    assert concluded is verdict
    assert (UNKNOWN_SHINGLES in map(str, plan.doubts)) is doubted


def test_no_recommendation_differs_from_no_possible_filesystem() -> None:
    """Without tools for exFAT, NTFS and FAT32, no filesystem is recommended for a shared stick, but ext4
    is possible."""
    of = drive()
    advice = advise(machine(of), of, NOT_JUDGED, find_workload("portable"))
    assert advice.chosen is None and "ext4" in {choice.filesystem for choice in advice.usable}
    said = " ".join(" ".join(page_lines(advice_text(advice, of))).split())
    assert "can still be created" in said and "No filesystem can be created here" not in said
    nothing = advise(machine(of, tools=()), of, NOT_JUDGED, find_workload("portable"))
    assert not nothing.usable
    assert "No filesystem can be created here." in " ".join(page_lines(advice_text(nothing, of)))


@pytest.mark.parametrize(
    ("workload", "size", "inodes"),
    [
        ("small-files", 8 * TIB, "-i 8192"),
        ("small-files", 16 * TIB, "-i 8192"),
        ("small-files", 20 * TIB, "-i 16384"),
        ("web-cache", 20 * TIB, "-i 16384"),
        ("mail", 20 * TIB, "-i 16384"),
        ("mail", 8 * TIB, None),
        ("small-files", 32 * TIB, "-i 16384"),
        ("small-files", 40 * TIB, "-i 32768"),
        ("small-files", 80 * TIB, "-i 32768"),
        ("small-files", 128 * TIB, None),
    ],
)
def test_inode_ratio_follows_the_volume_size(workload: str, size: int, inodes: str | None) -> None:
    of = drive(size_bytes=size + 64 * MIB)
    choice = advise(machine(of), of, NOT_JUDGED, find_workload(workload), size_bytes=size).choice("ext4")
    assert choice is not None
    ratios = [option.text for option in choice.mkfs if option.text.startswith("-i ")]
    assert ratios == ([inodes] if inodes else [])


def test_own_home_volume_reserves_no_blocks_for_root_unlike_a_system() -> None:
    """5 % of 20 TB are 995 GB, needed only on the system's own volume."""
    of = drive(size_bytes=20 * 10**12)
    on = machine(of, tools=(*machine().tools, ("mkswap", "/sbin/mkswap"), ("mkfs.fat", "/sbin/mkfs.fat")))
    for asked in desktop_requests(20 * 10**12, 8 * GIB):
        choice = spec_of(on, of, NOT_JUDGED, asked).choice
        if choice.filesystem == "ext4":
            assert ("-m 0" in {option.text for option in choice.mkfs}) is (asked.role == "home"), asked


def geometry_codes(geometry: Geometry) -> dict[str, str]:
    of = drive(geometry=geometry)
    return {one.code: str(one.advice) for one in diagnose(machine(of), of, ()).findings}


def test_misaligned_stack_is_never_called_fine() -> None:
    found = geometry_codes(Geometry(512, 4096, -1, 4096, 0))
    assert "alignment-stack" in found and "No action needed" not in found["geometry-512e"]
    assert "No action needed" in geometry_codes(Geometry(512, 4096, 0, 4096, 0))["geometry-512e"]


@pytest.mark.parametrize("block", [8 * KIB, 16 * KIB, 64 * KIB])
@pytest.mark.parametrize("logical", [512, 4096])
def test_large_physical_blocks_are_reported(block: int, logical: int) -> None:
    assert "geometry-large-blocks" in geometry_codes(Geometry(logical, block, 0, block, 0))
    assert "geometry-large-blocks" not in geometry_codes(Geometry(logical, 4096, 0, 4096, 0))


@pytest.mark.parametrize(("size", "doubted"), [(2 * GIB, True), (64 * GIB, False)])
def test_system_without_a_suitable_filesystem_is_a_doubt(size: int, doubted: bool) -> None:
    plan = plan_for(drive(size_bytes=size), system_spec())
    assert any("a desktop system needs" in str(doubt) for doubt in plan.doubts) is doubted


def system_spec() -> VolumeSpec:
    return replace(spec("ext4"), workload=find_workload("desktop-root").workload)


def test_figures_of_a_shingled_drive_match_the_study() -> None:
    services = services_of("archive")
    (of,) = services.machine.drives
    (found,) = (
        one for one in services.diagnose(services.machine, of).findings if one.code == "recording-shingled"
    )
    evidence = load_evidence()
    said = str(found.why)
    for name in ("shingled-fileserver", "shingled-conventional-fileserver"):
        known = evidence[name]
        assert "File server" in str(known.title) and str(known.unit) == "operations per second"
        assert f"{dict(known.figures)['ext4']:.1f}" in said, name
    assert "As a file server" in said and "backup" not in said
