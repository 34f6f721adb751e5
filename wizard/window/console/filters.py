"""The last thing before the screen: only characters that the terminal has, no colour where none is wanted."""

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from wizard.window.console.terminal import Glyphs, translate


class SafeGlyphs(LineFilter):
    """Translate what the terminal's font lacks, and what a terminal would obey rather than print."""

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
        return [
            Segment(text, None if style is None else _plain(style), control)
            for text, style, control in segments
        ]


class EightInks(LineFilter):
    """Inks that can be read on the ground they stand on. `paint` fills the ground, where nobody knows which
    colour the terminal's has.

    On black, red is too dark unless it is bold, which terminals draw bright. On white, yellow, cyan and green
    are too bright.
    """

    def __init__(self, *, light: bool, paint: bool) -> None:
        super().__init__()
        self.light, self.paint = light, paint

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same segments in those inks."""
        return [
            Segment(text, self._inked(style or Style.null()), control) for text, style, control in segments
        ]

    def _inked(self, style: Style) -> Style:
        if style.bgcolor is not None and not style.bgcolor.is_default:
            return style
        ink = style.color.number if style.color else None
        if self.light:
            return style + Style(color=_ON_WHITE[ink]) if ink in _ON_WHITE else style
        painted = (
            Style(color=None if ink is not None else "white", bgcolor="black") if self.paint else Style.null()
        )
        return style + painted + (Style(bold=True) if ink == _RED else Style.null())


_RED = 1
_ON_WHITE = {2: "blue", 3: "magenta", 6: "blue"}
"""What stands for green, yellow and cyan."""


def _plain(style: Style) -> Style:
    return Style(
        reverse=style.reverse or None,
        underline=style.underline or None,
        bold=style.bold or None,
        meta=style.meta or None,
    )
