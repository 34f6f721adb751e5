"""Every drive of the lab's fleet, recorded under a real kernel: the wizard's conclusions, without a guest."""

import json

import pytest

from tests.lab.drives.members import FLEETS
from tests.lab.visits.drives.portraits import MACHINES, diagnosis_of, file_of, unlike
from tests.readme import finding_codes
from tests.unit.pages import page_lines
from wizard.cli.inspect import machine_document, portrait
from wizard.findings.diagnose import diagnose
from wizard.findings.geometry import load_patterns
from wizard.probe.interpret import machine_of
from wizard.probe.machine import load_facts

MEMBERS = {member.name: member for fleet in FLEETS for member in fleet.members}


def test_exactly_the_members_are_recorded() -> None:
    assert sorted(path.stem for path in MACHINES.glob("*.json")) == sorted(MEMBERS)


@pytest.mark.parametrize("name", MEMBERS)
def test_verdict_and_findings_match_the_expected_ones(name: str) -> None:
    expected = MEMBERS[name].expected
    assert expected is not None
    assert not unlike(expected, diagnosis_of(load_facts(file_of(name)), load_patterns()))


@pytest.mark.parametrize("name", MEMBERS)
def test_recorded_drive_is_the_created_one(name: str) -> None:
    member = MEMBERS[name]
    (drive,) = machine_of(load_facts(file_of(name))).drives
    assert drive.geometry is not None
    seen = (
        drive.geometry.logical_block_bytes,
        drive.geometry.physical_block_bytes,
        drive.geometry.alignment_offset_bytes,
        drive.size_bytes,
    )
    assert seen == (
        member.logical_block_bytes,
        member.physical_block_bytes,
        member.alignment_offset_bytes,
        member.size_bytes,
    )


@pytest.mark.parametrize("name", MEMBERS)
def test_recorded_drive_is_shown_in_a_narrow_terminal_and_as_json(name: str) -> None:
    machine = machine_of(load_facts(file_of(name)))
    (drive,) = machine.drives
    diagnosis = diagnose(machine, drive, load_patterns())
    lines = page_lines(portrait(drive, diagnosis))
    assert max(map(len, lines)) <= 80
    assert all(str(finding.sentence).split()[-1] in " ".join(lines) for finding in diagnosis.findings)
    document = machine_document(machine, {drive.path: diagnosis})
    assert json.loads(json.dumps(document))["drives"][0]["serial"] == drive.serial


def test_expected_codes_exist() -> None:
    expected = {code for member in MEMBERS.values() if member.expected for code in member.expected.findings}
    assert expected <= set(finding_codes())
