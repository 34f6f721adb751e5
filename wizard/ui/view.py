"""Views of the wizard's screens, as data. Renderers draw any view and contain no rules.

Text is a `Message`, or a plain string for a name, command or figure. Interfaces make both safe to show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import partial

from msgspec import Struct

from wizard.model.said import Message, format_capacity, t

Text = Message | str
Texts = tuple[Text, ...]


class Tone(StrEnum):
    """Emphasis of a text. Interfaces may add a colour; the words alone carry the meaning."""

    PLAIN = "plain"
    STRONG = "strong"
    MUTED = "muted"
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    DANGER = "danger"


class ScreenStep(StrEnum):
    """The five screens, in order."""

    DRIVES = "drives"
    PURPOSE = "purpose"
    PLAN = "plan"
    REVIEW = "review"
    WORK = "work"

    @property
    def number(self) -> int:
        """Number of the screen, from 1."""
        return list(ScreenStep).index(self) + 1

    @property
    def shown(self) -> Message:
        """Name of the screen, as shown."""
        return TITLES[self]


TITLES = dict(zip(ScreenStep, (t("Drives"), t("Purpose"), t("Plan"), t("Review"), t("Work")), strict=True))


class Piece(Struct, frozen=True):
    """Text with a tone."""

    text: Text
    tone: Tone = Tone.PLAIN


class Para(Struct, frozen=True):
    """A paragraph of pieces joined by spaces.

    Lines after the first are indented by `hang` more than `indent`. `key` names an action, shown at the end
    of the line.
    """

    pieces: tuple[Piece, ...] = ()
    indent: int = 0
    hang: int = 0
    key: str = ""


class Command(Struct, frozen=True):
    """A command to copy. A single word is a line of a file."""

    argv: tuple[str, ...]


class Fate(StrEnum):
    """The effect of a plan on a stretch of a drive."""

    PRESERVED = "kept"
    NEW = "new"
    LOST = "lost"
    FREE = "free"
    UNREAD = "unread"


class Stretch(Struct, frozen=True):
    """A partition or free space in a bar, drawn to scale but at least as wide as the name if space allows.

    `filesystem` is libblkid's name, or empty. `used_bytes`: used space, None if unknown.
    """

    name: Text
    size_bytes: int
    filesystem: str = ""
    fate: Fate = Fate.PRESERVED
    used_bytes: int | None = None

    @property
    def use(self) -> Text:
        """The used share. Empty without old contents, and for swap."""
        if self.used_bytes is not None and self.size_bytes:
            return t("{percent} % used", percent=min(100, round(100 * self.used_bytes / self.size_bytes)))
        is_old = self.filesystem not in ("", "swap") and self.fate in (Fate.PRESERVED, Fate.LOST)
        return t("used space unknown") if is_old else ""


class Bar(Struct, frozen=True):
    """A drive, from first to last byte."""

    stretches: tuple[Stretch, ...]
    caption: Text = ""


class Figures(Struct, frozen=True):
    """Figures drawn as bars: each with name, value, and the value as text."""

    unit: Text
    values: tuple[tuple[str, float, str], ...]


class Progress(Struct, frozen=True):
    """Progress of a task. `share` is between 0 and 1, or None if unknown.

    `said` describes the remaining work. `rates` are recent speeds in bytes per second, latest last.
    """

    share: float | None
    said: Text = ""
    rates: tuple[float, ...] = ()


class Banner(Struct, frozen=True):
    """The most important statement of a view."""

    text: Text
    detail: Texts = ()
    tone: Tone = Tone.GOOD


Block = Para | Command | Bar | Figures | Progress | Banner
Blocks = Iterable[Block]
GAP = Para()


class Pane(Struct, frozen=True):
    """Blocks of text under a title, scrollable if too long."""

    title: Text
    blocks: tuple[Block, ...]


Panes = Iterable[Pane]


class Column(Struct, frozen=True):
    """A column of a list, shown if the terminal has at least `least` columns."""

    title: Text = ""
    right: bool = False
    least: int = 0


class Row(Struct, frozen=True):
    """A selectable line of a list.

    `chosen` is True or False, or None if the row cannot be chosen. `level` is the indentation. `why_not`
    greys the row and explains why. `notes` appear below the row, and then the `bar`, space permitting. A
    `pinned` row has no columns, spans the screen at the top and does not scroll.
    """

    key: str
    cells: tuple[Piece, ...]
    level: int = 0
    chosen: bool | None = None
    why_not: Text = ""
    notes: Texts = ()
    pinned: bool = False
    bar: Bar | None = None


Listed = Iterable[Row]


class Rows(Struct, frozen=True):
    """The list with the focus. `at` is the row under the cursor. `many` allows several chosen rows."""

    rows: tuple[Row, ...]
    at: str = ""
    columns: tuple[Column, ...] = ()
    many: bool = False


class Offer(Struct, frozen=True):
    """A value offered by a field. `why_not` explains why the value is unavailable."""

    value: str
    text: Text
    why_not: Text = ""


class Field(Struct, frozen=True):
    """A text field, or a selection if `offers` is not empty.

    `hint` is the placeholder. A `secret` value is masked. If `selected`, the first typed letter replaces the
    value.
    """

    key: str
    caption: Text
    value: str = ""
    hint: Text = ""
    secret: bool = False
    offers: tuple[Offer, ...] = ()
    selected: bool = False


class Action(Struct, frozen=True):
    """An action with a key. `name` identifies the action to the desk. Enter performs the first action.

    `ends` marks an action that ends or destroys something; such keys are capital letters. An `aside` action
    is omitted from the line of keys, because the text mentions the key.
    """

    name: str
    key: str
    label: Text
    why_not: Text = ""
    ends: bool = False
    aside: bool = False


Actions = Iterable[Action]
aside = partial(Action, aside=True)
ending = partial(Action, ends=True)


class View(Struct, frozen=True):
    """The content of a screen. `place` is an internal name. Has rows or fields, never both.

    `above` is drawn over the list or the fields, and `panes` are drawn below them or on the right. `said`
    answers the last action. `over` makes a dialog over the previous screen. `busy` means that work is running
    and the view will change. `help` explains the screen, one text per paragraph.
    """

    place: str
    step: ScreenStep
    title: Text
    actions: tuple[Action, ...]
    about: Text = ""
    above: tuple[Block, ...] = ()
    rows: Rows | None = None
    fields: tuple[Field, ...] = ()
    panes: tuple[Pane, ...] = ()
    said: Piece | None = None
    over: bool = False
    busy: bool = False
    help: Texts = ()

    def action(self, name: str) -> Action | None:
        """Return the action with this name, or None."""
        return next((action for action in self.actions if action.name == name), None)


def pieces(*texts: Piece | Text) -> tuple[Piece, ...]:
    """Return pieces. Plain text gets the plain tone."""
    return tuple(text if isinstance(text, Piece) else Piece(text) for text in texts)


def row(
    key: str,
    *cells: Piece | Text,
    level: int = 0,
    chosen: bool | None = None,
    why_not: Text = "",
    notes: Texts = (),
    pinned: bool = False,
    bar: Bar | None = None,
) -> Row:
    """Return a row. Cells of plain text get the plain tone. A row with `why_not` cannot be chosen."""
    return Row(key, pieces(*cells), level, None if why_not else chosen, why_not, notes, pinned, bar)


def para(*texts: Piece | Text, indent: int = 0, hang: int | None = None, key: str = "") -> Para:
    """Return a paragraph of pieces, by default with hanging lines if there are several.

    Plain text gets the plain tone, and empty pieces are omitted.
    """
    hang = 2 * (len(texts) > 1) if hang is None else hang
    return Para(tuple(piece for piece in pieces(*texts) if piece.text != ""), indent, hang, key)


strong = partial(Piece, tone=Tone.STRONG)
muted = partial(Piece, tone=Tone.MUTED)
"""The tone of a label."""
accent = partial(Piece, tone=Tone.ACCENT)
"""The tone of a name or key."""
good = partial(Piece, tone=Tone.GOOD)
warn = partial(Piece, tone=Tone.WARN)
danger = partial(Piece, tone=Tone.DANGER)


def _led(
    tone: Tone, lead: Text, *more: Piece | Text, indent: int = 0, hang: int | None = None, key: str = ""
) -> Para:
    return para(Piece(lead, tone), *more, indent=indent, hang=hang, key=key)


# Paragraphs that start with a text in this tone.
heading = partial(_led, Tone.STRONG)
label = partial(_led, Tone.MUTED)
named = partial(_led, Tone.ACCENT)
fine = partial(_led, Tone.GOOD)
warning = partial(_led, Tone.WARN)
alarm = partial(_led, Tone.DANGER)


def short(path: str) -> str:
    """Return a device name without /dev/."""
    return path.removeprefix("/dev/")


CAPTION = 12
"""Width of captions that stand below each other."""


def captioned(caption: Message, *pieces: Piece | Text, key: str = "") -> Para:
    """Return a caption and the text, in a column with others."""
    return para(muted(str(caption).ljust(CAPTION)), *pieces, hang=CAPTION + 1, key=key)


CHANGED = {Fate.LOST: t("lost"), Fate.NEW: t("new")}
"""Fates that a bar states in words."""


def stretch_words(stretch: Stretch) -> str:
    """Describe a stretch: name, filesystem, size, and whether it is lost or new."""
    size, name = format_capacity(stretch.size_bytes), str(stretch.name)
    if stretch.fate in (Fate.FREE, Fate.UNREAD):
        return f"{size} {name}"
    mark = f"({CHANGED[stretch.fate]})" if stretch.fate in CHANGED else ""
    kind = "" if name.casefold() == stretch.filesystem.casefold() else stretch.filesystem
    return " ".join(part for part in (name, kind, size, str(stretch.use), mark) if part)


KEY_NAMES = {
    "enter": t("Enter"),
    "escape": t("Esc"),
    "space": t("Space"),
    "delete": t("Del"),
    "tab": t("Tab"),
    "backspace": t("Backspace"),
    "pageup": t("PgUp"),
    "pagedown": t("PgDn"),
}


def key_name(key: str) -> str:
    """Return the display name of a key."""
    return str(KEY_NAMES.get(key, key if len(key) == 1 else key.upper()))


Values = Mapping[str, str]
"""Values of fields by key."""
