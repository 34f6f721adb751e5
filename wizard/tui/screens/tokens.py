"""Within step 7: the token of every drive, typed one after the other in one line."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical

from wizard.model.identity import Identity
from wizard.model.names import printable
from wizard.tui.widgets.controls import Entry, Field
from wizard.tui.widgets.words import Prose

LAST = "what is there now cannot be put back"


class Tokens(Vertical):
    """Which drive's token is wanted, and a line for it; `fault` takes what is typed."""

    def __init__(self, drives: Sequence[Identity], *, word: str = "") -> None:
        """`word` is typed last of all, where there is no way back."""
        super().__init__(classes="tokens")
        self._drives = tuple(drives)
        self.word = word
        self._number = 0

    def compose(self) -> ComposeResult:
        """The question and the line."""
        yield Prose(self._question(), id="which", classes="spaced")
        yield Field("Token", "token")

    def fault(self) -> str:
        """Why what was typed until now does not confirm every drive, in a sentence; empty where it does.

        A token that is right leads on to the next drive's.
        """
        entry = self.query_one("#token", Entry)
        typed = entry.value.strip()
        if self._number == len(self._drives):
            return "" if typed == self.word else f"Type {self.word} first: {LAST}."
        drive = self._drives[self._number]
        wanted = printable(drive.token, 40)
        if typed != drive.token:
            return (
                f"Type {wanted} first."
                if not typed
                else f"That is not this drive's token, which is {wanted}."
            )
        if self._number == len(self._drives) - 1 and not self.word:
            return ""
        self._number += 1
        entry.value = ""
        self.query_one("#which", Prose).update(self._question())
        if self._number == len(self._drives):
            return f"{drive.path} is confirmed. Now type {self.word}: {LAST}."
        return (
            f"{drive.path} is confirmed. Now {self._drives[self._number].path}: type "
            f"{printable(self._drives[self._number].token, 40)}."
        )

    def _question(self) -> Text:
        if self._number == len(self._drives):
            return Text(f"And type {self.word}, since {LAST}:")
        drive, count = self._drives[self._number], len(self._drives)
        which = (
            "this drive is meant"
            if count == 1
            else f"{drive.path} is meant, drive {self._number + 1} of {count}"
        )
        return Text(f"Or type {printable(drive.token, 40)} to confirm that {which}:")
