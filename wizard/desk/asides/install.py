"""Installing programs that are missing, after one question that says how large they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from wizard.desk.asides.asking import go_on
from wizard.desk.asides.beside import Beside
from wizard.desk.place import Values
from wizard.desk.view import Action, Block, Pane, Piece, Progress, Tone, View, para
from wizard.desk.words import BACK
from wizard.model.said import Sentence, t, tn

if TYPE_CHECKING:
    from wizard.advise.missing import Missing
    from wizard.desk.desk import Desk
    from wizard.model.errors import DiskwrightError

AT_WORK = t("The package manager is at work. It cannot be stopped from here.")

MOST_LINES = 200
"""Of what the package manager says, the last ones are kept."""


class Install(Beside):
    """The question, then what the package manager says. Once all is there, the place before is the last one
    again, and `then` is called; whoever it is probes the machine again."""

    def __init__(self, desk: Desk, missing: Missing, then: Callable[[], None]) -> None:
        super().__init__(desk)
        self._missing, self._then = missing, then
        self._offer = self._fault = ""
        self._weighing = self._at_work = self._begun = False
        self._lines: list[str] = []

    def entered(self) -> None:
        """Ask the package manager how large it is."""
        if not self._begun:
            self._begun = True
            self._weigh()

    @property
    def may_leave(self) -> bool:
        """Not while it is being installed."""
        return not self._at_work

    def _weigh(self) -> None:
        self._weighing, self._fault = True, ""
        self.desk.later(
            self, lambda: self.services.install_offer(self._missing), self._weighed, self._hindered
        )

    def _weighed(self, offer: str) -> None:
        self._weighing, self._offer = False, offer

    def _hindered(self, error: DiskwrightError) -> None:
        self._weighing = self._at_work = False
        self._fault = str(error)

    def view(self) -> View:
        """The question, or how it goes."""
        title = (
            Sentence("Installing {programs:and}") if self._at_work else Sentence("Install {programs:and}?")
        )
        return View(
            "install",
            self.at,
            title(programs=self._missing.programs),
            self._actions(),
            above=self._above(),
            panes=(Pane("", tuple(map(para, self._lines))),) if self._lines else (),
            over=True,
            busy=self._weighing or self._at_work,
            help=(
                t("Some programs are missing here. Without them, what you chose cannot be done."),
                t("Nothing is removed for them. Root installs them, so you may be asked for it."),
            ),
        )

    def _actions(self) -> tuple[Action, ...]:
        leave = Action("back", "escape", BACK, AT_WORK if self._at_work else "", aside=True)
        if self._at_work or self._weighing:
            return (leave,)
        if self._fault:
            return (Action("back", "enter", BACK), Action("again", "r", t("try again")), leave)
        return (Action("back", "enter", t("no")), Action("install", "y", t("install")), leave)

    def _above(self) -> tuple[Block, ...]:
        if self._fault:
            return (para(Piece(self._fault, Tone.WARN)),)
        if self._weighing:
            return (para(t("Asking how large it is ...")),)
        if self._at_work:
            said = AT_WORK if self._lines else t("Starting ...")
            return (Progress(None, said),)
        return (
            para(self._offer),
            para(t("This and what it needs, by your distribution's own package manager.")),
        )

    def act_again(self, _row: str, _values: Values) -> None:
        """Weigh it once more, and ask once more."""
        self._lines.clear()
        self._weigh()

    def act_install(self, _row: str, _values: Values) -> None:
        """With root's rights."""
        self.desk.with_root(self, self._install)

    def _install(self) -> None:
        self._at_work, self._fault = True, ""
        self._lines.clear()
        self.desk.later(
            self,
            lambda: self.services.install(self._missing, self._told),
            lambda _: self._installed(),
            self._hindered,
            finishes=True,
        )

    def _told(self, line: str) -> None:
        self.desk.post(self, partial(self._tell_line, line))

    def _tell_line(self, line: str) -> None:
        self._lines.append(line)
        del self._lines[:-MOST_LINES]

    def _installed(self) -> None:
        self._at_work = False
        programs = self._missing.programs
        self.desk.back()
        self.desk.place.tell(
            tn(
                "{programs:and} is here now.",
                "{programs:and} are here now.",
                programs=programs,
                count=len(programs),
            ),
            Tone.GOOD,
        )
        go_on(self.desk, self._then)
