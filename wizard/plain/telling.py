"""Render a view as lines, in full or only changes. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from wizard.model.said import t
from wizard.plain import prompt
from wizard.plain.prompt import PlainPara as Line
from wizard.plain.prompt import handle, way
from wizard.ui import view as ui

Told = Line | ui.Command
Unit = tuple[Told, ...]
"""Lines to print together. An empty unit prints an empty line."""
MOST_STRETCHES = 16
"""Most extents of a drive to print. The list of partitions has them all."""
_FIGURES = re.compile(r"[\d.,]+")


def whole(view: ui.View, *, headed: bool = False) -> Iterator[Told]:
    """Yield all of a view except the last response: banners first, the list last. `headed`: the name of the
    step was just printed."""
    units = [unit for _, section in _sections(view) for unit in section]
    return printed(units[headed and str(view.title) == str(view.step.shown) :])


def printed(units: Iterable[Unit]) -> Iterator[Told]:
    """Yield the lines of units."""
    for unit in units:
        yield from unit or (Line(),)


def changes(before: ui.View, view: ui.View) -> Iterator[Told]:
    """Yield the changes between two views. If the numbering changed, all rows. If the cursor moved, all of a
    changed pane."""
    known = dict(_sections(before))
    moved = bool(before.rows and view.rows and before.rows.at != view.rows.at)
    for name, section in _sections(view):
        left = Counter(known.get(name))
        if name not in known or (moved and "pane" in name[:1] and section != known[name]):
            yield from printed(section)
        else:
            for unit in section:
                if left[unit]:
                    left[unit] -= 1
                else:
                    yield from unit


def _sections(view: ui.View) -> Iterator[tuple[tuple[str, ...], list[Unit]]]:
    """Yield the parts of a view in the order of printing, each with a name that changes if all of the part is
    new."""
    every = (*view.above, *(block for pane in view.panes for block in pane.blocks))
    heads = [(Line(" ".join(str(text).split())),) for text in (view.title, view.about) if str(text)]
    yield (), [*heads, *_units(view, every, banners=True), *_units(view, view.above)]
    yield from ((("pane", str(pane.title)), pane_units(view, pane)) for pane in view.panes)
    rows = view.rows.rows if view.rows else ()
    listed = [tuple(row_lines(number, row)) for number, row in enumerate(rows, 1)]
    yield ("rows", *(row.key for row in rows)), [(), *listed] if rows else []


def pane_units(view: ui.View, pane: ui.Pane) -> list[Unit]:
    """Return a pane with the title."""
    title = [(Line(" ".join(str(pane.title).split())),)] if str(pane.title) else []
    return [(), *title, *_units(view, pane.blocks)]


def _units(view: ui.View, blocks: Iterable[ui.Block], *, banners: bool = False) -> Iterator[Unit]:
    """Yield either banners or other blocks, with single empty lines between them."""
    gap = begun = False
    for block in blocks:
        if isinstance(block, ui.Banner) is banners:
            unit = tuple(block_lines(block, view))
            if unit == (Line(),):
                gap = begun
                continue
            if gap:
                yield ()
            gap, begun = False, True
            yield unit


def row_lines(number: int, row: ui.Row) -> Iterator[Line]:
    """Yield a row with the number, notes, and why it cannot be selected."""
    why_not = str(row.why_not)
    cells = (str(cell.text).strip() for cell in row.cells)
    text = ", ".join(said for said in cells if said and said != why_not).replace(":, ", ": ")
    mark = f" ({prompt.CHOSEN})" if row.chosen else ""
    indent = 2 * row.level
    yield Line(f"{number}. {text}{mark}", indent, 3)
    yield from (Line(str(note), indent + 3, 2) for note in row.notes)
    if why_not:
        yield Line(f"{prompt.CANNOT} {why_not}", indent + 3, 2)


def but_figures(told: Told) -> str:
    """Return text without figures, which may change at any time."""
    return _FIGURES.sub("", told.text if isinstance(told, Line) else " ".join(told.argv))


def help_lines(view: ui.View) -> Iterator[Line]:
    """Yield a view's help, every key with the label, and other possible answers."""
    yield Line()
    yield from (Line(str(text)) for text in view.help)
    shown = {*prompt.ANYWHERE}
    for action in view.actions:
        if action.key != "enter" and action.name not in shown:
            shown.add(action.name)
            why_not = f" ({prompt.CANNOT} {action.why_not})" if action.why_not else ""
            yield Line(f"{way(view, action)}{why_not}", 2, 3)
    if view.fields:
        more = [t("= before an answer: use the text literally. = alone clears the field.")]
    else:
        more = [t("l: list everything again.")]
        if view.rows:
            more = [
                t("2?: details of number 2."),
                t("Number and key: apply the key to the row, as in 2 w."),
                *more,
            ]
    more += [
        t("? and a word: explain the word, as in ? 512e."),
        t("Ctrl+S pauses the output; Ctrl+Q resumes."),
    ]
    yield from (Line(str(said), 2, 3) for said in more)
    yield Line()


def block_lines(block: ui.Block, view: ui.View | None = None) -> Iterator[Told]:
    """Yield a block as lines. `view` names the actions of keys."""
    match block:
        case ui.Para():
            yield _para(block, view)
        case ui.Command():
            yield block
        case ui.Bar():
            stretches = ", ".join(_stretches(block.stretches))
            yield Line(f"{block.caption}: {stretches}." if block.caption else f"{stretches}.", 0, 2)
        case ui.Figures():
            figures = ", ".join(f"{name}: {figure}" for name, _, figure in block.values)
            yield Line(f"{block.unit}: {figures}." if block.unit else f"{figures}.", 0, 2)
        case ui.Progress():
            yield Line(_progress(block))
        case ui.Banner():
            yield Line(str(block.text))
            yield from (Line(str(text), 2, 2) for text in block.detail)


def _para(block: ui.Para, view: ui.View | None) -> Line:
    text = " ".join(said for piece in block.pieces if (said := str(piece.text).strip()))
    action = view.action(block.key) if view and block.key else None
    if view is not None and action is not None:
        typed, label = handle(view, action), str(action.label)
        text = f"{text} ({label})" if typed == label else f"{text} ({typed}: {label})"
    return Line(text, block.indent, block.hang)


def _stretches(stretches: tuple[ui.Stretch, ...]) -> Iterator[str]:
    sizes = sorted((one.size_bytes for one in stretches), reverse=True)
    least = sizes[MOST_STRETCHES - 1] if len(sizes) > MOST_STRETCHES else 0
    shown = [one for one in stretches if one.fate in ui.CHANGED or one.size_bytes >= least]
    yield from map(ui.stretch_words, shown)
    if left := len(stretches) - len(shown):
        yield str(t("{count} more", count=left))


def _progress(progress: ui.Progress) -> str:
    if progress.said or progress.share is None:
        return str(progress.said)
    return str(t("{percent} %", percent=int(100 * progress.share)))
