"""A finding suggests better use of an existing filesystem without erasing."""

import pytest

from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.ui.live import Live
from tests.unit.ui.person import Person
from wizard.findings.drive_faults import tuning_words
from wizard.model.machine import Drive, Signature
from wizard.model.said import GIB, MIB

ONE = partitioned(partition(1, MIB, GIB, filesystem="swap"), partition(2, 2 * GIB, GIB, filesystem="ext4"))


@pytest.mark.parametrize(
    ("on", "told"),
    [
        (ONE, "To improve /dev/sda2 without erasing: `diskwright tune /dev/sda2 --workload ID`"),
        (
            partitioned(
                partition(1, MIB, GIB, filesystem="xfs"), partition(2, 2 * GIB, GIB, filesystem="btrfs")
            ),
            "/dev/sda1 and others",
        ),
        (drive(signatures=(Signature("ext4", "filesystem"),)), "tune /dev/sda --workload"),
    ],
)
def test_a_filesystem_can_be_used_better(on: Drive, told: str) -> None:
    assert told in tuning_words(on)


@pytest.mark.parametrize(
    "on",
    [
        drive(),
        *(partitioned(partition(1, MIB, GIB, filesystem=kind)) for kind in ("swap", "crypto_LUKS", "ext3")),
    ],
)
def test_of_what_has_no_advice_nothing_is_said(on: Drive) -> None:
    assert tuning_words(on) == ""


def test_the_page_of_the_drive_says_it() -> None:
    person = Person(Live(machine(ONE)))
    person.act("health", ONE.path)
    assert tuning_words(ONE) in person.text
