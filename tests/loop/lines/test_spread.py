"""The line-by-line wizard over two test drives, through a pipe, up to a mounted mirror."""

import re
import sys

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, said
from tests.loop.lines.conversing import MEDIA, PROGRAM, Conversation, run_of
from tests.loop.program import MIB, Event, RunState, state

BOTH = (
    PROGRAM.replace("drive, fstab, runs = sys.argv[1:]", "*drives, fstab, runs = sys.argv[1:]")
    .replace("frozenset({drive})", "frozenset(drives)")
    .replace("only=(drive,)", "only=tuple(drives)")
)
"""The wizard that sees these drives only."""


def number_of(wizard: Conversation, row: str) -> None:
    """Answer with the number of a row with this text."""
    asked = wizard.asked()
    found = re.search(rf"(\d+)\. {re.escape(row)}", asked)
    assert found, asked
    wizard.answer(found[1])


def test_piped_answers_end_with_a_mounted_mirror(work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    place = work.folder.parent / "places" / "media"
    for drive in (one, two):
        work.bench.own(drive)
    wizard = Conversation([sys.executable, "-c", BOTH, one, two, str(work.fstab), str(work.runs)])
    tokens = [drive.removeprefix("/dev/") for drive in (one, two)]
    try:
        wizard.asked("Step 1 of 5: Drives")
        wizard.answer("1", MEDIA, "d")
        number_of(wizard, "/dev/" + tokens[1])
        number_of(wizard, "Mirrored by Btrfs")
        wizard.asked("e edit")
        wizard.answer("")
        wizard.asked("Step 4 of 5: Review", tokens[0])
        wizard.answer(tokens[1], tokens[0])
        assert "to confirm" in wizard.asked(tokens[0])
        wizard.answer(tokens[0], tokens[1])
        wizard.until("Journal:", "Answer: ")
        assert wizard.ended() == 0, wizard.said
        assert state(run_of(work)) is RunState.DONE
        assert said(run_of(work), Event.VERIFIED) and not said(run_of(work), Event.NOT_VERIFIED)
        usage = tool("btrfs", "filesystem", "df", str(place))
        assert "Data, RAID1" in usage and "Metadata, RAID1" in usage
        shown = tool("btrfs", "filesystem", "show", str(place))
        assert f"path {one}p1" in shown and f"path {two}p1" in shown
    finally:
        wizard.process.kill()
        if place.is_mount():
            tool("umount", str(place))
