"""To ext4 with all files kept: the ways side by side, the preview, the last question, what a power cut would leave, and the end."""

from dataclasses import replace

import pytest
from textual.pilot import Pilot

from tests.looks.explaining import look_into
from tests.looks.rehearsal import flat, highlight, perform, press, shown, step, until
from tests.unit.machines import drive, machine, partition, partitioned
from tests.unit.migrations import EXT3, situation
from tests.unit.moving import BEHIND, MovingServices
from wizard.migrate.ways import BETWEEN
from wizard.model.machine import Machine
from wizard.model.migration import Means, Way
from wizard.services.recorded import RecordedServices
from wizard.services.session import Session
from wizard.tui.widgets.lineview import LineView


def said_of_drive(pilot: Pilot[Session]) -> str:
    """All that step 1 says of the marked drive: its findings stand beside its details, or below them."""
    return f"{page(pilot, '#details')} {page(pilot, '#findings')}".strip()


async def to_drives(pilot: Pilot[Session]) -> None:
    await step(pilot, 1)
    await until(lambda: "/dev/sda" in shown(pilot) and "reading .." not in shown(pilot), pilot)


async def to_ways(pilot: Pilot[Session]) -> None:
    await to_drives(pilot)
    await press(pilot, "m")
    await step(pilot, 2)
    await until(lambda: "(full)" in shown(pilot), pilot)


async def to_confirm(pilot: Pilot[Session]) -> None:
    await to_ways(pilot)
    for number in (3, 4):
        await press(pilot, "enter")
        await step(pilot, number)


async def to_run(pilot: Pilot[Session]) -> None:
    await to_confirm(pilot)
    await press(pilot, "tab", "=S1", "enter", "enter")
    await step(pilot, 5)


async def to_result(pilot: Pilot[Session], services: MovingServices) -> None:
    await to_run(pilot)
    services.applied.set()
    await until(lambda: "[Enter] the result" in shown(pilot), pilot)
    await press(pilot, "enter")
    await step(pilot, 6)


def page(pilot: Pilot[Session], name: str) -> str:
    """All that a scrolling text says, in one line."""
    return " ".join(pilot.app.screen.query_one(name, LineView).plain.split())


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
        assert "-UUID=0d2c3b7a" in page(pilot, "#preview") and "If the power goes: Nothing is lost" in page(pilot, "#preview")
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
        assert "Keeping ends the way back and gives" in flat(pilot) and "Undoing brings the filesystem back to the bit" in flat(pilot)
        await press(pilot, "u", "enter")
        assert services.settled == []
        await press(pilot, "u", "tab", "enter")
        await until(lambda: "The migration was undone: the filesystem is as it was before." in flat(pilot), pilot)
        assert services.settled == ["undo"] and "[u] undo" not in shown(pilot) and "[k] keep" not in shown(pilot)
        assert "The old filesystem is back, to the bit." in flat(pilot)
        await press(pilot, "enter")

    session = perform(job, services, size)
    assert session is not None and session.run is not None


def test_all_ways_stand_side_by_side_where_there_is_room() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        heads = [line for line in shown(pilot).splitlines() if "Mount as ext4 (mount)" in line and "A fresh ext4 (fresh)" in line]
        assert len(heads) == 1 and "> Everything (full)" in heads[0] and "New files only (light)" in heads[0]
        await press(pilot, "up")
        assert any("> New files only (light)" in line and "A fresh ext4 (fresh)" in line for line in shown(pilot).splitlines())

    perform(job, MovingServices(), (120, 36))


def test_in_a_small_terminal_the_highlighted_way_is_told() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        assert "All files, directories and metadata are brought to ext4" in page(pilot, "#said")
        await highlight(pilot, "#moving-ways", "mount")
        assert "nothing on the disk is changed" in page(pilot, "#said") and "brought to ext4" not in page(pilot, "#said")

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

    perform(job, services)
    assert [str(asked.folder) for asked in services.asked] == ["None", "/mnt/backup"]


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
    return machine(partitioned(partition(1, filesystem="ext3"), partition(2, start_bytes=4 << 30, filesystem="ext2")))


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
        assert "Not needed for ext4: the ext3 on /dev/sda1 can become ext4 with all files kept, by m in the list of drives" in said

    perform(job, MovingServices())


def test_a_drive_without_an_old_filesystem_has_no_such_key() -> None:
    async def job(pilot: Pilot[Session]) -> None:
        await to_drives(pilot)
        assert "[m]" not in shown(pilot)
        await press(pilot, "m")
        await step(pilot, 1)

    perform(job, MovingServices(around=machine(drive())))


def test_the_screen_says_at_each_moment_what_a_power_cut_would_leave() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        await until(lambda: "working   4." in shown(pilot), pilot)
        fourth = services.begun[0][0].steps[3]
        assert f"If the power goes now: {fourth.power}" in flat(pilot)
        await until(lambda: "about 80 s left" in flat(pilot), pilot)
        services.told = "If the power went now, nobody could mount this filesystem."
        await until(lambda: services.told in flat(pilot), pilot)
        assert fourth.power not in flat(pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)
        assert services.told not in flat(pilot)

    perform(job, services)


def test_while_everything_is_read_before_the_first_step_nothing_can_be_lost() -> None:
    services = MovingServices(situation(no_snapshots="it is a test"))
    services.waits_in = 0

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        await until(lambda: "Before the first step everything is read: 25 percent, about 7 s left." in flat(pilot), pilot)
        assert "If the power goes now: Nothing is lost: everything is only being read yet" in flat(pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)

    perform(job, services)


def test_what_comes_behind_the_last_step_is_told_with_what_is_left() -> None:
    services = MovingServices()
    services.waits_in = BEHIND

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        said = "Every step is done on the snapshot, which is checked and then put in place: 25 percent, about 7 s left."
        await until(lambda: said in flat(pilot), pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot) and "100 percent" in shown(pilot), pilot)
        assert said not in flat(pilot)

    perform(job, services)


def test_of_a_step_that_says_nothing_is_told_how_long_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.tui.screens.migrate_running.SILENT_SECONDS", 0.0)
    services = MovingServices()
    services.silent = True

    async def job(pilot: Pilot[Session]) -> None:
        await to_run(pilot)
        await until(lambda: "Step 4 should take about " in flat(pilot) and "how far it is cannot be known." in flat(pilot), pilot)
        services.applied.set()
        await until(lambda: "Done: every step" in shown(pilot), pilot)
        assert "should take" not in flat(pilot)

    perform(job, services)


def test_a_refusal_at_the_last_moment_is_said_and_nothing_runs() -> None:
    services = MovingServices()
    services.refusal = "/dev/sda1 is mounted at /srv by now. Nothing was written."

    async def job(pilot: Pilot[Session]) -> None:
        await to_confirm(pilot)
        await press(pilot, "tab", "=S1", "enter", "enter")
        await until(lambda: "is mounted at /srv by now." in flat(pilot), pilot)
        await step(pilot, 4)

    session = perform(job, services)
    assert session is None or session.run is None


def test_what_failed_can_be_resumed_or_undone_and_not_kept() -> None:
    services = MovingServices()
    services.fails_at = 5

    async def job(pilot: Pilot[Session]) -> None:
        await to_result(pilot, services)
        assert "A step failed" in flat(pilot) and "sudo diskwright resume 20260314-150926-sda1" in page(pilot, "#result")
        assert "[x] done" in page(pilot, "#result") and "[ ] not done" in page(pilot, "#result")
        assert "[u] undo" in flat(pilot) and "[k] keep" not in flat(pilot)
        await press(pilot, "k")
        await step(pilot, 6)

    perform(job, services)


def test_keeping_that_is_refused_is_said() -> None:
    services = MovingServices()
    services.fault = "The store is busy."

    async def job(pilot: Pilot[Session]) -> None:
        await to_result(pilot, services)
        await press(pilot, "k")
        await until(lambda: "Keep the new filesystem?" in flat(pilot), pilot)
        await press(pilot, "tab", "enter")
        await until(lambda: "The store is busy." in flat(pilot), pilot)
        assert "[k] keep" in flat(pilot)
        services.fault = ""
        await press(pilot, "k", "tab", "enter")
        await until(lambda: "Kept." in flat(pilot), pilot)
        assert "It is mounted at /srv." in flat(pilot) and "[u] undo" not in flat(pilot)

    perform(job, services)
    assert services.settled == ["keep"]


def test_only_a_line_of_fstab_needs_no_keeping() -> None:
    services = MovingServices()

    async def job(pilot: Pilot[Session]) -> None:
        await to_ways(pilot)
        await highlight(pilot, "#moving-ways", Way.MOUNT.value)
        await press(pilot, "enter")
        await step(pilot, 3)
        assert "1 step" in page(pilot, "#preview") and "tune2fs" not in page(pilot, "#preview")
        await press(pilot, "enter")
        await step(pilot, 4)
        await press(pilot, "tab", "=S1", "enter", "enter")
        await step(pilot, 5)
        await until(lambda: "[Enter] the result" in shown(pilot), pilot)
        await press(pilot, "enter")
        await step(pilot, 6)
        assert "Undoing puts the file back as it was." in flat(pilot) and "[k] keep" not in flat(pilot)

    perform(job, services)
    assert BETWEEN[Means.FILES] and [migration.means for migration, _ in services.begun] == [Means.FILES]


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
