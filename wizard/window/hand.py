"""Where a person is at one place: the row, the field, what is typed, and how far is scrolled."""

from __future__ import annotations

from collections.abc import Mapping

from wizard.desk.view import Field, Rows, View

MAIN, ABOVE, PANES, LEFT = "main", "above", "panes", "left"
"""What can have the focus: the list or the fields, what stands above them, and the panes."""

DELETING = ("backspace", "ctrl+h", "delete")

LONGEST_VALUE = 1000
"""Characters that can be typed into a field."""


class Hand:
    """It outlives the views of its place: each of them is met, and keeps what still fits."""

    def __init__(self) -> None:
        self.cursor = ""
        self.field = ""
        self.focus = MAIN
        self.tops: dict[str, int] = {}
        self.has_moved = False
        self._at = ""
        self._typed: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._given: dict[str, str] = {}
        self._selected: set[str] = set()

    def meet(self, view: View, *, asked: bool) -> bool:
        """Take over a new view; whether the place has to be told where the cursor is. With `asked` the person
        did something that led to it, and the place may lead the cursor."""
        self._meet_fields(view.fields)
        return view.rows is not None and self._meet_rows(view.rows, asked=asked)

    def _meet_rows(self, rows: Rows, *, asked: bool) -> bool:
        keys = [row.key for row in rows.rows]
        led = rows.at in keys and rows.at != self._at and (asked or not self.has_moved)
        if led or self.cursor not in keys:
            self.cursor = rows.at if rows.at in keys else (keys[0] if keys else "")
        away = bool(keys) and rows.at != self.cursor and rows.at != self._at
        self._at = rows.at
        return away

    def _meet_fields(self, fields: tuple[Field, ...]) -> None:
        for field in fields:
            if self._given.get(field.key) != field.value:
                self._given[field.key] = field.value
                if field.selected and field.value:
                    self._selected.add(field.key)
                if self._typed.get(field.key) != field.value:
                    self._typed[field.key] = field.value
                    self._places[field.key] = len(field.value)
        keys = [field.key for field in fields]
        if self.field not in keys:
            self.field = keys[0] if keys else ""

    def value(self, key: str) -> str:
        """What a field holds."""
        return self._typed.get(key, "")

    def selects(self, key: str) -> bool:
        """Whether all that a field holds is replaced by what is typed next."""
        return key in self._selected

    def place(self, key: str) -> int:
        """Before which character of a field the cursor stands."""
        return self._places.get(key, len(self.value(key)))

    def values(self, view: View) -> Mapping[str, str]:
        """What all fields hold."""
        return {field.key: self.value(field.key) for field in view.fields}

    def step_field(self, view: View, by: int) -> bool:
        """To another field; whether there is one in this direction."""
        keys = [field.key for field in view.fields]
        index = keys.index(self.field) + by if self.field in keys else 0
        if not 0 <= index < len(keys):
            return False
        self.field = keys[index]
        return True

    def turn(self, field: Field, by: int) -> None:
        """To the next or the previous of its offers, round and round."""
        values = [offer.value for offer in field.offers]
        now = values.index(self.value(field.key)) if self.value(field.key) in values else -1 if by > 0 else 0
        self._typed[field.key] = values[(now + by) % len(values)]

    def insert(self, text: str) -> None:
        """Type at the cursor of the field."""
        if self.selects(self.field):
            self._set("", 0)
        value, place = self.value(self.field), self.place(self.field)
        text = "".join(char for char in text if char.isprintable())[: LONGEST_VALUE - len(value)]
        self._set(value[:place] + text + value[place:], place + len(text))

    def edit(self, key: str) -> bool:
        """A key that changes what is typed or moves in it; whether it is one."""
        value, place = self.value(self.field), self.place(self.field)
        # What is selected goes as a whole; the cursor stands behind it.
        key = "ctrl+u" if self.selects(self.field) and key in DELETING else key
        match key:
            case "backspace" | "ctrl+h":
                self._set(value[: max(0, place - 1)] + value[place:], max(0, place - 1))
            case "delete":
                self._set(value[:place] + value[place + 1 :], place)
            case "ctrl+u":
                self._set(value[place:], 0)
            case "ctrl+k":
                self._set(value[:place], place)
            case "ctrl+w":
                kept = value[:place].rstrip().rpartition(" ")
                before = kept[0] + kept[1]
                self._set(before + value[place:], len(before))
            case "left":
                self._set(value, max(0, place - 1))
            case "right":
                self._set(value, min(len(value), place + 1))
            case "home" | "ctrl+a":
                self._set(value, 0)
            case "end" | "ctrl+e":
                self._set(value, len(value))
            case _:
                return False
        return True

    def _set(self, value: str, place: int) -> None:
        self._typed[self.field], self._places[self.field] = value, place
        self._selected.discard(self.field)
