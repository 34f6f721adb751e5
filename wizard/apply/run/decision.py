"""What is left to a person about a run that has ended, in words: keep it, undo it, or go on with it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from pathlib import Path

from wizard.apply.run.runs import command_on
from wizard.model.said import Said, t


class Settling(StrEnum):
    """The two ways to settle it; each is a command, too."""

    KEEP = "keep"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the ways that can be had: the question that is asked before it, what it means, and why it takes
    the passphrase of what is encrypted; empty where it takes none."""

    way: Settling
    question: str
    means: str
    why_secret: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The ways that can be had now, none where nothing is left to settle; `resumes`: the run can be gone on
    with; `look` says how what was made is looked at without ending the way back. `settled`: nothing waits for
    a word, though there is still a way back. `bad_sectors`: the places that it stopped at, which can be gone
    over; none otherwise.
    """

    choices: tuple[Choice, ...] = ()
    resumes: bool = False
    look: str = ""
    settled: bool = False
    bad_sectors: tuple[Said, ...] = ()

    def of(self, way: Settling) -> Choice | None:
        """This way, where it can be had."""
        return next((choice for choice in self.choices if choice.way is way), None)

    @property
    def is_open(self) -> bool:
        """Whether the run waits for a word."""
        return not self.settled and (self.resumes or bool(self.choices))

    def later(self, run: Path) -> str:
        """By which commands each can be done another time."""
        commands = [command_on(word, run) for word in self._words()]
        return str(t("Later: {commands}", commands=either(commands)))

    def _words(self) -> Iterator[str]:
        if self.resumes:
            yield "resume"
        yield from (choice.way for choice in self.choices)


def either(commands: Iterable[str]) -> Said | str:
    """One of them, in a row: `this, or that`."""
    found: list[Said | str] = [*commands]
    return reduce(_or, found) if found else ""


def _or(first: Said | str, other: Said | str) -> Said:
    return t("{first}, or {other}", first=first, other=other)
