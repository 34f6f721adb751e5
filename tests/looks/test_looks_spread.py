"""Several drives on the screen: which and how, what cannot be, every later step, and a token for each."""

import pytest
from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, highlight, perform, press, shown, step, until
from tests.unit.layouts import EVERYTHING
from tests.unit.machines import machine, partition, partitioned
from tests.unit.stripes import numbered
from wizard.model.machine import Drive, Use
from wizard.services.session import Session


def used() -> Drive:
    """A drive that cannot be taken."""
    return numbered(3, uses=(Use("swap", "/dev/sdc", "swap"),))[2]


def rehearsal(*more: Drive, first: Drive | None = None) -> Rehearsal:
    one, two = numbered(2)
    return Rehearsal(machine(first or one, two, *more, tools=EVERYTHING))


async def to_form(pilot: Pilot[Session]) -> None:
    """Over the first drive to the form for the others."""
    await step(pilot, 1)
    await until(lambda: "/dev/sdb" in shown(pilot) and "reading .." not in shown(pilot), pilot)
    for number in (2, 3, 4):
        await press(pilot, "enter")
        await step(pilot, number)
    await press(pilot, "d")
    await until(lambda: "Besides /dev/sda" in shown(pilot), pilot)


async def lay(pilot: Pilot[Session], way: str) -> None:
    """The second drive too, in this way."""
    await press(pilot, "space", "tab")
    await highlight(pilot, "#ways", way)
    await press(pilot, "enter")
    await step(pilot, 4)


def test_a_mirror_is_walked_with_both_drives_on_every_step_and_wants_both_tokens() -> None:
    services = rehearsal()

    async def job(pilot: Pilot[Session]) -> None:
        await to_form(pilot)
        await lay(pilot, "mirror-md")
        await until(lambda: "It lies on /dev/sda and /dev/sdb, mirrored by md." in flat(pilot), pilot)
        assert "A mirror survives the loss of one drive, and is no backup" in flat(pilot)
        assert "/dev/sda and 1 more" in shown(pilot).splitlines()[0]
        await press(pilot, "enter")
        await step(pilot, 5)
        page = pilot.app.screen.query_one("#preview").plain  # type: ignore[attr-defined]
        assert (
            "/dev/sda\nBefore" in page
            and "/dev/sdb\nBefore" in page
            and "every byte on 2 of them" in " ".join(page.split())
        )
        await press(pilot, "enter")
        await step(pilot, 6)
        assert "It measures /dev/sda, the first of the drives." in flat(pilot)
        await press(pilot, "enter")
        await step(pilot, 7)
        assert "Drive: /dev/sda, " in shown(pilot) and "Drive: /dev/sdb, " in shown(pilot)
        assert "Or type Sa to confirm that /dev/sda is meant, drive 1 of 2:" in shown(pilot)
        # Neither the other drive's token nor only the first one begins anything.
        await press(pilot, "tab", "=Sb", "enter")
        await until(lambda: "That is not this drive's token, which is Sa." in shown(pilot), pilot)
        await press(pilot, "backspace", "a", "enter")
        await until(
            lambda: "Or type Sb to confirm that /dev/sdb is meant, drive 2 of 2:" in shown(pilot), pilot
        )
        await press(pilot, "down", "enter")
        await until(lambda: "Type Sb first." in shown(pilot), pilot)
        assert not services.started
        await press(pilot, "=Sb", "enter")
        await until(lambda: "> [ Apply ]" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 8)
        services.applied.set()
        await until(lambda: "Done: every step was carried out." in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 9)
        assert "The drives are set up as it was shown" in flat(pilot)

    perform(job, services)
    ((plan, tokens),) = services.started
    assert tokens == ("Sa", "Sb") and plan.stripe is not None and plan.stripe.mirrors


@pytest.mark.parametrize("way", ["mirror-btrfs", "stripe-lvm"])
def test_the_drives_stay_taken_on_the_way_back_and_forth(way: str) -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_form(pilot)
        await lay(pilot, way)
        await press(pilot, "enter")
        await step(pilot, 5)
        page = pilot.app.screen.query_one("#preview").plain  # type: ignore[attr-defined]
        assert ("everything on all of them is lost" in " ".join(page.split())) is way.startswith("stripe")
        for number in (4, 3):
            await press(pilot, "b")
            await step(pilot, number)
        await press(pilot, "enter")
        await step(pilot, 4)
        assert "It lies on /dev/sda and /dev/sdb" in flat(pilot)
        await press(pilot, "d")
        await until(lambda: "[x] /dev/sdb" in shown(pilot), pilot)

    perform(job, rehearsal())


def test_what_cannot_be_taken_says_why() -> None:
    services = rehearsal(used())
    services.machine = machine(
        *services.machine.drives, tools=tuple(tool for tool in EVERYTHING if tool[0] != "mdadm")
    )

    async def job(pilot: Pilot[Session]) -> None:
        await to_form(pilot)
        assert "cannot be taken: /dev/sdc is in use" in flat(pilot)
        await press(pilot, "down", "space")
        assert "[ ] /dev/sdc" in shown(pilot)
        await press(pilot, "tab", "down", "enter")
        await until(lambda: "Take a further drive first." in shown(pilot), pilot)
        await press(pilot, "tab", "up", "space")
        await until(lambda: "not possible: " in shown(pilot) and "the package mdadm" in flat(pilot), pilot)
        await press(pilot, "tab", "down", "enter")
        await until(lambda: "Besides /dev/sda" in shown(pilot), pilot)
        await press(pilot, "escape")
        await step(pilot, 4)
        assert "It lies on" not in flat(pilot)

    perform(job, services)


def test_one_volume_takes_all_of_them_and_what_they_hold_is_counted() -> None:
    old = partitioned(partition(1, filesystem="ext3"), path="/dev/sda", serial="Sa", wwn="naa.a", by_id=())

    async def job(pilot: Pilot[Session]) -> None:
        await to_form(pilot)
        await press(pilot, "space", "tab")
        await highlight(pilot, "#ways", "stripe-md")
        await press(pilot, "enter")
        await until(lambda: "All that /dev/sda holds will be lost when you keep" in flat(pilot), pilot)
        assert "> [ No ]" in shown(pilot)
        await press(pilot, "enter")
        await until(lambda: "Besides /dev/sda" in shown(pilot), pilot)
        await press(pilot, "enter", "y")
        await step(pilot, 4)
        await until(lambda: "1 partition that is there now will be lost" in flat(pilot), pilot)
        assert "Several drives together are taken whole: nothing on them is kept." in flat(pilot)
        await press(pilot, "a")
        await until(lambda: "One volume takes all of the drives." in shown(pilot), pilot)
        # On one drive again, what destroys nothing comes first.
        await press(pilot, "d")
        await until(lambda: "Besides /dev/sda" in shown(pilot), pilot)
        await press(pilot, "space", "tab")
        await highlight(pilot, "#ways", "alone")
        await press(pilot, "enter")
        await step(pilot, 4)
        await until(
            lambda: "> (*) Use the free space" in shown(pilot) and "It lies on" not in shown(pilot), pilot
        )

    perform(job, rehearsal(first=old))


def test_another_of_the_drives_that_is_pulled_out_leads_back_to_the_list() -> None:
    services = rehearsal()
    gone: set[str] = set()
    services.is_attached = lambda drive: drive.path not in gone  # type: ignore[method-assign]

    async def job(pilot: Pilot[Session]) -> None:
        await to_form(pilot)
        await lay(pilot, "mirror-btrfs")
        gone.add("/dev/sdb")
        await press(pilot, "enter")
        await until(lambda: "/dev/sdb (Example HDD 500) is not attached any more" in flat(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 1)

    perform(job, services)


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
def test_the_form_fits(size: tuple[int, int]) -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_form(pilot)
        await press(pilot, "space", "tab", "end")
        await until(lambda: "> (*) Striped by LVM" in shown(pilot), pilot)
        assert "/dev/sdb" in shown(pilot) and "[Esc] cancel" in shown(pilot)
        assert "Striping is no safety" in flat(pilot) or size[1] < 24

    perform(job, rehearsal(*numbered(8)[2:]), size)
