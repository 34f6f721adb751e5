"""Keys in any view are processed in order and mean what the view says."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from tests.looks.window.desks import MadeUpDesk
from tests.looks.window.extreme_views import CROWDED
from tests.looks.window.made_views import DRIVES, FORM, MENU, PLAN, QUIT, REVIEW, WORK
from tests.looks.window.opened import Opened
from wizard.ui.desk import Desk
from wizard.ui.view import Action, Field, Pane, Rows, ScreenStep, View, para

QUESTION = View(
    "question",
    ScreenStep.DRIVES,
    "Really?",
    (Action("no", "enter", "no"), Action("yes", "y", "yes"), Action("no", "escape", "no", aside=True)),
    over=True,
)


LONG_REVIEW = replace(REVIEW, panes=(Pane("Details", tuple(para(f"line {n}") for n in range(60))),))
_OPEN: list[Opened] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while _OPEN:
        _OPEN.pop().close()


def keyboard(*views: View, size: tuple[int, int] = (80, 24)) -> tuple[MadeUpDesk, Opened]:
    desk = MadeUpDesk(*views)
    board = Opened(cast(Desk, desk), size)
    _OPEN.append(board)
    return desk, board


def acts(desk: MadeUpDesk) -> list[tuple[object, object]]:
    return [(told[1], told[2]) for told in desk.told if told[0] == "act"]


def test_each_key_runs_its_action() -> None:
    desk, board = keyboard(DRIVES)
    board.press("s", "K", "?", "f1", "enter", "right", "f")
    assert [name for name, _ in acts(desk)] == [
        *("set-up", "keep", "help", "help", "actions", "open", "fix"),
    ]
    assert {row for _, row in acts(desk)} == {"sda"}


def test_capital_is_another_key() -> None:
    desk, board = keyboard(DRIVES)
    board.press("k", "S", "F", "alt+s", "ctrl+w")
    board.press("alt+s")
    assert acts(desk) == []
    assert board.cursor == "nvme0n1"


def test_cursor_moves_by_arrows_and_vi_keys() -> None:
    _, board = keyboard(DRIVES)
    rows = []
    for key in ("down", "j", "up", "k", "G", "g", "end", "home", "home"):
        board.press(key)
        rows.append(board.cursor)
    assert rows == ["sda1", "sdb", "sda1", "sda", "sdc", "nvme0n1", "sdc", "nvme0n1", "nvme0n1"]


def test_cursor_stays_on_its_row_when_others_come() -> None:
    desk, board = keyboard(DRIVES)
    board.press("down", "down")
    assert DRIVES.rows
    desk.become(replace(DRIVES, rows=replace(DRIVES.rows, rows=DRIVES.rows.rows[1:], at="sdc")))
    board.settle()
    assert board.cursor == "sdb"
    assert desk.told[-1] == ("moved", "sdb")


def test_cursor_moves_to_new_rows_until_the_user_moves_it() -> None:
    desk, board = keyboard(DRIVES)
    assert DRIVES.rows
    desk.become(replace(DRIVES, rows=replace(DRIVES.rows, at="sdc")))
    board.settle()
    assert board.cursor == "sdc"


def test_removed_row_leaves_the_cursor_at_its_position() -> None:
    desk, board = keyboard(DRIVES)
    board.press("end")
    assert DRIVES.rows
    desk.become(replace(DRIVES, rows=replace(DRIVES.rows, rows=DRIVES.rows.rows[:2], at="sda")))
    board.settle()
    assert board.cursor == "sda"
    desk.become(replace(DRIVES, rows=Rows(())))
    board.settle()
    assert board.cursor == ""
    board.press("down", "enter")


def test_every_screen_has_its_own_cursor() -> None:
    desk, board = keyboard(DRIVES)
    board.press("down", "down")
    desk.go(MENU)
    board.settle()
    board.press("down")
    assert board.cursor == "convert"
    assert board.app.whole.cursor == "sdb"
    desk.back()
    board.settle()
    assert board.cursor == "sdb"


def test_page_keys_move_by_the_visible_height() -> None:
    _, board = keyboard(CROWDED)
    height = board.app.page.rows.size.height
    board.press("pagedown")
    assert board.cursor == f"p{64 + height}"
    board.press("pageup", "pageup")
    assert board.cursor == f"p{64 - height}"


def test_tab_moves_to_scrollable_panes_and_back() -> None:
    _, board = keyboard(CROWDED)
    board.press("tab", "down", "j")
    assert board.focus == "right"
    assert board.cursor == "p64"
    assert board.top("right") == 2
    board.press("pagedown")
    assert board.top("right") > 2
    board.press("tab", "down")
    assert board.cursor == "p65"


def test_page_without_a_list_scrolls_directly() -> None:
    _, board = keyboard(WORK)
    board.press("down")
    assert board.top("right") == 1
    board.press("G")
    assert "Step number 29" in board.text()


def test_letters_belong_to_the_field() -> None:
    desk, board = keyboard(REVIEW)
    board.press(*"qd? Z")
    assert acts(desk) == []
    board.press("alt+d", "f3", "f1", "enter")
    assert [name for name, _ in acts(desk)] == ["details", "commands", "help", "apply"]
    assert desk.told[-1] == ("act", "apply", "", {"token": "qd? Z"})
    desk.become(replace(REVIEW, actions=(Action("stop", "S", "stop"),)))
    for key in ("alt+s", "alt+S", "alt+shift+s"):
        board.press(key)
    assert [name for name, _ in acts(desk)][4:] == ["stop", "stop"]


def test_letter_after_an_arrow_key_goes_to_the_next_field() -> None:
    _, board = keyboard(FORM)
    board.press("x", "down", "down", "5", "tab", "s", "up", "G")
    assert board.values == {"label": "mediax", "filesystem": "ext4", "size": "5G", "secret": "s"}


@pytest.mark.parametrize("before", [(), ("down",), ("tab", "tab"), ("down", "5", "up")])
def test_enter_submits_a_form_from_any_field(before: tuple[str, ...]) -> None:
    desk, board = keyboard(FORM)
    board.press(*before)
    assert acts(desk) == []
    board.press("enter")
    assert acts(desk) == [("take", "")]


def test_input_is_edited_at_the_cursor() -> None:
    _, board = keyboard(FORM)
    board.press("home", "a", "right", "delete", "end", "backspace", "left", "b")
    assert board.values["label"] == "amdbi"
    board.press("ctrl+u")
    assert board.values["label"] == "i"


def test_choice_is_changed_with_all_values() -> None:
    desk, board = keyboard(FORM)
    board.press("y", "down", "right")
    values = {"label": "mediay", "filesystem": "xfs", "size": "", "secret": ""}
    assert desk.told == [("turned", "filesystem", values)]
    board.press("right")
    assert board.values["filesystem"] == "ext4"
    board.press("left", "q", "y")
    assert board.values["filesystem"] == "xfs"
    assert acts(desk) == []


def test_choice_opens_a_list_with_its_own_keys() -> None:
    desk, board = keyboard(FORM)
    board.press("down")
    board.press("space")
    assert "XFS" in board.text()
    board.press("down")
    board.press("enter")
    assert board.values["filesystem"] == "xfs" and "xfsprogs is missing." in board.text()
    assert desk.told == [("turned", "filesystem", board.values)]
    board.press("space")
    board.press("escape")
    assert acts(desk) == []
    board.press("enter")
    assert acts(desk) == [("take", "")]


def test_palette_offers_every_action_and_acts_on_the_same_screen() -> None:
    desk, board = keyboard(PLAN)
    board.press("ctrl+p")
    board.until(lambda: "Commands  v" in board.text())
    assert "It is a recorded machine." in board.text()
    board.press(*"fsys")
    board.until(lambda: "Filesystem  f" in board.text() and "Commands  v" not in board.text())
    board.press("enter")
    board.until(lambda: acts(desk) == [("filesystem", "media")])
    board.press("ctrl+p")
    board.until(lambda: "Commands  v" in board.text())
    desk.go(replace(PLAN, title="Another plan"))
    board.press("enter")
    board.until(lambda: "Another plan" in board.text())
    board.press("ctrl+p")
    board.press("escape")
    board.until(lambda: not board.app.screen.is_modal)
    assert len(acts(desk)) == 1, "the action of a screen that is gone"


def test_ctrl_c_leaves_the_palette() -> None:
    desk, board = keyboard(PLAN)
    board.press("ctrl+p")
    board.press("ctrl+c")
    assert acts(desk) == [("quit", "media")] and board.app.screen is board.app.whole.screen


def test_input_survives_until_the_screen_replaces_it() -> None:
    desk, board = keyboard(FORM)
    board.press("x")
    desk.become(replace(FORM, said=None, title="Another"))
    board.settle()
    assert board.values["label"] == "mediax"
    desk.become(replace(FORM, fields=(Field("label", "Label", "given"), *FORM.fields[1:])))
    board.settle()
    assert board.values["label"] == "given"


def test_paste_is_typed_up_to_the_end_of_its_line() -> None:
    desk, board = keyboard(REVIEW)
    board.paste("WDE4XYZ0\nq")
    assert board.values["token"] == "WDE4XYZ0"
    desk.become(DRIVES)
    board.paste("q")
    assert acts(desk) == []


def test_ctrl_c_asks_and_a_second_one_answers() -> None:
    desk, board = keyboard(PLAN)
    desk.does["quit"] = lambda: desk.go(QUESTION)
    board.press("ctrl+c")
    assert acts(desk) == [("quit", "media")]
    board.press("ctrl+c")
    assert acts(desk)[-1] == ("yes", "") and desk.interrupted
    board.press("q")
    assert not desk.interrupted


def test_ctrl_c_never_answers_another_question() -> None:
    question = replace(QUESTION, actions=(*QUESTION.actions, QUIT))
    desk, board = keyboard(PLAN, question)
    board.press("ctrl+c")
    assert acts(desk) == [("quit", "")]


def test_click_equals_a_key() -> None:
    desk, board = keyboard(DRIVES)
    board.click("HGST")
    assert board.cursor == "sdb" and acts(desk) == []
    board.click("HGST", times=2)
    board.click(" why")
    assert acts(desk) == [("actions", "sdb"), ("why", "sdb")]


def test_enter_is_ignored_on_a_drive_while_a_pane_has_focus() -> None:
    desk, board = keyboard(LONG_REVIEW)
    board.press("x", "tab")
    assert board.focus == "right"
    board.press("enter")
    assert acts(desk) == []
    board.press("enter")
    assert acts(desk) == [("apply", "")]


def test_typing_while_a_pane_has_focus_goes_to_the_field() -> None:
    _, board = keyboard(LONG_REVIEW)
    board.press("tab", "down", "x")
    assert board.values["token"] == "x"
    assert board.top("right") == 1


def test_selected_value_is_replaced_by_typing() -> None:
    named = replace(FORM, fields=(Field("label", "Label", "papers", selected=True),))
    for keys, value in (
        (("n", "e", "w"), "new"),
        (("backspace", "n"), "n"),
        (("end", "2"), "papers2"),
        (("left", "x"), "xpapers"),
    ):
        _, board = keyboard(named)
        board.press(*keys)
        assert board.values["label"] == value
    _, board = keyboard(replace(named, fields=(Field("label", "Label", "papers"),)))
    board.press("2")
    assert board.values["label"] == "papers2"
