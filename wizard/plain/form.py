"""Answers to a view, and its fields as lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from wizard.model.said import Message, Sentence, t
from wizard.plain.prompt import PlainPara as Line
from wizard.ui.view import Action, Field, Offer, View

CHOSEN = t("chosen")
CANNOT = t("Cannot be chosen:")

ANSWER = t("Answer:")
WAYS = Sentence("One of: {ways:list}.")


MEANWHILE = t("The state has changed, so no action was taken.")


NUMBER_ONLY = Sentence("Enter a number, or: {ways:list}.")

OWN = frozenset("l?q=!")
"""Letters that are answers everywhere; an action with such a key is had by `=` and its key."""

ANYWHERE = ("back", "help", "quit")
_NUMBERED = re.compile(r"([0-9]{1,5})\.?\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Numbered:
    """An answer that begins with the number of a row; `rest` is what follows it."""

    index: int
    rest: str


def numbered(answer: str) -> Numbered | None:
    """The row from 0, and what is asked of it; None where the answer is no number."""
    found = _NUMBERED.fullmatch(answer)
    return Numbered(int(found[1]) - 1, found[2].strip()) if found else None


def entering(view: View) -> Action | None:
    """What an empty line does."""
    return next((action for action in view.actions if action.key == "enter"), None)


def taking(view: View) -> Action | None:
    """What a number does: Enter at that row, or taking it where several can be taken."""
    if view.rows and view.rows.many:
        toggle = next((action for action in view.actions if action.key == "space"), None)
        if toggle is not None:
            return toggle
    return entering(view)


def only_reads(view: View) -> bool:
    """Whether Enter leads away from a list, so that a number only tells more."""
    action = taking(view)
    return action is None or action.name == "back"


def handle(view: View, action: Action) -> str:
    """What is typed for an action."""
    if action.name in ANYWHERE:
        return {"back": "b", "help": "?", "quit": "q"}[action.name]
    key = action.key
    if len(key) != 1 or key.isspace():
        key = str(action.label)
    elif key in OWN or key.isdigit() or (key == "b" and view.action("back")):
        key = f"={key}"
    return f"!{key}" if view.fields else key


def way(view: View, action: Action) -> str:
    """An action as it is offered: `s set up`."""
    typed, label = handle(view, action), str(action.label)
    return typed if typed.removeprefix("!") == label else f"{typed} {label}"


def find(view: View, answer: str) -> Action | None:
    """The action that is meant by a key or a label. Capital letters end something: small ones do not stand
    for them."""
    literal = len(answer) > 1 and answer.startswith("=")
    word = answer[1:] if literal else answer
    if not literal and word.lower() in ("b", "back") and (back := view.action("back")):
        return back
    small = word.casefold()
    for matches in (
        lambda action: action.key == word,
        lambda action: action.key == small,
        lambda action: str(action.label).casefold() == small or action.name == small,
    ):
        if found := next(filter(matches, view.actions), None):
            return found
    return None


def ways(view: View) -> tuple[str, ...]:
    """What is offered beside Enter: what the view shows and can be had now; back, help and the end last."""
    return (*dict.fromkeys(_ways(view)),)


def _ways(view: View) -> Iterator[str]:
    entered = entering(view)
    skipped = {entered.name} if entered and not (entered.ends and not view.fields) else set()
    for action in view.actions:
        if action.name not in (*skipped, *ANYWHERE) and not action.aside and action.why_not == "":
            skipped.add(action.name)
            yield way(view, action)
    everywhere = (view.action(name) for name in ANYWHERE if name not in skipped)
    yield from (way(view, action) for action in everywhere if action is not None)


def legend(view: View) -> Message:
    """How the question can be answered, in a line."""
    entered, offered, rows = entering(view), ways(view), view.rows.rows if view.rows else ()
    label = entered.label if entered else ""
    if entered is not None and entered.ends:
        return NUMBER_ONLY(ways=offered) if rows else WAYS(ways=offered)
    if not rows:
        return (
            t("Empty line: {label}. Or: {ways:list}.", label=label, ways=offered)
            if entered
            else WAYS(ways=offered)
        )
    take = taking(view)
    if entered is None or take is None:
        return NUMBER_ONLY(ways=offered)
    if only_reads(view):
        return t(
            "Enter a number for details, an empty line for {label}, or: {ways:list}.",
            label=label,
            ways=offered,
        )
    if take.name != entered.name:
        return t(
            "Number: {take}. Empty line: {label}. Or: {ways:list}.",
            take=take.label,
            label=label,
            ways=offered,
        )
    number = next((at for at, row in enumerate(rows, 1) if view.rows and row.key == view.rows.at), None)
    if number is None:
        return NUMBER_ONLY(ways=offered)
    return t(
        "Enter a number, an empty line for {number} ({label}), or: {ways:list}.",
        number=number,
        label=label,
        ways=offered,
    )


def offer_of(field: Field, text: str) -> Offer | None:
    """The offer with this number, value or text."""
    if text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= len(field.offers):
        return field.offers[int(text[:6]) - 1]
    wanted = text.casefold()
    return next(
        (one for one in field.offers if wanted in (one.value.casefold(), str(one.text).casefold())), None
    )


def field_lines(field: Field, held: str) -> list[Line]:
    """What is asked for, what can be had, and what an empty line means."""
    lines = [Line(f"{field.caption} ({field.hint})" if field.hint != "" else str(field.caption))]
    shown = held
    for number, offer in enumerate(field.offers, 1):
        mark = f" ({CHOSEN})" if offer.value == held else ""
        shown = str(offer.text) if offer.value == held else shown
        lines.append(Line(f"{number}. {offer.text}{mark}", 2, 3))
        if offer.why_not != "":
            lines.append(Line(f"{CANNOT} {offer.why_not}", 5, 2))
    if field.secret:
        lines.append(Line(str(t("Typing is hidden."))))
    else:
        lines.append(
            Line(
                str(
                    t("Empty line: {value} (unchanged).", value=shown)
                    if shown
                    else t("Empty line: no value.")
                )
            )
        )
    return lines
