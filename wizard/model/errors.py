"""Errors by their meaning for the user. Each has one sentence and one exit code."""

import shlex
from enum import IntEnum


class ExitCode(IntEnum):
    """The command line's exit codes; a published interface."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    INTERRUPTED = 4
    CHANGED = 5
    ENDED_BY_USER = 130


class DiskwrightError(Exception):
    """A sentence for the person: what happened, where, and what to do. Never shown as a traceback.

    `ending` is a last sentence on what is written, for which whoever catches the error may know better.
    """

    exit_code = ExitCode.FAILED

    def __init__(self, said: object = "", ending: str = "") -> None:
        super().__init__(f"{said} {ending}" if ending else said)
        self.said, self.ending = said, ending

    def ending_in(self, ending: str) -> str:
        """What is said, with another ending where it has one."""
        return f"{self.said} {ending}" if self.ending else str(self)


class Failed(DiskwrightError):
    """A step was tried and did not work."""


class BadInput(DiskwrightError):
    """What was asked for or handed in cannot be read or does not fit."""

    exit_code = ExitCode.USAGE


class Refused(DiskwrightError):
    """It could have been done and was not, for safety. Nothing was written."""

    exit_code = ExitCode.REFUSED


class EndedByUser(DiskwrightError):
    """The person ends a command whose work goes on by itself."""

    exit_code = ExitCode.ENDED_BY_USER


def partition_path(drive_path: str, number: int) -> str:
    """`/dev/sda` and 1 give `/dev/sda1`; `/dev/nvme0n1` and 1 give `/dev/nvme0n1p1`."""
    return f"{drive_path}{'p' if drive_path[-1:].isdigit() else ''}{number}"


def typed_word(text: str) -> str:
    """Foreign text as one word that a shell takes as it is: itself where it is one already, perhaps in
    quotes, and otherwise quoted."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    return text if len(words) == 1 and shlex.quote(words[0]) == text else shlex.quote(text)


def printable(text: str, limit: int = 80) -> str:
    """Foreign text made safe to show: control and escape characters become `?`, overlong text is cut."""
    safe = "".join(char if char.isprintable() else "?" for char in text)
    return safe if len(safe) <= limit else safe[: limit - 3] + "..."


WHERE_USED = {"written": "where used"}
"""The metadata of a field that a document has only where it differs from its default: a plan for one drive
reads as it did before there were others.
"""

DERIVED = {"written": "never"}
"""The metadata of a field that follows from the rest of its document: a sealed document leaves it out, and
whoever reads one works it out anew. So a document cannot say something else than it does, in any language.
"""

IN_ENGLISH = {"written": "in English"}
"""The metadata of a field whose sentence a document holds in English, and not by its code: what comes from a
profile has none.
"""
