"""The better format of an NVMe drive, and the advice to change."""

import pytest

from tests.unit.machines import drive
from wizard.findings.drive_faults import better_format, find_nvme
from wizard.model.drive_facts import NvmeFormat
from wizard.model.machine import Drive


def namespace(
    *formats: tuple[int, int, int], used: int = 0, scope: str | None = "namespace", zoned: str = "none"
) -> Drive:
    """Return an NVMe drive with formats by data bytes, metadata bytes and relative performance."""
    made = tuple(NvmeFormat(number, *one, in_use=number == used) for number, one in enumerate(formats))
    return drive(
        path="/dev/nvme0n1",
        bus="nvme",
        rotational=False,
        nvme_formats=made,
        nvme_format_scope=scope,
        zoned=zoned,
    )


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        (namespace((512, 0, 2), (4096, 0, 0)), 1),
        (namespace((512, 0, 2), (4096, 0, 1), (4096, 8, 0)), 1),
        (namespace((512, 0, 0), (4096, 0, 0)), 1),
        (namespace((512, 8, 2), (512, 0, 1), used=0), 1),
        (namespace((512, 0, 1), (4096, 0, 0), (4096, 0, 2), used=2), 1),
        (namespace((512, 0, 0), (4096, 0, 1)), None),
        (namespace((512, 0, 0), (4096, 0, 1), used=1), 0),
        (namespace((512, 0, 1), (4096, 0, 0), used=1), None),
        (namespace((512, 0, 0), (4096, 0, 0), used=1), None),
        (namespace((512, 0, 0), (4096, 8, 0)), None),
        (namespace((512, 0, 2), (65536, 0, 0)), None),
        (namespace((512, 0, 0)), None),
        (namespace((512, 0, 2), (4096, 0, 0), used=7), None),
        (namespace((4096, 0, 2), (4096, 0, 0), zoned="host-managed"), None),
        (drive(), None),
    ],
)
def test_better_format_is_faster_or_4096_bytes_at_the_same_speed(subject: Drive, number: int | None) -> None:
    found = better_format(subject)
    assert (found.number if found else None) == number
    assert len(list(find_nvme(subject))) == (number is not None)


def test_faster_format_is_reported_with_its_command_and_data_loss() -> None:
    (finding,) = find_nvme(namespace((512, 0, 2), (4096, 0, 0)))
    assert str(finding.sentence) == (
        "/dev/nvme0n1 supports 4096 bytes (format 1) instead of 512 bytes (format 0)."
    )
    assert "the current format good and the other best" in str(finding.why)
    for words in (
        "`sudo nvme format --lbaf=1 /dev/nvme0n1`",
        "ERASES EVERYTHING",
        "never runs this command",
        "the others are not erased",
    ):
        assert words in str(finding.advice)


def test_equal_speed_is_not_sold_as_a_gain() -> None:
    (finding,) = find_nvme(namespace((512, 0, 0), (4096, 0, 0)))
    assert "promises no speed gain" in str(finding.why)


@pytest.mark.parametrize(("scope", "words"), [("all", "all would be erased"), (None, "expect this")])
def test_other_namespaces_are_considered(scope: str | None, words: str) -> None:
    (finding,) = find_nvme(namespace((512, 0, 2), (4096, 0, 0), scope=scope))
    assert words in str(finding.advice)


def test_controller_that_cannot_format_gets_no_advice() -> None:
    assert not list(find_nvme(namespace((512, 0, 2), (4096, 0, 0), scope="none")))
