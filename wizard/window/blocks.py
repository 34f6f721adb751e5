"""Draw paragraphs, commands, figures, progress and banners as lines."""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from wizard.model.said import t
from wizard.ui import view as ui
from wizard.window import canvas
from wizard.window.bars import bar_lines
from wizard.window.canvas import Run
from wizard.window.keyboard import InputState
from wizard.window.look import Look

WIDE, ROOMY, HIGH, TALL = 100, 70, 22, 30


class Pen(Struct, frozen=True):
    """Context for drawing: look, view, size of the screen, and state of the input. `focused` is False below a
    dialog."""

    look: Look
    view: ui.View
    columns: int
    lines: int
    state: InputState
    focused: bool = True
    drawn: dict[tuple[object, ...], list[Strip]] = {}
    """Cache of this screen's layouts, which are needed for their height first."""
    parts: dict[str, canvas.ScrollExtent] = {}
    """Scrolling parts drawn so far."""

    @property
    def wide(self) -> bool:
        """True if there is room for boxes and two panes."""
        return self.columns >= WIDE

    @property
    def roomy(self) -> bool:
        """True if there is room for blank rows between parts."""
        return self.columns >= ROOMY and self.lines >= HIGH

    @property
    def tall(self) -> bool:
        """True if there is room for two-line bars and large figures."""
        return self.columns >= ROOMY and self.lines >= TALL

    @property
    def has_main(self) -> bool:
        """True if the view has a list or fields."""
        return self.view.rows is not None or bool(self.view.fields)

    def at(self, part: str) -> bool:
        """Return True if a part has the focus."""
        return self.focused and self.state.focus == part

    def runs(self, pieces: Sequence[ui.Piece], between: str = " ") -> list[Run]:
        """Return pieces with spaces between them."""
        found: list[Run] = []
        for piece in pieces:
            if text := canvas.shown(piece.text):
                found += [(between, "plain")] if found else []
                found.append((text, piece.tone))
        return found

    def cap(self, action: ui.Action | None, *, filled: bool = False) -> list[Run]:
        """Return an action's key and label, if there is an action."""
        if action is None:
            return []
        name = canvas.key_name(action, typing=bool(self.view.fields))
        label = canvas.shown(action.label)
        off = action.why_not != ""
        if filled and not off:
            return [(f" {name}  {label[:1].upper()}{label[1:]} ", "go")]
        cap = f" {name} " if self.look.many else f"({name})" if off else f"[{name}]"
        return [(cap, "cap-off" if off else "cap"), (f" {label}", "off" if off else "plain")]


def block_lines(blocks: Sequence[ui.Block], width: int, pen: Pen) -> list[Strip]:
    """Draw blocks below each other, at most `width` wide."""
    key = (id(pen.view), tuple(blocks), width)
    if key not in pen.drawn:
        pen.drawn[key] = list(_block_lines(blocks, width, pen))
    return pen.drawn[key]


def _block_lines(blocks: Sequence[ui.Block], width: int, pen: Pen) -> Iterator[Strip]:
    caps = [pen.cap(pen.view.action(block.key)) for block in blocks if isinstance(block, ui.Para)]
    column = max(map(canvas.length, caps), default=0)
    captions = [cell_len(canvas.shown(block.caption)) for block in blocks if isinstance(block, ui.Bar)]
    aside = max(captions, default=0)
    high = 1 if len(captions) > 1 and not pen.tall else 2
    before: ui.Block | None = None
    for block in blocks:
        # A blank row separates backgrounds from each other and from text.
        bars = high > 1 and isinstance(before, ui.Bar) and isinstance(block, ui.Bar)
        is_gap = isinstance(block, ui.Para) and not block.pieces
        if pen.roomy and not is_gap and (bars or isinstance(before, ui.Banner)):
            yield pen.look.line()
        before = block
        match block:
            case ui.Para():
                yield from _para(block, width, pen, column)
            case ui.Command():
                yield from _command(block, width, pen)
            case ui.Bar():
                yield from bar_lines(block, width, pen.look, high if pen.roomy else 1, aside)
            case ui.Figures():
                yield from _figures(block, width, pen)
            case ui.Progress():
                yield from _progress(block, width, pen)
            case ui.Banner():
                yield from _banner(block, width, pen)


def _para(block: ui.Para, width: int, pen: Pen, column: int) -> list[Strip]:
    runs, cap = pen.runs(block.pieces), pen.cap(pen.view.action(block.key))
    indent = min(block.indent, max(0, width - 12))
    lines = pen.look.paragraph(runs, width, indent, min(block.hang, max(0, width - indent - 12)))
    if not cap:
        return lines
    aside = column <= width // 2
    x = width - column if aside else min(block.indent + block.hang, max(0, width - column))
    label = pen.look.line(*cap).apply_meta({"action": block.key})
    # After the last word, so as not to interrupt the sentence.
    if aside and lines[-1].cell_length + 2 <= x:
        lines[-1] = canvas.joined(canvas.fitted(lines[-1], x), label)
    else:
        lines = [*(lines if runs else []), canvas.joined(Strip.blank(x), label)]
    return [canvas.fitted(each, min(each.cell_length, width)) for each in lines]


def _command(block: ui.Command, width: int, pen: Pen) -> Iterator[Strip]:
    from wizard.process.output import command_lines

    look = pen.look
    if len(block.argv) < 2:
        yield from look.paragraph([("".join(block.argv), "plain")], width)
        return
    for index, part in enumerate(command_lines(tuple(map(canvas.shown, block.argv)), width - 2, 0)):
        for fold in canvas.folded([(part, "plain")], max(4, width - 2)):
            yield look.line(("  " if index else "$ ", "muted"), *fold)


def _figures(block: ui.Figures, width: int, pen: Pen) -> Iterator[Strip]:
    look = pen.look
    if block.unit != "":
        yield from look.paragraph([(block.unit, "muted")], width)
    figures = [(canvas.shown(name), value, canvas.shown(text)) for name, value, text in block.values]
    aside = min(max((cell_len(name) for name, _, _ in figures), default=0), max(8, width // 3))
    right = min(max((cell_len(text) for _, _, text in figures), default=0), max(6, width // 3))
    most = max((value for _, value, _ in figures), default=0.0)
    room = max(1, width - aside - right - 4)
    for name, value, text in figures:
        long = 0 if most <= 0 else max(1 if value > 0 else 0, round(room * max(0.0, value) / most))
        first, *more = canvas.folded([(name, "plain")], aside)
        yield canvas.joined(
            canvas.fitted(look.line(*first), aside + 2),
            look.line((" " * long, "go"), (" " * (room - long), "raised")),
            look.line(
                ("  " + " " * max(0, right - cell_len(text)), "plain"), (canvas.cut(text, right), "strong")
            ),
        )
        for part in more:
            yield look.line(*part)


BIG = dict(
    zip(
        "0123456789% ",
        (
            "### # # # # ###",
            " # ##  #  # ###",
            "###  #####  ###",
            "###  ####  ####",
            "# ## ####  #  #",
            "####  ###  ####",
            "####  #### ####",
            "###  #  #  #  #",
            "#### ##### ####",
            "#### ####  ####",
            "# #  # # #  # #",
            " " * 15,
        ),
        strict=True,
    )
)
"""Digits of 3 x 5 points, two cells each, drawn with backgrounds to suit every font."""


def _progress(block: ui.Progress, width: int, pen: Pen) -> Iterator[Strip]:
    look = pen.look
    if pen.tall and width >= 80 and block.share is not None:
        text, styles = f"{_percent(block)}%", {"#": "go", " ": "plain"}
        dots = ["".join(f"{BIG[char][row : row + 3]} " for char in text) for row in range(0, 15, 3)]
        digits = [look.line(*(("  ", styles[dot]) for dot in line)) for line in dots]
        aside = digits[0].cell_length + 2
        lines = [look.line(), *_meter(block, width - aside, pen, 2)]
        for left, right in zip_longest(digits, lines, fillvalue=look.line()):
            yield canvas.joined(canvas.fitted(left, aside), right)
    else:
        yield from _meter(block, width, pen, 1)
    if block.rates:
        if pen.roomy:
            yield look.line()
        yield from _rates(block.rates, width, pen)


def _percent(block: ui.Progress) -> int:
    return int(100 * min(1.0, max(0.0, block.share or 0.0)))


def _meter(block: ui.Progress, width: int, pen: Pen, high: int) -> Iterator[Strip]:
    look = pen.look
    runs: list[Run] = []
    if block.said != "":
        runs.append((block.said, "plain"))
    elif block.share is not None:
        runs.append((t("{percent} %", percent=_percent(block)), "strong"))
    yield from look.paragraph(runs, width)
    if block.share is None:
        return
    long = round(width * min(1.0, max(0.0, block.share)))
    rest = look.fill
    for _ in range(high):
        yield look.line((" " * long, "go"), (rest * (width - long), "raised"))


LEVELS = " ▁▂▃▄▅▆▇█"


def _rates(rates: Sequence[float], width: int, pen: Pen) -> Iterator[Strip]:
    look = pen.look
    rate_text = str(t("{rate:size}/s", rate=int(rates[-1])))
    aside = max(12, cell_len(rate_text) + 2)
    room = max(1, width - aside)
    values = list(rates)[-room:]
    long = min(room, 3 * len(values))
    values = [values[index * len(values) // long] for index in range(long)]
    top = max((*values, 1.0))
    high = 4 if pen.tall else 1
    for level in range(high - 1, -1, -1):
        curve = "".join(_column(value / top * high - level, many=look.many) for value in values)
        label = (rate_text if level == 0 else "").ljust(aside)
        yield look.line((label, "strong"), (curve.rjust(room), "focus-line"))


def _column(filled: float, *, many: bool) -> str:
    if many:
        return LEVELS[max(0, min(8, round(filled * 8)))]
    return "█" if filled >= 0.75 else "▒" if filled >= 0.4 else "░" if filled >= 0.12 else " "


_BANNERS = {
    ui.Tone.GOOD: ("done", "✓"),
    ui.Tone.DANGER: ("alarm", "▲"),
    ui.Tone.WARN: ("warned", "▲"),
}


def _banner(block: ui.Banner, width: int, pen: Pen) -> Iterator[Strip]:
    role, sign = _BANNERS.get(block.tone, ("plain-banner", ""))
    style = pen.look.style(role)
    mark = f" {sign} " if sign else " "
    lead = cell_len(mark)
    padding = [pen.look.line((" " * width, style))] if pen.roomy else []
    yield from padding
    for text in (block.text, *block.detail):
        for part in canvas.folded([(text, style)], max(4, width - lead - 1)):
            yield canvas.fitted(pen.look.line((mark, style), *part), width, style)
            mark = " " * lead
    yield from padding


def scrolled(
    name: str,
    whole: Sequence[Strip],
    width: int,
    height: int,
    pen: Pen,
    *,
    reach: tuple[int, int] | None = None,
    outside: bool = False,
    finished: Callable[[int, Strip], Strip] = lambda _, line: line,
) -> list[Strip]:
    """Return `height` lines, including the lines `reach`, with a scroll bar on the right. The last line
    states how many lines follow. `outside` places the scroll bar outside the width. `finished` completes a
    visible line, given the number."""
    total, tops = len(whole), pen.state.tops
    height = max(0, height)
    if total <= height:
        tops.pop(name, None)
        pen.parts[name] = canvas.ScrollExtent(0, height, total)
        return [canvas.fitted(finished(y, each), width) for y, each in enumerate(whole)]
    top = tops[name] = _top(tops.get(name, 0), height, total, reach)
    if height:
        pen.parts[name] = canvas.ScrollExtent(top, height, total)
    more = height > 2 and top + height < total
    last = height - more
    seen = [finished(y, whole[y]) for y in range(top, top + last)]
    if more:
        below = t("{count} more", count=total - top - last)
        role = "accent" if pen.at(name) else "muted"
        seen.append(pen.look.line((f"  ↓ {below}", role)))
    long = max(1, height * height // total)
    first = round((height - long) * top / max(1, total - height))
    thumb = pen.look.line((" ", "thumb"))
    wide = width if outside else width - 1
    lines = (
        canvas.joined(canvas.fitted(each, wide), thumb if first <= y < first + long else Strip.blank(1))
        for y, each in enumerate(seen)
    )
    # The wheel scrolls the part anywhere in its area.
    return [each.apply_meta({"part": name}) for each in lines]


def _top(top: int, height: int, total: int, reach: tuple[int, int] | None) -> int:
    """Return the first visible line, so that `reach` is visible."""
    end = total - height
    top = max(0, min(top, end))
    if reach is None:
        return top
    first, last = reach
    last = min(last, first + max(0, height - 2))
    return max(min(top, first), min(end, last - height + 1 + (height > 2))) if first else 0
