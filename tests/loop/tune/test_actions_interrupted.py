"""Drives that are powered off, or not."""

import os
import shutil
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from tests.devices import MakeDrive, tool
from tests.loop.applying import Work, carry_out, said, story, without_power
from tests.loop.program import (
    Event,
    Machine,
    Purpose,
    Refused,
    RunState,
    probe_machine,
    read_entries,
    state,
)
from tests.loop.tune.test_actions import made, mounts_of
from tests.loop.tune.tuning import begin, sysfs_in
from wizard.apply.settings import plan_settings, states
from wizard.apply.settings.plan_settings import act
from wizard.model.requests import SwitchOff
from wizard.operations import settings


@pytest.fixture
def stick(work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> str:
    return make_stick(work, make_drive, monkeypatch)


def make_stick(work: Work, make_drive: MakeDrive, monkeypatch: pytest.MonkeyPatch) -> str:
    """A loop device that poses as a USB stick, with its own sysfs, where a write to `delete` removes the
    drive."""
    drive = made(work, make_drive, "ext4", "films")
    work.fstab.write_text("")
    folder = work.folder / "sys"
    entry = folder / "class/block" / Path(drive).name
    (entry / "device").mkdir(parents=True)
    (entry / "device/delete").touch()

    def as_stick(paths: list[str]) -> Machine:
        machine = probe_machine(paths)
        return replace(machine, drives=(replace(machine.drives[0], bus="usb", removable=True),))

    monkeypatch.setattr(plan_settings, "probe_machine", as_stick)
    for module in (states, settings):
        monkeypatch.setattr(module, "SYS", folder)
    for module in (plan_settings, states):
        monkeypatch.setattr(module, "sysfs", sysfs_in(folder))
    return drive


def goes(entry: Path) -> Thread:
    """Wait for a write to `delete`, then remove the drive."""
    delete = entry / "device/delete"
    delete.unlink()
    os.mkfifo(delete)

    def take_away() -> None:
        if delete.read_text() == "1":
            shutil.rmtree(entry)

    thread = Thread(target=take_away, daemon=True)
    thread.start()
    return thread


def test_drive_is_unmounted_and_powered_off(work: Work, stick: str) -> None:
    place, entry = work.place("films"), work.folder / "sys/class/block" / Path(stick).name
    place.mkdir(parents=True)
    tool("mount", stick, str(place))
    (place / "film").write_text("It is on the drive.")
    changes = act(stick, SwitchOff(), work.environment)
    assert [step.operation.kind for step in changes.steps] == ["unmount", "power-off"]
    assert changes.steps[-1].undo == "Not possible: unplug the drive and plug it in again."
    with (place / "film").open(), pytest.raises(Refused, match="is in use by"):
        act(stick, SwitchOff(), work.environment)
    run, gone = begin(work, changes), goes(entry)
    carry_out(run, Purpose.APPLY, ())
    gone.join()
    assert state(run) is RunState.DONE and not mounts_of(stick), story(run)
    assert read_entries(run)[-1].sentence == f"{stick} is powered off and can be unplugged."
    assert [entry.command[0] for entry in said(run, Event.COMMAND)] == ["umount", "sync", "blockdev"]
    assert b"It is on the drive." in work.bench.image_of(stick).read_bytes()


@pytest.mark.alone
def test_drive_removed_during_the_interruption_counts_as_off(
    work: Work, stick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = work.folder / "sys/class/block" / Path(stick).name
    run, gone = begin(work, act(stick, SwitchOff(), work.environment)), goes(entry)
    without_power(monkeypatch, Event.STEP_DONE, 1, lambda: carry_out(run, Purpose.APPLY, ()))
    gone.join()
    tool("losetup", "--detach", stick)
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.DONE, story(run)


def test_drive_that_stays_powered_is_reported_and_mounted_again(work: Work, stick: str) -> None:
    place = work.place("films")
    place.mkdir(parents=True)
    tool("mount", "-o", "noatime", stick, str(place))
    run = begin(work, act(stick, SwitchOff(), work.environment))
    delete = work.folder / "sys/class/block" / Path(stick).name / "device/delete"
    delete.unlink()
    delete.mkdir()
    carry_out(run, Purpose.APPLY, ())
    assert state(run) is RunState.FAILED and not mounts_of(stick), story(run)
    assert "Cannot write " in said(run, Event.STEP_FAILED)[0].sentence
    carry_out(run, Purpose.UNDO, ())
    assert mounts_of(stick) == [str(place)], story(run)
    assert "noatime" in tool("findmnt", "-n", "-o", "OPTIONS", str(place))
