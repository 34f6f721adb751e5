"""Fields as lines: captions, what is typed, and what can be turned to."""

from __future__ import annotations

from rich.cells import cell_len

from wizard.desk.view import Field, Offer
from wizard.window.blocks import Pen
from wizard.window.hand import Hand
from wizard.window.lines import Run, blank, cut, fitted, fitting, folded, joined, line, shown
from wizard.window.sheet import Sheet, Spot, stacked

ENTRY = 40
"""Cells that are enough for what is typed."""


def fields_sheet(fields: tuple[Field, ...], width: int, pen: Pen, hand: Hand, *, focused: bool) -> Sheet:
    """All fields, one below the other."""
    longest = max((cell_len(shown(field.caption)) for field in fields), default=0)
    column = min(longest, max(8, width * 2 // 5))
    hints = max((cell_len(shown(field.hint)) + 4 for field in fields), default=0)
    entry = min(max(ENTRY, hints), max(6, width - column - 5))
    return stacked(
        _field(field, column, (width, entry), pen, hand, focused=focused and hand.field == field.key)
        for field in fields
    )


def _field(field: Field, column: int, wide: tuple[int, int], pen: Pen, hand: Hand, *, focused: bool) -> Sheet:
    width, entry = wide
    look = pen.look
    style = look.style("accent" if focused else "text")
    captions = [line(*part) for part in folded([(shown(field.caption), style)], max(4, column))]
    mark = look.sign("mark") if focused else " "
    room = max(6, width - column - 5)
    if field.offers:
        runs, cursor = _turned(field, room, pen, hand, focused=focused), 0
    else:
        runs, cursor = _entry(field, entry, pen, hand, focused=focused)
    lines = [
        joined(
            line((f"{mark if not index else ' '} ", look.style("accent"))),
            fitted(caption, column + 2),
            line(*runs) if index == 0 else line(),
        )
        for index, caption in enumerate(captions)
    ]
    height = len(lines)
    refused = _offer(field, hand)
    if refused is not None and refused.why_not != "":
        for part in folded([(shown(refused.why_not), look.style("warn"))], room):
            lines.append(joined(blank(column + 4), line(*part)))
    if not field.offers and cell_len(shown(field.hint)) + 4 > room:
        for part in folded([(shown(field.hint), look.style("muted"))], room):
            lines.append(joined(blank(column + 4), line(*part)))
    spots = tuple(Spot(0, y, width, "field", field.key) for y in range(height))
    at = (column + 4 + cursor, 0) if focused else None
    return Sheet(tuple(fitted(each, width) for each in lines), at, spots)


def _offer(field: Field, hand: Hand) -> Offer | None:
    value = hand.value(field.key)
    return next((offer for offer in field.offers if offer.value == value), None)


def _turned(field: Field, room: int, pen: Pen, hand: Hand, *, focused: bool) -> list[Run]:
    look, offer = pen.look, _offer(field, hand)
    text = cut(shown(offer.text if offer else hand.value(field.key)), room - 4, look.sign("more"))
    arrows = look.style("accent" if focused else "muted")
    style = look.style("off" if offer and offer.why_not != "" else "go" if focused else "strong")
    less, more = look.sign("less"), look.sign("next")
    return [(f"{less} ", arrows), (f"{text}", style), (f" {more}", arrows)]


def _entry(field: Field, room: int, pen: Pen, hand: Hand, *, focused: bool) -> tuple[list[Run], int]:
    """What is typed, and the cell that the cursor stands on."""
    look = pen.look
    ink, at = look.style("field"), look.style("at")
    value = hand.value(field.key)
    text = look.sign("hidden") * len(value) if field.secret else shown(value)
    place = min(hand.place(field.key), len(text))
    bracket = "" if look.many else "["
    room -= 2 * len(bracket)
    if not value and shown(field.hint):
        hint = look.style("hint")
        said = f" {cut(shown(field.hint), room - 2, look.sign('more'))}"
        body = [(" ", at), (said[1:], hint)] if focused else [(said, hint)]
        used, place = cell_len(said), 0
    else:
        start = 0
        while cell_len(text[start:place]) > room - 2:
            start += 1
        part = text[start : start + fitting(text[start:], room - 1)]
        place -= start
        under = part[place : place + 1] or " "
        if focused and hand.selects(field.key):
            ink = at
        body = [(part[:place], ink), (under, at), (part[place + 1 :], ink)] if focused else [(part, ink)]
        used = cell_len(part) + (1 if focused and place >= len(part) else 0)
        place = cell_len(part[:place])
    rest = (" " * max(0, room - used), look.style("field"))
    runs = [*body, rest]
    if bracket:
        runs = [("[", look.style("text")), *runs, ("]", look.style("text"))]
    return runs, place + len(bracket)
