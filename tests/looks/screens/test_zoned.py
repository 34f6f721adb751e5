"""The wizard on a host-managed drive, as recorded in the lab."""

from msgspec.structs import replace

from tests.lab.visits.drives.portraits import file_of
from tests.looks.rehearsal import Hand, Rehearsal, app_of, come, flat, perform, press, ready
from tests.unit.ui.person import texts_of
from wizard.model.machine import Machine
from wizard.probe.machine import load_machine


def with_zones_written(count: int) -> Machine:
    on = load_machine(file_of("nvme-zoned"))
    (of,) = on.drives
    assert of.zones is not None
    return replace(on, drives=(replace(of, zones=replace(of.zones, written=count)),))


def said(pilot: Hand) -> str:
    """Return all content of the screen, including scrolled parts, as one line."""
    return " ".join(" ".join(texts_of(app_of(pilot).keyboard.view)).split())


async def to_plan(pilot: Hand) -> None:
    await ready(pilot)
    await press(pilot, "enter" if "Set up" in flat(pilot) else "s")
    await come(pilot, "purpose")
    await press(pilot, "enter")
    await come(pilot, "plan")


def test_one_filesystem_without_a_table_is_offered_and_alternatives() -> None:
    async def job(pilot: Hand) -> None:
        await to_plan(pilot)
        assert "Btrfs" in flat(pilot) and "8.6 GB" in flat(pilot)
        await press(pilot, "f")
        await come(pilot, "filesystem")
        options = said(pilot)
        assert "-O zoned" in options and "F2FS: possible" in options and "mkfs.f2fs -f -m -c" in options
        await press(pilot, "escape")
        await come(pilot, "plan")
        await press(pilot, "v")
        await come(pilot, "page")
        assert "blkzone reset" in said(pilot)

    perform(job, Rehearsal(with_zones_written(0)))


def test_content_of_zones_is_listed_as_lost() -> None:
    async def job(pilot: Hand) -> None:
        await to_plan(pilot)
        assert "Not possible:" in said(pilot)
        await press(pilot, "x")
        assert "Nothing is lost" not in said(pilot) and "Deleted when" in said(pilot)
        await press(pilot, "enter")
        await come(pilot, "review")
        assert "Nothing is lost" not in said(pilot)

    perform(job, Rehearsal(with_zones_written(3)))
