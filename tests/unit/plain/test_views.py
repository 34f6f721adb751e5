"""Synthetic views line by line: lists, letters, numbers, changes in place, and every exit."""

import threading
from functools import partial
from typing import cast

import pytest
from msgspec.structs import replace

from tests.unit.plain.telling import BACK, EVERYTHING, GO, Made, Meddling, Talked, a_list, talked
from wizard.model.errors import ExitCode
from wizard.ui import view as ui


def test_view_is_printed_completely_with_banners_first() -> None:
    told = Talked(EVERYTHING).hear()
    assert told.lines[:22] == [
        "",
        "Step 2 of 5: Purpose",
        "Title",
        "about it",
        "All is lost",
        "  Both of it.",
        "Now: films ext3 1.1 GB used space unknown, old ext3 1.1 GB used space unknown",
        "  (lost), 998 GB free.",
        "",
        "Found",
        "It starts off. (f: fix in place)",
        "",
        "  mkfs.ext4 -L 'two words'",
        "times: aligned: 1.0, off: 1.8.",
        "42 %",
        "",
        "1. first, 1.0 TB (chosen)",
        "   a note",
        "  2. second",
        "     Cannot be chosen: It is in use.",
        "Number: go on. Empty line: 2 (go on). Or: ? help, q quit.",
        "Answer: ",
    ]


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("", ("go", "two")),
        ("1", ("go", "one")),
        ("3.", ("go", "three")),
        ("1 e", ("edit", "one")),
        ("3e", ("edit", "three")),
        ("1 Edit it", ("edit", "one")),
        ("e", ("edit", "two")),
        ("E", ("edit", "two")),
        ("edit it", ("edit", "two")),
        ("edit", ("edit", "two")),
        ("K", ("keep", "two")),
        ("keep", ("keep", "two")),
        ("b", ("back", "two")),
        ("back", ("back", "two")),
        ("=b", ("rate", "two")),
        ("rate", ("rate", "two")),
        ("=l", ("list", "two")),
        ("+", ("add", "two")),
        ("f3", ("show", "two")),
        ("commands", ("show", "two")),
    ],
)
def test_answer_runs_one_action_on_one_row(answer: str, done: tuple[str, str]) -> None:
    actions = (
        GO,
        ui.Action("edit", "e", "edit it"),
        ui.Action("keep", "K", "keep", ends=True),
        ui.Action("rate", "b", "rate"),
        ui.Action("list", "l", "lines"),
        ui.Action("add", "+", "add"),
        ui.Action("show", "f3", "commands"),
        BACK,
    )
    talk = Talked(a_list("one", "two", "three", at="two", actions=actions))
    told = talk.hear(answer)
    assert talk.done and talk.done[0][:2] == done
    ways = "e edit it, K keep, =b rate, =l lines, + add, commands, b back, ? help, q quit."
    assert told.flat.count(ways) >= 1


@pytest.mark.parametrize(
    "answer",
    ["k", "0", "4", "-1", "1x", "99999999", "١", "zzz", "=", "1 zzz", "\x1b[2J", "b", "e 2", "9?", "\x00"],
)
def test_invalid_answer_runs_no_action_and_is_reported(answer: str) -> None:
    talk = Talked(a_list("one", "two", "three", actions=(GO, ui.Action("keep", "K", "keep", ends=True))))
    told = talk.hear(answer)
    assert not talk.done and "is not a valid answer" in told.flat
    assert told.text.count("1. one") == 1
    assert "\x1b" not in told.text and told.code is ExitCode.ENDED_BY_USER


def test_empty_line_never_runs_a_destructive_action() -> None:
    delete = ui.Action("delete", "enter", "delete", ends=True)
    talk = Talked(a_list("one", actions=(delete,)))
    told = talk.hear("", "", "delete")
    assert [one[0] for one in talk.done] == ["delete"]
    assert told.flat.count('"" is not a valid answer.') == 2
    assert "Number: delete. Or: delete, ? help, q quit." in told.flat


def test_unavailable_action_gives_the_reason_and_is_not_offered() -> None:
    talk = Talked(EVERYTHING)
    told = talk.hear("x", "x")
    assert not talk.done and told.flat.count("It is not so.") == 2
    assert "x cannot" not in told.flat and told.text.count("Title") == 1


def test_number_selects_in_a_multiple_choice() -> None:
    take = ui.Action("take", "space", "take")
    view = a_list("one", "two", actions=(GO, take))
    assert view.rows
    talk = Talked(replace(view, rows=replace(view.rows, many=True)))
    told = talk.hear("2", "")
    assert [one[:2] for one in talk.done] == [("take", "two"), ("go", "one")]
    assert "Number: take. Empty line: go on. Or: take, ? help, q quit." in told.flat


class Reading(Made):
    """A screen whose pane describes the row at the cursor."""

    def moved(self, row: str) -> None:
        assert self.shown.rows
        rows = replace(self.shown.rows, at=row)
        self.shown = replace(self.shown, rows=rows, panes=(ui.Pane("", (ui.para(f"Behind {row}."),)),))


def test_number_in_a_read_only_list_shows_details() -> None:
    talk = Talked(a_list("one", "two", actions=(ui.Action("back", "enter", "back"),)))
    place = Reading(talk.desk, talk.place.shown)
    talk.desk.go(place)
    told = talk.hear("2", "1?", "l", "")
    assert "Number: details. Empty line: back. Or: ? help, q quit." in told.flat
    assert told.flat.count("Behind two.") == 1 and told.flat.count("Behind one.") == 2
    assert [one[0] for one in place.done] == ["back"]


def test_only_differences_of_a_view_updated_in_place_are_printed() -> None:
    def change(place: Made, name: str) -> None:
        rows = (
            ui.Row("a", (ui.Piece("first"), ui.Piece("2.0 TB"))),
            *cast(ui.Rows, EVERYTHING.rows).rows[1:],
        )
        panes = (replace(EVERYTHING.panes[0], blocks=(*EVERYTHING.panes[0].blocks, ui.para("A new line."))),)
        place.shown = replace(EVERYTHING, rows=ui.Rows(rows, "b"), panes=panes)
        place.tell("It is done.")

    told = Talked(EVERYTHING, change).hear("2")
    assert told.text.partition("Answer: 2\n")[2].splitlines()[:4] == [
        "A new line.",
        "1. first, 2.0 TB",
        "It is done.",
        "Number: go on. Empty line: 2 (go on). Or: ? help, q quit.",
    ]


def test_list_is_printed_again_if_its_numbers_change() -> None:
    def change(place: Made, name: str) -> None:
        place.shown = a_list("zero", "one", "two")

    told = Talked(a_list("one", "two"), change).hear("2")
    assert "1. zero\n2. one\n3. two\n" in told.text


def test_unchanged_view_is_reported_as_unchanged() -> None:
    told = Talked(a_list("one"), lambda _place, _name: None).hear("1", "1")
    assert told.text.count("No change.") == 2 and told.text.count("1. one") == 1


@pytest.mark.parametrize("answer", ["", "2", "e", "2 e"])
def test_answer_to_a_removed_row_runs_no_action(answer: str) -> None:
    actions = (GO, ui.Action("edit", "e", "edit"))
    before = a_list("one", "sdb", at="sdb", actions=actions)
    another = replace(
        before,
        rows=ui.Rows((ui.Row("one", (ui.Piece("one"),)), ui.Row("sdb", (ui.Piece("another"),))), "sdb"),
    )
    for after in (another, a_list("one", actions=actions), a_list("sdb", "one", at="sdb", actions=actions)):
        talk = Talked(before)
        told = talked(
            talk.desk,
            Meddling(f"{answer}\n".encode(), [lambda t=talk, v=after: setattr(t.place, "shown", v)]),
        )
        if after.rows and after.rows.rows[0].key == "sdb":
            assert talk.done and talk.done[0][1] == "sdb"
        else:
            assert not talk.done and "no action was taken" in told.flat


@pytest.mark.parametrize("answer", ["", "y", "1"])
def test_answer_to_a_previous_screen_runs_no_action(answer: str) -> None:
    yes = (ui.Action("no", "enter", "no"), ui.Action("yes", "y", "yes", ends=True))
    talk = Talked(a_list("one", actions=(GO,)))
    asked, other = (Made(talk.desk, ui.View("question", ui.ScreenStep.PLAN, "Sure?", yes)) for _ in range(2))
    talk.desk.go(asked)

    def meddle() -> None:
        talk.desk.back()
        talk.desk.go(other)

    told = talked(talk.desk, Meddling(f"{answer}\n".encode(), [meddle]))
    assert not asked.done and not other.done and told.text.count("Sure?") == 2


def test_help_prints_the_keys_and_explains_terms() -> None:
    told = Talked(replace(EVERYTHING, help=("It is explained.",))).hear("?", "? 512e", "? nosuchword")
    explained = told.after("Answer: ?") if told.flat.count("Answer: ?") == 1 else told.flat
    assert "It is explained." in explained and "f fix in place" in explained
    assert "x cannot (Cannot be chosen: It is not so.)" in explained
    assert "A drive with 4096-byte physical blocks" in told.flat
    assert "'nosuchword' is not in the glossary." in told.flat
    assert told.text.count("Title") == 1


def test_l_prints_the_whole_view_again() -> None:
    assert Talked(EVERYTHING).hear("l", "L").text.count("Title") == 3


@pytest.mark.parametrize("word", ["q", "quit", "exit", "Q"])
def test_quit_is_one_letter(word: str) -> None:
    told = Talked(EVERYTHING).hear(word, "1")
    assert told.lines[-2:] == ["Ended. No data was written to any drive.", ""]
    assert told.code is ExitCode.DONE


@pytest.mark.parametrize("width", [20, 40, 78, 500])
def test_hostile_names_stay_in_their_line(width: int) -> None:
    evil = "\x1b[31m\r\n1. yes\u202e" + "漢" * 60 + "\U0001f4a9" + "x" * 90
    view = a_list(evil, actions=(ui.Action("go", "enter", evil), ui.Action("edit", "e", evil), BACK))
    view = replace(
        view, title=evil, panes=(ui.Pane(evil, (ui.para(evil), ui.Command((evil,)))),), help=(evil,)
    )
    told = Talked(view).hear("?", "", width=width)
    assert not {"\x1b", "\r", "\u202e"} & set(told.text)
    assert "\n1. yes" not in told.text
    spoken = [line for line in told.lines if not line.startswith("?[31m")]
    assert all(len(line) <= max(40, min(78, width)) for line in spoken)


def test_work_is_reported_continuously_and_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.plain.app.PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr("wizard.plain.app.LOOK_SECONDS", 0.01)
    begun = replace(
        a_list("one"),
        busy=True,
        rows=None,
        above=(ui.Progress(0.1, "10 percent"),),
        panes=(ui.Pane("Log", ()),),
    )
    talk = Talked(begun)
    told_of_it = threading.Event()

    def work() -> None:
        for number in range(1, 6):
            log = ui.Pane("Log", tuple(ui.para(f"Line {'abcdef'[at]}.") for at in range(number)))
            said = f"{10 * number} percent" if number < 5 else "Nearly over"
            view = replace(begun, above=(ui.Progress(number / 10, said),), panes=(log,))
            talk.desk.post(talk.place, partial(setattr, talk.place, "shown", view))
            told_of_it.wait(0.2)
        talk.desk.post(talk.place, lambda: setattr(talk.place, "shown", a_list("one")))

    talk.desk.later(talk.place, work, lambda _: None)
    told = talk.hear("1")
    assert [told.text.count(f"Line {letter}.") for letter in "abcde"] == [1] * 5
    assert told.text.count("Nearly over") == 1 and told.text.count("A list") == 1
    assert talk.done == [("go", "one", {})]


def test_root_is_asked_while_the_terminal_is_free() -> None:
    asked: list[str] = []
    talk = Talked(a_list("one"))

    def ask() -> None:
        talk.desk.errand = None
        asked.append("root")

    talk.desk.errand = ask
    told = talk.hear("1")
    assert asked == ["root"] and "asks for root access" in told.flat and talk.done
