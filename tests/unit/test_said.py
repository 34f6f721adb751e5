"""Sentences as data: what they name, how values are written, and which are the same."""

import pytest

from wizard.model.said import Said, Sentence, in_a_row, joined

HOLDS = Sentence("test.holds", "{drive} holds {size:size} on {parts:and}.")
DRIVES = Sentence("test.drives", "One drive.", "{count} drives.")
WITHIN = Sentence("test.within", "Not possible: {reason}")
TAKES = Sentence("test.takes", "{parts:First} takes {time:time}.")


def test_values_are_written_by_the_sentences_formats() -> None:
    said = HOLDS(drive="/dev/sda", size=1_000_204_886_016, parts=("sda1", "sda2", "sda3"))
    assert str(said) == "/dev/sda holds 1.0 TB on sda1, sda2 and sda3."


@pytest.mark.parametrize(("count", "words"), [(0, "0 drives."), (1, "One drive."), (2, "2 drives.")])
def test_a_count_chooses_the_sentence(count: int, words: str) -> None:
    assert str(DRIVES(count=count)) == words


def test_a_sentence_within_a_sentence_and_several_in_a_row() -> None:
    assert str(WITHIN(reason=DRIVES(count=1))) == "Not possible: One drive."
    assert joined([DRIVES(count=1), DRIVES(count=2)]) == "One drive. 2 drives."


def test_same_code_and_values_are_the_same_thing_said() -> None:
    assert DRIVES(count=2) == Said("test.drives", (("count", 2),))
    assert DRIVES(count=2) != DRIVES(count=3)


def test_a_value_too_many_or_too_few_is_a_fault_of_the_program() -> None:
    with pytest.raises(TypeError, match="drive"):
        HOLDS(size=1, parts=())
    with pytest.raises(TypeError, match="other"):
        DRIVES(count=1, other=2)


def test_braces_in_a_value_are_only_text() -> None:
    assert str(WITHIN(reason="{drive.__class__} {0}")) == "Not possible: {drive.__class__} {0}"


def test_two_sentences_cannot_have_one_code() -> None:
    with pytest.raises(ValueError, match=r"test\.holds"):
        Sentence("test.holds", "Another.")


def test_a_place_in_a_list_is_joined_with_commas_and_sentences_stand_in_a_row() -> None:
    assert str(in_a_row(DRIVES(count=1), DRIVES(count=2))) == "One drive. 2 drives."
    assert in_a_row(DRIVES(count=1)) == DRIVES(count=1)
    assert str(TAKES(time=600, parts="the rest")) == "The rest takes about 10 min."


def test_the_order_in_which_values_were_given_does_not_matter() -> None:
    assert HOLDS(drive="a", size=1, parts=()) == HOLDS(parts=(), size=1, drive="a")
