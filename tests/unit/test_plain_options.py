"""Options beside the advice, asked for line by line: taken, dropped, refused, and a danger only by its
words."""

import json
from pathlib import Path

from tests.unit.conversation import Told, converse_with, number_of, recorded
from tests.unit.machines import drive, machine
from wizard.advise.catalogue import load_catalogue
from wizard.services.recorded import RecordedServices

JOURNAL = load_catalogue()["ext4-no-journal"]


def one() -> RecordedServices:
    return recorded(machine(drive()))


def media(*then: str, purpose: str = "large-media") -> Told:
    return converse_with(one(), ["", number_of(one(), purpose), *then])


def number_in(told: Told, text: str) -> str:
    """The number of the answer that begins so, in the last list of answers."""
    line = next(line for line in reversed(told.lines) if line.strip().partition(". ")[2].startswith(text))
    return line.strip().partition(".")[0]


def listed(purpose: str = "large-media") -> tuple[str, Told]:
    """The number of ext4 for a purpose, and the list of its options."""
    ext4 = number_in(media(purpose=purpose), "ext4: ")
    return ext4, media(f"o {ext4}", purpose=purpose)


def test_a_danger_is_taken_only_by_its_words_and_told_in_the_plan(tmp_path: Path) -> None:
    ext4, told = listed()
    number = number_in(told, f"mkfs: {JOURNAL.text}: danger")
    kept = tmp_path / "kept.json"
    way = (f"o {ext4}", number, "nonsense", JOURNAL.phrase, "", ext4, "", "", "", "1", str(kept), "3")
    told = media(*way)
    assert f"{JOURNAL.text} puts data at risk. {JOURNAL.never}" in told.flat
    assert "That is not its danger." in told.flat
    assert f"mkfs: {JOURNAL.text}: taken." in told.flat
    plan = json.loads(kept.read_text())
    commands = [command for step in plan["steps"] for command in step["commands"]]
    assert any("^has_journal" in word for command in commands for word in command)
    assert any(JOURNAL.text in doubt and "its danger was typed back" in doubt for doubt in plan["doubts"])


def test_without_its_words_a_danger_is_not_taken() -> None:
    ext4, told = listed()
    number = number_in(told, f"mkfs: {JOURNAL.text}: danger")
    for answer in ("", "b"):
        told = media(f"o {ext4}", number, answer, "", ext4)
        assert f"{JOURNAL.text} is not taken." in told.flat
        assert "^has_journal" not in told.after("Options of mkfs.ext4")


def test_an_option_that_was_taken_is_dropped_by_its_number() -> None:
    ext4, told = listed()
    number = number_in(told, "mkfs: -O quota: can be taken")
    told = media(f"o {ext4}", number, number, "", ext4)
    assert "mkfs: -O quota: taken." in told.flat
    assert told.flat.count("ext4 is made with") == 3
    assert "-O quota" not in told.after("Options of mkfs.ext4")


def test_back_from_the_layout_the_options_are_still_there() -> None:
    ext4, told = listed()
    number = number_in(told, "mkfs: -O quota: can be taken")
    told = media(f"o {ext4}", number, "", ext4, "b", "", "")
    assert "-O quota: " in told.after("Options of mkfs.ext4")


def test_a_systems_volume_never_gets_a_danger() -> None:
    ext4, told = listed("desktop-root")
    number = number_in(told, f"mkfs: {JOURNAL.text}: cannot be had")
    told = media(f"o {ext4}", number, purpose="desktop-root")
    assert (
        f"Number {number} cannot be chosen: {JOURNAL.text} puts data at risk, and a volume that the system "
        "lives on"
    ) in told.flat


def test_two_options_that_exclude_each_other_are_refused_with_the_reason() -> None:
    ext4, told = listed()
    first, second = number_in(told, "mkfs: -O fast_commit: "), number_in(told, f"mkfs: {JOURNAL.text}: ")
    told = media(f"o {ext4}", first, second, JOURNAL.phrase)
    assert "cannot be used together." in told.flat


def test_after_o_there_must_be_a_number_of_the_list() -> None:
    assert "After o comes a number from 1 to" in media("o 99").flat
    assert "After o comes a number from 1 to" in media("o x").flat
