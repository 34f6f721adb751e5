"""Charts as SVG within the page: every one has a title and a description, and says its numbers in words
too."""

from collections.abc import Sequence
from dataclasses import dataclass

from wizard.model.said import t
from wizard.report.markup import Content, Markup, join, tag

WIDTH = 1000
LETTER = 9.4
"""About what a letter of the chart's text takes, in the units of the drawing."""

ROW = 30
BAR = 18


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a bar chart. `shown` is the value in words; `low` and `high` bound a whisker; `kind` is its
    look."""

    name: str
    value: float
    shown: str
    low: float | None = None
    high: float | None = None
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of a bar that is drawn to scale: its share of the width in whole parts, its look, what it is,
    and all that is said of it."""

    parts: int
    kind: str
    label: str
    said: str


def drawing(ident: str, title: Content, description: Content, height: float, *shapes: Markup) -> Markup:
    """An SVG that scales with the page. `ident` names it within the page."""
    return tag(
        "svg",
        tag("title", title, id=f"{ident}-title"),
        tag("desc", description, id=f"{ident}-description"),
        *shapes,
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        aria_labelledby=f"{ident}-title {ident}-description",
    )


def bars(ident: str, title: Content, description: Content, rows: Sequence[Bar]) -> Markup:
    """Horizontal bars from nought, as long as their values, each with its name before it and its value behind
    it."""
    names = min(420.0, max(len(row.name) for row in rows) * LETTER + 12)
    values = max(len(row.shown) for row in rows) * LETTER + 12
    most = max(max(row.value, row.high or 0) for row in rows) or 1
    scale = (WIDTH - names - values) / most
    shapes = [_bar(row, at * ROW + 4, names, scale) for at, row in enumerate(rows)]
    return drawing(ident, title, description, len(rows) * ROW + 4, *shapes)


def _bar(row: Bar, top: float, names: float, scale: float) -> Markup:
    long = max(2.0 if row.value else 0.0, row.value * scale)
    middle = top + BAR / 2
    end = names + max(long, (row.high or 0) * scale)
    whisker = []
    if row.low is not None and row.high is not None:
        low, high = names + row.low * scale, names + row.high * scale
        whisker = [
            _line(low, middle, high, middle),
            _line(low, top + 4, low, top + 14),
            _line(high, top + 4, high, top + 14),
        ]
    most = max(1, int(names / LETTER) - 1)
    name = row.name if len(row.name) <= most else row.name[: most - 3] + "..."
    return join(
        (
            tag("text", name, x=f"{names - 10:.1f}", y=f"{top + 14:.1f}", text_anchor="end"),
            tag(
                "rect",
                x=f"{names:.1f}",
                y=f"{top:.1f}",
                width=f"{long:.1f}",
                height=BAR,
                class_=f"bar {row.kind}",
            ),
            *whisker,
            tag("text", row.shown, x=f"{end + 8:.1f}", y=f"{top + 14:.1f}"),
        )
    )


def stretches(ident: str, title: Content, description: Content, pieces: Sequence[Stretch]) -> Markup:
    """A drive as one bar, its pieces to scale. A state is a look and a word; where there is no room for the
    word, the table has it."""
    total = sum(piece.parts for piece in pieces) or 1
    shapes = [tag("defs", _hatch(ident))]
    left = 0.0
    for piece in pieces:
        wide = WIDTH * piece.parts / total
        shapes.append(_stretch(ident, piece, left, wide))
        left += wide
    return drawing(ident, title, description, 62, *shapes)


def _stretch(ident: str, piece: Stretch, left: float, wide: float) -> Markup:
    box = {"x": f"{left + 1:.1f}", "y": "2", "width": f"{max(1.0, wide - 2):.1f}", "height": "40"}
    shapes = [tag("title", piece.said), tag("rect", **box, class_=f"stretch {piece.kind}")]
    if piece.kind in ("removed", "unread"):
        shapes.append(tag("rect", **box, fill=f"url(#{ident}-hatch)"))
    middle = left + wide / 2
    if (long := len(piece.label) * LETTER + 10) <= wide - 8 and piece.label:
        shapes.append(
            tag(
                "rect",
                x=f"{middle - long / 2:.1f}",
                y="11",
                width=f"{long:.1f}",
                height="22",
                rx="4",
                class_="plate",
            )
        )
        shapes.append(tag("text", piece.label, x=f"{middle:.1f}", y="27", text_anchor="middle"))
    if len(piece.kind) * LETTER <= wide - 4:
        shapes.append(tag("text", piece.kind, x=f"{middle:.1f}", y="58", text_anchor="middle"))
    return tag("g", *shapes)


def _hatch(ident: str) -> Markup:
    """Slanting lines, so that what goes is told from what stays without colour, in print too."""
    stroke = tag("path", d="M0 8 L8 0", class_="hatch")
    return tag("pattern", stroke, id=f"{ident}-hatch", width=8, height=8, patternUnits="userSpaceOnUse")


def interval(
    ident: str,
    title: Content,
    description: Content,
    estimate: float,
    low: float,
    high: float,
    *,
    neutral: float = 1.0,
) -> Markup:
    """An estimate with its interval on a scale from nought, and the line at which nothing is said either
    way."""
    most = max(high, neutral) * 1.15
    scale = (WIDTH - 20) / most

    def at(value: float) -> float:
        return 10 + value * scale

    shapes = [
        _line(at(0), 50, at(most), 50),
        tag("line", x1=f"{at(neutral):.1f}", x2=f"{at(neutral):.1f}", y1="8", y2="58", class_="neutral"),
        tag(
            "text",
            t("{factor}: no difference", factor=f"{neutral:g}"),
            x=f"{at(neutral):.1f}",
            y="74",
            text_anchor=_anchor(at(neutral)),
        ),
        tag("text", "0", x=f"{at(0):.1f}", y="74"),
        tag(
            "rect",
            x=f"{at(low):.1f}",
            y="26",
            width=f"{max(2.0, at(high) - at(low)):.1f}",
            height="10",
            class_="bar misaligned",
        ),
        tag("circle", cx=f"{at(estimate):.1f}", cy="31", r="8", class_="dot"),
        tag(
            "text",
            f"{estimate:.2f} ({low:.2f} to {high:.2f})",
            x=f"{at(estimate):.1f}",
            y="17",
            text_anchor=_anchor(at(estimate)),
        ),
    ]
    return drawing(ident, title, description, 80, *shapes)


def _anchor(position: float) -> str:
    """So that a text about a place near an edge stays within the drawing."""
    return "start" if position < 140 else "end" if position > WIDTH - 140 else "middle"


def _line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_="line")
