"""Ctrl+C in the line-by-line wizard: during work, at a question, and in between."""

import threading

import pytest

from tests.unit.plain.telling import EVERYTHING, Made, Meddling, Talked, a_list, talked
from wizard.model.errors import ExitCode
from wizard.ui.view import Action, ScreenStep, View


class Interrupting:
    """An event whose wait is interrupted `times` times, as by Ctrl+C."""

    def __init__(self, times: int) -> None:
        self.left = times

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self, _seconds: float) -> None:
        if self.left:
            self.left -= 1
            raise KeyboardInterrupt
        threading.Event().wait(0.01)


@pytest.mark.parametrize(("answers", "done"), [(["S"], ["stop"]), (["", "stop"], ["stop"]), ([""], [])])
def test_ctrl_c_during_a_run_asks_for_the_next_action(
    answers: list[str], done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = Action("stop", "S", "stop", ends=True)
    busy = View("work", ScreenStep.WORK, "Work", (stop,), busy=True)
    monkeypatch.setattr("wizard.plain.app.Event", lambda: Interrupting(len(answers) + 1))
    talk = Talked(busy, lambda place, name: None)
    told = talk.hear(*answers)
    assert [one[0] for one in talk.done] == done
    assert "Empty line: continue watching. Or: S stop, ? help, q quit." in told.flat
    assert told.code is ExitCode.ENDED_BY_USER


def test_ctrl_c_at_the_start_does_not_claim_an_unchanged_drive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wizard.plain.app.Event", lambda: Interrupting(1))
    monkeypatch.setattr(Made, "may_leave", False)
    told = Talked(View("review", ScreenStep.REVIEW, "Review", (), busy=True)).hear()
    assert "The run may have started" in told.flat
    assert "No data was written" not in told.flat


def test_ctrl_c_at_a_question_ends() -> None:
    talk = Talked(EVERYTHING)

    def interrupt() -> None:
        raise KeyboardInterrupt

    told = talked(talk.desk, Meddling(b"1\n", [interrupt]))
    assert told.flat.endswith("Interrupted. Ended. No data was written to any drive.")
    assert not talk.done and told.code is ExitCode.ENDED_BY_USER and talk.desk.over


def test_ctrl_c_while_a_run_starts_asks_too() -> None:
    busy = View("work", ScreenStep.WORK, "Work", (Action("stop", "S", "stop", ends=True),), busy=True)

    def begin(place: Made, name: str) -> None:
        if name == "go":
            place.shown = busy
            raise KeyboardInterrupt
        place.shown = a_list("over")

    talk = Talked(a_list("one"), begin)
    told = talk.hear("1", "S")
    assert [one[0] for one in talk.done] == ["go", "stop"]
    assert "Empty line: continue watching. Or: S stop" in told.flat
