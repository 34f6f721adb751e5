"""The least a Textual program can be: the yardstick for the wizard's first useful paint."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Minimal(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        yield Static("ready to be read")


if __name__ == "__main__":
    Minimal().run()
