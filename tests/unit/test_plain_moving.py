"""To ext4 with all files kept, line by line: the ways, the steps, the last question, the run, and its end."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.unit.conversation import Told, converse_with
from tests.unit.machines import drive, machine
from tests.unit.migrations import EXT3, situation
from tests.unit.moving import MovingServices
from wizard.apply.run.telling import Telling
from wizard.migrate.carried_document import read_carried
from wizard.model.errors import ExitCode
from wizard.model.migration import Way
from wizard.services.recorded import RecordedServices

KEEP_FILES = "2"
"""The answer behind the only drive."""

FULL = "3"


def told(services: MovingServices, *answers: str) -> Told:
    services.applied.set()
    return converse_with(services, (KEEP_FILES, *answers))


def test_a_person_gets_to_an_ext4_and_back() -> None:
    services = MovingServices()
    said = told(services, "", "", "", "S1", "3", "2")
    assert "2. Keep all files, and make it ext4: ext3 on /dev/sda1, 1.1 GB." in said.flat
    assert (
        "To ext4, step 2 of 6: Ways" in said.text
        and "Proposed: It brings everything that this filesystem allows" in said.flat
    )
    assert (
        "3. Everything (full), proposed." in said.flat
        and "Yes, which takes about 15 min (an estimate)." in said.flat
    )
    assert "tune2fs -I 256 /dev/sda1" in said.text and "If the power goes: Nothing is lost" in said.flat
    assert "What may happen: If the power goes: the old filesystem is there" in said.flat
    assert "If the power goes now: Nothing is lost" in said.flat
    assert "Undoing brings the filesystem back to the bit" in said.flat and said.flat.endswith("Undone.")
    assert services.settled == ["undo"] and said.code is ExitCode.DONE


def test_nothing_begins_without_the_token() -> None:
    services = MovingServices()
    said = told(services, "", "", "", "Sx", "", "b", "b", "b", "q", "2")
    assert "That is not this drive's token, which is S1. Nothing was written." in said.flat
    assert not services.begun and said.code is ExitCode.ENDED_BY_USER
    assert "Which drive is to be set up?" in said.after("step 2 of 6: Ways")


def test_a_way_that_cannot_be_had_says_why() -> None:
    said = told(MovingServices(situation(mounts=("/srv",))), FULL, "q", "2")
    assert "Number 3 cannot be chosen: " in said.flat and "/srv" in said.after("Number 3 cannot be chosen:")


def test_what_is_in_use_is_written_down_to_be_carried(tmp_path: Path) -> None:
    found, plan = (
        situation(is_root=True, mounts=("/",), device_bytes=EXT3.size_bytes),
        tmp_path / "my carry.json",
    )
    services = MovingServices(found)
    said = told(services, "7", "2", str(plan), "q", "2")
    assert read_carried(plan.read_text(), "carry.json").way is Way.LIGHT
    assert (
        "Start the computer from a rescue medium" in said.after("What to do with the plan:")
        and "--confirm TOKEN" in said.flat
    )
    assert not services.begun
    assert "rescue medium, since" not in told(MovingServices(), "q", "2").flat


def test_comparing_is_a_choice() -> None:
    services = MovingServices()
    told(services, FULL, "2", "q", "2")
    assert [asked.compares for asked in services.asked if asked.way] == [False]


def test_damage_is_repaired_only_by_consent() -> None:
    services = MovingServices(situation(replace(EXT3, has_errors=True)))
    assert "Number 3 cannot be chosen: " in told(services, "", FULL, "q", "2").flat
    said = told(services, "2", FULL, "", "q", "2")
    assert "Damage that e2fsck finds may be repaired." in said.flat


def test_a_folder_and_a_volume_are_named_and_looked_at_again() -> None:
    services = MovingServices()
    told(services, "5", "/mnt/backup", "6", "/dev/sdb1", "q", "2")
    assert [(asked.folder, asked.target) for asked in services.asked] == [
        (None, None),
        (Path("/mnt/backup"), None),
        (Path("/mnt/backup"), "/dev/sdb1"),
    ]


def test_what_hinders_looking_leads_back_to_the_drives() -> None:
    services = MovingServices()
    services.hindrance = "Only root can look into /dev/sda1."
    said = told(services, "1", "q", "2")
    assert "Only root can look into /dev/sda1." in said.flat and "Step 2 of 9: Purpose" in said.after(
        "Only root can look into"
    )


def test_a_recording_says_what_it_lacks() -> None:
    said = converse_with(RecordedServices(MovingServices().machine, "a test"), (KEEP_FILES, "q", "2"))
    assert "This recording does not hold what moving to ext4 needs" in said.flat


def test_a_drive_without_an_old_filesystem_is_only_set_up() -> None:
    said = converse_with(MovingServices(around=machine(drive())), ("q", "2"))
    assert "Keep all files, and make it ext4" not in said.text


def test_where_all_would_be_erased_the_other_way_is_named() -> None:
    said = converse_with(MovingServices(), ("1", "1", "1", "q", "2"))
    assert (
        "Not needed for ext4: the ext3 on /dev/sda1 can become ext4 with all files kept, by the answers "
        "behind the drives"
    ) in said.flat


def test_the_transaction_itself_says_what_a_power_cut_would_leave() -> None:
    services = MovingServices()
    services.told = "If the power went now, nobody could mount this filesystem."
    said = told(services, "", "", "", "S1", "")
    assert services.told in said.flat and "If the power goes now: Nothing is lost" not in said.flat


def test_how_far_a_step_is_is_told_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.plain.steps.applying.Telling", partial(Telling, every_seconds=0.0))
    services = MovingServices()
    services.waits_in = 1
    said = told(services, "", "", "", "S1", "")
    assert said.flat.count("percent, about") == 1 and "Step 1 is at 25 percent, about 7 s left." in said.flat


@pytest.mark.parametrize(
    ("answers", "settled"), [(("2", "2"), ["keep"]), (("2", "", ""), []), (("", ""), [])]
)
def test_it_is_kept_only_after_a_second_yes(answers: tuple[str, ...], settled: list[str]) -> None:
    services = MovingServices()
    said = told(services, "", "", "", "S1", *answers)
    assert services.settled == settled
    assert said.code is ExitCode.DONE and ("Kept." in said.text) is bool(settled)


LOOK = "say `mount -o ro,noload /dev/sda1 /mnt`"


def test_how_to_look_and_what_was_used_since_is_told_and_not_offered_to_be_undone() -> None:
    services = MovingServices()
    assert LOOK in told(services, "", "", "", "S1", "1").flat
    services = MovingServices()
    services.used = "/dev/sda1 was mounted for writing."
    said = told(services, "", "", "", "S1", "1")
    assert services.used in said.flat and "2. Keep it." in said.flat
    assert LOOK not in said.flat and "Undo it." not in said.flat and "diskwright undo" not in said.flat


def test_what_failed_can_be_undone_and_resumed() -> None:
    services = MovingServices()
    services.fails_at = 5
    said = told(services, "", "", "", "S1", "")
    assert (
        "Not done: step 5" in said.flat
        and "To go on: sudo diskwright resume 20260314-150926-sda1" in said.flat
    )
    assert (
        "2. Undo it." in said.flat
        and "eep it." not in said.flat
        and "diskwright keep" not in said.flat
        and said.code is ExitCode.FAILED
    )


def test_the_steps_are_saved_as_a_document(tmp_path: Path) -> None:
    kept = tmp_path / "films.json"
    said = told(MovingServices(), "", "", "2", str(kept), "q", "2")
    # The sentence may be broken anywhere within the path.
    assert f"What is to be done is saved in {kept}".replace(" ", "") in "".join(said.text.split())
    assert '"schema": "diskwright.migration/1"' in kept.read_text()
