"""What the window remembers of a screen while its views change or another screen is over it."""

from __future__ import annotations

from dataclasses import dataclass, field

from wizard.ui.view import Rows, View


@dataclass(eq=False)
class InputState:
    """Cursor, typed values, focus and scrolling of a screen."""

    cursor: str = ""
    """The row under the cursor."""
    has_moved: bool = False
    """True once the person has moved the cursor."""
    at: str = ""
    """Where the last view wanted the cursor."""
    values: dict[str, str] = field(default_factory=dict)
    """Values of fields by key, of a screen below another."""
    given: dict[str, str] = field(default_factory=dict)
    """Values of fields that the last view had."""
    focus: str = ""
    """The part or field with the focus, of a screen below another."""
    tops: dict[str, float] = field(default_factory=dict)
    """The first visible line of scrolled parts, of a screen below another."""

    def meet(self, view: View, *, asked: bool) -> bool:
        """Adopt a new view. Returns True if the screen must be told the cursor position. With `asked`, the
        view results from the person's input and may move the cursor."""
        return view.rows is not None and self._meet_rows(view.rows, asked=asked)

    def _meet_rows(self, rows: Rows, *, asked: bool) -> bool:
        keys = [row.key for row in rows.rows]
        moved = rows.at in keys and rows.at != self.at and (asked or not self.has_moved)
        if moved or self.cursor not in keys:
            self.cursor = rows.at if rows.at in keys else (keys[0] if keys else "")
        differs = bool(keys) and rows.at != self.cursor and rows.at != self.at
        self.at = rows.at
        return differs
