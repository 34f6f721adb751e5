"""Main loop of the line-by-line wizard: print a view, read an answer, act."""

import os
import sys
from collections.abc import Iterable
from shutil import get_terminal_size
from threading import Event
from time import monotonic
from typing import BinaryIO
from weakref import WeakKeyDictionary

from wizard.host.services import Services
from wizard.model.errors import DiskwrightError, ExitCode
from wizard.model.said import Sentence, t
from wizard.plain import prompt, telling
from wizard.plain.prompt import PlainPara as Line
from wizard.process.output import command_lines
from wizard.ui.desk import Screen
from wizard.ui.view import Field, View
from wizard.ui.wizard import Wizard

STEP = Sentence("Step {number} of 5: {name}")

LOOK_SECONDS = 1.0
"""Polling interval for changes during work."""
PATIENCE_SECONDS = 1.5
"""Work that takes longer is reported before it ends."""
FIGURES_SECONDS = 10.0
"""Least interval between reports that only differ in figures."""


def run_lines(
    services: Services, hint: str = "", drive: str = "", part: str = "", answers: BinaryIO | None = None
) -> ExitCode:
    """Run the wizard on the standard streams and return the exit code. A run in progress continues after
    exit. `answers` replaces stdin."""
    talk = prompt.Dialogue(
        answers or sys.stdin.buffer,
        sys.stdout,
        width=get_terminal_size().columns - 1,
        ascii_only=not (prompt.speaks_utf8(os.environ) and sys.stdout.encoding.lower() == "utf-8"),
        echo=answers is not None or not sys.stdin.isatty(),
    )
    desk = Wizard(services)
    lines = PlainSession(desk, talk)
    if hint:
        talk.say(hint)
    talk.say(t("diskwright sets up a drive step by step. Answer with a number and Enter. Type ? for help."))
    talk.say(
        t("Writing starts only after you have seen the plan and typed the drive's serial number (or name).")
    )
    desk.begin(drive, part)
    return lines.converse()


class PlainSession:
    """One session. Remembers the last printed view, and prints only changes to it."""

    def __init__(self, desk: Wizard, talk: prompt.Dialogue) -> None:
        self.desk, self.talk = desk, talk
        self._woken = Event()
        desk.changed = self._woken.set
        self._screen: Screen | None = None
        self._told: View | None = None
        self._step: object = None
        self._acted = self._left = False
        self._said = ""
        self.typed: WeakKeyDictionary[Screen, dict[str, tuple[str, str]]] = WeakKeyDictionary()

    def converse(self) -> ExitCode:
        """Run until the wizard ends, and return the exit code."""
        try:
            while not self.desk.over:
                self._turn()
        except (prompt.Ended, KeyboardInterrupt) as cause:
            self.desk.interrupted = True
            if isinstance(cause, KeyboardInterrupt):
                self.talk.say()
                self.talk.say(t("Interrupted."))
        finally:
            may_have_begun = self.desk.interrupted and not self.desk.may_end
            self.desk.end()
        if may_have_begun:
            self.talk.say(t("Ended. The run may have started. Check with `diskwright status`."))
        elif self.desk.run is None:
            wrote = self.desk.measured_by_writing
            self.talk.say(
                t("Ended. Only the benchmark wrote, to free space.")
                if wrote
                else t("Ended. No data was written to any drive.")
            )
        self.talk.show(self.desk.farewell())
        return self.desk.exit_code()

    def _turn(self) -> None:
        try:
            screen, view = self._wait_until_idle()
            if self.desk.over:
                return
            self.tell(screen, view)
            if view.fields:
                self.fill(screen, view)
                return
            self.talk.say(prompt.legend(view))
            self.take(screen, view, self.talk.answer())
        except KeyboardInterrupt:
            # Just as something begins: ask what to do, as later on.
            screen, view = self.desk.shown()
            if self._left or not view.busy:
                raise
            self._interrupted(screen, view)

    def _wait_until_idle(self) -> tuple[Screen, View]:
        """Wait until nothing is in progress, and return screen and view. Reports progress; Ctrl+C asks what
        to do."""
        begun = due = monotonic()
        while True:
            screen, view = self.desk.shown()
            try:
                self._woken.clear()
                self._request_root()
                screen, view = self.desk.shown()
                # A question during work is answered while the work continues.
                if self.desk.over or (not view.busy and (view.over or self.desk.wait(0))):
                    return screen, view
                if monotonic() - begun >= PATIENCE_SECONDS and self._report_progress(screen, view, due):
                    due = monotonic() + FIGURES_SECONDS
                self._woken.wait(LOOK_SECONDS)
            except KeyboardInterrupt:
                self._interrupted(screen, view)

    def _request_root(self) -> None:
        if self.desk.errand is not None:
            self.talk.say(t("diskwright asks for root access, then returns to the wizard."))
            self.desk.errand()

    def _report_progress(self, screen: Screen, view: View, due: float) -> bool:
        """Print changes during work. Changes of figures only count if due. Returns True if it printed
        anything."""
        if self._screen is not screen or self._told is None or self._told.place != view.place:
            self.tell(screen, view)
            return True
        new = list(telling.changes(self._told, view))
        known = {telling.but_figures(one) for one in telling.whole(self._told)}
        if not new or (monotonic() < due and all(telling.but_figures(one) in known for one in new)):
            return False
        self._told = view
        self.print(new)
        return True

    def _interrupted(self, screen: Screen, view: View) -> None:
        """Offer the actions possible during work. An empty line changes nothing; another Ctrl+C leaves the
        work running."""
        self.talk.say()
        self.talk.say(prompt.EMPTY(label=t("continue watching")))
        self.talk.say(prompt.OR(ways=prompt.ways(view)))
        try:
            answer = self.talk.answer()
        except KeyboardInterrupt:
            self._left = True
            raise
        if answer:
            self.take(screen, view, answer)

    def tell(self, screen: Screen, view: View) -> None:
        """Print a new view in full, or the changes in a known one, then the response to the last answer."""
        new: list[telling.Told] = []
        before = self._told if self._screen is screen else None
        if before is None or before.place != view.place:
            is_new_step = view.step != self._step
            new = [
                Line(),
                *([Line(str(STEP(number=view.step.number, name=view.step.shown)))] if is_new_step else []),
                *telling.whole(view, headed=is_new_step),
            ]
        else:
            new = list(telling.changes(before, view))
        response = str(view.said.text) if view.said else ""
        if response and (response != self._said or (self._acted and screen.said is not None)):
            new.append(Line(response))
        if self._acted and not new:
            new.append(Line(str(t("No change."))))
        self._screen, self._told, self._step = screen, view, view.step
        self._said, self._acted = response, False
        self.print(new)

    def print(self, told: Iterable[telling.Told]) -> None:
        """Print paragraphs, and commands in a form suitable for copying."""
        for one in told:
            if isinstance(one, Line):
                self.talk.say(one.text, one.indent, one.hang)
            elif len(one.argv) == 1:
                self.talk.show(one.argv)
            else:
                self.talk.show(command_lines(one.argv, self.talk.width, 2))

    def take(self, screen: Screen, view: View, answer: str) -> None:
        """Process an answer. Reports an invalid one."""
        number, row = prompt.NUMBERED.fullmatch(answer), view.rows.at if view.rows else ""
        action = prompt.find(view, answer) if answer else prompt.entering(view)
        if answer.startswith("?"):
            self.explain(view, answer[1:].strip())
        elif answer.lower() in ("l", "list"):
            self._told = None
        elif answer.lower() in ("q", "quit", "exit"):
            self.act("quit")
        elif number is not None:
            self._at_row(screen, view, answer, int(number[1]) - 1, number[2].strip())
        elif action is None or (action.ends and not answer):
            self.misunderstood(answer)
        elif self.is_still(screen, view, row):
            if row:
                self.desk.moved(row)
            if self.desk.view.action(action.name):
                self.act(action.name, row)
            else:
                self.talk.say(prompt.MEANWHILE)

    def misunderstood(self, answer: str) -> None:
        """Report an invalid answer."""
        self.talk.say(
            t(
                '"{answer}" is not a valid answer. Type ? for help, or l to list everything again.',
                answer=answer,
            )
        )

    def explain(self, view: View, word: str) -> None:
        """Explain the view or a word."""
        if not word:
            self.print(telling.help_lines(view))
            return
        from wizard.ui.dialogs.pages import meaning

        try:
            pane = meaning(word)
        except DiskwrightError as error:
            self.talk.say(str(error))
        else:
            self.print((*telling.printed(telling.pane_units(view, pane)), Line()))

    def _at_row(self, screen: Screen, view: View, answer: str, index: int, rest: str) -> None:
        rows = view.rows.rows if view.rows else ()
        if not 0 <= index < len(rows):
            self.misunderstood(answer)
            return
        row = rows[index].key
        if not self.is_still(screen, view, row):
            return
        self.desk.moved(row)
        here = self.desk.view
        rows = here.rows.rows if here.rows else rows
        if rest == "?" or (not rest and prompt.only_reads(here)):
            self._screen, self._told = screen, here
            new: list[telling.Told] = list(telling.row_lines(index + 1, rows[index]))
            for pane in here.panes:
                new += telling.printed(telling.pane_units(here, pane))
            self.print([*new, Line()])
        elif action := (prompt.find(here, rest) if rest else prompt.taking(here)):
            self.act(action.name, row)
        else:
            self.desk.moved(view.rows.at if view.rows else "")
            self.misunderstood(answer)

    def act(self, name: str, row: str = "", values: dict[str, str] | None = None) -> None:
        """Do an action."""
        self._acted = True
        self.desk.act(name, row, values)

    def is_still(self, screen: Screen, view: View, row: str = "") -> bool:
        """Return True if the screen is the same and the row is unchanged. Otherwise reports that nothing is
        done."""
        screen_now, now = self.desk.shown()
        same = screen_now is screen and now.place == view.place
        if same and row:
            shown, found = (
                next((one.cells for one in of.rows.rows if one.key == row), None) if of.rows else None
                for of in (view, now)
            )
            same = shown is not None and shown == found
        if not same:
            self.talk.say(prompt.MEANWHILE)
        return same

    def fill(self, screen: Screen, view: View) -> None:
        """Ask for each field, then do what Enter does in the last one. Keeps rejected input, except
        secrets."""
        typed = self.typed.setdefault(screen, {})

        def current(field: Field) -> str:
            before, value = typed.get(field.key, (field.value, field.value))
            return value if before == field.value and not field.secret else field.value

        if action := prompt.entering(view):
            self.talk.say(t("After the last answer: {label}.", label=action.label))
        self.talk.say(prompt.OR(ways=prompt.ways(view)))
        values = {field.key: current(field) for field in view.fields}
        asked: set[str] = set()
        while field := next((one for one in view.fields if one.key not in asked), None):
            answer = self._ask(screen, view, field, values)
            if answer is None:
                return
            asked.add(field.key)
            changed = field.offers and answer != values[field.key]
            values[field.key] = answer
            if not field.secret:
                typed[field.key] = (field.value, answer)
            if changed:
                self.desk.turned(field.key, values)
                screen_now, view = self.desk.shown()
                if screen_now is not screen:
                    return
                self.tell(screen, view)
                values = {
                    one.key: values[one.key] if one.key in asked and one.key in values else current(one)
                    for one in view.fields
                }
        if not self.is_still(screen, view):
            return
        if action := prompt.entering(view):
            self.act(action.name, values=values)
        else:
            self.talk.say(prompt.legend(view))
            self.take(screen, view, self.talk.answer())

    def _ask(self, screen: Screen, view: View, field: Field, values: dict[str, str]) -> str | None:
        """Return the typed text or the value of an offer, None after another action."""
        while True:
            self.print(prompt.field_lines(field, values[field.key]))
            if field.secret:
                return self.talk.hidden_answer().decode("utf-8", "surrogateescape")
            answer = self.talk.answer()
            if not answer:
                return values[field.key]
            if answer.startswith("?"):
                self.explain(view, answer[1:].strip())
                continue
            if answer == "q":
                self.act("quit")
                return None
            action = view.action("back") if answer == "b" else None
            if answer.startswith("!") and not (action := prompt.find(view, answer[1:])):
                self.misunderstood(answer)
                continue
            if action:
                if self.is_still(screen, view):
                    self.act(action.name, values=values)
                return None
            if (value := self._parse(field, answer.removeprefix("="))) is not None:
                return value

    def _parse(self, field: Field, text: str) -> str | None:
        """Return the text or the chosen offer. Reports an unavailable one and returns None."""
        if not field.offers:
            return text
        wanted, number = text.casefold(), int(text[:6]) if text.isascii() and text.isdecimal() else 0
        named = [one for one in field.offers if wanted in (one.value.casefold(), str(one.text).casefold())]
        offer = next(iter((*field.offers[max(0, number - 1) : number], *named)), None)
        if offer is None:
            self.talk.say(t("Choose one of these."))
        elif offer.why_not:
            self.talk.say(f"{prompt.CANNOT} {offer.why_not}")
        else:
            return offer.value
        return None
