"""The menu greys what would end in a refusal, and says the reason that the refusal would say."""

import pytest

from tests.unit.machines import drive, gpt, machine, partition, partitioned
from wizard.desk.menu import Entry, Here, entries
from wizard.model.machine import Drive
from wizard.model.units import GIB, MIB

PART = "/dev/sda1"


def entry(name: str, on: Drive, device: str, here: Here = Here()) -> Entry:  # noqa: B008
    return next(one for one in entries(machine(on), on, device, "", here=here) if one.name == name)


def test_options_need_a_line_in_fstab() -> None:
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    assert entry("options", on, PART).why_not == ""
    reason = str(entry("options", on, PART, Here(has_line=False)).why_not)
    assert reason == f"fstab has no line for {PART}; mount it at boot first."


def test_what_cannot_be_measured_here_is_grey() -> None:
    on = drive(table=gpt())
    assert entry("speed", on, on.path).why_not == ""
    assert entry("speed", on, on.path, Here(not_measured="A recording.")).why_not == "A recording."


@pytest.mark.parametrize("name", ["rename", "mount", "options"])
def test_what_cannot_be_worked_out_here_is_grey(name: str) -> None:
    on = partitioned(partition(1, MIB, GIB, filesystem="ext4"))
    here = Here(has_line=False, not_worked_out="A recording.")
    assert entry(name, on, PART).why_not == "" and entry(name, on, PART, here).why_not == "A recording."
    # What can be planned all the same stays.
    assert entry("format", on, PART, here).why_not == ""


def test_free_space_in_which_nothing_fits_is_not_offered() -> None:
    size = drive().size_bytes or 0
    end = size - 3 * MIB
    full = partitioned(partition(1, MIB, end - MIB, filesystem="ext4"))
    reason = str(entry("use-free", full, full.path).why_not)
    assert "a filesystem needs at least 8 MiB" in reason
    roomy = partitioned(partition(1, MIB, size - GIB, filesystem="ext4"))
    assert entry("use-free", roomy, roomy.path).why_not == ""
