"""What the help of every command has in common: its examples, and the paragraphs below them."""

import shlex
import sys
from argparse import Action, ArgumentParser, HelpFormatter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wizard.model.names import printable
from wizard.model.said import Said, t

EXAMPLES = t("examples:")

WIDEST = 110
"""Columns; longer lines are hard to read."""


@dataclass(frozen=True, slots=True)
class Example:
    """A command as it is typed, and what it does where it does not say so itself."""

    words: tuple[str, ...]
    says: Said | None = None

    def lines(self, width: int) -> Iterator[str]:
        """Both in a width. A command that is longer goes on behind a backslash, as a shell takes it."""
        line = "   "
        for part in _parts(self.words):
            if line.strip() and len(line) + len(part) + 3 > width:
                yield f"{line} \\"
                line = "       "
            line += f" {part}"
        yield line
        if self.says is not None:
            yield from _filled(str(self.says), width, 8)


def _parts(words: tuple[str, ...]) -> Iterator[str]:
    """An option together with its value."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        valued = word.startswith("-") and rest and not rest[0].startswith(("-", "|"))
        yield f"{word} {rest.pop(0)}" if valued else word


def plain(*words: str, says: Said | None = None) -> Example:
    """A command that needs no root."""
    return Example(("diskwright", *words), says)


def root(*words: str, says: Said | None = None) -> Example:
    """A command for root."""
    return Example(("sudo", "diskwright", *words), says)


def typed(*words: str) -> str:
    """A command for root in a line of its own; `words` are as a shell reads them."""
    return " ".join(("    sudo", "diskwright", *words))


def given_again() -> str:
    """The command that was given, for root."""
    return " ".join(["sudo", "diskwright", *(shlex.quote(printable(word, 400)) for word in sys.argv[1:])])


class Literal(HelpFormatter):
    """Help as it was written: a sentence may hold a percent sign."""

    def _expand_help(self, action: Action) -> str:
        return action.help or ""


class Command(ArgumentParser):
    """The options of a command. Behind them its help has examples and paragraphs, as wide as the terminal
    is."""

    def __init__(self, name: str, says: Said, examples: Sequence[Example], about: Sequence[Said]) -> None:
        super().__init__(f"diskwright {name}".strip(), description=str(says), formatter_class=Literal)
        self.examples, self.about = tuple(examples), tuple(about)

    def add_journal(self, says: Said) -> None:
        """Add `--journal DIR`. The process that applies works in another folder than the command, so the
        folder is absolute from here on."""
        self.add_argument("--journal", metavar="DIR", type=_folder, help=str(says))

    def format_help(self) -> str:
        """All of it as text; nothing below the options is worded before somebody asks for it."""
        width = help_width()
        lines = [*example_lines(self.examples, width), *paragraph_lines(self.about, width)]
        return "\n".join((super().format_help(), *lines, ""))


def _folder(named: str) -> Path | None:
    return Path(named).absolute() if named else None


def help_width() -> int:
    """The columns that help takes."""
    from shutil import get_terminal_size

    return max(40, min(get_terminal_size().columns - 2, WIDEST))


def example_lines(examples: Iterable[Example], width: int) -> list[str]:
    """The examples below their heading."""
    return [str(EXAMPLES), *(line for example in examples for line in example.lines(width))]


def paragraph_lines(said: Iterable[Said], width: int) -> list[str]:
    """Each behind an empty line."""
    return [line for one in said for line in ("", *_filled(str(one), width))]


def item_lines(name: str, says: Said, width: int) -> list[str]:
    """A name, and beside it what is said of it."""
    return _filled(str(says), width, 15, f"    {name:<10} ")


def _filled(text: str, width: int, indent: int = 0, begins: str = "") -> list[str]:
    from textwrap import wrap

    lead = " " * indent
    return wrap(text, width, initial_indent=begins or lead, subsequent_indent=lead, break_on_hyphens=False)
