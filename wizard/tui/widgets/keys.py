"""The bottom lines: every key that does something here, always visible."""

from rich.text import Text

from wizard.tui.widgets.words import Prose

Pairs = tuple[tuple[str, str], ...]
"""Keys, each with what it does."""


class Keys(Prose):
    """Keys and what they do, as `[Enter] next`; on a second line where the terminal is narrow."""

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._pairs: Pairs = ()

    def set_keys(self, pairs: Pairs) -> None:
        """Replace what is shown."""
        if pairs != self._pairs:
            self._pairs = pairs
            self.renew()

    def lay_out(self, width: int) -> list[Text]:
        """As many on a line as fit."""
        lines: list[str] = []
        for key, does in self._pairs:
            piece = f"[{key}] {does}"
            if lines and len(lines[-1]) + 2 + len(piece) <= width:
                lines[-1] += "  " + piece
            else:
                lines.append(piece)
        return [Text(line) for line in lines]
