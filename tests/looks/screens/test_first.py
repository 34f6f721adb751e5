"""The first screens in special cases: no drive, drives readable only by root, and drives that would be
erased."""

from msgspec.structs import replace

from tests.looks.rehearsal import Hand, Rehearsal, come, flat, perform, place, press, ready, to_place, until
from tests.unit.machines import SIZE_BYTES, drive, machine, partition, partitioned, unread
from wizard.model.errors import Refused
from wizard.model.machine import Drive
from wizard.model.said import MIB

FULL = partitioned(partition(1, MIB, SIZE_BYTES - 4 * MIB, filesystem="ext4"))


def on(held: Drive) -> Rehearsal:
    return Rehearsal(machine(held))


def test_no_key_sets_up_a_missing_drive() -> None:
    async def job(pilot: Hand) -> None:
        await until(lambda: "No drive found" in flat(pilot), pilot)
        assert "set up" not in flat(pilot).lower()
        await press(pilot, "s", "enter", "a", "w", "m", "K", "U")
        assert place(pilot) == "drives"

    perform(job, Rehearsal(replace(machine(), drives=())))


def test_o_reads_the_drives_again_as_root() -> None:
    class PlainUser(Rehearsal):
        given, asked = False, 0

        @property
        def asks_for_root(self) -> bool:
            return not self.given

        def obtain_root(self) -> None:
            self.asked += 1
            if self.asked == 1:
                raise Refused("Root access was not granted.")
            self.given = True

        def drive_paths(self) -> tuple[str, ...]:
            paths = super().drive_paths()
            return paths if self.given else tuple(path for path in paths if path != "/dev/sdc")

    services = PlainUser()

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        assert "read as root" in flat(pilot) and "sdc" not in flat(pilot)
        await press(pilot, "o")
        await until(lambda: "Root access was not granted." in flat(pilot), pilot)
        await press(pilot, "o")
        await until(lambda: "sdc" in flat(pilot) and "read as root" not in flat(pilot), pilot)
        await press(pilot, "o")

    perform(job, services)
    assert services.asked == 2


def test_enter_on_a_full_drive_destroys_no_data_without_warning() -> None:
    async def job(pilot: Hand) -> None:
        await ready(pilot)
        await press(pilot, "enter")
        await come(pilot, "actions")
        await press(pilot, "escape")
        await to_place(pilot, "plan", "/dev/sda")
        assert "Not possible:" in flat(pilot)
        await press(pilot, "enter")
        assert place(pilot) == "plan"
        await press(pilot, "x")
        await until(lambda: "will be deleted" in flat(pilot), pilot)
        await press(pilot, "enter")
        await come(pilot, "review")
        await until(lambda: "Delete and " in flat(pilot), pilot)
        assert "Nothing is lost" not in flat(pilot)

    perform(job, on(FULL))


def test_unread_content_is_not_called_safe() -> None:
    reasons = tuple(unread(what, "Permission denied.") for what in ("table", "content_digest"))

    async def job(pilot: Hand) -> None:
        await ready(pilot)
        assert "empty" not in flat(pilot)
        await to_place(pilot, "plan", "/dev/sda")
        assert "Nothing is lost" not in flat(pilot)

    perform(job, on(drive(table=None, content_digest=None, unread=reasons)))
