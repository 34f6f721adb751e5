"""Things to fill in and to press, drawn so that they are told apart without colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Key
from textual.geometry import Offset
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from wizard.tui.widgets.rows import fitted
from wizard.tui.widgets.words import Prose

HELP_KEY = "question_mark"


class Press(Widget, can_focus=True):
    """A button: `[ Back ]`, in reverse and with `>` in front where the focus is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "press", show=False),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    class Pressed(Message):
        """It was pressed."""

        def __init__(self, press: "Press") -> None:
            super().__init__()
            self.press = press

        @property
        def control(self) -> "Press":
            """The button."""
            return self.press

    def __init__(self, caption: str, *, id: str) -> None:
        super().__init__(id=id)
        self.caption = caption

    def render(self) -> Text:
        """The caption in brackets."""
        text = f"[ {self.caption} ]"
        return Text(f"> {text}", "reverse") if self.has_focus else Text(f"  {text}")

    def get_content_width(self, container: object, viewport: object) -> int:
        """Room for brackets and marker."""
        return len(self.caption) + 6

    def action_press(self) -> None:
        """Tell the screen."""
        self.post_message(self.Pressed(self))

    def on_focus(self) -> None:
        """The terminal's cursor follows."""
        self.app.cursor_position = self.content_region.offset + Offset(2, 0)
        self.refresh()

    def on_blur(self) -> None:
        """Draw without the focus."""
        self.refresh()


@dataclass(frozen=True, slots=True)
class Offer:
    """One value of a Cycle. `refusal` says why it cannot be had now; it can be looked at all the same."""

    value: str
    text: str
    refusal: str = ""


class Cycle(Widget, can_focus=True):
    """One of a few values, changed with the left and right arrow keys: `< ext4: chosen >`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "turn(-1)", show=False),
        Binding("right,space", "turn(1)", show=False),
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    class Changed(Message):
        """Another value was chosen."""

        def __init__(self, cycle: "Cycle", value: str) -> None:
            super().__init__()
            self.cycle = cycle
            self.value = value

        @property
        def control(self) -> "Cycle":
            """The cycle it happened in."""
            return self.cycle

    def __init__(self, offers: Sequence[Offer], value: str, *, id: str) -> None:
        super().__init__(id=id)
        self.offers = tuple(offers)
        self.index = next((index for index, offer in enumerate(offers) if offer.value == value), 0)

    @property
    def value(self) -> str:
        """The chosen value."""
        return self.offers[self.index].value

    @property
    def refusal(self) -> str:
        """Why the chosen value cannot be had, empty where it can."""
        return self.offers[self.index].refusal

    def set_offers(self, offers: Sequence[Offer], value: str) -> None:
        """Replace what can be chosen."""
        self.offers = tuple(offers)
        self.index = next((index for index, offer in enumerate(offers) if offer.value == value), 0)
        self.refresh()

    def render(self) -> Text:
        """The value between arrows."""
        offer = self.offers[self.index]
        text = Text(f"{offer.text} (not possible)", "dim") if offer.refusal else Text(offer.text)
        shown = fitted(text, max(4, self.size.width - 4))
        shown.rstrip()
        return (
            Text("< ").append_text(shown).append(" >")
            if not self.has_focus
            else Text(f"< {shown.plain} >", "reverse")
        )

    def action_turn(self, by: int) -> None:
        """To the next or the previous value, round and round."""
        self.index = (self.index + by) % len(self.offers)
        self.refresh()
        self.post_message(self.Changed(self, self.value))

    def on_focus(self) -> None:
        """The terminal's cursor follows."""
        self.app.cursor_position = self.content_region.offset + Offset(2, 0)
        self.refresh()

    def on_blur(self) -> None:
        """Draw without the focus."""
        self.refresh()


class Entry(Input):
    """A line to type in, that leaves up and down to the form, and ? to the help: nothing that is typed here
    has one, but what is masked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "app.focus_previous", show=False),
        Binding("down", "app.focus_next", show=False),
    ]

    def __init__(self, value: str, placeholder: str, *, id: str, masked: bool = False) -> None:
        super().__init__(value, placeholder, id=id, password=masked, compact=True, select_on_focus=False)
        self.cursor_blink = False

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Textual asks whether a key is typed here, and else looks for what it is bound to."""
        return (self.password or key != HELP_KEY) and super().check_consume_key(key, character)

    def on_key(self, event: Key) -> None:
        """Not to be typed, for this one."""
        if event.key == HELP_KEY and not self.password:
            event.prevent_default()


class Field(Horizontal):
    """A captioned line to type in, in brackets: `Label  [media      ]`."""

    def __init__(
        self, caption: str, name: str, value: str = "", placeholder: str = "", *, masked: bool = False
    ) -> None:
        super().__init__()
        self._caption = caption
        self._entry = Entry(value, placeholder, id=name, masked=masked)

    def compose(self) -> ComposeResult:
        """Caption, bracket, entry, bracket."""
        yield Prose(Text(self._caption), classes="caption")
        yield Prose(Text("["), classes="bracket")
        yield self._entry
        yield Prose(Text("]"), classes="bracket")


class Turn(Horizontal):
    """A captioned Cycle."""

    def __init__(self, caption: str, name: str, offers: Sequence[Offer], value: str) -> None:
        super().__init__(classes="row")
        self._caption = caption
        self._cycle = Cycle(offers, value, id=name)

    def compose(self) -> ComposeResult:
        """Caption and cycle."""
        yield Prose(Text(self._caption), classes="caption")
        yield self._cycle
