"""Filters of everything drawn: characters and colours that the terminal can show."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from wizard.window.terminal import Colours, Glyphs, Terminal, translate


class SafeGlyphs(LineFilter):
    """Replaces characters missing in the terminal's font, and control characters."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in safe characters."""
        return [Segment(translate(text, self.glyphs), style, control) for text, style, control in segments]


class NoColours(LineFilter):
    """Removes colours. Keeps reverse and underline, which show the cursor."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        return [
            Segment(text, None if style is None else _plain(style), control)
            for text, style, control in segments
        ]


class EightInks(LineFilter):
    """Makes text readable on its background.

    `paint` sets black, in case the terminal's background is unknown.

    On black, red is too dark unless bold, which terminals draw bright. On white, yellow, cyan and green are
    too bright.
    """

    def __init__(self, *, light: bool, paint: bool) -> None:
        super().__init__()
        self.light, self.paint = light, paint

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in readable colours."""
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
"""Replacements for green, yellow and cyan."""


def _plain(style: Style) -> Style:
    return Style(
        reverse=style.reverse or None,
        underline=style.underline or None,
        bold=style.bold or None,
        meta=style.meta or None,
    )


def filters_of(terminal: Terminal) -> Sequence[LineFilter]:
    """Return the filters for a terminal."""
    found: list[LineFilter] = []
    if terminal.colours is Colours.EIGHT:
        # The Linux console is black. A terminal window can have any background.
        found.append(EightInks(light=terminal.light, paint=terminal.glyphs is Glyphs.ALL))
    found.append(SafeGlyphs(terminal.glyphs))
    if terminal.colours is Colours.NONE:
        found.append(NoColours())
    return found
