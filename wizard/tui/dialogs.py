"""Questions, help, and asking for a file's name. No is the default of every question."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen

from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.tui.widgets.controls import Entry, Field, Press
from wizard.tui.widgets.keys import Keys
from wizard.tui.widgets.words import Block, Prose, Words, gap, para


class Ask(ModalScreen[bool]):
    """A question to be answered with yes or no; no has the focus."""

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
        keys = Keys()
        keys.set_keys((("Left/Right", "choose"), ("Enter", "answer"), ("Esc", "no")))
        yield keys

    def on_mount(self) -> None:
        """No first."""
        self.query_one("#no").focus()

    def on_press_pressed(self, event: Press.Pressed) -> None:
        """A button answers."""
        self.dismiss(event.press.id == "yes")

    def action_answer(self, yes: bool) -> None:
        """A key answers."""
        self.dismiss(yes)


class Tell(ModalScreen[None]):
    """Something that has happened and leaves no choice; any way to close it goes on."""

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
        keys = Keys()
        keys.set_keys((("Enter", self._go_on),))
        yield keys

    def on_mount(self) -> None:
        """Ready to go on."""
        self.query_one(Press).focus()

    def on_press_pressed(self) -> None:
        """The button."""
        self.dismiss(None)

    def action_close(self) -> None:
        """Escape."""
        self.dismiss(None)


class AskName(ModalScreen[str | None]):
    """Asks for a file's name; None is no."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False, id="name.cancel")]

    def __init__(self, question: str, text: str, proposal: str) -> None:
        super().__init__()
        self._question, self._text, self._proposal = question, text, proposal

    def compose(self) -> ComposeResult:
        """The question and a line to type in."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            yield Field("File", "name", self._proposal)
        keys = Keys()
        keys.set_keys((("Enter", "save"), ("Esc", "cancel")))
        yield keys

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one(Entry).focus()

    def on_input_submitted(self, event: Entry.Submitted) -> None:
        """Enter takes the name."""
        self.dismiss(event.value.strip() or None)

    def action_cancel(self) -> None:
        """No file."""
        self.dismiss(None)


class AskToken(ModalScreen[str | None]):
    """Asks for the drive's token before anything is written; None is no. `check` raises what stands against a token."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", show=False, id="token.cancel")]

    def __init__(self, question: str, text: str, token: str, check: Callable[[str], None]) -> None:
        super().__init__()
        self._question, self._text, self._token, self._check = question, text, token, check

    def compose(self) -> ComposeResult:
        """The question and a line to type in; Enter on the empty line is no."""
        with Vertical(classes="dialog"):
            yield Prose(Text(self._question, "bold"), classes="title")
            yield Prose(Text(self._text), classes="text")
            yield Field("Token", "token", "", f"(type {printable(self._token, 40)}; Esc is no)")
            yield Prose(id="said", classes="said")
        keys = Keys()
        keys.set_keys((("Enter", "take it"), ("Esc", "no")))
        yield keys

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


class Page(ModalScreen[None]):
    """A page to read."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,b,e,enter", "close", show=False, id="page.close")]

    def __init__(self, title: str, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._title, self._blocks = title, blocks

    def compose(self) -> ComposeResult:
        """Bar, text, keys."""
        yield Prose(Text(f" {self._title}"), id="head")
        yield Words(gap(), *self._blocks, id="page")
        keys = Keys()
        keys.set_keys((("Up/Down", "scroll"), ("Esc", "close")))
        yield keys

    def on_mount(self) -> None:
        """Ready to scroll."""
        self.query_one(Words).focus()

    def action_close(self) -> None:
        """Back to the step."""
        self.dismiss(None)


class HelpScreen(ModalScreen[None]):
    """What this step is for, its keys, and the words it uses."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,b,enter", "close", show=False, id="help.close")]

    def __init__(self, title: str, text: str, keys: tuple[tuple[str, str], ...]) -> None:
        super().__init__()
        self._title, self._text, self._keys = title, text, keys

    def compose(self) -> ComposeResult:
        """A page to scroll."""
        yield Prose(Text(f" Help: {self._title}"), id="head")
        blocks = [gap()]
        for part in self._text.strip().split("\n\n"):
            head, colon, rest = part.replace("\n", " ").partition(": ")
            if colon and len(head) <= 24:
                blocks += [para(Text(f"{head}: ", "bold").append(rest, "not bold"), hang=2)]
            else:
                blocks += [para(part.replace("\n", " "))]
            blocks.append(gap())
        blocks.append(para("Keys", "bold"))
        blocks += [para(f"{key:<12} {does}", indent=2, hang=13) for key, does in self._keys]
        yield Words(*blocks, id="help")
        keys = Keys()
        keys.set_keys((("Up/Down", "scroll"), ("Esc", "close the help")))
        yield keys

    def on_mount(self) -> None:
        """Ready to scroll."""
        self.query_one(Words).focus()

    def action_close(self) -> None:
        """Back to the step."""
        self.dismiss(None)
