"""The line-by-line wizard on recorded machines: forth, back, wrong answers, help, evidence, and every way to
end it."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.conversation import MACHINES, Told, converse_with, number_of, of_file, recorded
from tests.unit.machines import SIZE_BYTES, drive, machine, partition, partitioned
from wizard.advise.workloads import Profile
from wizard.layout.told.promise import ROOM_NOT_YET, WORD, WayBackRoom
from wizard.model.errors import BadInput, ExitCode
from wizard.model.machine import Drive, Unread, Use
from wizard.model.plan import Plan
from wizard.model.units import GIB, MIB
from wizard.services.recorded import RecordedServices

ROOT = Path(__file__).resolve().parents[2]
RECORDED = sorted(path.stem for path in MACHINES.glob("*.json"))


def one(*drives: Drive) -> RecordedServices:
    return recorded(machine(*drives))


def media(services: RecordedServices, *then: str) -> Told:
    """The only drive for large media files, and what is answered then."""
    return converse_with(services, ["", number_of(services, "large-media"), *then])


def crowded() -> Drive:
    """A drive with two partitions, and room between them."""
    films = partition(1, MIB, 100 * GIB, filesystem="ext4")
    return partitioned(films, partition(2, 300 * GIB, 10 * GIB, filesystem="xfs"))


def test_a_drive_that_holds_nothing_is_walked_to_a_saved_plan(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    told = media(one(), "", "", "", "", "1", str(kept), "3")
    document = json.loads(kept.read_text())
    assert document["schema"].startswith("diskwright.plan/")
    titles = ["Drives", "Purpose", "Advice", "Layout", "Preview", "Benchmark", "Confirm"]
    assert [line for line in told.lines if line.startswith("Step ") and " of 9: " in line] == [
        line
        for number, title in enumerate(titles, 1)
        for line in told.lines
        if line.startswith(f"Step {number} of 9: {title}")
    ]
    assert "Partition 1: new, starts at 1 MiB, 500 GB, " in told.flat
    # A path can be longer than a line.
    assert f"The plan is saved in {kept}.".replace(" ", "") in told.flat.replace(" ", "")
    assert "nothing can be measured or applied" in told.flat
    assert told.code is ExitCode.ENDED_BY_USER


def test_the_commands_of_the_plan_are_told_exactly(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    told = media(one(), "", "", "", "", "1", str(kept), "3")
    commands = [command for step in json.loads(kept.read_text())["steps"] for command in step["commands"]]
    assert commands
    spoken = told.flat.replace(" \\ ", " ")
    assert all(" ".join(command) in spoken for command in commands)


def test_the_room_for_the_way_back_is_told_in_the_preview_and_at_the_last_question() -> None:
    class Trying(RecordedServices):
        found = WayBackRoom("The way back takes 123 MiB in /srv/runs, where 12 GB are free.")

        @property
        def obstacle(self) -> str:
            return ""

        def tries_out(self, plan: Plan) -> bool:
            return True

        def way_back_room(self, plan: Plan) -> WayBackRoom:
            return self.found

    services = Trying(machine(drive()), "a test")
    told = media(services, "", "", "", "", "", "q", "2")
    preview, _, last = told.flat.partition("Step 5 of 9")[2].partition("Step 7 of 9")
    for said in (preview, last):
        assert f"nothing is written to the drive ... {Trying.found.sentence}" in said
    unknown = media(one(), "", "", "", "", "", "q", "2").flat.partition("Step 5 of 9")[2]
    assert ROOM_NOT_YET.sentence in unknown and "Trying it out" not in unknown
    Trying.found = WayBackRoom("There is no room for a way back in /srv/runs.", fits=False)
    told = media(services, "", "", "", "", drive().serial or "", "q", "q", "2")
    assert WORD in told.flat.partition("Step 7 of 9")[2]


def test_what_a_drive_holds_is_kept_by_an_empty_line_and_erased_only_by_its_number() -> None:
    kept = media(one(crowded()), "", "", "", "", "", "q", "2")
    before, _, after = kept.flat.partition("Before: ")[2].partition("After: ")
    assert "Partition 1: kept, starts at 1 MiB, 107 GB, ext4." in before
    assert "Partition 3: new, " in after and "Partition 2: kept, " in after
    assert "Nothing that is on the drive is destroyed." in kept.flat
    erased = media(one(crowded()), "", "1", "", "", "", "q", "2")
    before, _, after = erased.flat.partition("Before: ")[2].partition("After: ")
    assert "Partition 1: will be erased, starts at 1 MiB, 107 GB, ext4." in before
    assert "Partition 1: new, " in after
    assert (
        "Possible. Danger: 2 partitions that are there now will be lost when you keep what the plan makes."
        in erased.flat
    )
    assert "Will be destroyed, once you keep it: All of partition 1: ext4, 107 GB." in erased.flat


def test_where_nothing_can_be_kept_an_empty_line_erases_nothing() -> None:
    full = partitioned(partition(1, MIB, SIZE_BYTES - 4 * MIB, filesystem="ext4"))
    told = media(one(full), "", "")
    assert "2. Use the free space, and keep all partitions. Cannot be chosen: " in told.flat
    assert "There must be an answer here." in told.flat.partition("What becomes of what is on the drive?")[2]
    assert "Volume 1: " not in told.text


def test_a_drive_in_use_is_listed_with_its_reason_and_cannot_be_chosen() -> None:
    used = replace(crowded(), path="/dev/sdb", uses=(Use("/dev/sdb", "running-system", "/"),))
    told = converse_with(one(drive(), used), ["2", "e 2", "1"])
    assert "2. /dev/sdb: Example HDD 500, 500 GB" in told.flat
    assert told.flat.count("Cannot be chosen: /dev/sdb") == 1
    assert "Number 2 cannot be chosen: /dev/sdb" in told.flat
    assert "Step 2 of 9: Purpose" in told.text


def test_among_several_drives_none_is_taken_by_an_empty_line() -> None:
    told = converse_with(one(drive(), drive(path="/dev/sdb", serial="S2")), ["", "2"])
    assert "There must be an answer here." in told.flat
    assert told.flat.index("/dev/sdb: Example", told.flat.index("must be an answer")) < told.flat.index(
        "Step 2 of 9"
    )


def test_back_leads_to_the_question_before_and_keeps_what_was_answered() -> None:
    services = one(crowded())
    number = number_of(services, "large-media")
    told = converse_with(services, ["", number, "", "1", "", "b", "b", "b", "b", "", "", "b"])
    steps = [
        line.split(":")[0].split()[1] for line in told.lines if line.startswith("Step ") and " of 9: " in line
    ]
    assert "".join(steps) == "123454321232"
    purpose = told.after("What will the drive mostly hold?")
    assert f"An empty line means {number}." in purpose


@pytest.mark.parametrize(
    "wrong", ["7777777", "0", "-1", "nonsense", "1 2", "\x1b[A", "\u0661", "b 3", "e 99", "e x", "l l"]
)
def test_a_wrong_answer_is_said_to_be_one_and_the_question_comes_again(wrong: str) -> None:
    told = media(one(), wrong)
    rest = told.after("Step 3 of 9")
    assert "is no answer here." in rest
    assert "Traceback" not in told.text and "\x1b" not in told.text
    assert rest.count("Which filesystem?") + rest.count("Type a number from 1 to") >= 3


def test_a_purpose_file_that_is_at_fault_is_said_and_can_be_mended() -> None:
    class Mended(RecordedServices):
        asked = 0

        def profiles(self) -> tuple[Profile, ...]:
            self.asked += 1
            if self.asked < 3:
                raise BadInput("mine.toml, line 3: title is missing.")
            return super().profiles()

    services = Mended(machine(drive()), "a test")
    told = converse_with(services, ["", "r", "b", "", number_of(one(), "large-media"), ""])
    assert told.flat.count("mine.toml, line 3: title is missing.") == 2
    assert "r read them again" in told.flat
    assert told.flat.index("Step 1 of 9", told.flat.index("mine.toml")) < told.flat.index("Step 3 of 9")


def test_what_a_plain_user_cannot_read_is_not_said_to_be_safe() -> None:
    unread = replace(
        drive(),
        table=None,
        content_digest=None,
        unread=(Unread("table", "Permission denied."), Unread("content_digest", "Permission denied.")),
    )
    told = media(one(unread), "", "1")
    assert (
        "Possible. Danger: what is there now could not be read, and will be lost when you keep what the plan "
        "makes."
    ) in told.flat
    assert "No partition is lost" not in told.flat


def test_help_is_in_the_words_of_the_question() -> None:
    told = media(one(), "?", "", "", "", "", "?")
    assert "ranked for this purpose" in told.flat
    assert "Token: " not in told.flat.partition("Step 4 of 9")[0]
    assert "Token: the drive's serial number" in told.after("Step 7 of 9")


def test_a_word_is_looked_up_in_the_glossary() -> None:
    told = converse_with(one(), ["? smr", "? nothinglikethis"])
    assert "SMR: Shingled magnetic recording" in told.flat
    assert "The glossary does not have 'nothinglikethis'." in told.flat


def test_reasons_and_evidence_are_one_word_away() -> None:
    services = one()
    told = converse_with(services, ["e", "", number_of(services, "small-files"), "e", "e 2", "", "e"])
    drives, _, rest = told.flat.partition("Step 2 of 9")
    assert "How it records, by every clue there is:" in drives and "Source: " in drives
    advice, _, layout = rest.partition("Step 4 of 9")
    assert "best first: " in advice and "Measured: 2010" in advice and "Risk: " in advice
    assert "Volume 1, for Many small files:" in layout and "Evidence: " in layout


def test_quitting_asks_and_says_that_nothing_was_written() -> None:
    told = media(one(), "q", "1", "q", "2")
    assert told.flat.count("End the wizard? Nothing has been written to any drive.") == 2
    assert told.flat.endswith("Ended. Nothing has been written to any drive.")
    assert told.code is ExitCode.ENDED_BY_USER


@pytest.mark.parametrize("count", range(6))
def test_the_end_of_the_answers_ends_the_wizard_without_a_question(count: int) -> None:
    services = one()
    told = converse_with(services, ["", number_of(services, "large-media"), "", "", "", ""][:count])
    assert "End the wizard?" not in told.text
    assert told.flat.endswith("Ended. Nothing has been written to any drive.")
    assert told.code is ExitCode.ENDED_BY_USER


def test_volumes_are_added_changed_and_taken_off() -> None:
    first = ["3", "", "", "100G", "films", "/srv/films", ""]
    second = ["2", "", "", "rest", "=b", "no", ""]
    told = media(one(), "", *first, *second, "4", "1", "", "", "q", "2")
    assert (
        "Volume 1: Large media files, " in told.flat
        and '100 GiB, label "films", mounted at /srv/films.' in told.flat
    )
    assert 'label "b", not mounted.' in told.flat
    after = told.after("After: ")
    assert (
        '"films"' not in after
        and "Partition 1: new, starts at 1 MiB, 500 GB, " in after
        and 'label "b"' in after
    )


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["lots"], "is not a size"),
        (["0"], "has no room"),
        (["100G", "a/b"], "holds a slash"),
        (["100G", "a", "srv"], "absolute"),
    ],
)
def test_what_a_volume_cannot_be_is_said_at_its_question(answers: list[str], reason: str) -> None:
    told = media(one(), "", "3", "", "", *answers)
    assert reason in told.flat
    assert told.text.rstrip().endswith("Ended. Nothing has been written to any drive.")


def test_too_large_a_volume_cannot_be_gone_on_with() -> None:
    told = media(one(), "", "3", "", "", "900G", "", "", "", "1")
    assert "Not possible: " in told.flat
    assert "Number 1 cannot be chosen: " in told.flat
    assert "Step 5 of 9" not in told.text


def test_leaving_a_volume_keeps_the_list() -> None:
    told = media(one(), "", "2", "b", "")
    assert "The list of volumes stays as it was." in told.flat
    assert "Step 5 of 9" in told.text


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("mine")
    told = media(one(), "", "", "2", str(there), str(tmp_path / ("x" * 300)), str(tmp_path), "b")
    assert there.read_text() == "mine"
    assert told.flat.count("exists already and was left alone") == 2
    assert "cannot be the name of a file" in told.flat


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("width", [40, 78])
def test_every_recorded_machine_is_told_in_short_plain_lines(name: str, width: int) -> None:
    services = of_file(name)
    answers = ["e 1", "1", number_of(services, "large-media"), "e", "", "2", "1", "", "", "", "q", "2"]
    told = converse_with(services, answers, width=width)
    assert max(map(len, told.lines)) <= width
    assert all(char == "\n" or " " <= char <= "~" for char in told.text)
    assert told.code is ExitCode.ENDED_BY_USER


def program(*words: str, answers: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """`diskwright` with its input and output in pipes."""
    argv = [sys.executable, "-m", "wizard", *words]
    environment = {**os.environ, **changes}
    return subprocess.run(
        argv,
        input=answers,
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_through_a_pipe_only_plain_asks() -> None:
    for term in ("xterm", "dumb"):
        done = program(answers="1\n", TERM=term)
        assert done.returncode == 2 and "diskwright --plain" in done.stderr and done.stdout == ""


def test_plain_takes_its_answers_from_a_pipe() -> None:
    old = MACHINES / "old.json"
    done = program(
        "--plain", "--machine", str(old), answers=f"\n{number_of(of_file('old'), 'large-media')}\n\n\nq\n2\n"
    )
    assert done.returncode == 130 and done.stderr == ""
    assert "Step 5 of 9: Preview" in done.stdout and "mkfs." in done.stdout
    assert done.stdout.endswith("Ended. Nothing has been written to any drive.\n")


HOSTILE = "\x1b[2J\x1b[31mO\u202ek\u200b \u5927\u8a9e \xe9t\xe9\r\n\x9b0m"


def hostile() -> Drive:
    part = partition(1, MIB, 100 * GIB, filesystem="ext4", name=HOSTILE)
    marked = replace(part, signatures=(replace(part.signatures[0], label=HOSTILE),), mount_points=())
    return replace(partitioned(marked), model=HOSTILE, serial=HOSTILE)


def test_hostile_labels_and_models_cannot_reach_the_terminal() -> None:
    told = converse_with(one(hostile()), ["e", "", "1", "e", "", "1", "", "", "", "?", HOSTILE, "q", "2"])
    assert "Step 5 of 9" in told.text
    assert all(char == "\n" or " " <= char <= "~" for char in told.text)
    assert "ete" in told.text
    assert told.flat.count("Letters that this terminal may not have are shown as plain ones") == 1
    able = converse_with(one(hostile()), ["e", "", "1"], ascii_only=False)
    assert "été" in able.text and "大語" in able.text
    assert all(char == "\n" or char.isprintable() for char in able.text)
