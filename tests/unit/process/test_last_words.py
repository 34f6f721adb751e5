"""Error output of a failed program, as shown to the user."""

import pytest

from wizard.process.program import Result

HINT = "       dmesg(1) may have more information after failed mount system call.\n"


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        ("mount: /srv/x: mount point does not exist.\n" + HINT, "mount: /srv/x: mount point does not exist."),
        ("mount: /srv/x: mount point does not exist.\n", "mount: /srv/x: mount point does not exist."),
        (HINT, "no output"),
        ("", "no output"),
    ],
)
def test_hint_for_more_information_is_not_the_error(errors: str, said: str) -> None:
    assert Result(32, "", errors, 0.1).last_words == said


RESIZED = (
    "resize2fs 1.47.0 (5-Feb-2023)\n/usr/sbin/resize2fs: {why}\n"
    "Please run 'e2fsck -fy /dev/sda1' to fix the filesystem\nafter the aborted resize operation.\n"
)
WRONG = (
    "mount: /mnt: wrong fs type, bad option, bad superblock on /dev/sda1, "
    "missing codepage or helper program, or other error.\n"
)
USAGE = "unknown option -d bogus=1\nUsage: mkfs.xfs\n/* blocksize */\t[-b size=num]\n<value> is xxx.\n"


@pytest.mark.parametrize(
    ("output", "errors", "said"),
    [
        (
            "Begin pass 2",
            RESIZED.format(why="Illegal doubly indirect block found while trying to resize x"),
            "too little space reserved for growing",
        ),
        ("", RESIZED.format(why="No space left on device"), "resize2fs: No space left on device"),
        ("", "resize2fs: New size results in too many block group descriptors.\n", "blocks are too small"),
        ("", "seek_relative: Invalid argument\n", "larger than its device"),
        ("", WRONG + HINT, "kernel rejects the filesystem or an option"),
        ("", USAGE, "unknown option -d bogus=1"),
        (USAGE, "mkfs.xfs: /dev/sda1 is busy\n", "/dev/sda1 is busy"),
        ("", "sfdisk: bad size\nTry 'sfdisk --help' for more information.\n", "sfdisk: bad size"),
        (
            "sda1: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.\n\t(i.e., without -a or -p options)\n",
            "",
            "sda1: UNEXPECTED INCONSISTENCY",
        ),
    ],
)
def test_cause_is_reported_instead_of_advice_and_usage(output: str, errors: str, said: str) -> None:
    assert said in Result(1, output, errors, 0.1).last_words
