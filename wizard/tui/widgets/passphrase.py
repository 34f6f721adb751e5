"""A new passphrase, typed twice and not shown."""

import os

from textual.app import ComposeResult
from textual.containers import Vertical

from wizard.layout.wishes.passphrase import passphrase_fault, passphrase_warning
from wizard.tui.widgets.controls import Entry, Field

FIRST, SECOND = "passphrase", "again"
"""The names of the two lines."""


class Passphrase(Vertical):
    """Two lines to type the same passphrase in. `problem` is what has to be said before it is taken; `secret`
    is it."""

    DEFAULT_CSS = "Passphrase { height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self._warned = b""

    def compose(self) -> ComposeResult:
        """Both lines; while they are empty, what losing it means."""
        yield Field(
            "Passphrase", FIRST, placeholder="a new one; whoever loses it loses the data", masked=True
        )
        yield Field("Once more", SECOND, placeholder="the same", masked=True)

    @property
    def secret(self) -> bytes:
        """What was typed in the first line."""
        return os.fsencode(self._line(FIRST).value)

    def problem(self) -> tuple[str, str]:
        """A sentence, and the name of the line that it is about; both empty where there is none. A warning
        comes once."""
        if not self.secret:
            return "Type a passphrase for what is encrypted.", FIRST
        if fault := passphrase_fault(self.secret):
            return f"This passphrase {fault}.", FIRST
        if self._line(SECOND).value != self._line(FIRST).value:
            return "Type the same passphrase twice.", SECOND
        if (warning := passphrase_warning(self.secret)) and self._warned != self.secret:
            self._warned = self.secret
            return f"{warning} Press Apply to take it all the same.", ""
        return "", ""

    def clear(self) -> None:
        """Forget what was typed."""
        self._warned = b""
        for name in (FIRST, SECOND):
            self._line(name).value = ""

    def _line(self, name: str) -> Entry:
        return self.query_one(f"#{name}", Entry)
