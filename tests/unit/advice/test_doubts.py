"""Warnings about advice without supporting figures, and the benchmark that would settle each."""

from tests.unit.advice.test_ranking import LIKELY, SHINGLED, UNKNOWN, advice_for
from tests.unit.machines import drive


def test_likely_shingled_drive_is_a_doubt_with_its_consequences() -> None:
    doubts = " ".join(advice_for("large-media", None, LIKELY).doubts)
    assert "likely shingled" in doubts
    assert "XFS would rank before ext4" in doubts
    assert "likely shingled" not in " ".join(advice_for("large-media", None, SHINGLED).doubts)


def test_unproven_order_is_a_doubt_that_a_trial_settles() -> None:
    """The figures of 2010 are single runs and not comparable. Only a file server on a shingled drive has
    enough runs."""
    for recording in (UNKNOWN, SHINGLED):
        of = drive() if recording is UNKNOWN else drive(size_bytes=8 * 1000**4)
        for workload in ("database", "desktop-root", "large-media", "mail", "small-files", "web-cache"):
            doubts = [one for one in advice_for(workload, of, recording).doubts if "`t`" in one]
            assert len(doubts) == 1 and "No study compared" in doubts[0], workload
        assert not advice_for("nas", of, recording).doubts, "what the raw data carries"
    assert not advice_for("archive-backup", drive()).doubts, "it has no figures, and says so"
    last = advice_for("mail", drive(size_bytes=8 * 1000**4), SHINGLED).doubts[-1]
    assert "fits into a shingled drive's cache" in last


def test_recommended_filesystem_mentions_a_faster_one() -> None:
    for workload in (
        "database",
        "desktop-root",
        "large-media",
        "mail",
        "small-files",
        "vm-images",
        "web-cache",
    ):
        advice = advice_for(workload, drive(size_bytes=8 * 1000**4), SHINGLED)
        said = str(advice.choices[0].sentence)
        assert "Btrfs did 1.22 times the work" in said, workload
        assert "1.22 times the work" not in str(advice_for(workload, drive()).choices[0].sentence)


def test_no_claim_about_database_latency_on_shingled_drive() -> None:
    """The latency of single appends in XFS only reflects the closed loop of that benchmark."""
    for workload in ("database", "vm-images"):
        first, second, third = advice_for(workload, drive(size_bytes=8 * 1000**4), SHINGLED).choices[:3]
        assert (first.filesystem, second.filesystem, third.filesystem) == ("ext4", "btrfs", "xfs")
        assert "No filesystem is good at this" in str(first.sentence) and "another drive" in str(
            first.sentence
        )
        assert not any("appends" in str(one.sentence) for one in (first, second, third))
