"""To ext4 with all files kept, until it begins: the ways side by side, the preview, the last question."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from tests.looks.explaining import look_into
from tests.looks.rehearsal import flat, highlight, perform, press, shown, step, until
from tests.looks.walk_moving import page, said_of_drive, to_drives, to_ways
from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.migrations import EXT3, situation
from tests.unit.moving import MovingServices
from wizard.model.machine import Machine
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_person_gets_from_the_drives_to_an_ext4_and_back(size: tuple[int, int]) -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        assert said_of_drive(pilot).endswith("m: the ext3 on /dev/sda1 can become ext4 with all files kept.")
        assert "[m] to ext4" in flat(pilot)
        await press(pilot, "m")
        await step(pilot, 2)
        await until(lambda: "> Everything (full)" in shown(pilot), pilot)
        assert "To ext4, step 2 of 6: Ways" in shown(pilot) and "/dev/sda1, ext3" in shown(pilot)
        assert "Proposed: It brings everything that this filesystem allows" in flat(pilot)
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "tune2fs -I 256 /dev/sda1" in page(pilot, "#preview")
        assert "-UUID=0d2c3b7a" in page(pilot, "#preview") and "If the power goes: Nothing is lost" in page(
            pilot, "#preview"
        )
        await press(pilot, "enter")
        await step(pilot, 4)
        assert "> [ Back ]" in shown(pilot) and "It is never mounted half done." in page(pilot, "#loss")
        # Neither a wrong token nor none begins anything.
        await press(pilot, "tab", "=Sx", "enter")
        await until(lambda: "That is not this drive's token, which is S1." in flat(pilot), pilot)
        await press(pilot, "tab", "enter")
        assert not services.begun
        await press(pilot, "backspace", "1", "enter", "enter")
        await step(pilot, 5)
        assert [token for _, token in services.begun] == ["S1"]
        await until(lambda: "working   4." in shown(pilot), pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)
        assert "100 percent" in shown(pilot) and "a power cut now changes nothing" in flat(pilot)
        await press(pilot, "enter")
        await step(pilot, 6)
        assert "say `mount -o ro,noload /dev/sda1 /mnt`" in flat(pilot)
        assert "Keeping ends the way back and gives" in flat(
            pilot
        ) and "Undoing brings the filesystem back to the bit" in flat(pilot)
        await press(pilot, "u", "enter")
        assert services.settled == []
        await press(pilot, "u", "tab", "enter")
        await until(
            lambda: "The migration was undone: the filesystem is as it was before." in flat(pilot), pilot
        )
        assert (
            services.settled == ["undo"] and "[u] undo" not in shown(pilot) and "[k] keep" not in shown(pilot)
        )
        assert "The old filesystem is back, to the bit." in flat(pilot)
        await press(pilot, "enter")

    session = perform(job, services, size)
    assert session is not None and session.run is not None


def test_all_ways_stand_side_by_side_where_there_is_room() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        heads = [
            line
            for line in shown(pilot).splitlines()
            if "Mount as ext4 (mount)" in line and "A fresh ext4 (fresh)" in line
        ]
        assert len(heads) == 1 and "> Everything (full)" in heads[0] and "New files only (light)" in heads[0]
        await press(pilot, "up")
        assert any(
            "> New files only (light)" in line and "A fresh ext4 (fresh)" in line
            for line in shown(pilot).splitlines()
        )

    perform(job, MovingServices(), (120, 36))


def test_in_a_small_terminal_the_highlighted_way_is_told() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "All files, directories and metadata are brought to ext4" in page(pilot, "#said")
        await highlight(pilot, "#moving-ways", "mount")
        assert "nothing on the disk is changed" in page(pilot, "#said") and "brought to ext4" not in page(
            pilot, "#said"
        )

    perform(job, MovingServices())


def test_a_way_that_cannot_be_had_says_why_and_is_not_taken() -> None:
    services = MovingServices(situation(mounts=("/srv",)))

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "> Mount as ext4 (mount)" in shown(pilot) and shown(pilot).count("not possible") >= 3
        await highlight(pilot, "#moving-ways", "full")
        assert "Not possible here: " in page(pilot, "#said") and "/srv" in page(pilot, "#said")
        await press(pilot, "enter")
        await until(lambda: "Everything is not possible here: " in flat(pilot), pilot)
        await step(pilot, 2)

    perform(job, services)


def test_comparing_is_a_choice_and_the_plan_follows_it() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "Every file is compared before and after: about 15 min (an estimate)." in flat(pilot)
        await press(pilot, "c")
        assert "Files are not compared one by one." in flat(pilot)
        await highlight(pilot, "#moving-ways", "mount")
        assert "There is nothing to compare." in flat(pilot)
        await highlight(pilot, "#moving-ways", "full")
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "Files are not compared one by one" in page(pilot, "#preview")
        # Back, and it is still so.
        await press(pilot, "b")
        await step(pilot, 2)
        await until(lambda: "Files are not compared one by one." in flat(pilot), pilot)

    perform(job, services)
    assert [asked.compares for asked in services.asked if asked.way] == [False, False]


def test_damage_is_repaired_only_by_consent() -> None:
    services = MovingServices(situation(replace(EXT3, has_errors=True)))

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "Damage is not repaired." in flat(pilot)
        await highlight(pilot, "#moving-ways", "full")
        await press(pilot, "enter")
        await until(lambda: "Everything is not possible here: " in flat(pilot), pilot)
        await press(pilot, "x")
        assert "Damage may be repaired." in flat(pilot)
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "Damage that e2fsck finds may be repaired." in page(pilot, "#preview")

    perform(job, services)


def test_room_is_looked_for_where_the_person_says() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        await press(pilot, "f", "=/mnt/backup", "enter")
        await until(lambda: "Room is taken in /mnt/backup." in flat(pilot), pilot)
        await until(lambda: len(services.asked) == 2, pilot)
        await press(pilot, "f", "escape", "f", *["backspace"] * len("/mnt/backup"), "enter")
        await until(lambda: "Room is taken" not in flat(pilot), pilot)
        await until(lambda: len(services.asked) == 3, pilot)

    perform(job, services)
    assert [str(asked.folder) for asked in services.asked] == ["None", "/mnt/backup", "None"]


def test_what_hinders_looking_is_said_and_the_drives_come_back() -> None:
    services = MovingServices()
    services.hindrance = "Only root can look into /dev/sda1. Nothing was written."

    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        await press(pilot, "m")
        await step(pilot, 2)
        await until(lambda: "Only root can look into /dev/sda1." in flat(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 2)
        await press(pilot, "b")
        await to_drives(pilot)
        # The ordinary walk is as it was.
        await press(pilot, "enter")
        await step(pilot, 2)
        assert "Step 2 of 9: Purpose" in shown(pilot)

    perform(job, services)


def test_a_recording_says_what_it_lacks() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        await press(pilot, "m")
        await step(pilot, 2)
        await until(lambda: "This recording does not hold what moving to ext4 needs" in flat(pilot), pilot)

    perform(job, RecordedServices(MovingServices().machine, "a test"))


def several() -> Machine:
    return machine(
        partitioned(partition(1, filesystem="ext3"), partition(2, start_bytes=4 << 30, filesystem="ext2"))
    )


def test_of_several_old_filesystems_one_is_picked() -> None:
    services = MovingServices(around=several())

    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        assert "the ext3 on /dev/sda1 and the ext2 on /dev/sda2 can become ext4" in said_of_drive(pilot)
        await press(pilot, "m")
        await until(lambda: "Which filesystem is to become ext4" in flat(pilot), pilot)
        await press(pilot, "escape")
        await step(pilot, 1)
        await press(pilot, "m")
        await until(lambda: "Which filesystem is to become ext4" in flat(pilot), pilot)
        await press(pilot, "down", "enter")
        await step(pilot, 2)
        await until(lambda: "(full)" in shown(pilot), pilot)

    perform(job, services)
    assert [asked.device for asked in services.asked] == ["/dev/sda2"]


def test_where_all_would_be_erased_the_other_way_is_named() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        for number in (2, 3, 4):
            await press(pilot, "enter")
            await step(pilot, number)
        said = page(pilot, "#modes")
        assert (
            "Not needed for ext4: the ext3 on /dev/sda1 can become ext4 with all files kept, by m in the "
            "list of drives"
        ) in said

    perform(job, MovingServices())


def test_a_drive_without_an_old_filesystem_has_no_such_key() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        assert "[m]" not in shown(pilot)
        await press(pilot, "m")
        await step(pilot, 1)

    perform(job, MovingServices(around=machine(drive())))


def test_every_screen_explains_itself() -> None:
    services = MovingServices()

    async def explained(pilot: Pilot[Session], said: str) -> None:
        assert said in await look_into(pilot)

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        await explained(pilot, "Extent: ")
        await press(pilot, "enter")
        await step(pilot, 3)
        await explained(pilot, "If the power goes: ")
        await press(pilot, "enter")
        await step(pilot, 4)
        await explained(pilot, "Token: ")
        await press(pilot, "tab", "=S1", "enter", "enter")
        await step(pilot, 5)
        await explained(pilot, "If the power goes now: ")
        services.applied.set()
        await until(lambda: "[Enter] the result" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 6)
        await explained(pilot, "Keeping: ")

    perform(job, services)


def test_a_fresh_filesystem_asks_first_where_it_is_made() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        await highlight(pilot, "#moving-ways", "fresh")
        await press(pilot, "enter")
        await until(lambda: "Where is the fresh ext4 to be made?" in flat(pilot), pilot)
        await press(pilot, "=/dev/sdb1", "enter")
        await until(lambda: "It is made on /dev/sdb1." in flat(pilot), pilot)

    perform(job, services)
    assert [asked.target for asked in services.asked][-1] == "/dev/sdb1" and not services.begun
