"""Step 3: which filesystem, with which options, and why."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from wizard.advise.asked import Taken
from wizard.advise.filesystems import for_files
from wizard.model.advice import Advice, Choice, Unmade
from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.services.session import Next
from wizard.tui.screens.options import OptionsScreen
from wizard.tui.step import StepScreen
from wizard.tui.text.describe import PLACE_INK, choice_blocks, unmade_blocks, zoned_blocks
from wizard.tui.text.reasontext import choice_reasons, unmade_reasons
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, gap, para

SENTENCES_FROM = 60
"""Cells of the list from which it shows the beginning of each sentence; the whole one stands beside or below
it."""


class AdviceScreen(StepScreen):
    """The ranking, and the options of the highlighted filesystem."""

    NUMBER = 3
    TITLE = "Advice"
    HELP = """
The filesystems are ranked for this purpose on this drive. Enter takes the highlighted one, whether it was
advised or not.

chosen: fits best. second: a good choice too. rejected: does this work badly, or cannot be made here; then it
cannot be taken, and the reason is shown. not ranked: can be made here, and nothing speaks for or against it
for this purpose. never made: a filesystem of the past, with the way off it.

Options: what the program that makes the filesystem (mkfs) and the mount command are given beyond their
defaults, each with its reason and what it costs.

Scheduler: the order in which the kernel sends requests to the drive. It is advice; the plan does not change
it.

Further options: o lists every option of the highlighted filesystem, advised or not. Those that put data at
risk are taken only when their danger is typed back.

Evidence: press e for the published figures behind a place, with when and on what they were measured.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "evidence", show=False, id="advice.evidence"),
        Binding("o", "options", show=False, id="advice.options"),
    ]

    def body(self) -> ComposeResult:
        """The ranking and the options."""
        with Container(id="halves"):
            yield Rows(Column(), Column(), Column(flexible=True, only_from=SENTENCES_FROM), id="ranking")
            yield Prose(classes="rule")
            yield Words(id="options")

    def begin(self) -> None:
        """Show the ranking, the chosen one first."""
        advice, before = self._advice, self.session.taken
        self._taken = {before.choice.filesystem: before} if before else {}
        self.query_one("#intro", Prose).update(Text(f"For: {printable(advice.workload.title, 70)}"))
        rows = self.query_one(Rows)
        taken = self.session.choice.filesystem if self.session.choice else None
        rows.set_rows([*map(_row, for_files(advice.choices)), *map(_unmade_row, advice.unmade)], taken)
        rows.focus()
        if advice.chosen is None:
            self.say("No filesystem can be made on this drive from here; each row says why.", "yellow")

    def keys(self) -> Pairs:
        """Choosing and reading."""
        return (
            ("Up/Down", "choose"),
            ("Enter", "take it"),
            ("e", "evidence"),
            ("o", "options"),
            ("Tab", "list or details"),
        )

    @property
    def _advice(self) -> Advice:
        assert self.session.advice is not None
        return self.session.advice

    @property
    def _choice(self) -> Choice | None:
        """The highlighted filesystem, with what was asked for."""
        row = self.query_one(Rows).current
        if row is None:
            return None
        taken = self._taken.get(row.key)
        return taken.choice if taken else self._advice.choice(row.key)

    @property
    def _unmade(self) -> Unmade | None:
        row = self.query_one(Rows).current
        return next((one for one in self._advice.unmade if row and one.filesystem == row.key), None)

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Show why it has its place, and its options."""
        blocks: list[Block] = []
        if choice := self._choice:
            blocks += [
                para(
                    Text(f"{choice.filesystem}: ", "bold").append(
                        printable(choice.sentence, 600), "not bold"
                    ),
                    hang=2,
                ),
                gap(),
            ]
            blocks += [para(printable(doubt, 600), "yellow", hang=2) for doubt in self._doubts(choice)]
            blocks += choice_blocks(choice)
        elif unmade := self._unmade:
            blocks += unmade_blocks(unmade)
        notes: Sequence[str] = (*self._advice.doubts, *self._advice.notes)
        if notes:
            blocks += [
                gap(),
                para("About this drive", "bold"),
                *(para("- " + printable(note, 500), indent=2, hang=2) for note in notes),
            ]
        blocks += zoned_blocks(self._advice.zoned)
        self.query_one("#options", Words).show(blocks)

    def action_evidence(self) -> None:
        """The figures behind the highlighted place, and the reason of each option."""
        if choice := self._choice:
            title = f"Evidence: {choice.filesystem} for {printable(self._advice.workload.title, 50)}"
            self.show_reasons(title, lambda: choice_reasons(choice, self._advice))
        elif unmade := self._unmade:
            self.show_reasons(f"Evidence: {printable(unmade.title, 30)}", lambda: unmade_reasons(unmade))

    def _doubts(self, choice: Choice) -> tuple[str, ...]:
        taken = self._taken.get(choice.filesystem)
        return taken.doubts if taken else ()

    def action_options(self) -> None:
        """Every option of the highlighted filesystem, to be taken beside those that are advised."""
        row = self.query_one(Rows).current
        choice = self._advice.choice(row.key) if row else None
        if choice is None or choice.obstacles:
            self.say("There are no options to take: it cannot be made here.", "yellow")
            return
        session = self.session
        assert session.machine is not None and session.drive is not None and session.diagnosis is not None
        asked = (
            session.machine,
            session.drive,
            session.diagnosis.recording,
            self._advice.workload.id,
            choice,
        )
        try:
            offers = self.services.offered_options(*asked)
        except DiskwrightError as error:
            self.say(str(error), "red")
            return
        self.say("")
        title = f"Options: {choice.filesystem} for {printable(self._advice.workload.title, 50)}"
        taken = self._taken.get(choice.filesystem) or Taken(choice)
        screen = OptionsScreen(
            title, offers, taken, lambda names, phrases: self.services.take_options(*asked, names, phrases)
        )
        self.app.push_screen(screen, self._optioned)

    def _optioned(self, taken: Taken | None) -> None:
        """Keep what was taken beside the advice, until the filesystem itself is taken."""
        if taken is None:
            return
        self._taken.pop(taken.choice.filesystem, None)
        if taken.names:
            self._taken[taken.choice.filesystem] = taken
        self.highlighted()

    def action_next(self) -> None:
        """Take the highlighted filesystem, unless something stands against it."""
        if unmade := self._unmade:
            self.say(f"{unmade.title} is never made here: {unmade.why_not}", "yellow")
        choice = self._choice
        if choice is None:
            return
        if choice.obstacles:
            self.say(f"{choice.filesystem} cannot be taken: {choice.obstacles[0]}", "yellow")
            return
        session = self.session
        if choice != session.choice:
            session = replace(
                session, choice=choice, taken=self._taken.get(choice.filesystem), wishes=(), plan=None
            )
        self.dismiss(Next(session))


def _row(choice: Choice) -> Row:
    word = (
        "cannot be made here" if choice.obstacles else choice.place.value if choice.ranked else "not ranked"
    )
    ink = PLACE_INK[choice.place] if choice.ranked else ""
    return Row(
        choice.filesystem, (Text(choice.filesystem), Text(word, ink), Text(printable(choice.sentence, 500)))
    )


def _unmade_row(unmade: Unmade) -> Row:
    return Row(
        unmade.filesystem,
        (Text(printable(unmade.title, 20)), Text("never made"), Text(printable(unmade.why_not, 500))),
    )
