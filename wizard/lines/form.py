"""The fields of a view, asked for one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.desk.place import Place
from wizard.desk.view import Field, Offer, View
from wizard.lines import words
from wizard.lines.answers import entering, find, legend, ways
from wizard.lines.talk import Para as Line
from wizard.model.said import t

if TYPE_CHECKING:
    from wizard.lines.app import Lines


@dataclass(frozen=True, slots=True)
class Left:
    """The form was left: something else is done, or nothing."""


LEFT = Left()


class Form:
    """What the fields of one place hold while they are asked for. What was typed stays when it is refused,
    but for what is secret."""

    def __init__(self, lines: Lines, place: Place) -> None:
        self._lines, self._place = lines, place
        self._typed = lines.typed.setdefault(place, {})

    def fill(self, view: View) -> None:
        """Ask for each field, then do what Enter does in the last one."""
        lines = self._lines
        action = entering(view)
        offered = ways(view)
        lines.talk.say(
            str(
                t("After the last answer: {label}. Or: {ways:list}.", label=action.label, ways=offered)
                if action
                else words.WAYS(ways=offered)
            )
        )
        values = {field.key: self._held(field) for field in view.fields}
        asked: set[str] = set()
        while field := next((one for one in view.fields if one.key not in asked), None):
            answer = self._ask(view, field, values)
            if isinstance(answer, Left):
                return
            asked.add(field.key)
            turned = field.offers and answer != values[field.key]
            values[field.key] = answer
            if not field.secret:
                self._typed[field.key] = (field.value, answer)
            if turned:
                lines.desk.turned(field.key, values)
                there, view = lines.now()
                if there is not self._place:
                    return
                lines.tell(there, view)
                values = {
                    one.key: values[one.key] if one.key in asked and one.key in values else self._held(one)
                    for one in view.fields
                }
        self._finish(view, values)

    def _finish(self, view: View, values: dict[str, str]) -> None:
        lines = self._lines
        if not self._is_here(view):
            lines.talk.say(str(words.MEANWHILE))
        elif action := entering(view):
            lines.act_with(action.name, values)
        else:
            lines.talk.say(str(legend(view)))
            lines.take(self._place, view, lines.talk.answer(str(words.ANSWER)))

    def _is_here(self, view: View) -> bool:
        there, now = self._lines.now()
        return there is self._place and now.place == view.place

    def _held(self, field: Field) -> str:
        """What was typed, unless the place has settled on something else since."""
        before, typed = self._typed.get(field.key, (field.value, field.value))
        return typed if before == field.value and not field.secret else field.value

    def _ask(self, view: View, field: Field, values: dict[str, str]) -> str | Left:
        """The next value of a field."""
        lines = self._lines
        held = values[field.key]
        while True:
            lines.print(list(field_lines(field, held)))
            if field.secret:
                secret = lines.talk.hidden_answer(str(words.ANSWER))
                return secret.decode("utf-8", "surrogateescape")
            answer = lines.talk.answer(str(words.ANSWER))
            if not answer:
                return held
            if answer.startswith("?"):
                lines.explain(view, answer[1:].strip())
            elif answer == "q":
                lines.quit()
                return LEFT
            elif answer == "b" and view.action("back"):
                return self._left_by(view, "back", values)
            elif answer.startswith("!"):
                if action := find(view, answer[1:]):
                    return self._left_by(view, action.name, values)
                lines.misunderstood(answer)
            else:
                found = self._meant(field, answer)
                if found is not None:
                    return found

    def _left_by(self, view: View, name: str, values: dict[str, str]) -> Left:
        if self._is_here(view):
            self._lines.act_with(name, values)
        else:
            self._lines.talk.say(str(words.MEANWHILE))
        return LEFT

    def _meant(self, field: Field, answer: str) -> str | None:
        """What was typed, or the offer that is meant; None where it cannot be had, which is said."""
        text = answer[1:] if answer.startswith("=") else answer
        if not field.offers:
            return text
        offer = offer_of(field, text)
        if offer is None:
            self._lines.talk.say(str(t("It has to be one of these.")))
        elif offer.why_not != "":
            self._lines.talk.say(f"{words.CANNOT} {offer.why_not}")
        else:
            return offer.value
        return None


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
        mark = f" ({words.CHOSEN})" if offer.value == held else ""
        shown = str(offer.text) if offer.value == held else shown
        lines.append(Line(f"{number}. {offer.text}{mark}", 2, 3))
        if offer.why_not != "":
            lines.append(Line(f"{words.CANNOT} {offer.why_not}", 5, 2))
    if field.secret:
        lines.append(Line(str(t("What you type is not shown."))))
    else:
        lines.append(
            Line(
                str(
                    t("An empty line keeps {value}.", value=shown)
                    if shown
                    else t("An empty line leaves it empty.")
                )
            )
        )
    return lines
