"""HTML elements and SVG charts. Every chart has a title, a description and the numbers as text."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from wizard.model.said import Message, t

VOID = frozenset({"meta", "br"})


class Markup(str):
    """Text that is already HTML. Other text is escaped when inserted into a page."""

    __slots__ = ()


Content = str | Message
"""Content of an element: text (escaped unless it is `Markup`) or a message."""

Row = Sequence[Content]


def clean(text: str) -> str:
    """Replace control characters and changes of text direction in foreign text with `?`. Keeps newlines."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


def shown(content: Content) -> Markup:
    """Return content as markup."""
    return content if isinstance(content, Markup) else Markup(escape(clean(str(content))))


def join(parts: Iterable[Content]) -> Markup:
    """Concatenate content."""
    return Markup("".join(shown(part) for part in parts))


def tag(name: str, /, *children: Content, **attributes: str | float | None) -> Markup:
    """Return an element without the attributes that are None. In attribute names `_` becomes `-`, and a
    trailing `_` is dropped (`class_`)."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{words}>" if name in VOID else f"<{name}{words}>{join(children)}</{name}>")


def paragraphs(*sentences: Content, class_: str | None = None) -> Markup:
    """Return a paragraph for each non-empty sentence."""
    return join(tag("p", sentence, class_=class_) for sentence in sentences if sentence)


def listed(items: Iterable[Content]) -> Markup:
    """Return a list, or nothing without items."""
    points = [tag("li", item) for item in items]
    return tag("ul", *points) if points else Markup("")


def pairs(rows: Iterable[tuple[Content, Content]]) -> Markup:
    """Return a description list. Omits empty values."""
    return tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in rows if value))


def table(
    caption: Content, heads: Sequence[Content], rows: Iterable[Row], *, numbers: Sequence[int] = ()
) -> Markup:
    """Return a table with row headers in the first column. Columns in `numbers` are right-aligned."""
    head = tag(
        "tr", *(tag("th", name, scope="col", class_=_number(at, numbers)) for at, name in enumerate(heads))
    )
    body = [
        tag(
            "tr",
            *(
                tag("td" if at else "th", cell, scope=None if at else "row", class_=_number(at, numbers))
                for at, cell in enumerate(row)
            ),
        )
        for row in rows
    ]
    return tag(
        "div", tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body)), class_="wide"
    )


def _number(at: int, numbers: Sequence[int]) -> str | None:
    return "number" if at in numbers else None


def commands(argvs: Iterable[Sequence[str]]) -> Markup:
    """Return commands in shell syntax, one per line."""
    lines = [shlex.join(argv) for argv in argvs]
    return tag("pre", tag("code", "\n".join(lines))) if lines else Markup("")


def folded(summary: Content, *children: Content) -> Markup:
    """Return a collapsed section with a summary."""
    return tag("details", tag("summary", summary), *children)


def word(kind: str, text: Content) -> Markup:
    """Return an emphasised word with a colour for its `kind`. The word alone carries the meaning."""
    return join((tag("strong", text, class_=f"word {kind}"), " "))


def moment(at: str) -> str:
    """Format an ISO 8601 time in UTC, to the second."""
    return f"{at[:10]} {at[11:19]} UTC"


WIDTH = 1000
LETTER = 9.4
"""Approximate width of a letter in the chart, in drawing units."""

ROW = 30
BAR = 18


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A row of a bar chart. `shown`: value as text. `low`, `high`: ends of the whisker. `kind`:
    appearance."""

    name: str
    value: float
    shown: str
    low: float | None = None
    high: float | None = None
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class ChartPiece:
    """A piece of a bar drawn to scale: share of the width in integer parts, appearance, label and full
    description."""

    parts: int
    kind: str
    label: str
    said: str


def drawing(ident: str, title: Content, description: Content, height: float, *shapes: Markup) -> Markup:
    """Return an SVG that scales with the page. `ident` is unique in the page."""
    return tag(
        "svg",
        tag("title", title, id=f"{ident}-title"),
        tag("desc", description, id=f"{ident}-description"),
        *shapes,
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        aria_labelledby=f"{ident}-title {ident}-description",
    )


def bars(ident: str, title: Content, description: Content, rows: Sequence[ChartBar]) -> Markup:
    """Return horizontal bars from zero, with names before and values after them."""
    names = min(420.0, max(len(row.name) for row in rows) * LETTER + 12)
    values = max(len(row.shown) for row in rows) * LETTER + 12
    most = max(max(row.value, row.high or 0) for row in rows) or 1
    scale = (WIDTH - names - values) / most
    shapes = [_bar(row, at * ROW + 4, names, scale) for at, row in enumerate(rows)]
    return drawing(ident, title, description, len(rows) * ROW + 4, *shapes)


def _bar(row: ChartBar, top: float, names: float, scale: float) -> Markup:
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


def stretches(ident: str, title: Content, description: Content, pieces: Sequence[ChartPiece]) -> Markup:
    """Return a drive as one bar, to scale. States differ in appearance and label. The table has the labels
    that do not fit."""
    total = sum(piece.parts for piece in pieces) or 1
    shapes = [tag("defs", _hatch(ident))]
    left = 0.0
    for piece in pieces:
        wide = WIDTH * piece.parts / total
        shapes.append(_stretch(ident, piece, left, wide))
        left += wide
    return drawing(ident, title, description, 62, *shapes)


def _stretch(ident: str, piece: ChartPiece, left: float, wide: float) -> Markup:
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
    """Return diagonal lines, which distinguish removed content without colour, in print too."""
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
    """Return an estimate and its interval on a scale from zero, with a line at `neutral`."""
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
    """Choose the alignment that keeps text near an edge inside the drawing."""
    return "start" if position < 140 else "end" if position > WIDTH - 140 else "middle"


def _line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    return tag("line", x1=f"{x1:.1f}", y1=f"{y1:.1f}", x2=f"{x2:.1f}", y2=f"{y2:.1f}", class_="line")
