"""Render a view as lines, in full or only changes. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from wizard.model.said import Sentence, t
from wizard.plain import prompt
from wizard.plain.prompt import PlainPara as Line
from wizard.plain.prompt import handle, way
from wizard.ui.view import (
    Banner,
    Bar,
    Block,
    Command,
    Fate,
    Figures,
    Pane,
    Para,
    Progress,
    Row,
    ScreenStep,
    Stretch,
    View,
)

HELP_AGAIN = Sentence("l: list everything again.")

Told = Line | Command
STEPS: dict[ScreenStep, Sentence] = {
    ScreenStep.DRIVES: Sentence("Drives"),
    ScreenStep.PURPOSE: Sentence("Purpose"),
    ScreenStep.PLAN: Sentence("Plan"),
    ScreenStep.REVIEW: Sentence("Review"),
    ScreenStep.WORK: Sentence("Work"),
}
_FATES = {Fate.LOST: Sentence("lost"), Fate.NEW: Sentence("new")}
MOST_STRETCHES = 16
"""Of a drive, that are told; the list of partitions has all of them."""
_FIGURES = re.compile(r"[\d.,]+")


def heading(step: ScreenStep) -> Line:
    """`Step 2 of 5: Purpose`."""
    number = list(STEPS).index(step) + 1
    return Line(
        str(t("Step {number} of {count}: {name}", number=number, count=len(STEPS), name=STEPS[step]()))
    )


def whole(view: View, *, headed: bool = False) -> Iterator[Told]:
    """Everything but what was said of the last answer: banners first, the list at the end. `headed`: the
    name of the step was just told."""
    if not headed or str(view.title) != str(STEPS[view.step]()):
        yield from _line(str(view.title))
    yield from _line(str(view.about))
    blocks = [*view.above, *(block for pane in view.panes for block in pane.blocks)]
    yield from _without_gaps(view, (block for block in blocks if isinstance(block, Banner)))
    yield from _without_gaps(view, (block for block in view.above if not isinstance(block, Banner)))
    for pane in view.panes:
        yield from pane_lines(view, pane)
    yield from list_lines(view)


def pane_lines(view: View, pane: Pane) -> Iterator[Told]:
    """A pane under its title."""
    yield Line()
    yield from _line(str(pane.title))
    yield from _without_gaps(view, (block for block in pane.blocks if not isinstance(block, Banner)))


def list_lines(view: View) -> Iterator[Line]:
    """Every row of the list."""
    rows = view.rows.rows if view.rows else ()
    if rows:
        yield Line()
    for number, row in enumerate(rows, 1):
        yield from row_lines(number, row)


def row_lines(number: int, row: Row) -> Iterator[Line]:
    """A row with its number, what stands below it, and why it cannot be taken."""
    why_not = str(row.why_not)
    cells = (str(cell.text).strip() for cell in row.cells)
    text = ", ".join(said for said in cells if said and said != why_not).replace(":, ", ": ")
    mark = f" ({prompt.CHOSEN})" if row.chosen else ""
    indent = 2 * row.level
    yield Line(f"{number}. {text}{mark}", indent, 3)
    yield from (Line(str(note), indent + 3, 2) for note in row.notes)
    if why_not:
        yield Line(f"{prompt.CANNOT} {why_not}", indent + 3, 2)


def changes(before: View, view: View) -> Iterator[Told]:
    """What a view says that it did not say before."""
    if str(before.title) != str(view.title):
        yield Line(str(view.title))
    yield from _rows_changed(before, view)
    yield from _new(blocks_told(before, before.above), blocks_told(view, view.above))
    moved = bool(before.rows and view.rows and before.rows.at != view.rows.at)
    known = {str(pane.title): blocks_told(before, pane.blocks) for pane in before.panes}
    for pane in view.panes:
        told = blocks_told(view, pane.blocks)
        earlier = known.get(str(pane.title))
        if earlier is None or (moved and told != earlier):
            yield from pane_lines(view, pane)
        else:
            yield from _new(earlier, told)


def _rows_changed(before: View, view: View) -> Iterator[Line]:
    """Those that are different; all of them where their numbers are."""
    old, rows = (one.rows.rows if one.rows else () for one in (before, view))
    if [row.key for row in old] != [row.key for row in rows]:
        yield from list_lines(view)
        return
    for number, (earlier, row) in enumerate(zip(old, rows, strict=True), 1):
        if (told := list(row_lines(number, row))) != list(row_lines(number, earlier)):
            yield from told


def _new(before: Iterable[Told], now: Iterable[Told]) -> Iterator[Told]:
    left = Counter(before)
    for told in now:
        if left[told]:
            left[told] -= 1
        else:
            yield told


def blocks_told(view: View, blocks: Iterable[Block]) -> list[Told]:
    """Blocks as lines, without those that are empty. What changes with every look is not among them."""
    told = (told for block in blocks if not isinstance(block, Progress) for told in block_lines(view, block))
    return [one for one in told if one != Line()]


def progress_text(view: View) -> str:
    """How far it is, where that is told."""
    blocks = (*view.above, *(block for pane in view.panes for block in pane.blocks))
    return next((_progress(block) for block in blocks if isinstance(block, Progress)), "")


def but_figures(told: Told | str) -> str:
    """Text without its figures, which may change with every look."""
    text = " ".join(told.argv) if isinstance(told, Command) else told if isinstance(told, str) else told.text
    return _FIGURES.sub("", text)


def help_lines(view: View) -> Iterator[Line]:
    """What a view says of itself, every key with its label, and what can be answered besides."""
    yield Line()
    yield from (Line(str(text)) for text in view.help)
    shown = {"back", "help", "quit"}
    for action in view.actions:
        if action.key != "enter" and action.name not in shown:
            shown.add(action.name)
            why_not = f" ({prompt.CANNOT} {action.why_not})" if action.why_not != "" else ""
            yield Line(f"{way(view, action)}{why_not}", 2, 3)
    more: tuple[Sentence, ...] = (
        (
            Sentence("2?: details of number 2."),
            Sentence("Number and key: apply the key to the row, as in 2 w."),
            HELP_AGAIN,
        )
        if view.rows
        else ()
    )
    if view.fields:
        more = (Sentence("= before an answer: use the text literally. = alone clears the field."),)
    elif not view.rows:
        more = (HELP_AGAIN,)
    yield from (
        Line(str(said()), 2, 3)
        for said in (
            *more,
            Sentence("? and a word: explain the word, as in ? 512e."),
            Sentence("Ctrl+S pauses the output; Ctrl+Q resumes."),
        )
    )
    yield Line()


def block_lines(view: View, block: Block) -> Iterator[Told]:
    """A block as lines."""
    match block:
        case Para():
            yield _para(view, block)
        case Command():
            yield block
        case Bar():
            stretches = ", ".join(_stretches(block.stretches))
            yield Line(f"{block.caption}: {stretches}." if block.caption != "" else f"{stretches}.", 0, 2)
        case Figures():
            shown = [*block.shown, *(f"{value:g}" for _, value in block.values[len(block.shown) :])]
            named = zip(block.values, shown, strict=False)
            told = ", ".join(f"{name}: {figure}" for (name, _), figure in named)
            yield Line(f"{block.unit}: {told}." if block.unit != "" else f"{told}.", 0, 2)
        case Progress():
            yield Line(_progress(block))
        case Banner():
            yield Line(str(block.text))
            yield from (Line(str(text), 2, 2) for text in block.detail)


def _para(view: View, block: Para) -> Line:
    text = " ".join(said for piece in block.pieces if (said := str(piece.text).strip()))
    action = view.action(block.key) if block.key else None
    if action is not None:
        typed, label = handle(view, action), str(action.label)
        text = f"{text} ({label})" if typed == label else f"{text} ({typed}: {label})"
    return Line(text, block.indent, block.hang)


def _stretches(stretches: tuple[Stretch, ...]) -> Iterator[str]:
    """The largest ones where there are many, and always what is lost or new, in their order."""
    sizes = sorted((one.size_bytes for one in stretches), reverse=True)
    least = sizes[MOST_STRETCHES - 1] if len(sizes) > MOST_STRETCHES else 0
    told = [one for one in stretches if one.fate in _FATES or one.size_bytes >= least]
    yield from map(_stretch, told)
    if left := len(stretches) - len(told):
        yield str(t("{count} more", count=left))


def _stretch(stretch: Stretch) -> str:
    size = str(t("{size:size}", size=stretch.size_bytes))
    if stretch.fate in (Fate.FREE, Fate.UNREAD):
        return f"{size} {stretch.name}"
    said = _FATES.get(stretch.fate)
    mark = f"({said()})" if said else ""
    name = str(stretch.name)
    kind = "" if name.casefold() == stretch.filesystem.casefold() else stretch.filesystem
    return " ".join(part for part in (name, kind, size, mark) if part)


def _progress(progress: Progress) -> str:
    if progress.said != "" or progress.share is None:
        return str(progress.said)
    return str(t("{percent} percent.", percent=int(100 * progress.share)))


def _line(text: str) -> Iterator[Line]:
    """What stands in columns elsewhere has single spaces here."""
    if text:
        yield Line(" ".join(text.split()))


def _without_gaps(view: View, blocks: Iterable[Block]) -> Iterator[Told]:
    """Blocks with no more than one empty line between two, and none at the ends."""
    waits = begun = False
    for block in blocks:
        for told in block_lines(view, block):
            if told == Line() or (isinstance(told, Line) and not told.text):
                waits = begun
                continue
            if waits:
                yield Line()
            waits, begun = False, True
            yield told
