"""Synthetic screens in the line-by-line wizard, with answers from a file."""

from collections.abc import Callable, Sequence
from io import BytesIO, StringIO

from tests.unit.machines import machine
from tests.unit.plain.conversation import Told, recorded
from wizard.host.services import Services
from wizard.plain.app import PlainSession
from wizard.plain.prompt import Dialogue
from wizard.ui import view as ui
from wizard.ui.desk import Desk, Screen
from wizard.ui.wizard import Wizard

GO = ui.Action("go", "enter", "go on")
BACK = ui.Action("back", "escape", "back")


EVERYTHING = ui.View(
    "all",
    ui.ScreenStep.PURPOSE,
    "Title",
    (GO, ui.Action("fix", "f", "fix in place", aside=True), ui.Action("no", "x", "cannot", "It is not so.")),
    "about it",
    above=(
        ui.Bar(
            (
                ui.Stretch("films", 1_100_000_000, "ext3"),
                ui.Stretch("old", 1_100_000_000, "ext3", ui.Fate.LOST),
                ui.Stretch("free", 998_000_000_000, "", ui.Fate.FREE),
            ),
            "Now",
        ),
        ui.Banner("All is lost", ("Both of it.",), ui.Tone.DANGER),
    ),
    panes=(
        ui.Pane(
            "Found",
            (
                ui.Para((ui.Piece("It starts off."),), key="fix"),
                ui.Para(),
                ui.Para(),
                ui.Command(("mkfs.ext4", "-L", "two words")),
                ui.Figures("times", (("aligned", 1.0, "1.0"), ("off", 1.8, "1.8"))),
                ui.Progress(0.42),
            ),
        ),
    ),
    rows=ui.Rows(
        (
            ui.Row(
                "a", (ui.Piece("first"), ui.Piece(""), ui.Piece("1.0 TB")), chosen=True, notes=("a note",)
            ),
            ui.Row("b", (ui.Piece("second"),), level=1, why_not="It is in use."),
        ),
        "b",
    ),
)


class Made(Screen):
    """A screen with a fixed view that records its actions and calls `does` for each."""

    step = ui.ScreenStep.DRIVES

    def __init__(self, desk: Desk, view: ui.View, does: Callable[["Made", str], None] | None = None) -> None:
        super().__init__(desk)
        self.shown, self.done = view, list[tuple[str, str, dict[str, str]]]()
        self._does = does

    def view(self) -> ui.View:
        return self.shown

    def act(self, name: str, values: ui.Values) -> None:
        self.done.append((name, self.row, dict(values)))
        if self._does:
            self._does(self, name)
        elif name == "back":
            self.desk.back()
        elif name == "go":
            self.desk.end()

    def turned(self, field: str, values: ui.Values) -> None:
        self.done.append(("turned", field, dict(values)))


def a_list(
    *words: str, at: str = "", actions: Sequence[ui.Action] = (GO,), step: ui.ScreenStep = ui.ScreenStep.PLAN
) -> ui.View:
    """Return a view with one row per word, each the row's key and only cell."""
    rows = tuple(ui.Row(word, (ui.strong(word),)) for word in words)
    return ui.View("list", step, "A list", tuple(actions), rows=ui.Rows(rows, at or next(iter(words), "")))


def a_form(*fields: ui.Field, actions: Sequence[ui.Action] = (GO, BACK)) -> ui.View:
    """Return a view with these fields."""
    return ui.View(
        "form", ui.ScreenStep.PLAN, "A form", tuple(actions), above=(ui.para("Fill it."),), fields=fields
    )


class Talked:
    """A wizard with a screen, ready for a conversation."""

    def __init__(
        self,
        view: ui.View,
        does: Callable[[Made, str], None] | None = None,
        services: Services | None = None,
    ) -> None:
        self.desk = Wizard(services or recorded(machine()))
        self.place = Made(self.desk, view, does)
        self.desk.go(self.place)

    @property
    def done(self) -> list[tuple[str, str, dict[str, str]]]:
        return self.place.done

    def hear(self, *answers: str | bytes, width: int = 78) -> Told:
        """Send these answers, one per line, then end of input."""
        given = b"".join(one.encode() + b"\n" if isinstance(one, str) else one for one in answers)
        return talked(self.desk, BytesIO(given), width)


def talked(desk: Wizard, answers: BytesIO, width: int = 78) -> Told:
    """Return the transcript of a whole conversation."""
    out = StringIO()
    code = PlainSession(desk, Dialogue(answers, out, width=width, echo=True)).converse()
    return Told(out.getvalue(), code)


class Meddling(BytesIO):
    """Input that triggers a change while the user types an answer."""

    def __init__(self, answers: bytes, meddle: "list[object]") -> None:
        super().__init__(answers)
        self.meddle = meddle

    def readline(self, size: int | None = -1, /) -> bytes:
        if self.meddle:
            change = self.meddle.pop()
            assert callable(change)
            change()
        return super().readline(size)
