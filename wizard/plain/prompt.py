"""The two ends of the conversation: lines that any terminal can print, and answers read line by line."""

import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import BinaryIO, TextIO

from wizard.model.errors import printable
from wizard.model.said import t
from wizard.plan.text import wrapped
from wizard.process.output import unseen

USUAL_COLUMNS = 80
WIDEST = 78
NARROWEST = 40
LONGEST_ANSWER_BYTES = 4096
"""What a terminal hands over as one line (N_TTY_BUF_SIZE, termios(3))."""

LONGEST_PARAGRAPH = 10_000
_NEAR = str.maketrans("–—‘’“”×·•…µμ", "--''\"\"x--.uu")


class Ended(Exception):
    """The person ends the wizard, or there are no more answers. Its sentence, where it has one, is what is
    known of the drive then."""


@dataclass(frozen=True, slots=True)
class PlainPara:
    """A paragraph: its lines are indented by `indent`, all but the first by `hang` more. Without a text, an
    empty line."""

    text: str = ""
    indent: int = 0
    hang: int = 0


class Talk:
    """`width` is the most columns of a line. `echo` repeats the answers, for where no terminal shows what was
    typed."""

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
        self._replaced = self._told = False

    def say(self, text: str = "", indent: int = 0, hang: int = 0) -> None:
        """One paragraph, broken between words. Whatever is not a letter or a sign that can be shown is
        replaced."""
        for line in wrapped(self._safe(text), self.width - indent, hang):
            self._print(" " * indent + line)

    def show(self, lines: Iterable[str]) -> None:
        """Lines that are broken already, commands among them."""
        for line in lines:
            self._print(self._safe(line))

    def answer(self, prompt: str) -> str:
        """The next answer, without the spaces around it; raises Ended where there are no more."""
        if self._replaced and not self._told:
            self._told = True
            self.say(
                str(
                    t("(Characters this terminal may not support appear as plain letters or question marks.)")
                )
            )
        self._out.write(f"{prompt} ")
        self._out.flush()
        line = self._answers.readline(LONGEST_ANSWER_BYTES)
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

    def hidden_answer(self, prompt: str) -> bytes:
        """The next answer to the byte, without its line end, which no terminal shows and nothing repeats;
        raises Ended where there are no more."""
        with unseen(self._answers):
            self._out.write(f"{prompt} ")
            self._out.flush()
            line = self._answers.readline(LONGEST_ANSWER_BYTES)
        self._print("")
        if not line:
            raise Ended
        return line.removesuffix(b"\n")

    def _print(self, line: str) -> None:
        self._out.write(f"{line.rstrip()}\n")
        self._out.flush()

    def _safe(self, text: str) -> str:
        shown = printable(text, LONGEST_PARAGRAPH)
        if not self._ascii or shown.isascii():
            return shown
        self._replaced = True
        return "".join(char if char.isascii() else _plain(char) for char in shown.translate(_NEAR))


def _plain(char: str) -> str:
    """The letter without its marks; nothing for a mark alone; a question mark for what has no such letter."""
    if unicodedata.combining(char):
        return ""
    base = unicodedata.normalize("NFKD", char)[:1]
    return base if base.isascii() and base.isprintable() else "?"


def speaks_utf8(environ: Mapping[str, str]) -> bool:
    """Whether the locale and the terminal can show more than ASCII.

    Python itself sets LC_CTYPE=C.UTF-8 where the locale can do no more than ASCII (PEP 538), so that this
    value tells nothing.
    """
    if environ.get("TERM", "") in ("", "dumb", "unknown") or environ.get("TERM", "").startswith("vt"):
        return False
    kind = environ.get("LC_CTYPE", "")
    locale = environ.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or environ.get("LANG", "")
    return locale.lower().replace("-", "").partition("@")[0].endswith("utf8")


def columns_of(out: TextIO) -> int:
    """The width of the terminal that `out` is; the usual one where it is none or does not tell."""
    try:
        return os.get_terminal_size(out.fileno()).columns or USUAL_COLUMNS
    except (OSError, ValueError):
        return USUAL_COLUMNS
