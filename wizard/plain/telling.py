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
MOST_STRETCHES = 16
"""Most extents of a drive to print. The list of partitions has them all."""
_FIGURES = re.compile(r"[\d.,]+")


def whole(view: ui.View, *, headed: bool = False) -> Iterator[Told]:
    """Yield all of a view except the last response: banners first, the list last. `headed`: the name of the
    step was just printed."""
    if not headed or str(view.title) != str(view.step.shown):
        yield from _line(str(view.title))
    yield from _line(str(view.about))
    yield from _without_gaps(view, _blocks(view), banners=True)
    yield from _without_gaps(view, view.above)
    for pane in view.panes:
        yield from pane_lines(view, pane)
    yield from _list_lines(view)


def pane_lines(view: ui.View, pane: ui.Pane) -> Iterator[Told]:
    """Yield a pane with the title."""
    yield Line()
    yield from _line(str(pane.title))
    yield from _without_gaps(view, pane.blocks)


def _list_lines(view: ui.View) -> Iterator[Line]:
    rows = view.rows.rows if view.rows else ()
    if rows:
        yield Line()
    for number, row in enumerate(rows, 1):
        yield from row_lines(number, row)


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


def changes(before: ui.View, view: ui.View) -> Iterator[Told]:
    """Yield the changes between two views. If the numbering changed, all rows."""
    if str(before.title) != str(view.title):
        yield Line(str(view.title))
    old, rows = (one.rows.rows if one.rows else () for one in (before, view))
    if [row.key for row in old] != [row.key for row in rows]:
        yield from _list_lines(view)
    else:
        for number, (old_row, row) in enumerate(zip(old, rows, strict=True), 1):
            if (lines := list(row_lines(number, row))) != list(row_lines(number, old_row)):
                yield from lines
    yield from _new(_blocks_told(before, before.above), _blocks_told(view, view.above))
    moved = bool(before.rows and view.rows and before.rows.at != view.rows.at)
    known = {str(pane.title): _blocks_told(before, pane.blocks) for pane in before.panes}
    for pane in view.panes:
        now, earlier = _blocks_told(view, pane.blocks), known.get(str(pane.title))
        if earlier is None or (moved and now != earlier):
            yield from pane_lines(view, pane)
        else:
            yield from _new(earlier, now)


def _new(before: Iterable[Told], now: Iterable[Told]) -> Iterator[Told]:
    left = Counter(before)
    for line in now:
        if left[line]:
            left[line] -= 1
        else:
            yield line


def _blocks_told(view: ui.View, blocks: Iterable[ui.Block]) -> list[Told]:
    told = (
        told for block in blocks if not isinstance(block, ui.Progress) for told in block_lines(block, view)
    )
    return [one for one in told if one != Line()]


def progress_text(view: ui.View) -> str:
    """Return the progress, or an empty text."""
    return next((_progress(block) for block in _blocks(view) if isinstance(block, ui.Progress)), "")


def _blocks(view: ui.View) -> Iterator[ui.Block]:
    yield from view.above
    yield from (block for pane in view.panes for block in pane.blocks)


def but_figures(told: Told | str) -> str:
    """Return text without figures, which may change at any time."""
    text = (
        " ".join(told.argv) if isinstance(told, ui.Command) else told if isinstance(told, str) else told.text
    )
    return _FIGURES.sub("", text)


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


def _line(text: str) -> Iterator[Line]:
    if text:
        yield Line(" ".join(text.split()))


def _without_gaps(view: ui.View, blocks: Iterable[ui.Block], *, banners: bool = False) -> Iterator[Told]:
    """Yield either banners or other blocks, with single empty lines between them."""
    gap = begun = False
    for block in blocks:
        for line in block_lines(block, view) if isinstance(block, ui.Banner) is banners else ():
            if isinstance(line, Line) and not line.text:
                gap = begun
                continue
            if gap:
                yield Line()
            gap, begun = False, True
            yield line
