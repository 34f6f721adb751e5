"""Draw paragraphs, commands, bars, figures, progress and banners as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from wizard.model.said import format_capacity, t
from wizard.ui.view import (
    Banner,
    Bar,
    Block,
    Command,
    Fate,
    Figures,
    Para,
    Piece,
    Progress,
    Stretch,
    Tone,
    View,
)
from wizard.window.keys import cap_runs
from wizard.window.look import Look, letter_of
from wizard.window.strips import (
    Run,
    blank,
    cut,
    ends,
    fitted,
    folded,
    joined,
    line,
    linked,
    shown,
)

TITLES = {
    "xfs": "XFS",
    "btrfs": "Btrfs",
    "vfat": "FAT",
    "exfat": "exFAT",
    "ntfs": "NTFS",
    "f2fs": "F2FS",
    "crypto_LUKS": "LUKS",
    "LVM2_member": "LVM",
    "linux_raid_member": "RAID",
}


def bar_lines(bar: Bar, width: int, look: Look, high: int, aside: int) -> Iterator[Strip]:
    """Yield the bar in `high` lines after its caption, then the labels without room. `aside`: cells reserved
    for the caption. With 0 lines, yield one, with short names."""
    caption = shown(bar.caption)
    if aside and aside + 2 > width // 3:
        if caption:
            for part in folded([(caption, look.style("strong"))], width):
                yield line(*part)
        aside, caption = 0, ""
    left = aside + 2 if aside else 0
    room = width - left
    stretches = [stretch for stretch in bar.stretches if stretch.size_bytes > 0 or shown(stretch.name)]
    if not stretches or room < 4:
        yield line((caption, look.style("strong")))
        return
    cells = shares(stretches, room, high, look)
    gap = _gap(len(stretches), room)
    for row in range(max(1, high)):
        strips: list[Strip] = []
        for stretch, wide in zip(stretches, cells, strict=True):
            if wide:
                strips += [blank(gap)] if strips else []
                strips.append(_piece(stretch, wide, row, high, look))
        label = line((caption if row == 0 else "", look.style("strong")))
        yield joined(fitted(label, left), fitted(joined(*strips), room))
    left_out = [
        stretch
        for stretch, wide in zip(stretches, cells, strict=True)
        if not _fits(stretch, wide, high, look)
    ]
    if left_out and high:
        labels = ", ".join(
            filter(None, (" ".join(filter(None, _words(stretch, look))) for stretch in left_out))
        )
        for part in folded([(labels, look.style("muted"))], max(4, room)):
            yield joined(blank(left), line(*part))


def shares(stretches: Sequence[Stretch], width: int, high: int, look: Look) -> list[int]:
    """Return the cells for each stretch: by size, at least enough for its label if possible."""
    room = width - _gap(len(stretches), width) * (len(stretches) - 1)
    needs = [_need(stretch, high, look) for stretch in stretches]
    if sum(needs) > room:
        equal_share = room // len(stretches)
        spare = room - sum(min(need, equal_share) for need in needs)
        least = []
        for need in needs:
            more = min(max(0, need - equal_share), max(0, spare))
            least.append(min(need, equal_share) + more)
            spare -= more
    else:
        least = needs
    total = sum(stretch.size_bytes for stretch in stretches) or 1
    # Fix those that need more than their share. The others share the remaining cells by size.
    wide = [room * stretch.size_bytes / total for stretch in stretches]
    fixed: set[int] = set()
    while True:
        free = room - sum(least[index] for index in fixed)
        weight = sum(wide[index] for index in range(len(wide)) if index not in fixed) or 1
        scaled = [least[i] if i in fixed else free * wide[i] / weight for i in range(len(wide))]
        short = {i for i in range(len(wide)) if i not in fixed and scaled[i] < least[i]}
        if not short:
            break
        fixed |= short
    cells = [int(share) for share in scaled]
    cells[max(range(len(cells)), key=lambda index: scaled[index])] += room - sum(cells)
    return [max(0, each) for each in cells]


def _gap(count: int, width: int) -> int:
    return 1 if count * 4 <= width else 0


def _words(stretch: Stretch, look: Look) -> tuple[str, str, str]:
    """Return name, filesystem and size."""
    name = shown(stretch.name)
    if stretch.fate is Fate.LOST:
        name = f"{look.sign('cross')} {name}".rstrip()
    kind = shown(TITLES.get(stretch.filesystem, stretch.filesystem))
    return (
        name,
        "" if kind == name else kind,
        format_capacity(stretch.size_bytes) if stretch.size_bytes else "",
    )


def _labels(stretch: Stretch, high: int, look: Look) -> list[tuple[str, ...]]:
    """Return labels for `high` lines, the longest first."""
    name, kind, size = _words(stretch, look)
    whole = " ".join(filter(None, (kind, size)))
    free = stretch.fate in (Fate.FREE, Fate.UNREAD)
    whole = ", ".join(filter(None, (whole, shown(stretch.use))))
    if high <= 1 or free:
        return [
            (" ".join(filter(None, (size, name))) if free else "  ".join(filter(None, (name, whole))), ""),
            (" ".join(filter(None, (name, size))), ""),
            *([] if high else [(size if free else name, "")]),
        ]
    return [(name, whole), (name, size)]


def _need(stretch: Stretch, high: int, look: Look) -> int:
    return 2 + max(cell_len(text) for text in _labels(stretch, high, look)[-1])


def _fits(stretch: Stretch, wide: int, high: int, look: Look) -> bool:
    return wide >= _need(stretch, high, look)


def _piece(stretch: Stretch, wide: int, row: int, high: int, look: Look) -> Strip:
    ways = _labels(stretch, high, look)
    texts = next((way for way in ways if max(map(cell_len, way)) + 2 <= wide), ways[-1])
    text = texts[row] if row < len(texts) else ""
    if cell_len(text) + 2 > wide:
        text = letter_of(stretch.filesystem) if look.colourless and wide < 4 else cut(text, wide - 1, "")
    style, fill = _style_of(stretch, look)
    label = f" {text} " if text and cell_len(text) + 2 <= wide else f" {text}" if text else ""
    before = fill * 2 if label and fill != " " and cell_len(label) + 2 <= wide else ""
    rest = fill * max(0, wide - cell_len(before + label))
    bold = Style(bold=True) if row == 0 and look.many else Style.null()
    return fitted(line((before, style), (label, style + bold), (rest, style)), wide, style)


def _style_of(stretch: Stretch, look: Look) -> tuple[Style, str]:
    match stretch.fate:
        case Fate.FREE:
            return look.style("free"), look.sign("free")
        case Fate.UNREAD:
            return look.style("free"), "?" if not look.many else " "
        case Fate.LOST:
            return look.style("lost"), " "
        case _:
            return look.filesystem(stretch.filesystem), " "


WIDE, ROOMY, HIGH, TALL = 100, 70, 22, 30


@dataclass(frozen=True, slots=True)
class Pen:
    """Context for drawing blocks: look, view (for its keys), and size of the screen."""

    look: Look
    view: View
    columns: int
    lines: int

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

    def runs(self, pieces: Sequence[Piece]) -> list[Run]:
        """Return pieces with spaces between them."""
        found: list[Run] = []
        for piece in pieces:
            text = shown(piece.text)
            if text:
                found += [(" ", self.look.style("text"))] if found else []
                found.append((text, self.look.tone(piece.tone)))
        return found

    def cap(self, name: str) -> list[Run]:
        """Return an action's key and label, empty if the view does not have it."""
        action = self.view.action(name) if name else None
        return [] if action is None else cap_runs(action, self.look, typing=bool(self.view.fields))


def block_lines(blocks: Sequence[Block], width: int, pen: Pen) -> list[Strip]:
    """Return blocks below each other, at most `width` wide."""
    caps = [pen.cap(block.key) for block in blocks if isinstance(block, Para) and block.key]
    column = max((sum(cell_len(text) for text, _ in cap) for cap in caps), default=0)
    bars = [block for block in blocks if isinstance(block, Bar)]
    aside = max((cell_len(shown(bar.caption)) for bar in bars), default=0)
    high = 1 if len(bars) > 1 and not pen.tall else 2
    lines: list[Strip] = []
    before: Block | None = None
    for block in blocks:
        if _needs_gap(before, block, pen, high):
            lines.append(line())
        before = block
        match block:
            case Para():
                lines += _para(block, width, pen, column)
            case Command():
                lines += _command(block, width, pen)
            case Bar():
                lines += bar_lines(block, width, pen.look, high if pen.roomy else 1, aside)
            case Figures():
                lines += _figures(block, width, pen)
            case Progress():
                lines += _progress(block, width, pen)
            case Banner():
                lines += _banner(block, width, pen)
    return lines


def _needs_gap(before: Block | None, block: Block, pen: Pen, high: int) -> bool:
    """Return True if a blank row should separate backgrounds from each other or from text."""
    if not pen.roomy or before is None or (isinstance(block, Para) and not block.pieces):
        return False
    return isinstance(before, Banner) or (high > 1 and isinstance(before, Bar) and isinstance(block, Bar))


def _para(block: Para, width: int, pen: Pen, column: int) -> list[Strip]:
    runs, cap = pen.runs(block.pieces), pen.cap(block.key)
    lines = _folded(runs, width, block.indent, block.hang)
    if not cap:
        return lines
    aside = column <= width // 2
    x = width - column if aside else min(block.indent + block.hang, max(0, width - column))
    label = linked(fitted(line(*cap), min(line(*cap).cell_length, width - x)), block.key)
    # After the last word, so as not to interrupt the sentence.
    if aside and lines[-1].cell_length + 2 <= x:
        return [*lines[:-1], joined(fitted(lines[-1], x), label)]
    return [*(lines if runs else []), joined(blank(x), label)]


def _folded(runs: Sequence[Run], width: int, indent: int = 0, hang: int = 0) -> list[Strip]:
    indent = min(indent, max(0, width - 12))
    hang = min(hang, max(0, width - indent - 12))
    parts = folded(runs, max(4, width - indent), max(4, width - indent - hang)) if runs else [[]]
    return [
        joined(blank(indent + (hang if index else 0)), line(*part)) if part else line()
        for index, part in enumerate(parts)
    ]


def _command(block: Command, width: int, pen: Pen) -> Iterator[Strip]:
    """Yield a command in shell syntax, or a line of a file unchanged."""
    from wizard.plan.text import command_lines

    text = pen.look.style("text")
    if len(block.argv) < 2:
        yield from _folded([(shown("".join(block.argv)), text)], width)
        return
    for index, part in enumerate(command_lines(tuple(map(shown, block.argv)), width - 2, 0)):
        for fold in folded([(part, text)], max(4, width - 2)):
            yield line(("  " if index else "$ ", pen.look.style("muted")), *fold)


def _figures(block: Figures, width: int, pen: Pen) -> Iterator[Strip]:
    look = pen.look
    if shown(block.unit):
        yield from _folded([(shown(block.unit), look.style("muted"))], width)
    names = [shown(name) for name, _ in block.values]
    texts = [shown(text) for text in block.shown] or [f"{value:g}" for _, value in block.values]
    aside = min(max(map(cell_len, names), default=0), max(8, width // 3))
    right = min(max(map(cell_len, texts), default=0), max(6, width // 3))
    most = max((value for _, value in block.values), default=0.0)
    room = max(1, width - aside - right - 4)
    for name, text, (_, value) in zip(names, texts, block.values, strict=False):
        long = 0 if most <= 0 else max(1 if value > 0 else 0, round(room * max(0.0, value) / most))
        first, *more = folded([(name, look.style("text"))], aside)
        yield joined(
            fitted(line(*first), aside + 2),
            line((" " * long, look.style("full")), (" " * (room - long), look.style("rest"))),
            line(("  " + " " * max(0, right - cell_len(text)), look.style("text"))),
            line((cut(text, right), look.style("strong"))),
        )
        for part in more:
            yield line(*part)


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


def _progress(block: Progress, width: int, pen: Pen) -> Iterator[Strip]:
    look = pen.look
    large = pen.tall and width >= 80 and block.share is not None
    digits = list(_digits(f"{_percent(block)}%", look)) if large else []
    aside = max((each.cell_length for each in digits), default=-2) + 2
    room = width - aside
    lines = list(_meter(block, room, pen, 2 if large else 1))
    if digits:
        lines = [line(), *lines]
    for index in range(max(len(digits), len(lines))):
        left = fitted(digits[index] if index < len(digits) else line(), aside) if aside > 0 else line()
        yield joined(left, lines[index] if index < len(lines) else line())
    if block.rates:
        if pen.roomy:
            yield line()
        yield from _rates(block.rates, width, pen)


def _percent(block: Progress) -> int:
    return int(100 * min(1.0, max(0.0, block.share or 0.0)))


def _digits(text: str, look: Look) -> Iterator[Strip]:
    on, off = look.style("full"), look.style("text")
    for row in range(5):
        yield line(
            *(
                run
                for char in text
                for run in (
                    *(("  ", on if dot == "#" else off) for dot in BIG[char][row * 3 : row * 3 + 3]),
                    ("  ", off),
                )
            )
        )


def _meter(block: Progress, width: int, pen: Pen, high: int) -> Iterator[Strip]:
    look = pen.look
    runs: list[Run] = []
    if shown(block.said):
        runs.append((shown(block.said), look.style("text")))
    elif block.share is not None:
        runs.append((str(t("{percent} %", percent=_percent(block))), look.style("strong")))
    yield from _folded(runs, width)
    if block.share is None:
        return
    long = round(width * min(1.0, max(0.0, block.share)))
    rest = " " if look.many else look.sign("free")
    for _ in range(high):
        yield line((" " * long, look.style("full")), (rest * (width - long), look.style("rest")))


LEVELS = " ▁▂▃▄▅▆▇█"


def _rates(rates: Sequence[float], width: int, pen: Pen) -> Iterator[Strip]:
    """Yield the latest rate as text, and the recent rates as a curve."""
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
        yield line((label, look.style("strong")), (curve.rjust(room), look.style("focus-line")))


def _column(filled: float, *, many: bool) -> str:
    if many:
        return LEVELS[max(0, min(8, round(filled * 8)))]
    return "█" if filled >= 0.75 else "▒" if filled >= 0.4 else "░" if filled >= 0.12 else " "


_BANNERS = {
    Tone.GOOD: ("done", "tick"),
    Tone.DANGER: ("alarm", "warn"),
    Tone.WARN: ("warned", "warn"),
}


def _banner(block: Banner, width: int, pen: Pen) -> Iterator[Strip]:
    """Yield a banner across the whole width, with padding if there is room."""
    role, sign = _BANNERS.get(block.tone, ("plain-banner", ""))
    style = pen.look.style(role)
    mark = f" {pen.look.sign(sign)} " if sign else " "
    lead = cell_len(mark)
    padding = [line((" " * width, style))] if pen.roomy else []
    yield from padding
    texts = [block.text, *block.detail]
    for number, text in enumerate(texts):
        for index, part in enumerate(folded([(shown(text), style)], max(4, width - lead - 1))):
            before = mark if number == 0 and index == 0 else " " * lead
            yield ends(line((before, style), *part), line(), width, style)
    yield from padding
