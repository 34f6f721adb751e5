"""A minimal Textual program, the reference for the wizard's first useful paint and for its response to a
key."""

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class Minimal(App[None]):
    """A line of text, and a count of pressed keys."""

    def compose(self) -> ComposeResult:
        yield Static("ready to be read")
        yield Static("0 keys", id="keys")

    def on_mount(self) -> None:
        self.keys = 0

    def on_key(self, event: events.Key) -> None:
        self.keys += 1
        self.query_one("#keys", Static).update(f"{self.keys} keys")


if __name__ == "__main__":
    Minimal().run()
