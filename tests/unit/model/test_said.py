"""Messages as data: fields, formatting of values, and equality."""

import json

import pytest

from wizard.documents.codec import to_json
from wizard.documents.decode import decode
from wizard.model.said import LONGEST_TEXT, Message, Sentence, Sentences, join, joined

HOLDS = Sentence("{drive} holds {size:size} on {parts:and}.")
DRIVES = Sentences("One drive.", "{count} drives.")
FORMS = ("", "and", "list", "row", "First", "moment")
KEPT = {form: Sentence(f"{{label:{form}}} is kept.") for form in FORMS}
WITHIN = Sentence("Not possible: {reason}")
TAKES = Sentence("{parts:First} takes {time:time}.")


def test_values_are_formatted_as_in_the_sentence() -> None:
    said = HOLDS(drive="/dev/sda", size=1_000_204_886_016, parts=("sda1", "sda2", "sda3"))
    assert str(said) == "/dev/sda holds 1.0 TB on sda1, sda2 and sda3."


@pytest.mark.parametrize(("count", "words"), [(0, "0 drives."), (1, "One drive."), (2, "2 drives.")])
def test_count_chooses_the_sentence(count: int, words: str) -> None:
    assert str(DRIVES(count=count)) == words


def test_nested_sentence_and_several_in_a_row() -> None:
    assert str(WITHIN(reason=DRIVES(count=1))) == "Not possible: One drive."
    assert joined([DRIVES(count=1), DRIVES(count=2)]) == "One drive. 2 drives."


def test_same_message_with_the_same_values_is_equal() -> None:
    assert DRIVES(count=2) == Message("One drive.", "{count} drives.", (("count", 2),))
    assert DRIVES(count=2) != DRIVES(count=3)


def test_too_many_or_too_few_values_are_a_program_error() -> None:
    with pytest.raises(TypeError, match="drive"):
        HOLDS(size=1, parts=())
    with pytest.raises(TypeError, match="other"):
        DRIVES(count=1, other=2)


def test_braces_in_a_value_are_only_text() -> None:
    assert str(WITHIN(reason="{drive.__class__} {0}")) == "Not possible: {drive.__class__} {0}"


def test_sentences_are_joined_with_spaces_and_capitalised() -> None:
    assert str(join(DRIVES(count=1), DRIVES(count=2))) == "One drive. 2 drives."
    assert join(DRIVES(count=1)) == DRIVES(count=1)
    assert str(TAKES(time=600, parts="the rest")) == "The rest takes about 10 min."


def test_order_of_the_values_does_not_matter() -> None:
    assert HOLDS(drive="a", size=1, parts=()) == HOLDS(parts=(), size=1, drive="a")


@pytest.mark.parametrize(
    "written",
    [
        {"english": "One drive.", "several": "{count} drives.", "values": {"count": 1, "more": 2}},
        {"english": "One drive.", "several": "{count} drives.", "values": {"count": None}},
        {"english": "{size:size} left.", "values": {"size": "large"}},
        {"english": "{size:>1000000000}", "values": {"size": "a"}},
        {"english": "{size", "values": {"size": 1}},
        {"english": "\x1b[2J", "values": {}},
        {"english": "", "values": {}},
        {"english": "All " * 1000, "values": {}},
    ],
)
def test_unwritable_message_in_a_document_becomes_safe_text(written: object) -> None:
    said = decode(written, Message)
    assert said.english == "{text}"
    assert str(said).isprintable() and len(str(said)) <= LONGEST_TEXT


def test_sentence_survives_its_document() -> None:
    said = WITHIN(reason=HOLDS(drive="/dev/sda", size=5, parts=("a", DRIVES(count=2))))
    assert decode(json.loads(json.dumps(to_json(said))), Message) == said


def test_message_of_a_version_1_0_document_shows_code_and_values() -> None:
    written = {"code": "apply.waits", "values": {"name": "0001-sda", "commands": "keep"}}
    assert str(decode(written, Message)) == "apply.waits (name 0001-sda, commands keep)"


@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "\u202egnp.exe", "\udcff", "\x9b31m", "x" * 10_000])
def test_text_in_a_sentence_cannot_escape_its_place(text: str) -> None:
    """Untrusted text such as a label that would clear the screen, start a line, reverse the text, or be
    too long."""
    for form in FORMS:
        said = str(KEPT[form](label=text))
        assert said.isprintable() and len(said) < 400, form
        assert said.endswith(" is kept.")
