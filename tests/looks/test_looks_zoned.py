"""The wizard on a drive whose zones the host must manage, as it was recorded in the lab."""

from dataclasses import replace

from textual.pilot import Pilot

from tests.lab.portraits import file_of
from tests.looks.rehearsal import Rehearsal, flat, perform, press, shown, step, until
from wizard.model.machine import Machine
from wizard.probe.recorded import load_machine
from wizard.services.session import Session


def with_zones_written(count: int) -> Machine:
    on = load_machine(file_of("nvme-zoned"))
    (of,) = on.drives
    assert of.zones is not None
    return replace(on, drives=(replace(of, zones=replace(of.zones, written=count)),))


def said(pilot: Pilot[Session], part: str) -> str:
    """All that a part of the screen holds, also what is scrolled away, as one line."""
    return " ".join(pilot.app.screen.query_one(part).plain.split())  # type: ignore[attr-defined]


def test_one_filesystem_without_a_table_is_offered_and_what_else_could_live_there() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await step(pilot, 1)
        await until(lambda: "LAB-NVME-ZONED" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 2)
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "> btrfs" in shown(pilot)
        options = said(pilot, "#options")
        assert "-O zoned" in options and "F2FS can live there" in options and "mkfs.f2fs -f -m -c" in options
        await press(pilot, "enter")
        await step(pilot, 4)
        await until(
            lambda: "Empty every zone, for one filesystem without a partition table" in shown(pilot), pilot
        )
        assert "it takes no partitions" in flat(pilot) or "nothing on the drive to keep" in flat(pilot)
        assert "rest: 8.6 GB" in shown(pilot)
        await press(pilot, "enter")
        await step(pilot, 5)
        preview = said(pilot, "#preview")
        assert "blkzone reset" in preview and "Everything on /dev/" in preview

    perform(job, Rehearsal(with_zones_written(0)))


def test_what_lies_in_zones_is_said_to_be_lost() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await step(pilot, 1)
        await until(lambda: "LAB-NVME-ZONED" in shown(pilot), pilot)
        for number in (2, 3, 4):
            await press(pilot, "enter")
            await step(pilot, number)
        await until(lambda: "Choose first what becomes of what is there" in flat(pilot), pilot)
        await press(pilot, "enter")
        await until(lambda: "All that is on the drive will be lost" in flat(pilot), pilot)

    perform(job, Rehearsal(with_zones_written(3)))
