"""Select a filesystem from the ranking for a workload and drive, with reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from wizard.advice.missing import FILESYSTEMS, for_files, lacking
from wizard.advice.request import Taken
from wizard.filesystems.registry import title_of
from wizard.model.advice import Advice, Choice, Unmade
from wizard.model.said import Sentence, t, tn
from wizard.ui import view as ui
from wizard.ui.components.advice_rows import (
    CANNOT,
    advice_blocks,
    choice_blocks,
    none_usable,
    rating,
    unmade_blocks,
)
from wizard.ui.components.reasons import choice_reasons, unmade_reasons
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.pages import Reasons
from wizard.ui.editors.options import Options

if TYPE_CHECKING:
    from wizard.advice.missing import Missing
    from wizard.model.machine import Machine
    from wizard.ui.session import Session


HELP = (
    Sentence(
        "Filesystems are ranked for this purpose and drive. You can choose any that can be created here."
    ),
    Sentence(
        "recommended: best fit. good too: sound second choice. not recommended: poor "
        "for this workload, or without any advantage. cannot: not possible here."
    ),
    Sentence(
        "Options and reasons are listed below: mkfs and mount arguments beyond the "
        "defaults. The options key shows more."
    ),
    Sentence(
        "Legacy filesystems are listed last. They are recognised but never created; "
        "each row shows how to move to another."
    ),
)


SPOKEN = 1000
"""Width that no terminal reaches, since the pane shows the sentence.

Interfaces without panes show the sentence in the row.
"""


class Filesystem(Screen):
    """The ranking of filesystems. `choice` is the current filesystem.

    `take` receives the new choice and may refuse, which is shown here. If accepted, this screen closes,
    unless `take` opened another. `size_bytes` is the volume's size, if known, for a new ranking.
    """

    step = ui.ScreenStep.PLAN
    HELP: ClassVar = HELP

    def __init__(
        self,
        desk: Desk,
        session: Session,
        advice: Advice,
        choice: Choice | None,
        take: Callable[[Taken], None],
        size_bytes: int | None = None,
    ) -> None:
        super().__init__(desk)
        self._session, self._advice, self._take, self._size_bytes = session, advice, take, size_bytes
        self._chosen = choice.filesystem if choice else ""
        self._asked: dict[str, Taken] = {}
        if choice is not None:
            before = session.taken
            asked = before if before is not None and before.choice == choice else Taken(choice)
            self._asked[choice.filesystem] = asked
        first = self._chosen or (advice.chosen.filesystem if advice.chosen else "")
        self._at = first or next((one.filesystem for one in advice.choices), "")

    def view(self) -> ui.View:
        """Return the ranking, with options and reasons of the selected row."""
        advice = self._advice
        rows = (*map(self._row, for_files(advice.choices)), *map(_unmade_row, advice.unmade))
        columns = (ui.Column(), ui.Column(), ui.Column(least=SPOKEN))
        drive = self._session.drive
        return ui.View(
            "filesystem",
            self.step,
            t("Filesystem for: {purpose}", purpose=advice.workload.title),
            tuple(self._actions()),
            about=t("on {drive}", drive=drive.path if drive else ""),
            above=() if advice.chosen else (ui.para(ui.Piece(none_usable(advice), ui.Tone.WARN)),),
            rows=ui.Rows(rows, self._at, columns),
            panes=tuple(self._panes()),
            help=tuple(sentence() for sentence in self.HELP),
        )

    def _row(self, choice: Choice) -> ui.Row:
        word = rating(choice)
        why_not = choice.obstacles[0] if choice.obstacles else ""
        chosen = None if choice.obstacles else choice.filesystem == self._chosen
        cells = (ui.strong(title_of(choice.filesystem)), word, ui.Piece("" if why_not else choice.sentence))
        return ui.Row(choice.filesystem, cells, chosen=chosen, why_not=why_not)

    def _actions(self) -> Iterator[ui.Action]:
        choice, unmade = self._choice(self._at), self._unmade(self._at)
        why_not: ui.Text = unmade.why_not if unmade else ""
        if choice is not None and choice.obstacles:
            why_not = choice.obstacles[0]
        yield ui.Action("take", "enter", t("use"), why_not)
        yield ui.Action(
            "options",
            "o",
            t("options"),
            t("No options: this filesystem cannot be created here.") if why_not else "",
        )
        yield ui.Action("why", "w", t("why"))
        if self._missing(self._at):
            yield ui.Action("install", "i", t("install"))
        yield ui.back_action()

    def _panes(self) -> Iterator[ui.Pane]:
        choice, unmade = self._choice(self._at), self._unmade(self._at)
        if choice is not None:
            doubts = self._taken(choice).doubts
            yield ui.Pane(title_of(choice.filesystem), tuple(choice_blocks(choice, doubts)))
        elif unmade is not None:
            yield ui.Pane(unmade.title, tuple(unmade_blocks(unmade)))
        if blocks := tuple(advice_blocks(self._advice)):
            yield ui.Pane(t("About this drive"), blocks)

    def _choice(self, row: str) -> Choice | None:
        """Return the choice of a row, including added options."""
        if row in self._asked:
            return self._asked[row].choice
        return self._advice.choice(row)

    def _unmade(self, row: str) -> Unmade | None:
        return next((one for one in self._advice.unmade if one.filesystem == row), None)

    def _taken(self, choice: Choice) -> Taken:
        return self._asked.get(choice.filesystem) or Taken(choice)

    def _missing(self, row: str) -> Missing | None:
        """Return the missing tools for the filesystem of a row, or None."""
        choice, machine = self._advice.choice(row), self._session.machine
        if choice is None or not choice.obstacles or machine is None:
            return None
        return lacking(machine, FILESYSTEMS[choice.filesystem].makers)

    def moved(self, row: str) -> None:
        """Show options and reasons of the row."""
        self._at = row

    def act_take(self, row: str, _values: ui.Values) -> None:
        """Use the filesystem for the volume."""
        choice = self._choice(row)
        if choice is None or choice.obstacles:
            return
        self._take(self._taken(choice))
        if self.desk.screen is self:
            self.desk.back()

    def act_options(self, row: str, _values: ui.Values) -> None:
        """Open the options of the filesystem."""
        advised, choice = self._advice.choice(row), self._choice(row)
        if advised is None or choice is None or choice.obstacles:
            return

        def keep(taken: Taken) -> None:
            self._asked[row] = taken

        workload, taken = self._advice.workload.id, self._taken(choice)
        self.desk.go(Options(self.desk, self._session, workload, taken, keep, advised=advised))

    def act_why(self, row: str, _values: ui.Values) -> None:
        """Open the studies and figures for the filesystem."""
        choice, unmade = self._choice(row), self._unmade(row)
        if choice is not None:
            self.desk.go(
                Reasons(self.desk, title_of(choice.filesystem), choice_reasons(choice, self._advice))
            )
        elif unmade is not None:
            self.desk.go(Reasons(self.desk, unmade.title, unmade_reasons(unmade)))

    def act_install(self, row: str, _values: ui.Values) -> None:
        """Install the missing tools for the filesystem."""
        if absent := self._missing(row):
            self.desk.open_install(absent, lambda: self._look_again(absent))

    def _look_again(self, absent: Missing) -> None:
        """Rank again with the installed tools."""
        self.desk.later(self, self.services.surroundings, lambda now: self._equipped(now, absent))

    def _equipped(self, now: Machine, absent: Missing) -> None:
        session = self._session
        assert session.machine is not None and session.drive is not None and session.diagnosis is not None
        machine = replace(
            session.machine,
            kernel=now.kernel,
            tools=now.tools,
            programs=now.programs or session.machine.programs,
            missing_files=now.missing_files,
        )
        workload, recording = self._advice.workload.id, session.diagnosis.recording
        self._advice = self.services.advise(machine, session.drive, recording, workload, self._size_bytes)
        self._session = replace(session, machine=machine)
        if self.desk.session.machine is not None:
            self.desk.session = replace(self.desk.session, machine=machine)
        left = tuple(name for name in absent.programs if not machine.has_tool(name))
        if left:
            self.tell(
                tn(
                    "{programs:and} is still missing.",
                    "{programs:and} are still missing.",
                    programs=left,
                    count=len(left),
                ),
                ui.Tone.WARN,
            )
        else:
            told = tn(
                "{programs:and} is installed now.",
                "{programs:and} are installed now.",
                programs=absent.programs,
                count=len(absent.programs),
            )
            self.tell(told, ui.Tone.GOOD)


def _unmade_row(unmade: Unmade) -> ui.Row:
    cells = (ui.Piece(unmade.title), ui.Piece(CANNOT, ui.Tone.MUTED), ui.Piece(""))
    return ui.Row(unmade.filesystem, cells, why_not=t("Recognised, but never created."))
