"""Who looks at a drive with a filesystem on it is told, in both faces, that it can be used better without
erasing it."""

import pytest

from tests.unit.machines import drive, partition, partitioned
from wizard.diagnose.told import tuning_words
from wizard.model.finding import Diagnosis, Recorded, Recording
from wizard.model.machine import Drive, Signature
from wizard.model.units import GIB, MIB
from wizard.plain.drivewords import drive_paragraphs
from wizard.tui.text.describe import drive_blocks
from wizard.tui.widgets.words import Paragraph

ONE = partitioned(partition(1, MIB, GIB, filesystem="swap"), partition(2, 2 * GIB, GIB, filesystem="ext4"))


@pytest.mark.parametrize(
    ("on", "told"),
    [
        (ONE, "To keep /dev/sda2 and use it better: `diskwright tune /dev/sda2 --workload ID`"),
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


def test_both_faces_say_it() -> None:
    diagnosis = Diagnosis(ONE.path, Recording("unknown", None, Recorded.UNKNOWN, "low"), ())
    assert any(tuning_words(ONE) == said.text for said in drive_paragraphs(ONE, diagnosis))
    blocks = drive_blocks(ONE, diagnosis, "")
    assert any(isinstance(block, Paragraph) and tuning_words(ONE) == block.text.plain for block in blocks)
