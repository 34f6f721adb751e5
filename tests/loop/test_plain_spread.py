"""The line-by-line wizard over two drives made here: answered through a pipe, to a mirror that is mounted."""

import sys

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, said
from tests.loop.test_plain_apply import MEDIA, PROGRAM, Conversation, run_of
from wizard.apply.run.journal import RunState, state
from wizard.model.journal import Event
from wizard.model.units import MIB

BOTH = (
    PROGRAM.replace("drive, fstab, runs = sys.argv[1:]", "*drives, fstab, runs = sys.argv[1:]")
    .replace("frozenset({drive})", "frozenset(drives)")
    .replace("only=(drive,)", "only=tuple(drives)")
)
"""The wizard that sees these drives only."""


def test_from_piped_answers_to_a_mounted_mirror(work: Work, make_drive: MakeDrive) -> None:
    one, two = make_drive(256 * MIB), make_drive(256 * MIB)
    place = work.place("films")
    for drive in (one, two):
        work.bench.own(drive)
    wizard = Conversation([sys.executable, "-c", BOTH, one, two, str(work.fstab), str(work.runs)])
    tokens = [drive.removeprefix("/dev/") for drive in (one, two)]
    try:
        wizard.asked("Which drive is to be set up?")
        wizard.answer(
            "1",
            MEDIA,
            "",
            "5",
            "2",
            "",
            "1",
            "3",
            "",
            "",
            "",
            "films",
            str(place),
            "",
            "",
            "",
            "",
            tokens[1],
            tokens[0],
            tokens[1],
        )
        wizard.until("Step 9 of 9", "Answer: ")
        assert wizard.ended() == 0, wizard.said
        assert state(run_of(work)) is RunState.DONE
        assert wizard.said.count("That is not this drive's token") == 1
        assert said(run_of(work), Event.VERIFIED) and not said(run_of(work), Event.NOT_VERIFIED)
        usage = tool("btrfs", "filesystem", "df", str(place))
        assert "Data, RAID1" in usage and "Metadata, RAID1" in usage
        shown = tool("btrfs", "filesystem", "show", str(place))
        assert f"path {one}p1" in shown and f"path {two}p1" in shown
    finally:
        wizard.process.kill()
        if place.is_mount():
            tool("umount", str(place))
