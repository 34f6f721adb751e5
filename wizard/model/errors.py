"""What can go wrong, by what it means to the person: each error is one sentence and one exit code."""

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
