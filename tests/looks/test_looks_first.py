"""The first steps where there is little: no drive, drives that only root can read, and drives that would have
to be erased."""

from dataclasses import replace

from textual.pilot import Pilot

from tests.looks.rehearsal import Rehearsal, flat, highlight, perform, press, ready, shown, step, until
from tests.unit.machines import SIZE_BYTES, drive, machine, partition, partitioned
from wizard.model.errors import Refused
from wizard.model.machine import Drive, Unread
from wizard.model.units import MIB
from wizard.services.session import Session

FULL = partitioned(partition(1, MIB, SIZE_BYTES - 4 * MIB, filesystem="ext4"))
NOT_CHOSEN = "Choose first what becomes of what is there"


async def to_layout(pilot: Pilot[Session]) -> None:
    await step(pilot, 1)
    await until(lambda: "Holds:" in shown(pilot), pilot)
    for number in (2, 3, 4):
        await press(pilot, "enter")
        await step(pilot, number)


def on(held: Drive) -> Rehearsal:
    return Rehearsal(machine(held))


def test_without_a_drive_no_key_sets_one_up() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await step(pilot, 1)
        await until(lambda: "No drive was found" in flat(pilot), pilot)
        await until(lambda: "set up this drive" not in flat(pilot), pilot)
        assert "[r] read again" in flat(pilot) and "read as root" not in flat(pilot)

    perform(job, Rehearsal(replace(machine(), drives=())))


def test_u_reads_the_drives_again_with_roots_rights() -> None:
    class PlainUser(Rehearsal):
        given, asked = False, 0

        @property
        def asks_for_root(self) -> bool:
            return not self.given

        def obtain_root(self) -> None:
            self.asked += 1
            if self.asked == 1:
                raise Refused("Root was not given.")
            self.given = True

        def drive_paths(self) -> tuple[str, ...]:
            paths = super().drive_paths()
            return paths if self.given else tuple(path for path in paths if path != "/dev/sdc")

    services = PlainUser()

    async def job(pilot: Pilot[Session]) -> None:
        await ready(pilot)
        assert "[u] read as root" in flat(pilot) and "/dev/sdc" not in flat(pilot)
        await press(pilot, "u")
        await until(lambda: "Root was not given." in flat(pilot), pilot)
        await press(pilot, "u")
        await until(lambda: "/dev/sdc" in flat(pilot) and "read as root" not in flat(pilot), pilot)
        await press(pilot, "u")

    perform(job, services)
    assert services.asked == 2


def test_to_erase_is_chosen_by_the_person_and_never_beforehand() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        assert "(*)" not in shown(pilot) and NOT_CHOSEN in flat(pilot)
        await press(pilot, "tab", "enter")
        await until(lambda: NOT_CHOSEN in shown(pilot).splitlines()[-4] + flat(pilot), pilot)
        await step(pilot, 4)
        await press(pilot, "shift+tab", "enter")
        await until(lambda: "(*) Replace everything" in shown(pilot), pilot)
        assert "1 partition that is there now will be lost" in flat(pilot)
        await press(pilot, "enter")
        await step(pilot, 5)

    perform(job, on(FULL), (100, 40))


def test_what_could_not_be_read_is_not_said_to_be_safe() -> None:
    reasons = tuple(Unread(what, "Permission denied.") for what in ("table", "content_digest"))

    async def job(pilot: Pilot[Session]) -> None:
        await to_layout(pilot)
        assert "(*)" not in shown(pilot)
        await highlight(pilot, "#modes", "REPLACE")
        await press(pilot, "enter")
        await until(lambda: "What is there could not be read, and will be lost" in flat(pilot), pilot)
        assert "No partition is lost" not in flat(pilot)

    perform(job, on(drive(table=None, content_digest=None, unread=reasons)), (100, 40))
