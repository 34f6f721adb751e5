"""Menus disable unavailable actions with the text of the refusal."""

import pytest
from msgspec.structs import replace

from tests.unit.machines import drive, gpt, machine, partition, partitioned
from tests.unit.ui.live import Live, menu
from tests.unit.ui.person import Person
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Signature
from wizard.model.requests import CopyFiles, Tune, Wanted
from wizard.model.said import GIB, MIB
from wizard.plan.changes import RunDocument
from wizard.ui.screens.actions import MenuEntry

PART = "/dev/sda1"


class Here(Live):
    def options_at_boot(self, drive: Drive, device: str) -> tuple[str, ...]:
        return ()


class Unavailable(Live):
    obstacle = apply_obstacle = "A recording."


def entry(name: str, on: Drive, device: str, here: Live | None = None) -> MenuEntry:
    return next(one for one in menu(here or Here(), device, on) if one.name == name)


def test_options_need_a_line_in_fstab() -> None:
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    assert entry("options", on, PART).why_not == ""
    reason = str(entry("options", on, PART, Live()).why_not)
    assert reason == f"fstab has no line for {PART}; mount it at boot first."


def test_impossible_measurement_is_grey() -> None:
    on = drive(table=gpt())
    assert entry("speed", on, on.path).why_not == ""
    assert entry("speed", on, on.path, Unavailable()).why_not == "A recording."


def test_misaligned_partitions_are_moved_from_the_menu_of_the_drive() -> None:
    off = [partition(n, n * 20 * GIB + 512, GIB, filesystem="ext4") for n in (1, 2)]
    on = partitioned(*off)
    assert str(entry("move", on, on.path).says) == "2 partitions; no file loss"
    assert "by" in str(entry("move", on, PART).says)
    one = partitioned(off[0])
    assert not [one for one in menu(Here(), one.path, one) if one.name == "move"]
    held = partitioned(*(replace(part, mount_points=("/home",)) for part in off))
    assert "/home" in str(entry("move", held, held.path).why_not)


@pytest.mark.parametrize("name", ["rename", "mount", "options", "tune"])
def test_impossible_calculation_is_grey(name: str) -> None:
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    here = Unavailable()
    assert entry(name, on, PART).why_not == "" and entry(name, on, PART, here).why_not == "A recording."
    # What can be planned all the same stays.
    assert entry("format", on, PART, here).why_not == ""


def test_too_small_free_space_is_not_offered() -> None:
    size = drive().size_bytes or 0
    end = size - 3 * MIB
    full = partitioned(partition(1, MIB, end - MIB, filesystem="ext4"))
    reason = str(entry("use-free", full, full.path).why_not)
    assert "a filesystem needs at least 8.4 MB" in reason
    roomy = partitioned(partition(1, MIB, size - GIB, filesystem="ext4"))
    assert entry("use-free", roomy, roomy.path).why_not == ""


def test_better_options_are_grey_without_a_recommendation() -> None:
    for held, reason in (
        ("swap", "contains swap"),
        ("reiserfs", "recommends nothing"),
        ("", "no filesystem"),
    ):
        on = partitioned(partition(1, MIB, GIB, filesystem=held or None))
        assert reason in str(entry("tune", on, PART).why_not), held
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    assert entry("tune", on, PART).why_not == ""


def test_unread_removable_drive_can_be_powered_off() -> None:
    unread = drive(table=None, content_digest=None, free=(), bus="usb", removable=True)
    assert entry("power-off", unread, unread.path).why_not == ""
    built_in = drive(table=None, content_digest=None, free=(), bus="sata", removable=False)
    assert "not a removable drive" in str(entry("power-off", built_in, built_in.path).why_not)


def test_copied_filesystem_is_offered_a_new_uuid() -> None:
    part = replace(partition(1, MIB, GIB), signatures=(Signature("xfs", "filesystem", uuid="11"),))
    one = partitioned(part)
    twin = replace(part, path="/dev/sdb1")
    numbers = {"path": "/dev/sdb", "serial": "B", "wwn": "B", "table": replace(gpt(), uuid="2")}
    found = menu(Here(), PART, one, partitioned(twin, **numbers))
    (offered,) = (entry for entry in found if entry.name == "new-uuid")
    assert offered.why_not == "" and "/dev/sdb1" in str(offered.says)
    assert "new-uuid" not in {entry.name for entry in menu(Here(), PART, one)}


def test_better_options_follow_the_selected_workload() -> None:
    class Asked(Live):
        asked: tuple[tuple[str, Wanted], ...] = ()

        def work_out(self, device: str, wanted: Wanted | CopyFiles) -> RunDocument:
            assert not isinstance(wanted, CopyFiles)
            self.asked += ((device, wanted),)
            raise Refused("No better settings are known.")

    services = Asked(machine(partitioned(partition(1, MIB, GIB, filesystem="ext4"))))
    person = Person(services)
    person.act("open", "/dev/sda")
    person.desk.moved(PART)
    person.act("actions", PART)
    person.key("c")
    (field,) = person.view.fields
    assert "small-files" in [offer.value for offer in field.offers]
    person.act("take", purpose="small-files")
    assert services.asked == ((PART, Tune("small-files")),)
    assert person.view.place == "actions" and "No better settings" in person.said


def test_lost_table_is_restored_from_the_menu() -> None:
    found = partition(1, MIB, GIB, signatures=(Signature("ext4", "filesystem", uuid="1", size_bytes=GIB),))
    on = drive(data_at_bytes=MIB, lost=(found,))
    assert entry("restore-table", on, on.path).why_not == ""
    person = Person(Live(machine(on)))
    person.act("actions", on.path)
    person.key("b")
    person.wait()
    assert person.view.place == "review", person.text
    empty = drive()
    assert "restore-table" not in {one.name for one in menu(Here(), empty.path, empty)}
