"""Both wizards lead an old filesystem on a drive made here to ext4, by the real rules and programs, and back
or on."""

import asyncio

import pytest
from textual.pilot import Pilot

from tests.devices import MakeDrive
from tests.looks.rehearsal import flat, highlight, press, shown, step, until
from tests.loop.applying import Work, story
from tests.loop.migrating import Old, old_filesystem
from tests.unit.conversation import converse_with
from wizard.apply.block.ext_superblock import facts_on
from wizard.apply.run.journal import RunState, state
from wizard.apply.run.runs import list_runs
from wizard.model.errors import ExitCode
from wizard.services.real import RealServices
from wizard.services.session import Session
from wizard.tui.app import WizardApp
from wizard.tui.screens.migrate_ways import LOOKING


@pytest.fixture
def old(work: Work, make_drive: MakeDrive) -> Old:
    return old_filesystem(work, make_drive)


def services(old: Old) -> RealServices:
    """Of this drive only, with the scratch fstab."""
    old.work.bench.own(old.drive)
    return RealServices(only=(old.drive,), environment=old.work.environment, journal_dir=old.work.runs)


def folder(old: Old) -> str:
    """For what a way needs room for."""
    made = old.work.folder / "room"
    made.mkdir(mode=0o700)
    return str(made)


def test_line_by_line_every_file_comes_along_and_undoing_is_to_the_bit(old: Old) -> None:
    before, lines, files = old.digest, old.fstab, old.files("ext3")
    answers = ("2", "5", folder(old), "3", "1", "1", old.drive.removeprefix("/dev/"), "3", "2")
    told = converse_with(services(old), answers)
    (run,) = list_runs(old.work.runs)
    assert told.code is ExitCode.DONE, told.text + str(story(run))
    assert "Checked afterwards: " in told.flat and "Does not hold" not in told.text
    assert "If the power goe" in told.after("step 5 of 6: Running").partition("step 6 of 6")[0]
    assert told.flat.endswith("Undone. This was the demo") or "Undone." in told.flat
    assert state(run) is RunState.UNDONE and (old.digest, old.fstab) == (before, lines)
    assert old.files("ext3") == files


def test_on_the_screen_the_lightest_way_is_kept_and_its_room_given_back(old: Old) -> None:
    files, room = old.files("ext3"), folder(old)

    async def job(pilot: Pilot[Session]) -> None:
        await step(pilot, 1)
        await until(lambda: "[m] to ext4" in shown(pilot) and "reading .." not in shown(pilot), pilot)
        await press(pilot, "m")
        await step(pilot, 2)
        await until(lambda: "(full)" in shown(pilot), pilot)
        await press(pilot, "f", f"={room}", "enter")
        await until(lambda: "Room is taken in" in flat(pilot) and LOOKING not in flat(pilot), pilot)
        await highlight(pilot, "#moving-ways", "light")
        await press(pilot, "c", "enter")
        await step(pilot, 3)
        await press(pilot, "enter")
        await step(pilot, 4)
        await press(pilot, "tab", f"={old.drive.removeprefix('/dev/')}", "enter", "enter")
        await step(pilot, 5)
        await until(lambda: "[Enter] the result" in shown(pilot), pilot)
        assert "Done: every step was carried out." in flat(pilot), story(list_runs(old.work.runs)[0])
        await press(pilot, "enter")
        await step(pilot, 6)
        await press(pilot, "k", "tab", "enter")
        await until(
            lambda: "can no longer be undone" in flat(pilot) and "can be mounted now" in flat(pilot), pilot
        )
        await press(pilot, "enter")

    async def walk() -> None:
        async with WizardApp(services(old)).run_test(size=(80, 24)) as pilot:
            await job(pilot)

    asyncio.run(walk())
    (run,) = list_runs(old.work.runs)
    assert state(run) is RunState.KEPT, story(run)
    assert "extent" in facts_on(old.drive).features and not list((old.work.folder / "room").iterdir())
    assert old.files("ext4") == files
