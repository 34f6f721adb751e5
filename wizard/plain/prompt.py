"""Print lines on any terminal, and read answers line by line."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import BinaryIO, TextIO

from msgspec import Struct

from wizard.model.errors import printable
from wizard.model.said import Message, Sentence, t
from wizard.process.output import no_echo, wrapped
from wizard.ui.messages import NONE
from wizard.ui.view import Action, Field, Text, View

WIDEST = 78
NARROWEST = 40
LONGEST_ANSWER_BYTES = 4096
"""A terminal's limit for one line (N_TTY_BUF_SIZE, termios(3))."""

LONGEST_PARAGRAPH = 10_000
_NEAR = str.maketrans("–—‘’“”×·•…µμ", "--''\"\"x--.uu")


class Ended(Exception):
    """The person ended the wizard, or input ended. The message, if any, describes the drive's state."""


class PlainPara(Struct, frozen=True):
    """A paragraph. `indent` applies to all lines, `hang` to all but the first. Without text, an empty
    line."""

    text: str = ""
    indent: int = 0
    hang: int = 0


class Dialogue:
    """Terminal dialogue. `width` limits line lengths. `echo` repeats answers if no terminal shows them."""

    def __init__(
        self,
        answers: BinaryIO,
        out: TextIO,
        *,
        width: int = WIDEST,
        ascii_only: bool = True,
        echo: bool = False,
    ) -> None:
        self.width = min(WIDEST, max(NARROWEST, width))
        self._answers, self._out, self._ascii, self._echo = answers, out, ascii_only, echo
        self._replaced = self._noted = False

    def say(self, text: Text = "", indent: int = 0, hang: int = 0) -> None:
        """Print a paragraph, wrapped between words. Replaces characters that cannot be shown."""
        for line in wrapped(self._safe(str(text)), self.width - indent, hang):
            self._print(" " * indent + line)

    def show(self, lines: Iterable[str]) -> None:
        """Print lines that are already wrapped, such as commands."""
        for line in lines:
            self._print(self._safe(line))

    def answer(self) -> str:
        """Return the next answer without surrounding spaces. Raises Ended at the end of input."""
        if self._replaced and not self._noted:
            self._noted = True
            self.say(
                t("(Characters this terminal may not support appear as plain letters or question marks.)")
            )
        line = self._read()
        if not line:
            self._print("")
            raise Ended
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = self._answers.readline(LONGEST_ANSWER_BYTES)
        text = line.decode("utf-8", errors="replace").strip()
        if self._echo:
            self._print(self._safe(text))
        return text

    def hidden_answer(self) -> bytes:
        """Return the next answer without echo, byte for byte except the newline. Raises Ended at the end of
        input."""
        with no_echo(self._answers):
            line = self._read()
        self._print("")
        if not line:
            raise Ended
        return line.removesuffix(b"\n")

    def _read(self) -> bytes:
        self._out.write(f"{ANSWER} ")
        self._out.flush()
        return self._answers.readline(LONGEST_ANSWER_BYTES)

    def _print(self, line: str) -> None:
        self._out.write(f"{line.rstrip()}\n")
        self._out.flush()

    def _safe(self, text: str) -> str:
        shown = printable(text, LONGEST_PARAGRAPH)
        if not self._ascii or shown.isascii():
            return shown
        self._replaced = True
        # Base letters remain, without their combining marks.
        letters = unicodedata.normalize("NFKD", shown.translate(_NEAR))
        kept = "".join(char for char in letters if not unicodedata.combining(char))
        return kept.encode("ascii", "replace").decode()


def speaks_utf8(environ: Mapping[str, str]) -> bool:
    """Return True if locale and terminal support more than ASCII. Ignores LC_CTYPE=C.UTF-8, which Python
    itself sets in an ASCII locale (PEP 538)."""
    if environ.get("TERM", "") in ("", "dumb", "unknown") or environ.get("TERM", "").startswith("vt"):
        return False
    kind = environ.get("LC_CTYPE", "")
    locale = environ.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or environ.get("LANG", "")
    return locale.lower().replace("-", "").partition("@")[0].endswith("utf8")


CHOSEN = t("chosen")
CANNOT = t("Cannot be chosen:")

ANSWER = t("Answer:")
EMPTY = Sentence("Empty line: {label}.")
OR = Sentence("Or: {ways:list}.")
MEANWHILE = t("The state has changed, so no action was taken.")

OWN = frozenset("l?q=!")
"""Letters with a fixed meaning. An action with such a key is selected with `=` and the key."""

ANYWHERE = {"back": "b", "help": "?", "quit": "q"}
NUMBERED = re.compile(r"([0-9]{1,5})\.?\s*(.*)", re.DOTALL)
"""An answer that starts with a row number."""


def entering(view: View) -> Action | None:
    """Return the action of an empty line."""
    return next((action for action in view.actions if action.key == "enter"), None)


def taking(view: View) -> Action | None:
    """Return the action of a number: select or toggle that row."""
    toggles = (action for action in view.actions if view.rows and view.rows.many and action.key == "space")
    return next(toggles, None) or entering(view)


def only_reads(view: View) -> bool:
    """Return True if Enter leaves the list, so that a number only shows details."""
    action = taking(view)
    return action is None or action.name == "back"


def handle(view: View, action: Action) -> str:
    """Return the text to type for an action."""
    if action.name in ANYWHERE:
        return ANYWHERE[action.name]
    key = action.key
    if len(key) != 1 or key.isspace():
        key = str(action.label)
    elif key in OWN or key.isdigit() or (key == "b" and view.action("back")):
        key = f"={key}"
    return f"!{key}" if view.fields else key


def way(view: View, action: Action) -> str:
    """Describe an action, such as `s set up`."""
    typed, label = handle(view, action), str(action.label)
    return typed if typed.removeprefix("!") == label else f"{typed} {label}"


def find(view: View, answer: str) -> Action | None:
    """Return the action for a key or label. Capital keys are destructive and must be typed as such."""
    literal = len(answer) > 1 and answer.startswith("=")
    word = answer[1:] if literal else answer
    if not literal and word.lower() in ("b", "back") and (back := view.action("back")):
        return back
    folded = word.casefold()
    for matches in (
        lambda action: action.key == word,
        lambda action: action.key == folded,
        lambda action: str(action.label).casefold() == folded or action.name == folded,
    ):
        if found := next(filter(matches, view.actions), None):
            return found
    return None


def ways(view: View) -> tuple[str, ...]:
    """Return the available actions besides Enter, with back, help and quit last."""
    entered = entering(view)
    is_skipped = entered is not None and (bool(view.fields) or not entered.ends)
    named: dict[str, Action | None] = {}
    for action in view.actions:
        if action.name not in ANYWHERE and not action.aside and action.why_not == "":
            named.setdefault(action.name, action)
    named |= {name: view.action(name) for name in ANYWHERE}
    if entered is not None and is_skipped:
        named.pop(entered.name, None)
    return tuple(dict.fromkeys(way(view, action) for action in named.values() if action is not None))


def legend(view: View) -> str:
    """Describe the possible answers."""
    entered, take, rows = entering(view), taking(view), view.rows.rows if view.rows else ()
    said: list[Message] = []
    if rows:
        label = t("details") if take is None or only_reads(view) else take.label
        said.append(t("Number: {label}.", label=label))
    if entered is not None and not entered.ends:
        numbers = [number for number, row in enumerate(rows, 1) if view.rows and row.key == view.rows.at]
        if not rows or only_reads(view) or take != entered:
            said.append(EMPTY(label=entered.label))
        elif numbers:
            said.append(EMPTY(label=f"{numbers[0]} ({entered.label})"))
    offered = ways(view)
    said.append(OR(ways=offered) if said else t("One of: {ways:list}.", ways=offered))
    return " ".join(map(str, said))


def field_lines(field: Field, held: str) -> list[PlainPara]:
    """Describe a field, its offers, and the meaning of an empty line."""
    lines = [PlainPara(f"{field.caption} ({field.hint})" if field.hint else str(field.caption))]
    shown: Text = held
    for number, offer in enumerate(field.offers, 1):
        mark = f" ({CHOSEN})" if offer.value == held else ""
        shown = offer.text if offer.value == held else shown
        lines.append(PlainPara(f"{number}. {offer.text}{mark}", 2, 3))
        if offer.why_not:
            lines.append(PlainPara(f"{CANNOT} {offer.why_not}", 5, 2))
    said = t("Typing is hidden.") if field.secret else EMPTY(label=shown if str(shown) else NONE)
    return [*lines, PlainPara(str(said))]
