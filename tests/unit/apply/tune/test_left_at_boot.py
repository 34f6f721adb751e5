"""Lines of fstab that name what a plan takes away."""

from pathlib import Path
from uuid import uuid4

import pytest

from tests.unit.layout.layouts import wish
from tests.unit.machines import machine, partition, partitioned
from wizard.apply.run.environment import Environment
from wizard.layout.planner import Mode
from wizard.model.machine import Signature
from wizard.model.plan import Plan
from wizard.model.units import GIB, MIB
from wizard.services.real import RealServices
from wizard.services.session import PartChange

OLD = "7d9fc3cb-0b76-4a4b-a6d2-000000000001"
FILMS = partition(1, MIB, GIB, signatures=(Signature("ext4", "filesystem", uuid=OLD, label="films"),))
OTHER = partition(2, 2 * GIB, GIB, filesystem="xfs")
DRIVE = partitioned(FILMS, OTHER)


def services(folder: Path, line: str) -> RealServices:
    fstab = folder / "fstab"
    fstab.write_text(f"# mounts\n{line}\n")
    return RealServices(environment=Environment(fstab=fstab))


def said(plan: Plan, folder: Path) -> str:
    return " ".join(str(doubt) for doubt in plan.doubts if str(folder) in str(doubt))


def replaced(folder: Path, line: str, label: str = "new", mode: Mode = Mode.REPLACE) -> str:
    wishes = (wish("ext4", label=label),)
    return said(services(folder, line).plan(machine(DRIVE), DRIVE, wishes, mode), folder)


@pytest.mark.parametrize("source", [f"UUID={OLD}", "LABEL=films", f"PARTUUID={FILMS.part_uuid}", "/dev/sda1"])
def test_a_line_that_names_what_is_lost_is_told(source: str, tmp_path: Path) -> None:
    stops = replaced(tmp_path, f"{source} /srv/films ext4 defaults 0 2")
    assert stops.startswith("Line 2 of ") and source in stops and "no nofail" in stops
    assert "`diskwright unmount /dev/sda1 --boot`" in stops
    goes_on = replaced(tmp_path, f"{source} /srv/films ext4 noatime,nofail 0 2")
    assert source in goes_on and "no nofail" not in goes_on


def test_of_several_lines_one_that_a_start_stops_at_is_told(tmp_path: Path) -> None:
    lines = [
        f"UUID={OLD} /srv/{name} btrfs subvol={name}{more} 0 0"
        for name, more in (("a", ",nofail"), ("b", ""))
    ]
    told = replaced(tmp_path, "\n".join(lines))
    assert told.startswith("Line 3 of ") and "no nofail" in told


def test_a_line_for_what_stays_or_is_found_again_is_not(tmp_path: Path) -> None:
    assert not replaced(tmp_path, "UUID=another /srv/films ext4 defaults 0 2")
    assert not replaced(tmp_path, "LABEL=films /srv/films ext4 defaults 0 2", label="films")
    assert not replaced(tmp_path, f"UUID={OLD} /srv/films ext4 defaults 0 2", mode=Mode.USE_FREE)


def test_of_one_partition_only_its_own_line_is_told(tmp_path: Path) -> None:
    ours = services(tmp_path, f"UUID={OLD} /srv/films ext4 defaults 0 2")
    for part, is_told in ((FILMS, True), (OTHER, False)):
        plan = ours.plan_part(machine(DRIVE), DRIVE, part, PartChange.DELETE)
        assert bool(said(plan, tmp_path)) is is_told
        wishes = (wish("ext4", label=str(uuid4())[:8]),)
        plan = ours.plan_part(machine(DRIVE), DRIVE, part, PartChange.FORMAT, wishes)
        assert bool(said(plan, tmp_path)) is is_told
