"""Options beside those that are advised: taken one by one, a dangerous one only when its danger is typed
back."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from wizard.advise.asked import Taken
from wizard.advise.offered import Offered
from wizard.model.errors import BadInput, DiskwrightError
from wizard.model.names import printable
from wizard.tui.dialogs.explained import Dialog
from wizard.tui.dialogs.questions import AskToken
from wizard.tui.widgets.keys import Pairs
from wizard.tui.widgets.rows import Column, Row, Rows
from wizard.tui.widgets.words import Block, Prose, Words, para

Take = Callable[[Sequence[str], Sequence[str]], Taken]
"""The choice with the options of these ids, given the dangers that were typed back; raises the reason against
it."""

INKS = {"advised": "green", "danger": "red", "not advised": "yellow"}


class AskDanger(AskToken):
    """Asks for the danger of an option, word by word; None is no."""

    NAME = "The danger"
    CAPTION = "Danger"
    HELP = """
The option puts data at risk. The lines above say what can be lost. Typing its danger back shows that you
know.

The option is not taken on the empty line, by other words, or by Esc.
"""

    def _placeholder(self) -> str:
        return "(the words above; Esc is no)"


class OptionsScreen(Dialog[Taken]):
    """Every option that can be written for one filesystem. It ends with the choice as it is then."""

    NAME = "Options"
    HELP = """
Each line is an option of the program that makes the filesystem (mkfs) or of mount. What it does, and what it
costs, is shown beside or below the list. Enter takes the highlighted one, or drops it again; Esc goes back to
the ranking with what was taken.

[x]: it will be used. An advised one is used by itself, and gives way where you take one that cannot stand
beside it.

not advised: it can be had, and the reason against it is shown and repeated in the plan.

danger: it puts data at risk. It is taken only when you type its danger back, the plan repeats it, and a
volume that the system lives on never gets it.

cannot be had: this kernel, this drive or this purpose stands against it, with the reason.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "turn", show=False, id="options.turn"),
        Binding("escape,o,q,b", "close", show=False, id="options.close"),
    ]

    def __init__(self, title: str, offers: Sequence[Offered], taken: Taken, take: Take) -> None:
        super().__init__()
        self._title, self._offers, self._taken, self._take = title, tuple(offers), taken, take

    def compose(self) -> ComposeResult:
        """Bar, options, what one does, a line for messages, keys."""
        yield Prose(Text(f" {self._title}"), id="head")
        with Container(id="halves"):
            yield Rows(Column(), Column(flexible=True), Column(), id="offers")
            yield Prose(classes="rule")
            yield Words(id="behind")
        yield Prose(id="message")
        yield self.key_lines()

    def keys(self) -> Pairs:
        """Choosing, taking, reading."""
        return (("Up/Down", "choose"), ("Enter", "take or drop"), ("Tab", "list or reasons"), ("Esc", "done"))

    def on_mount(self) -> None:
        """All of them, the advised first."""
        self._draw()
        self.query_one(Rows).focus()

    @property
    def _current(self) -> Offered | None:
        row = self.query_one(Rows).current
        return next((offer for offer in self._offers if row and offer.option.id == row.key), None)

    def _draw(self) -> None:
        self.query_one(Rows).set_rows([self._row(offer) for offer in self._offers])

    def _row(self, offer: Offered) -> Row:
        option = offer.option
        mark = "[x]" if self._is_used(offer) else "[ ]"
        word = "taken" if option.id in self._taken.names else offer.standing
        word = "gives way" if offer.advised and not self._is_used(offer) else word
        text = Text(f"{option.kind}: {printable(option.text, 60)}")
        return Row(option.id, (Text(mark), text, Text(word, INKS.get(offer.standing, ""))))

    def _is_used(self, offer: Offered) -> bool:
        """Whether it stands among what is written, by itself or as a part of a list."""
        option, choice = offer.option, self._taken.choice
        return option.id in self._taken.names or (
            offer.advised and any(one.text == option.text for one in (*choice.mkfs, *choice.mount))
        )

    @on(Rows.Highlighted)
    def highlighted(self) -> None:
        """Show what it does."""
        if offer := self._current:
            head = para(Text(printable(offer.option.text, 60), "bold"))
            said: list[Block] = [para(printable(sentence, 600), hang=2) for sentence in offer.sentences]
            self.query_one("#behind", Words).show([head, *said])

    def action_turn(self) -> None:
        """Take the highlighted option, or drop it; a dangerous one is asked for first."""
        offer = self._current
        if offer is None:
            return
        option, names = offer.option, self._taken.names
        if option.id in names:
            self._settle([name for name in names if name != option.id])
        elif offer.refusal:
            self._say(offer.refusal)
        elif offer.advised:
            self._say(
                f"{printable(option.text, 60)} is advised, and used unless one is taken that cannot stand "
                "beside it."
            )
        elif option.phrase:
            text = (
                f"{printable(option.text, 60)} puts data at risk. {printable(option.never, 400)} To have it "
                "all the same, type exactly: "
            )
            asks = AskDanger("A dangerous option", text + option.phrase, option.phrase, _same(option.phrase))
            self.app.push_screen(
                asks, lambda typed: self._settle([*names, option.id], typed) if typed else None
            )
        else:
            self._settle([*names, option.id])

    def _settle(self, names: Sequence[str], typed: str | None = None) -> None:
        phrases = self._taken.phrases if typed is None else (*self._taken.phrases, typed)
        wanted = {offer.option.phrase for offer in self._offers if offer.option.id in names}
        try:
            self._taken = self._take(
                names, tuple(phrase for phrase in dict.fromkeys(phrases) if phrase in wanted)
            )
        except DiskwrightError as error:
            self._say(str(error))
            return
        self._say("")
        self._draw()

    def _say(self, sentence: str) -> None:
        self.query_one("#message", Prose).update(Text(printable(sentence, 400), "yellow"))

    def action_close(self) -> None:
        """Back to the ranking, with what was taken."""
        self.dismiss(self._taken)


def _same(phrase: str) -> Callable[[str], None]:
    def check(typed: str) -> None:
        if typed != phrase:
            raise BadInput("That is not its danger. Type the words above exactly, or press Esc.")

    return check
