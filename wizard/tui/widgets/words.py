"""Running text with indents: details, evidence, help, previews."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.binding import BindingType
from textual.strip import Strip

from wizard.tui.widgets.lineview import SCROLL_KEYS, LineView


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of text that is wrapped within its indent; `hang` more for all lines but the first."""

    text: Text
    indent: int = 0
    hang: int = 0


Block = Paragraph | Callable[[int], Sequence[Text]]
"""A paragraph, or what draws itself for a width."""


def para(text: str | Text, style: str = "", indent: int = 0, hang: int = 0) -> Paragraph:
    """A wrapped paragraph."""
    return Paragraph(Text(text, style) if isinstance(text, str) else text, indent, hang)


def gap() -> Paragraph:
    """An empty line."""
    return Paragraph(Text(""))


def wrapped(paragraph: Paragraph, width: int) -> list[Text]:
    """The lines of a paragraph, none wider than `width`."""
    room = max(8, width - paragraph.indent - paragraph.hang)
    if not paragraph.text.plain:
        return [Text("")]
    lines: list[Text] = []
    rest = paragraph.text.copy()
    rest.expand_tabs(4)
    for part in rest.split("\n", allow_blank=True):
        lines.extend(_fold(part, room + paragraph.hang if not lines else room, room))
    return [
        Text(" " * (paragraph.indent + (paragraph.hang if index else 0))).append_text(line)
        for index, line in enumerate(lines)
    ]


def _fold(text: Text, first: int, room: int) -> list[Text]:
    """Greedy wrapping at spaces, by cells; a word that is too long is cut where the line ends."""
    lines: list[Text] = []
    start, plain = 0, text.plain
    while True:
        end = start + _fitting(plain[start:], room if lines else first)
        if end >= len(plain):
            lines.append(text[start:] if start < len(plain) else Text(""))
            return lines
        space = plain.rfind(" ", start + 1, end + 1)
        lines.append(text[start : space if space > start else end])
        start = space + 1 if space > start else end


def _fitting(text: str, cells: int) -> int:
    """How many characters fit, at least one."""
    if text.isascii():
        return cells
    taken = 0
    for index, char in enumerate(text):
        taken += cell_len(char)
        if taken > cells:
            return max(1, index)
    return len(text)


class _Page(LineView):
    """Blocks, one below the other."""

    def __init__(self, *blocks: Block, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._blocks: tuple[Block, ...] = blocks

    def show(self, blocks: Sequence[Block], *, stay: bool = False) -> None:
        """Replace the text; it begins at its top again unless `stay`."""
        self._blocks = tuple(blocks)
        self.renew()
        if not stay:
            self.scroll_to(0, 0, animate=False)

    def lay_out(self, width: int) -> list[Text]:
        """All blocks, one below the other."""
        lines: list[Text] = []
        for block in self._blocks:
            lines.extend(wrapped(block, width) if isinstance(block, Paragraph) else block(width))
        return lines


class Words(_Page):
    """Text that scrolls with the arrow keys when focused."""

    BINDINGS: ClassVar[list[BindingType]] = SCROLL_KEYS

    def render_line(self, y: int) -> Strip:
        """The last row says how much lies below it: a scrollbar is only a colour, and what is lost must not
        be overlooked."""
        below = len(self._lines) - self.scroll_offset.y - self.size.height
        if below <= 0 or y < self.size.height - 1:
            return super().render_line(y)
        said = Text(
            f"↓ {below + 1} more lines: Tab, then Down" if not self.has_focus else f"↓ {below + 1} more lines"
        )
        return (
            Strip(said.render(self.app.console))
            .adjust_cell_length(self.size.width)
            .apply_style(self.rich_style)
        )


class Prose(_Page, can_focus=False):
    """A few lines that are only looked at. Not a Static, which would read the eight colours' names as those
    of a web page."""

    def __init__(self, text: Text | str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(para(text), id=id, classes=classes)

    def update(self, text: Text | str) -> None:
        """Replace the text; an empty one takes no line."""
        self.show([para(text)] if text else [])
