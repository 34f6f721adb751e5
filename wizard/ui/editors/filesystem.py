"""Select a filesystem from the ranking for a workload and drive, with reasons."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from wizard.advice.missing import for_files, lacking
from wizard.advice.request import Taken
from wizard.filesystems.registry import MADE, title_of
from wizard.model.advice import Advice, Choice, Unmade
from wizard.model.said import t
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import advice_rows
from wizard.ui.components.reasons import choice_reasons, unmade_reasons
from wizard.ui.desk import Desk, Screen
from wizard.ui.dialogs.pages import Reasons
from wizard.ui.editors.options import Options
from wizard.ui.session import Session

SPOKEN = 1000
"""Width that no terminal reaches, since the pane shows the sentence.

Interfaces without panes show the sentence in the row.
"""


class Filesystem(Screen):
    """The ranking of filesystems. `choice` is the current filesystem.

    `take` receives the new choice and may refuse, which is shown here. If accepted, this screen closes,
    unless `take` opened another. `size_bytes` is the volume's size, if known, for a new ranking.
    """

    place = "filesystem"
    columns = (ui.Column(), ui.Column(), ui.Column(least=SPOKEN))
    help = (
        t(
            "recommended: best fit. good too: sound second choice. not recommended: poor for this workload, "
            "or without any advantage. cannot: not possible here."
        ),
        t("Options and reasons of the selected filesystem are listed below. The options key shows more."),
        t("Legacy filesystems are listed last. They are recognised but never created."),
    )

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
        self.moved(first or next((one.filesystem for one in advice.choices), ""))

    def _title(self) -> ui.Text:
        return t("Filesystem for: {purpose}", purpose=self._advice.workload.title)

    def _about(self) -> ui.Text:
        return self._session.on_drive

    def _above(self) -> Iterator[ui.Block]:
        if not self._advice.chosen:
            yield ui.para(ui.warn(advice_rows.none_usable(self._advice)))

    def _rows(self) -> Iterator[ui.Row]:
        yield from map(self._row, for_files(self._advice.choices))
        yield from map(_unmade_row, self._advice.unmade)

    def _row(self, choice: Choice) -> ui.Row:
        word = advice_rows.rating(choice)
        why_not = choice.obstacles[0] if choice.obstacles else ""
        chosen = None if choice.obstacles else choice.filesystem == self._chosen
        cells = ui.pieces(ui.strong(title_of(choice.filesystem)), word, "" if why_not else choice.sentence)
        return ui.Row(choice.filesystem, cells, chosen=chosen, why_not=why_not)

    def _actions(self) -> Iterator[ui.Action]:
        choice, unmade = self._choice(self.row), self._unmade(self.row)
        why_not: ui.Text = unmade.why_not if unmade else ""
        if choice is not None and choice.obstacles:
            why_not = choice.obstacles[0]
        yield ui.Action("take", "enter", messages.USE, why_not)
        none = t("No options: this filesystem cannot be created here.") if why_not else ""
        yield ui.Action("options", "o", messages.OPTIONS, none)
        yield ui.Action("why", "w", messages.WHY)

    def _panes(self) -> Iterator[ui.Pane]:
        choice, unmade = self._choice(self.row), self._unmade(self.row)
        if choice is not None:
            doubts = self._taken(choice).doubts
            yield ui.Pane(title_of(choice.filesystem), tuple(advice_rows.choice_blocks(choice, doubts)))
        elif unmade is not None:
            yield ui.Pane(unmade.title, tuple(advice_rows.unmade_blocks(unmade)))
        if blocks := tuple(advice_rows.advice_blocks(self._advice)):
            yield ui.Pane(t("About this drive"), blocks)

    def _choice(self, row: str) -> Choice | None:
        if row in self._asked:
            return self._asked[row].choice
        return self._advice.choice(row)

    def _unmade(self, row: str) -> Unmade | None:
        return next((one for one in self._advice.unmade if one.filesystem == row), None)

    def _taken(self, choice: Choice) -> Taken:
        return self._asked.get(choice.filesystem) or Taken(choice)

    def moved(self, row: str) -> None:
        self.row = row
        choice, machine = self._advice.choice(row), self._session.machine
        lacks = choice is not None and choice.obstacles and machine is not None
        self.missing = lacking(machine, MADE[row].makers) if lacks and machine else None

    def forget(self) -> None:
        self.tell("")

    def act_take(self) -> None:
        choice = self._choice(self.row)
        if choice is not None and not choice.obstacles:
            self._take(self._taken(choice))
            self.close()

    def act_options(self) -> None:
        row = self.row
        advised, choice = self._advice.choice(row), self._choice(row)
        if advised is None or choice is None or choice.obstacles:
            return

        def keep(taken: Taken) -> None:
            self._asked[row] = taken

        workload, taken = self._advice.workload.id, self._taken(choice)
        self.open(Options, self._session, workload, taken, keep, advised=advised)

    def act_why(self) -> None:
        choice, unmade = self._choice(self.row), self._unmade(self.row)
        if choice is not None:
            self.open(Reasons, title_of(choice.filesystem), choice_reasons(choice, self._advice))
        elif unmade is not None:
            self.open(Reasons, unmade.title, unmade_reasons(unmade))

    def equipped(self) -> None:
        self._session = replace(self._session, machine=self.desk.session.machine)
        self._advice = self._session.advise(self.services, self._advice.workload.id, self._size_bytes)
        self.moved(self.row)


def _unmade_row(unmade: Unmade) -> ui.Row:
    cells = ui.pieces(unmade.title, ui.muted(messages.IMPOSSIBLE), "")
    return ui.Row(unmade.filesystem, cells, why_not=t("Recognised, but never created."))
