"""Synthetic forms, field by field."""

import pytest
from msgspec.structs import replace

from tests.unit.plain.telling import BACK, GO, Made, Talked, a_form
from wizard.model.errors import ExitCode
from wizard.ui.view import Action, Field, Offer

LABEL = Field("label", "Label", "films", "at most 16 letters")
MOUNT = Field("mount", "Mount point")
KIND = Field(
    "kind",
    "Filesystem",
    "ext4",
    offers=(Offer("ext4", "Ext4"), Offer("xfs", "XFS"), Offer("zfs", "ZFS", "No.")),
)
SECRET = Field("secret", "Passphrase", secret=True)


def test_each_field_is_asked_and_enter_submits_all() -> None:
    talk = Talked(a_form(LABEL, MOUNT))
    told = talk.hear("music", "/srv/music")
    assert talk.done == [("go", "", {"label": "music", "mount": "/srv/music"})]
    assert "After the last answer: go on. Or: b back, ? help, q quit." in told.flat
    assert "Label (at most 16 letters) Empty line: films. Answer: music" in told.flat
    assert "Mount point Empty line: none." in told.flat


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("", "films"),
        ("a", "a"),
        ("l", "l"),
        ("1", "1"),
        ("=b", "b"),
        ("=q", "q"),
        ("=?", "?"),
        ("==", "="),
        ("=", ""),
        ("back", "back"),
        ("quit", "quit"),
        ("B", "B"),
    ],
)
def test_input_is_literal_except_for_three_signs(answer: str, value: str) -> None:
    talk = Talked(a_form(LABEL))
    talk.hear(answer)
    assert talk.done == [("go", "", {"label": value})]


def test_back_help_and_quit_work_in_a_form() -> None:
    talk = Talked(a_form(LABEL, MOUNT), lambda place, name: None)
    told = talk.hear("new", "b", "?", "? GPT", "q")
    assert talk.done == [("back", "", {"label": "new", "mount": ""})]
    assert "= alone clears the field." in told.flat and "GPT" in told.after("? GPT")
    assert told.flat.endswith("Ended. No data was written to any drive.")


def test_other_actions_need_a_prefix() -> None:
    actions = (GO, Action("commands", "f3", "commands"), Action("add", "a", "add it"), BACK)
    for answer, name in (("!commands", "commands"), ("!f3", "commands"), ("!a", "add"), ("!add it", "add")):
        talk = Talked(a_form(LABEL, actions=actions), lambda place, name: None)
        told = talk.hear(answer)
        assert [one[0] for one in talk.done] == [name]
        assert "Or: !commands, !a add it, b back, ? help, q quit." in told.flat
    talk = Talked(a_form(LABEL, actions=actions))
    assert "is not a valid answer" in talk.hear("!nothing").flat and not talk.done


@pytest.mark.parametrize(("answer", "value"), [("2", "xfs"), ("xfs", "xfs"), ("XFS", "xfs"), ("", "ext4")])
def test_choices_are_a_list(answer: str, value: str) -> None:
    talk = Talked(a_form(KIND, MOUNT))
    told = talk.hear(answer, "/x")
    assert talk.done[-1] == ("go", "", {"kind": value, "mount": "/x"})
    assert ("turned" in {one[0] for one in talk.done}) is (value != "ext4")
    assert "1. Ext4 (chosen)" in told.text and "Cannot be chosen: No." in told.text
    assert "Empty line: Ext4." in told.flat


def test_unavailable_choice_is_asked_again() -> None:
    talk = Talked(a_form(KIND))
    told = talk.hear("3", "btrfs", "0", "4", "2")
    assert talk.done[-1] == ("go", "", {"kind": "xfs"})
    assert told.flat.count("Choose one of these.") == 3 and told.flat.count("Answer:") == 5


class Ranking(Made):
    """A form with another label and an additional field for another filesystem."""

    def turned(self, field: str, values: object) -> None:
        proposed = replace(LABEL, value="proposed")
        self.shown = replace(self.shown, fields=(replace(KIND, value="xfs"), proposed, MOUNT))


def test_follow_up_fields_of_a_choice_are_asked_too() -> None:
    talk = Talked(a_form(KIND, LABEL))
    place = Ranking(talk.desk, talk.place.shown)
    talk.desk.go(place)
    told = talk.hear("2", "", "/new")
    assert place.done[-1] == ("go", "", {"kind": "xfs", "label": "proposed", "mount": "/new"})
    assert "Empty line: proposed." in told.flat


def test_refused_input_stays_except_for_secrets() -> None:
    def refuse(place: Made, name: str) -> None:
        place.tell("That is wrong.")
        if len(place.done) == 2:
            place.desk.end()

    talk = Talked(a_form(MOUNT, SECRET), refuse)
    told = talk.hear("/a", "hush", "", "")
    assert [one[2] for one in talk.done] == [{"mount": "/a", "secret": "hush"}, {"mount": "/a", "secret": ""}]
    assert "hush" not in told.text and "Empty line: /a." in told.flat
    assert told.text.count("That is wrong.") == 1 and told.text.count("Fill it.") == 1


def test_secret_is_read_byte_for_byte() -> None:
    talk = Talked(a_form(SECRET))
    told = talk.hear(b" =b \xff\n")
    assert talk.done[0][2]["secret"].encode("utf-8", "surrogateescape") == b" =b \xff"
    assert "Typing is hidden." in told.flat


@pytest.mark.parametrize("given", range(3))
def test_end_of_input_does_no_action(given: int) -> None:
    talk = Talked(a_form(LABEL, KIND, SECRET))
    told = talk.hear(*["", ""][:given])
    assert not talk.done and talk.desk.over
    assert told.flat.endswith("Ended. No data was written to any drive.")
    assert told.code is ExitCode.ENDED_BY_USER
