"""Keys in any view are processed in order and mean what the view says."""

from typing import cast

import pytest
from msgspec.structs import replace

from tests.looks.window.desks import MadeUpDesk
from tests.looks.window.extreme_views import CROWDED
from tests.looks.window.made_views import DRIVES, FORM, HELP, MENU, PLAN, QUIT, REVIEW, WORK
from wizard.ui import view as ui
from wizard.ui.desk import Desk
from wizard.window.canvas import ScrollExtent, Sheet, Spot
from wizard.window.keyboard import PANES, Keyboard

QUESTION = ui.View(
    "question",
    ui.ScreenStep.DRIVES,
    "Really?",
    (
        ui.Action("back", "enter", "no"),
        ui.Action("yes", "y", "yes"),
        ui.Action("back", "escape", "no", aside=True),
    ),
    over=True,
)


def keyboard(*views: ui.View) -> tuple[MadeUpDesk, Keyboard]:
    desk = MadeUpDesk(*views)
    board = Keyboard(cast(Desk, desk))
    board.renew(asked=True)
    return desk, board


def press(board: Keyboard, *keys: str) -> None:
    for key in keys:
        names = {"?": "question_mark", "+": "plus", "-": "minus", "K": "upper_k", " ": "space"}
        board.press(names.get(key, key), key if len(key) == 1 else " " if key == "space" else None)


def sheet(rows: int, **parts: ScrollExtent) -> Sheet:
    return Sheet(spots=tuple(Spot(0, y, 9, "row", f"p{y}") for y in range(rows)), parts=parts)


def acts(desk: MadeUpDesk) -> list[tuple[object, object]]:
    return [(told[1], told[2]) for told in desk.told if told[0] == "act"]


def test_each_key_runs_its_action() -> None:
    desk, board = keyboard(DRIVES)
    press(board, "s", "K", "?", "f1", "enter", "right", "f")
    assert [name for name, _ in acts(desk)] == [
        *("set-up", "keep", "help", "help", "actions", "open", "fix"),
    ]
    assert {row for _, row in acts(desk)} == {"sda"}


def test_capital_is_another_key() -> None:
    desk, board = keyboard(DRIVES)
    press(board, "k", "S", "F", "alt+s", "ctrl+w")
    board.press("alt+s", "s")
    assert acts(desk) == []
    assert board.state.cursor == "nvme0n1"


def test_cursor_moves_by_arrows_and_vi_keys() -> None:
    _, board = keyboard(DRIVES)
    rows = []
    for key in ("down", "j", "up", "k", "G", "g", "end", "home", "home"):
        press(board, key)
        rows.append(board.state.cursor)
    assert rows == ["sda1", "sdb", "sda1", "sda", "sdc", "nvme0n1", "sdc", "nvme0n1", "nvme0n1"]


def test_desk_knows_the_cursor_position() -> None:
    desk, board = keyboard(DRIVES)
    press(board, "down", "enter")
    assert desk.told == [("moved", "sda1"), ("act", "actions", "sda1", {})]


def test_cursor_stays_on_its_row_when_others_come() -> None:
    desk, board = keyboard(DRIVES)
    press(board, "down", "down")
    assert DRIVES.rows
    desk.views[-1] = replace(DRIVES, rows=replace(DRIVES.rows, rows=DRIVES.rows.rows[1:], at="sdc"))
    board.renew(asked=False)
    assert board.state.cursor == "sdb"
    assert desk.told[-1] == ("moved", "sdb")


def test_cursor_moves_to_new_rows_until_the_user_moves_it() -> None:
    desk, board = keyboard(DRIVES)
    assert DRIVES.rows
    desk.views[-1] = replace(DRIVES, rows=replace(DRIVES.rows, at="sdc"))
    board.renew(asked=False)
    assert board.state.cursor == "sdc"


def test_removed_row_leaves_the_cursor_at_its_position() -> None:
    desk, board = keyboard(DRIVES)
    press(board, "end")
    assert DRIVES.rows
    desk.views[-1] = replace(DRIVES, rows=replace(DRIVES.rows, rows=DRIVES.rows.rows[:2], at="sda"))
    board.renew(asked=False)
    assert board.state.cursor == "sda"
    desk.views[-1] = replace(DRIVES, rows=ui.Rows(()))
    board.renew(asked=False)
    assert board.state.cursor == ""
    press(board, "down", "enter")


def test_every_screen_has_its_own_cursor() -> None:
    desk, board = keyboard(DRIVES)
    press(board, "down", "down")
    desk.go(MENU)
    board.renew(asked=True)
    press(board, "down")
    assert board.state.cursor == "convert"
    assert board.below is not None and board.below[1].cursor == "sdb"
    desk.back()
    board.renew(asked=True)
    assert board.state.cursor == "sdb"


def test_page_keys_move_by_the_visible_height() -> None:
    _, board = keyboard(CROWDED)
    board.drawn(sheet(10, main=ScrollExtent(60, 10, 128)))
    press(board, "pagedown")
    assert board.state.cursor == "p73"
    press(board, "pageup", "pageup")
    assert board.state.cursor == "p55"


def test_tab_moves_to_scrollable_panes_and_back() -> None:
    _, board = keyboard(CROWDED)
    board.drawn(sheet(10, main=ScrollExtent(0, 10, 128), panes=ScrollExtent(0, 5, 90)))
    press(board, "tab", "down", "j", "pagedown")
    assert board.state.focus == PANES
    assert board.state.cursor == "p64"
    assert board.state.tops[PANES] == 4
    press(board, "tab", "down")
    assert board.state.cursor == "p65"


def test_page_without_a_list_scrolls_directly() -> None:
    _, board = keyboard(WORK)
    board.drawn(sheet(0, panes=ScrollExtent(0, 5, 40)))
    press(board, "down")
    assert board.state.tops[PANES] == 1
    press(board, "G")
    assert board.state.tops[PANES] == 35


def test_letters_belong_to_the_field() -> None:
    desk, board = keyboard(REVIEW)
    press(board, *"qd? Z")
    assert acts(desk) == []
    press(board, "alt+d", "f3", "f1", "enter")
    assert [name for name, _ in acts(desk)] == ["details", "commands", "help", "apply"]
    assert desk.told[-1] == ("act", "apply", "", {"token": "qd? Z"})
    desk.views[-1] = replace(REVIEW, actions=(ui.Action("stop", "S", "stop"),))
    for key in ("alt+s", "alt+S", "alt+shift+s"):
        board.press(key, "S")
    assert [name for name, _ in acts(desk)][4:] == ["stop", "stop"]


def test_letter_after_an_arrow_key_goes_to_the_next_field() -> None:
    _, board = keyboard(FORM)
    press(board, "x", "down", "down", "5", "tab", "s", "up", "G")
    assert board.state.values(FORM) == {"label": "mediax", "filesystem": "ext4", "size": "5G", "secret": "s"}


@pytest.mark.parametrize("before", [(), ("down",), ("tab", "tab"), ("down", "5", "up")])
def test_enter_submits_a_form_from_any_field(before: tuple[str, ...]) -> None:
    desk, board = keyboard(FORM)
    press(board, *before)
    assert acts(desk) == []
    press(board, "enter")
    assert acts(desk) == [("take", "")]


def test_input_is_edited_at_the_cursor() -> None:
    _, board = keyboard(FORM)
    press(board, "home", "a", "right", "delete", "end", "backspace", "left", "b")
    assert board.state.value("label") == "amdbi"
    press(board, "ctrl+u")
    assert board.state.value("label") == "i"


def test_choice_is_changed_with_all_values() -> None:
    desk, board = keyboard(FORM)
    press(board, "y", "down", "right")
    values = {"label": "mediay", "filesystem": "xfs", "size": "", "secret": ""}
    assert desk.told == [("turned", "filesystem", values)]
    press(board, "space")
    assert board.state.value("filesystem") == "ext4"
    press(board, "left", "q", "y")
    assert board.state.value("filesystem") == "xfs"
    assert acts(desk) == []


def test_input_survives_until_the_screen_replaces_it() -> None:
    desk, board = keyboard(FORM)
    press(board, "x")
    desk.views[-1] = replace(FORM, said=None, title="Another")
    board.renew(asked=False)
    assert board.state.value("label") == "mediax"
    desk.views[-1] = replace(FORM, fields=(ui.Field("label", "Label", "given"), *FORM.fields[1:]))
    board.renew(asked=False)
    assert board.state.value("label") == "given"


def test_paste_is_typed_up_to_the_end_of_its_line() -> None:
    desk, board = keyboard(REVIEW)
    board.paste("WDE4XYZ0\nq")
    assert board.state.value("token") == "WDE4XYZ0"
    desk.views[-1] = DRIVES
    board.paste("q")
    assert acts(desk) == []


def test_input_stays_after_an_error() -> None:
    desk, board = keyboard(REVIEW)
    board.paste("WDE4")
    press(board, "enter")
    assert acts(desk) and board.state.value("token") == "WDE4"


def test_ctrl_c_asks_and_a_second_one_answers() -> None:
    desk, board = keyboard(PLAN)
    desk.does["quit"] = lambda: desk.go(QUESTION)
    press(board, "ctrl+c")
    assert acts(desk) == [("quit", "media")]
    press(board, "ctrl+c")
    assert acts(desk)[-1] == ("yes", "") and desk.interrupted
    press(board, "q")
    assert not desk.interrupted


def test_ctrl_c_never_answers_another_question() -> None:
    question = replace(QUESTION, actions=(*QUESTION.actions, QUIT))
    desk, board = keyboard(PLAN, question)
    press(board, "ctrl+c")
    assert acts(desk) == [("quit", "")]


def test_click_equals_a_key() -> None:
    desk, board = keyboard(DRIVES)
    board.click("row", "sdb", twice=False)
    assert board.state.cursor == "sdb" and acts(desk) == []
    board.click("row", "sdb", twice=True)
    board.click("action", "why", twice=False)
    assert acts(desk) == [("actions", "sdb"), ("why", "sdb")]
    assert HELP in DRIVES.actions


def test_enter_is_ignored_on_a_drive_while_a_pane_has_focus() -> None:
    desk, board = keyboard(REVIEW)
    board.drawn(sheet(0, main=ScrollExtent(0, 1, 1), panes=ScrollExtent(0, 5, 40)))
    press(board, "x", "tab")
    assert board.state.focus == PANES
    press(board, "enter")
    assert acts(desk) == []
    press(board, "enter")
    assert acts(desk) == [("apply", "")]


def test_typing_while_a_pane_has_focus_goes_to_the_field() -> None:
    _, board = keyboard(REVIEW)
    board.drawn(sheet(0, main=ScrollExtent(0, 1, 1), panes=ScrollExtent(0, 5, 40)))
    press(board, "tab", "down", "x")
    assert board.state.value("token") == "x"
    assert board.state.tops[PANES] == 1


def test_selected_value_is_replaced_by_typing() -> None:
    named = replace(FORM, fields=(ui.Field("label", "Label", "papers", selected=True),))
    for keys, value in (
        (("n", "e", "w"), "new"),
        (("backspace", "n"), "n"),
        (("end", "2"), "papers2"),
        (("left", "x"), "paperxs"),
    ):
        _, board = keyboard(named)
        press(board, *keys)
        assert board.state.value("label") == value
    _, board = keyboard(replace(named, fields=(ui.Field("label", "Label", "papers"),)))
    press(board, "2")
    assert board.state.value("label") == "papers2"
