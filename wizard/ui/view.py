"""Views of the wizard's screens, as data. Renderers draw any view and contain no rules.

Text is a `Message`, or a plain string for a name, command or figure. Interfaces make both safe to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from wizard.model.said import Message, t

Text = Message | str


class Tone(StrEnum):
    """How something is meant; a face has a colour, or nothing, for each. The words say it all the same."""

    PLAIN = "plain"
    STRONG = "strong"
    MUTED = "muted"
    ACCENT = "accent"
    GOOD = "good"
    WARN = "warn"
    DANGER = "danger"


class ScreenStep(StrEnum):
    """The five screens, in their order."""

    DRIVES = "drives"
    PURPOSE = "purpose"
    PLAN = "plan"
    REVIEW = "review"
    WORK = "work"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text with its tone."""

    text: Text
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph, its pieces one after the other with a space between. All but its first line are indented
    by `hang` more than `indent`. `key` is the action beside it, shown at the end of its line."""

    pieces: tuple[Piece, ...] = ()
    indent: int = 0
    hang: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command as it can be copied, or a line of a file where there is one word only."""

    argv: tuple[str, ...]


class Fate(StrEnum):
    """What becomes of a stretch of a drive."""

    KEPT = "kept"
    NEW = "new"
    LOST = "lost"
    FREE = "free"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A partition, or free space, in a bar; drawn to scale, and at least as wide as its name where there is
    room. `filesystem` is libblkid's name, empty for none."""

    name: Text
    size_bytes: int
    filesystem: str = ""
    fate: Fate = Fate.KEPT


@dataclass(frozen=True, slots=True)
class Bar:
    """A drive from its first to its last byte."""

    stretches: tuple[Stretch, ...]
    caption: Text = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """Named figures as bars; `better` says which way."""

    unit: Text
    values: tuple[tuple[str, float], ...]
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far work is. `share` from 0 to 1, None where nobody knows; `said` what is left; `rates` bytes a
    second of the last moments, the latest at the end."""

    share: float | None
    said: Text = ""
    rates: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Banner:
    """The one thing that matters most here."""

    text: Text
    detail: tuple[Text, ...] = ()
    tone: Tone = Tone.GOOD


Block = Para | Command | Bar | Figures | Progress | Banner
GAP = Para()


@dataclass(frozen=True, slots=True)
class Pane:
    """Blocks under a title, to be read; it scrolls where it has no room."""

    title: Text
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list. `least` is the width of the terminal from which it is shown."""

    title: Text = ""
    right: bool = False
    least: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """A line that the cursor can stand on. `chosen` marks what is taken: True, False, or None where nothing
    can be. `level` indents it. `why_not` is why it cannot be taken; it is greyed then. `notes` stand below
    it. One that is `pinned` has no columns: it stands first, as wide as the screen, and stays in sight."""

    key: str
    cells: tuple[Piece, ...]
    level: int = 0
    chosen: bool | None = None
    why_not: Text = ""
    notes: tuple[Text, ...] = ()
    pinned: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """The list that has the focus. `at` is the row that the cursor stands on; `many` says whether several can
    be chosen at once."""

    rows: tuple[Row, ...]
    at: str = ""
    columns: tuple[Column, ...] = ()
    many: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """A value that a field can have; `why_not` is why it cannot be had now."""

    value: str
    text: Text
    why_not: Text = ""


@dataclass(frozen=True, slots=True)
class Field:
    """Something to type, or with `offers` something to turn to. `hint` stands where it is empty; `secret` is
    not shown; of `selected` the first letter that is typed replaces the value."""

    key: str
    caption: Text
    value: str = ""
    hint: Text = ""
    secret: bool = False
    offers: tuple[Offer, ...] = ()
    selected: bool = False


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done here, by its key. `name` is what the desk is told. The first one is what
    Enter does. `ends`: it ends or destroys something, as a capital letter says too. `aside`: it is not in the
    line of keys, since the text names it."""

    name: str
    key: str
    label: Text
    why_not: Text = ""
    ends: bool = False
    aside: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """The content of a screen. `place` is its name in code, never shown. At most one of `rows` and `fields`
    is filled.

    `above` is drawn over the list or the fields, `panes` below or beside. `said` answers the last action.
    `over` draws it over the previous screen, which stays visible. `busy`: work is running, and the view will
    change by itself. `help` explains the screen, in paragraphs.
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
    help: tuple[Text, ...] = ()

    def action(self, name: str) -> Action | None:
        """The action of this name, where it is here."""
        return next((action for action in self.actions if action.name == name), None)


def para(*pieces: Piece | Text, indent: int = 0, hang: int = 0, key: str = "") -> Para:
    """A paragraph of pieces; a bare text is plain. Empty ones are left out."""
    found = (piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)
    return Para(tuple(piece for piece in found if piece.text != ""), indent, hang, key)


def strong(text: Text) -> Piece:
    """What is to be seen first."""
    return Piece(text, Tone.STRONG)


def muted(text: Text) -> Piece:
    """A label."""
    return Piece(text, Tone.MUTED)


BACK = t("back")
GLOSSARY_KEY = t("words")
QUIT_KEY = t("quit")


Values = Mapping[str, str]
"""What the fields hold, by their keys."""


def back_action() -> Action:
    """Return to the previous screen."""
    return Action("back", "escape", BACK)
