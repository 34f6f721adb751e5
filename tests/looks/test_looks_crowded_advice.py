"""Advice on more filesystems than a small screen has lines: nothing scrolls sideways, and whatever is hidden
is counted."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, to_step, until
from wizard.model.advice import Advice, Choice, Evidence, Place, Unmade
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine
from wizard.services.session import Session
from wizard.tui.widgets.words import Words

CARD = Evidence("x", "Unpacking", "a study", "2010", "2.6.33", "a disk", "s", True, (("ext2", 3.0),))
NAMES = ("ext4", "btrfs", "xfs", "f2fs", "exfat", "ntfs", "vfat", "nilfs2", "jfs")
NO_FILES = "swap"
"""Among the choices, and listed nowhere."""
OLD = ("ext2", "ext3", "reiserfs", "reiser4", "ufs2")


def choice(name: str, place: Place) -> Choice:
    said = (
        f"What is said of {name} is so long that it fits into no line of a list, and must be read in full "
        "elsewhere."
    )
    barred = ("This kernel has no JFS.",) if name == "jfs" else ()
    return Choice(name, place, said, (), (), (), None, barred, (), ranked=name not in ("vfat", NO_FILES))


class Crowded(Rehearsal):
    """The advice has everything."""

    def advise(
        self,
        machine: Machine,
        drive: Drive,
        recording: Recording,
        workload: str,
        size_bytes: int | None = None,
    ) -> Advice:
        places = [Place.CHOSEN, Place.SECOND, *[Place.REJECTED] * (len(NAMES) - 1)]
        real = super().advise(machine, drive, recording, workload, size_bytes)
        unmade = tuple(
            Unmade(name, name, f"No new {name} should be made.", f"Copy the files off {name}.", (CARD,))
            for name in OLD
        )
        return replace(real, choices=tuple(map(choice, (*NAMES, NO_FILES), places)), unmade=unmade)


def marked(pilot: Pilot[Session]) -> str:
    (line,) = [line for line in shown(pilot).splitlines() if line.startswith(" > ")]
    return line.removeprefix(" > ").split()[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_every_filesystem_is_come_to_and_read(size: tuple[int, int]) -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        for index, name in enumerate((*NAMES, *OLD)):
            if index:
                await press(pilot, "down")
            await until(lambda name=name: marked(pilot) == name, pilot)  # type: ignore[misc]
            said = (
                f"What is said of {name} is so long that it fits into no line of a list, and must be read in "
                "full elsewhere."
            )
            read = " ".join(pilot.app.screen.query_one("#options", Words).plain.split())
            assert (said if name in NAMES else f"No new {name} should be made.") in read
            assert all(len(line) <= size[0] for line in shown(pilot).splitlines())

    perform(job, Crowded(), size)


def test_what_the_list_hides_is_counted() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        rows = shown(pilot).splitlines()[3:]
        at, counted = next((at, line.split()) for at, line in enumerate(rows) if "more" in line)
        assert counted == ["↓", str(len(NAMES) + len(OLD) - at), "more"]
        await press(pilot, "end")
        await until(lambda: marked(pilot) == OLD[-1], pilot)
        assert " more\n" not in "\n".join(line.rstrip() for line in shown(pilot).splitlines()[:14])

    perform(job, Crowded())


def test_only_what_can_be_made_is_taken_and_the_rest_says_why() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_step(pilot, 3)
        text = shown(pilot)
        assert any(line.split()[:3] == [">", "ext4", "chosen"] for line in text.splitlines())
        assert any(line.split()[:3] == ["vfat", "not", "ranked"] for line in text.splitlines())
        await press(pilot, *["down"] * NAMES.index("jfs"), "enter")
        await until(lambda: "jfs cannot be taken: This kernel has no JFS." in flat(pilot), pilot)
        await press(pilot, "end", "enter")
        await until(lambda: "ufs2 is never made here: No new ufs2 should be made." in flat(pilot), pilot)
        assert "The way off: Copy the files off ufs2." in flat(pilot)
        await press(pilot, "e")
        await until(lambda: "Evidence: ufs2" in shown(pilot), pilot)
        assert "Unpacking" in flat(pilot) and "kernel 2.6.33" in flat(pilot)

    perform(job, Crowded())
