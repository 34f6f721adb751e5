"""Recordings of loop devices: complete, without other data, and without leftovers."""

from pathlib import Path

import pytest

from tests.machines.contents import mounted
from tests.machines.images import after, table, zeros
from tests.machines.made import Made
from tests.machines.record import FIRST_NUMBER, FOLDER, attached, facts_of
from wizard.findings.diagnose import diagnose
from wizard.probe.interpret import machine_of

pytestmark = pytest.mark.alone
TORN = Made(prepare=after(table("size=100MiB"), zeros(1)))


def left_behind() -> list[str]:
    loops = [
        entry.name
        for entry in Path("/sys/block").glob("loop*")
        if int(entry.name.removeprefix("loop")) >= FIRST_NUMBER
    ]
    mounts = [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if str(FOLDER) in line]
    return [*loops, *mounts, *([str(FOLDER)] if FOLDER.exists() else [])]


def test_machine_is_recorded_as_created_and_leaves_no_trace() -> None:
    facts = facts_of((TORN, Made(fill=mounted)))
    assert not left_behind()
    torn, used = machine_of(facts).drives
    assert (torn.path, used.path) == (f"/dev/loop{FIRST_NUMBER}", f"/dev/loop{FIRST_NUMBER + 1}")
    assert torn.table and (torn.table.primary, torn.table.backup, len(torn.partitions)) == (
        "damaged",
        "ok",
        1,
    )
    assert [(use.kind, use.by) for use in used.uses] == [("mounted", str(FOLDER / "mounted"))]
    assert "table-primary-damaged" in {
        finding.code for finding in diagnose(machine_of(facts), torn, ()).findings
    }
    assert {block.disk or name for name, block in facts.graph.blocks.items()} == {"loop64", "loop65"}


def test_failure_halfway_leaves_no_trace() -> None:
    def wrong(path: str) -> None:
        raise ValueError(path)

    with pytest.raises(ValueError, match="loop65"), attached((TORN, Made(fill=wrong))):
        pytest.fail("the second drive cannot be made")
    assert not left_behind()
