"""The last thing before the screen: only characters that the terminal has, no colour where none is wanted."""

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from wizard.tui.terminal import Glyphs, translate


class SafeGlyphs(LineFilter):
    """Translate what the terminal's font lacks."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments in safe characters."""
        return [Segment(translate(text, self.glyphs), style, control) for text, style, control in segments]


class NoColours(LineFilter):
    """Take every colour away, and leave reverse and underline, which tell the cursor from the rest."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments without colours."""
        return [Segment(text, None if style is None else _plain(style), control) for text, style, control in segments]


_DEFAULT = RichColor.default()


def _plain(style: Style) -> Style:
    return Style(reverse=style.reverse or None, underline=style.underline or None, bold=style.bold or None, meta=style.meta or None)
