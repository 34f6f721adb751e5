"""Questions, news, and asking for a file's name. No is the default of every question."""

import os
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.tui.dialogs.explained import Dialog
from wizard.tui.widgets.controls import Entry, Field, Press
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.words import Prose


class Ask(Dialog[bool]):
    """A question to be answered with yes or no; no has the focus."""

    NAME = "A question"
    HELP = """
Something is asked before it is done. The lines above the buttons say what yes would mean; nothing happens
before you answer.

The button with > in front has the focus, and Enter presses it. At first that is the one that changes nothing.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", show=False, id="ask.no"),
        Binding("y", "answer(True)", show=False, id="ask.yes"),
    ]

    def __init__(self, question: str, text: str, no: str = "No", yes: str = "Yes") -> None:
        super().__init__()
        self._question, self._text, self._no, self._yes = question, text, no, yes

    def compose(self) -> ComposeResult:
        """The question, what it means, and two buttons."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            with Horizontal(classes="buttons"):
                yield Press(self._no, id="no")
                yield Press(self._yes, id="yes")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Left and right, as the buttons lie."""
        return (("Left/Right", "choose"), ("Enter", "answer"), ("Esc", "no"))

    def on_mount(self) -> None:
        """No first."""
        self.query_one("#no").focus()

    def on_press_pressed(self, event: Press.Pressed) -> None:
        """A button answers."""
        self.dismiss(event.press.id == "yes")

    def action_answer(self, yes: bool) -> None:
        """A key answers."""
        self.dismiss(yes)


class Tell(Dialog[None]):
    """Something that has happened and leaves no choice; any way to close it goes on."""

    NAME = "News"
    HELP = """
Something has happened that leaves no choice. The lines above the button say what, and where it goes on from
here.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", show=False, id="tell.close")]

    def __init__(self, title: str, text: str, go_on: str) -> None:
        super().__init__()
        self._title, self._text, self._go_on = title, text, go_on

    def compose(self) -> ComposeResult:
        """What has happened, and a button."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._title, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            with Horizontal(classes="buttons"):
                yield Press(self._go_on, id="on")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Only on."""
        return (("Enter", self._go_on),)

    def on_mount(self) -> None:
        """Ready to go on."""
        self.query_one(Press).focus()

    def on_press_pressed(self) -> None:
        """The button."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Escape."""
        self.dismiss(None)


class AskName(Dialog[str | None]):
    """Asks for the name of a file, or in a subclass of something else; None is no."""

    NAME = "The name of a file"
    CAPTION = "File"
    TAKES = "save"
    EMPTY: ClassVar[str | None] = None
    """What an empty line says."""
    TYPING = True
    HELP = """
File: where it is to be written. A name alone is a file in the folder in which diskwright was started; ~ is
your own folder.

A file that is there already is never overwritten: choose another name then.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False, id="name.cancel")]

    def __init__(self, question: str, text: str, proposal: str) -> None:
        super().__init__()
        self._question, self._text, self._proposal = question, text, proposal

    def compose(self) -> ComposeResult:
        """The question and a line to type in."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            yield Field(self.CAPTION, "name", self._proposal)
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Taking it, or not."""
        return (("Enter", self.TAKES), ("Esc", "cancel"))

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Entry).focus()

    def on_input_submitted(self, event: Entry.Submitted) -> None:
        """Enter takes the name."""
        self.dismiss(event.value.strip() or self.EMPTY)

    def action_cancel(self) -> None:
        """No file."""
        self.dismiss(None)


class AskFolder(AskName):
    """Asks for a folder; empty is the usual one, None is no."""

    NAME = "The name of a folder"
    CAPTION = "Folder"
    TAKES = "take it"
    EMPTY = ""
    HELP = """
Folder: where room is taken while the filesystem is changed and until that is kept or undone. A whole path,
such as /mnt/backup. It must lie on another filesystem than the one that is changed, and should outlive a
start: not in memory.
"""


class AskVolume(AskName):
    """Asks for a volume; None is no."""

    NAME = "The name of a volume"
    CAPTION = "Volume"
    TAKES = "take it"
    HELP = """
Volume: the partition or volume for the fresh filesystem, such as /dev/sdb1. It must hold nothing, and be
large enough for every file.
"""


class AskToken(Dialog[str | None]):
    """Asks for the drive's token before anything is written; None is no. `check` raises what stands against a
    token."""

    NAME = "The token"
    CAPTION = "Token"
    TYPING = True
    HELP = """
Something is about to be written to the drive. The lines above say what. Typing the token shows that you mean
this drive.

Token: the drive's serial number, or its name where it has none.

Nothing is written on the empty line, by a wrong token, or by Esc.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False, id="token.cancel")]

    def __init__(self, question: str, text: str, token: str, check: Callable[[str], None]) -> None:
        super().__init__()
        self._question, self._text, self._token, self._check = question, text, token, check

    def compose(self) -> ComposeResult:
        """The question and a line to type in; Enter on the empty line is no."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            yield Field(self.CAPTION, "token", "", self._placeholder())
            yield Prose(id="said", classes="said")
        yield self.key_lines()

    def _placeholder(self) -> str:
        return f"(type {printable(self._token, 40)}; Esc is no)"

    def keys(self) -> Pairs:
        """Allowing it, or not."""
        return (("Enter", "take it"), ("Esc", "no"))

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Entry).focus()

    def on_input_submitted(self, event: Entry.Submitted) -> None:
        """The token decides."""
        typed = event.value.strip()
        if not typed:
            self.dismiss(None)
            return
        try:
            self._check(typed)
        except DiskwrightError as error:
            self.query_one("#said", Prose).update(Text(str(error), "yellow"))
        else:
            self.dismiss(typed)

    def action_cancel(self) -> None:
        """No."""
        self.dismiss(None)


class TooSmall(Dialog[None]):
    """Over everything while the terminal has not enough room: nobody should press keys on what cannot be
    seen."""

    LEAST_COLUMNS, LEAST_LINES = 60, 16
    NAME = "A small terminal"
    HELP = "The terminal has too little room for the wizard. Make it larger, and it goes on where it was."

    def compose(self) -> ComposeResult:
        """One sentence, which says the sizes as they are now."""
        yield Prose(id="small")

    def on_resize(self) -> None:
        """Another size, perhaps still too small."""
        size = self.app.size
        self.query_one("#small", Prose).update(
            f"This terminal has {size.width} columns and {size.height} lines. diskwright needs "
            f"{self.LEAST_COLUMNS} and {self.LEAST_LINES}: make it larger, and it goes on where it was."
        )

    @classmethod
    def fits(cls, columns: int, lines: int) -> bool:
        """Whether there is room enough."""
        return columns >= cls.LEAST_COLUMNS and lines >= cls.LEAST_LINES


class AskSecret(Dialog[bytes | None]):
    """Asks for a passphrase that is set already; None is no."""

    NAME = "The passphrase"
    TYPING = True
    HELP = """
Passphrase: the one that you chose for what is encrypted. It is not shown, and kept nowhere.

A wrong one changes nothing: you are told, and can try again.
"""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False, id="secret.cancel")]

    def __init__(self, question: str, text: str) -> None:
        super().__init__()
        self._question, self._text = question, text

    def compose(self) -> ComposeResult:
        """Why it is wanted, and a line to type in."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            yield Field("Passphrase", "secret", masked=True)
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Taking it, or not."""
        return (("Enter", "go on"), ("Esc", "cancel"))

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Entry).focus()

    def on_input_submitted(self, event: Entry.Submitted) -> None:
        """Enter takes it; an empty line is no."""
        self.dismiss(os.fsencode(event.value) or None)

    def action_cancel(self) -> None:
        """It is not given."""
        self.dismiss(None)
