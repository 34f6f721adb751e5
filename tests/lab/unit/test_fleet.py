"""QEMU options for the fleet's drives, refusals, selection of visits, and comparison of recorded machines."""

import itertools
import json
from argparse import Namespace

import pytest
from msgspec.structs import replace

from tests.lab.__main__ import planned
from tests.lab.drives.attach import NOWHERE, file_node, fleet_arguments, image_bytes
from tests.lab.drives.fleet import MIB, Expected, Fleet
from tests.lab.drives.layers import STACK_FLEET
from tests.lab.drives.members import BUS_FLEET, FLEETS, SATA_FLEET
from tests.lab.errands.groups import Planned, is_wanted
from tests.lab.errands.visit import MODULES, PORTRAITS, Visit, find_job, visits
from tests.lab.visits.drives.look import capacity
from tests.lab.visits.drives.portraits import diagnosis_of, file_of, of_one, said, unlike
from wizard.documents.codec import from_json, to_json
from wizard.findings.geometry import load_patterns
from wizard.probe.facts import RawMachine
from wizard.probe.machine import load_facts


def options(fleet: Fleet, flag: str) -> list[dict[str, object]]:
    arguments = fleet_arguments(
        fleet, {drive.name: file_node(drive, f"/images/{drive.name}") for drive in fleet.drives}
    )
    return [
        json.loads(value)
        for name, value in itertools.pairwise(arguments)
        if name == flag and value.startswith("{")
    ]


def node(name: str, fleet: Fleet = SATA_FLEET) -> dict[str, object]:
    return next(made for made in options(fleet, "-blockdev") if made["node-name"] == name)


def device(name: str, fleet: Fleet = BUS_FLEET) -> dict[str, object]:
    return next(made for made in options(fleet, "-device") if made.get("drive") == name)


def test_misaligned_drive_is_a_window_on_an_aligned_one() -> None:
    jumpered = node("jumpered")
    below = jumpered["file"]
    assert isinstance(below, dict)
    assert (jumpered["driver"], below["driver"], below["align"]) == ("raw", "blkdebug", 4096)
    offset = jumpered["offset"]
    assert isinstance(offset, int)
    # Its sector 7, the first that is aligned as IDENTIFY says, lies at the start of a block.
    assert (offset + 7 * 512) % 4096 == 0
    assert image_bytes(SATA_FLEET["jumpered"]) >= offset + SATA_FLEET["jumpered"].size_bytes


def test_drive_that_reports_small_blocks_charges_by_physical_ones() -> None:
    assert node("claims-512")["align"] == 4096
    assert SATA_FLEET["claims-512"].physical_block_bytes == 512


def test_configured_sectors_fail_to_read() -> None:
    rules = node("unreadable")["inject-error"]
    assert isinstance(rules, list)
    assert [(rule["iotype"], rule["sector"]) for rule in rules] == [("read", 0), ("read", 1)]


def test_drive_too_large_for_a_file_has_no_file() -> None:
    huge = SATA_FLEET["huge"]
    assert file_node(huge, "/images/huge") == {
        "driver": NOWHERE,
        "size": huge.size_bytes,
        "read-zeroes": True,
    }
    assert image_bytes(huge) < huge.size_bytes


def test_every_sata_drive_has_its_own_port() -> None:
    ports = [str(made["bus"]) for made in options(SATA_FLEET, "-device")]
    assert len(set(ports)) == len(SATA_FLEET.drives) > 12
    arguments = fleet_arguments(
        SATA_FLEET, {drive.name: file_node(drive, "/i") for drive in SATA_FLEET.drives}
    )
    controllers = {
        "ide",
        *(word.removeprefix("ahci,id=") for word in arguments if word.startswith("ahci,id=")),
    }
    assert {port.partition(".")[0] for port in ports} == controllers


def test_only_drives_with_trim_offer_it() -> None:
    trims = {made["drive"] for made in options(SATA_FLEET, "-device") if made.get("discard_granularity") != 0}
    assert trims == {"by-trim", "ssd"}


def test_zones_and_bridges_use_their_controllers() -> None:
    zoned = device("nvme-zoned")
    assert (zoned["driver"], zoned["bus"], zoned["zoned"], zoned["zoned.zone_size"]) == (
        "nvme-ns",
        "nvme-zoned-controller",
        True,
        64 * MIB,
    )
    assert device("enclosure")["bus"] == "enclosure-controller.0"
    drivers = {made["id"]: made["driver"] for made in options(BUS_FLEET, "-device")}
    assert (drivers["enclosure-controller"], drivers["stick-controller"]) == ("usb-uas", "usb-bot")


def test_drives_unsupported_by_qemu_are_refused() -> None:
    old = SATA_FLEET["old"]
    with pytest.raises(ValueError, match="NVMe only"):
        replace(old, failing=True)
    with pytest.raises(ValueError, match="IDENTIFY"):
        replace(BUS_FLEET["virtio-512e"], identify=((69, 2),))
    with pytest.raises(ValueError, match="no model"):
        replace(BUS_FLEET["virtio-512e"], model="A Model")
    with pytest.raises(ValueError, match="another drive"):
        Fleet("twins", (replace(old, identify=((69, 2),)), replace(old, name="twin", serial="TWIN")))


def test_every_visit_has_jobs_and_a_unique_title() -> None:
    found = [(module, visit) for module in (*MODULES, *PORTRAITS, "performed") for visit in visits(module)]
    for module, visit in found:
        assert [name for name in visit.jobs if not callable(find_job(name, module))] == []
    assert len({visit.title for _, visit in found}) == len(found)
    with pytest.raises(KeyError):
        find_job("no such job", "look")


def test_visits_are_selected_by_words_and_long_ones_only_on_request() -> None:
    short = Planned(Visit("Reads a drive", SATA_FLEET, ("look",), 1, udev=False), "look", 0)
    long = Planned(replace(short.visit, full_only=True), "look", 1)
    assert [
        is_wanted(short, words, full=False) for words in ([], ["reads"], ["SATA"], ["reads", "buses"])
    ] == [True, True, True, False]
    assert [is_wanted(long, [], full=full) for full in (False, True)] == [False, True]
    assert is_wanted(long, ["reads"], full=False)
    assert [
        is_wanted(short, words, full=False) for words in (["none,reads"], ["none,reads", "none,nothing"])
    ] == [True, False]


def test_machines_are_recorded_by_separate_visits() -> None:
    arguments = Namespace(
        record=False, photograph_console=False, record_machines=True, only=[], full=False, list=False
    )
    assert {one.visit.fleet.name for one in planned(arguments)} == {
        fleet.name for fleet in (*FLEETS, STACK_FLEET)
    }
    arguments.record_machines = False
    assert not {*PORTRAITS, "performed", "photographed"} & {one.module for one in planned(arguments)}
    arguments.photograph_console = True
    assert {one.module for one in planned(arguments)} == {"photographed"}


def renamed(raw: RawMachine, old: str, new: str) -> RawMachine:
    return from_json(json.loads(json.dumps(to_json(raw)).replace(old, new)), RawMachine, "renamed")


def test_comparison_ignores_only_the_device_name() -> None:
    patterns = load_patterns()
    raw = load_facts(file_of("archive"))
    name = raw.drives[0].name
    other = renamed(raw, name, "sdzz")
    assert other.drives[0].path == "/dev/sdzz"
    assert said(raw, patterns) == said(other, patterns)
    assert said(raw, patterns) != said(load_facts(file_of("red")), patterns)


def test_recording_of_one_drive_omits_the_boot_and_other_drives() -> None:
    raw = load_facts(file_of("old"))
    name = raw.drives[0].name
    stranger = renamed(raw, name, "sdzz")
    both = replace(
        raw,
        boot_id="5f2b",
        drives=(*raw.drives, *stranger.drives),
        graph=replace(raw.graph, blocks=raw.graph.blocks | stranger.graph.blocks),
        links={name: ("/dev/disk/by-id/old",), "sdzz": ("/dev/disk/by-id/other",)},
    )
    alone = of_one(both, raw.drives[0])
    assert alone == replace(raw, links={name: ("/dev/disk/by-id/old",)})


def test_extra_or_missing_finding_is_reported() -> None:
    diagnosis = diagnosis_of(load_facts(file_of("old")), load_patterns())
    assert not unlike(Expected("unknown", findings=("recording-unknown",)), diagnosis)
    assert "recording-unknown" in unlike(Expected("unknown"), diagnosis)
    assert "geometry-4kn" in unlike(
        Expected("unknown", findings=("recording-unknown", "geometry-4kn")), diagnosis
    )
    assert unlike(Expected("likely", "drive", ("recording-unknown",)), diagnosis)


def test_output_of_sg_readcap_is_parsed() -> None:
    told = (
        "Read Capacity results:\n   Protection: prot_en=0, p_type=0, p_i_exponent=0\n"
        "   Logical block provisioning: lbpme=0, lbprz=0\n"
        "   Last LBA=1953523711 (0x74706daf), Number of logical blocks=1953523712\n"
        "   Logical block length=512 bytes\n"
        "   Logical blocks per physical block exponent=3 [so physical block length=4096 bytes]\n"
        "   Lowest aligned LBA=7\nHence:\n"
    )
    assert capacity(told) == (512, 4096, 3584)
    assert capacity("") == (0, 0, 0)
