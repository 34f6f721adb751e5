"""Step 3: which filesystem, with which options, and why."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from wizard.model.advice import Advice, Choice
from wizard.model.names import printable
from wizard.tui.describe import PLACE_INK, choice_blocks, zoned_blocks
from wizard.tui.reasontext import choice_reasons
from wizard.tui.session import Next
from wizard.tui.step import StepScreen
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, gap, para


class AdviceScreen(StepScreen):
    """The ranking, and the options of the highlighted filesystem."""

    NUMBER = 3
    TITLE = "Advice"
    HELP = """
The filesystems are ranked for this purpose on this drive. Enter takes the highlighted one, whether it was advised or not.

chosen: fits best. second: a good choice too. rejected: does this work badly, or cannot be made here; then it cannot be taken, and
the reason is shown.

Options: what the program that makes the filesystem (mkfs) and the mount command are given beyond their defaults, each with its
reason and what it costs.

Scheduler: the order in which the kernel sends requests to the drive. It is advice; the plan does not change it.

Evidence: press e for the published figures behind a place, with when and on what they were measured.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("e", "evidence", show=False, id="advice.evidence")]

    def body(self) -> ComposeResult:
        """The ranking and the options."""
        with Container(id="halves"):
            yield Rows(Column(), Column(flexible=True), id="ranking")
            yield Prose(classes="rule")
            yield Words(id="options")

    def begin(self) -> None:
        """Show the ranking, the chosen one first."""
        advice = self._advice
        self.query_one("#intro", Prose).update(Text(f"For: {printable(advice.workload.title, 70)}"))
        rows = self.query_one(Rows)
        taken = self.session.choice.filesystem if self.session.choice else None
        rows.set_rows([_row(choice) for choice in advice.choices], taken)
        rows.focus()
        if advice.chosen is None:
            self.say("No filesystem can be made on this drive from here; each row says why.", "yellow")

    def keys(self) -> Pairs:
        """Choosing and reading."""
        return (("Up/Down", "choose"), ("Enter", "take it"), ("e", "evidence"), ("Tab", "list or options"))

    @property
    def _advice(self) -> Advice:
        assert self.session.advice is not None
        return self.session.advice

    @property
    def _choice(self) -> Choice | None:
        row = self.query_one(Rows).current
        return self._advice.choice(row.key) if row else None

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Show its options."""
        choice = self._choice
        if choice is None:
            return
        blocks: list[Block] = list(choice_blocks(choice))
        notes: Sequence[str] = (*self._advice.doubts, *self._advice.notes)
        if notes:
            blocks += [gap(), para("About this drive", "bold"), *(para("- " + printable(note, 500), indent=2, hang=2) for note in notes)]
        blocks += zoned_blocks(self._advice.zoned)
        self.query_one("#options", Words).show(blocks)

    def action_evidence(self) -> None:
        """The figures behind the highlighted place, and the reason of each option."""
        if choice := self._choice:
            title = f"Evidence: {choice.filesystem} for {printable(self._advice.workload.title, 50)}"
            self.show_reasons(title, lambda: choice_reasons(choice, self._advice))

    def action_next(self) -> None:
        """Take the highlighted filesystem, unless something stands against it."""
        choice = self._choice
        if choice is None:
            return
        if choice.obstacles:
            self.say(f"{choice.filesystem} cannot be taken: {choice.obstacles[0]}", "yellow")
            return
        session = self.session
        if choice != session.choice:
            session = replace(session, choice=choice, wishes=(), plan=None)
        self.dismiss(Next(session))


def _row(choice: Choice) -> Row:
    word = "cannot be made here" if choice.obstacles else choice.place.value
    return Row(
        choice.filesystem,
        (Text(choice.filesystem), Text(word, PLACE_INK[choice.place])),
        (para(printable(choice.sentence, 500), indent=2),),
    )
