"""A scrolling, focusable column of text lines."""

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class PlainScrollBar(ScrollBarRender):
    """Whole cells only: the eighths of a block are in no console's font."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]


ScrollBar.renderer = PlainScrollBar


class LineView(ScrollView, can_focus=True):
    """Lines of rich Text, laid out anew for each width. Subclasses say what the lines are.

    Foreign text must have gone through `printable` before it gets here; nothing is read as markup.
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: list[Text] = []
        self._laid_out_for = 0

    def lay_out(self, width: int) -> list[Text]:
        """The lines at a width in cells; none may be wider."""
        raise NotImplementedError

    @property
    def plain(self) -> str:
        """All of the text, also what is scrolled away."""
        return "\n".join(line.plain for line in self.lay_out(self._laid_out_for or 78))

    def renew(self) -> None:
        """Lay out again after a change of content."""
        self._laid_out_for = 0
        self._ensure(self.scrollable_content_region.width)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are."""
        reserved = self.styles.scrollbar_size_vertical if self.styles.scrollbar_gutter == "stable" else 0
        room = max(1, width - reserved)
        return len(self._lines if room == self._laid_out_for else self.lay_out(room))

    def on_resize(self) -> None:
        """A new width needs new lines."""
        self._ensure(self.scrollable_content_region.width)

    def on_focus(self) -> None:
        """The terminal's own cursor goes where the focus is, for braille lines and magnifiers."""
        self.call_after_refresh(self.place_cursor)

    def place_cursor(self) -> None:
        """Put the terminal's cursor on the line that matters; subclasses know better."""
        self.put_cursor_on(0)

    def put_cursor_on(self, line: int) -> None:
        """Put the terminal's cursor at the start of a line, if this widget has the focus and the line is on
        the screen."""
        y = line - self.scroll_offset.y
        if self.has_focus and 0 <= y < max(1, self.size.height):
            self.app.cursor_position = self.content_region.offset + Offset(0, y)

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        width, base = self.size.width, self.rich_style
        index = y + self.scroll_offset.y
        self._ensure(self.scrollable_content_region.width)
        if index >= len(self._lines):
            return Strip.blank(width, base)
        text = self._lines[index]
        segments = [segment for segment in text.render(self.app.console) if segment.text]
        strip = Strip(segments).adjust_cell_length(width).apply_style(base)
        style = self.line_style(index)
        return strip if style is None else _painted(strip, style)

    def line_style(self, index: int) -> Style | None:
        """A style that replaces the line's own colours, or None."""
        return None

    def _ensure(self, width: int) -> None:
        if width <= 0 or width == self._laid_out_for:
            return
        self._laid_out_for = width
        self._lines = self.lay_out(width)
        self.virtual_size = Size(width, len(self._lines))


def _painted(strip: Strip, style: Style) -> Strip:
    """The whole line in one style: colours within it would not be legible on the cursor."""
    return Strip.join([Strip([segment.__class__(segment.text, style, None)]) for segment in strip])


SCROLL_KEYS: list[BindingType] = [
    Binding("up", "scroll_up", show=False),
    Binding("down", "scroll_down", show=False),
    Binding("pageup", "page_up", show=False),
    Binding("pagedown,space", "page_down", show=False),
    Binding("home", "scroll_home", show=False),
    Binding("end", "scroll_end", show=False),
]
