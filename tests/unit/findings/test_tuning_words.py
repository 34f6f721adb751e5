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
            "tune /dev/sda1 --workload",
        ),
        (drive(signatures=(Signature("ext4", "filesystem"),)), "tune /dev/sda --workload"),
    ],
)
def test_filesystem_with_better_settings_is_reported(on: Drive, told: str) -> None:
    assert told in tuning_words(on)


@pytest.mark.parametrize(
    "on",
    [
        drive(),
        *(partitioned(partition(1, MIB, GIB, filesystem=kind)) for kind in ("swap", "crypto_LUKS", "ext3")),
    ],
)
def test_filesystem_without_advice_is_not_mentioned(on: Drive) -> None:
    assert tuning_words(on) == ""


def test_drive_page_mentions_better_settings() -> None:
    person = Person(Live(machine(ONE)))
    person.act("health", ONE.path)
    assert tuning_words(ONE) in person.text
