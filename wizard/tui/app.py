"""The wizard on a screen: theme, characters, and the walk through the steps."""

import os
import sys
from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.events import Resize
from textual.filter import LineFilter
from textual.geometry import Size

from wizard.model.errors import ExitCode
from wizard.services.contract import Services
from wizard.services.session import Session
from wizard.tui.console.filters import EightInks, NoColours, SafeGlyphs
from wizard.tui.console.terminal import Colours, Glyphs, Terminal, serial_baud, terminal_of
from wizard.tui.console.theme import COLOURLESS, CSS, EIGHT, EIGHT_LIGHT, INKS, LIGHT, LIGHT_INKS, MANY
from wizard.tui.dialogs.explained import Dialog
from wizard.tui.dialogs.help import HelpScreen
from wizard.tui.dialogs.questions import Ask, TooSmall
from wizard.tui.flow import walk
from wizard.tui.step import StepScreen


class WizardApp(App[Session]):
    """Keyboard only, without animations, in characters and colours that the terminal has."""

    CSS = CSS
    TITLE = "diskwright"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,ctrl+q", "end", show=False, priority=True, id="app.end"),
    ]

    def __init__(self, services: Services, terminal: Terminal | None = None) -> None:
        self.terminal = terminal or terminal_of(os.environ, serial_baud(sys.stderr.fileno()))
        eight = self.terminal.colours is not Colours.ANY
        super().__init__(driver_class=_driver(self.terminal), ansi_color=eight)
        self.services = services
        self.animation_level = "none"
        self.no_color = self.terminal.colours is Colours.NONE
        self.ansi_theme_dark, self.ansi_theme_light = INKS, LIGHT_INKS
        light = self.terminal.light
        theme = (EIGHT_LIGHT if light else EIGHT) if eight else (LIGHT if light else MANY)
        theme = COLOURLESS if self.no_color else theme
        self.register_theme(theme)
        self.theme = theme.name
        self._own_filters: list[LineFilter] = []
        if self.terminal.colours is Colours.EIGHT:
            # The ground of the Linux console is black; that of a terminal in a window may be anything.
            self._own_filters.append(EightInks(light=light, paint=self.terminal.glyphs is Glyphs.ALL))
        self._own_filters.append(SafeGlyphs(self.terminal.glyphs))
        if self.no_color:
            self._own_filters.append(NoColours())

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's own, then those that this terminal needs."""
        return [*super().get_line_filters(), *self._own_filters]

    def on_mount(self) -> None:
        """Begin the walk."""
        self.walk_through()

    @work(exit_on_error=True)
    async def walk_through(self) -> None:
        """The steps one after the other, then the end."""
        self.exit(await walk(self, Session()))

    def on_resize(self, event: Resize) -> None:
        """Textual has not taken the new size yet."""
        self.mind(event.size)

    def mind(self, size: Size) -> None:
        """Where there is too little room, a sentence stands over the step until there is enough again."""
        fits = TooSmall.fits(size.width, size.height)
        if isinstance(self.screen, TooSmall):
            if fits:
                self.screen.dismiss(None)
        elif not fits:
            self.push_screen(TooSmall())

    def action_explain(self) -> None:
        """What this screen shows, what its words mean, and what each key does."""
        if isinstance(self.screen, StepScreen | Dialog):
            self.push_screen(HelpScreen(self.screen.explanation()))

    def action_glossary(self) -> None:
        """What words mean, those of this screen first."""
        from wizard.tui.dialogs.glossary import GlossaryScreen, words_of

        self.push_screen(GlossaryScreen(words_of(self.screen)))

    def action_end(self) -> None:
        """Ctrl+C asks, as q does; a second Ctrl+C, in the question, is a yes."""
        if isinstance(self.screen, Ask):
            self.screen.dismiss(True)
        elif isinstance(self.screen, StepScreen):
            self.screen.action_end()
        elif not isinstance(self.screen, TooSmall):
            self.screen.dismiss(None)


def _driver(terminal: Terminal) -> type[Driver] | None:
    """One for a slow line or the text console; None for Textual's own."""
    if terminal.slow:
        from wizard.tui.console.frugal import FrugalDriver

        return FrugalDriver
    if terminal.glyphs is Glyphs.CONSOLE:
        from wizard.tui.console.leaving import LeavingDriver

        return LeavingDriver
    return None


def run_wizard(services: Services) -> ExitCode:
    """Show the wizard until it ends; the exit code of the program. A run that is still at work goes on
    without it."""
    if not sys.stderr.isatty():
        # Textual draws on standard error; what was redirected there would get the screen, and the person
        # nothing.
        os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
    app = WizardApp(services)
    session = app.run(mouse=False)
    if app.return_code:
        return ExitCode.FAILED
    if session is None or session.run is None:
        return ExitCode.ENDED_BY_USER
    # Only here: the first screen does not wait for the journal's room.
    from wizard.apply.decide import left_words
    from wizard.apply.plan.steps_told import exit_code_of

    now = services.state(session.run)
    if not services.demo:
        # The last screen is gone from the terminal with all that it told.
        sys.stderr.writelines(f"{line}\n" for line in left_words(session.run, now))
    return exit_code_of(now)
