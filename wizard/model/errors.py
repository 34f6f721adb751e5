"""Errors, classified for the user. Each has one message and one exit code."""

import re
import shlex
from collections.abc import Callable
from enum import Enum, IntEnum
from typing import Annotated, ParamSpec, TypeVar, dataclass_transform

from msgspec import Struct


class ExitCode(IntEnum):
    """Exit codes of the command line, a published interface."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    REFUSED = 3
    INTERRUPTED = 4
    CHANGED = 5
    ENDED_BY_USER = 130


class DiskwrightError(Exception):
    """A message for the user: what failed, on what, and how to fix it. Never shown as a traceback.

    `ending`: a last sentence on the state of the drive, which a caller can replace.
    """

    exit_code = ExitCode.FAILED

    def __init__(self, said: object = "", ending: object = "") -> None:
        super().__init__(f"{said} {ending}" if ending else said)
        self.said, self.ending = said, ending

    def ending_in(self, ending: object) -> str:
        """Return the message, with the ending replaced if there is one."""
        return f"{self.said} {ending}" if self.ending else str(self)


class Failed(DiskwrightError):
    """A step was attempted and failed."""


class BadInput(DiskwrightError):
    """Invalid or unreadable input."""

    exit_code = ExitCode.USAGE


class Refused(DiskwrightError):
    """Refused for safety, although possible. Nothing was written."""

    exit_code = ExitCode.REFUSED


class EndedByUser(DiskwrightError):
    """The user stopped a command whose work continues in the background."""

    exit_code = ExitCode.ENDED_BY_USER


P = ParamSpec("P")


def why_not(check: Callable[P, object], /, *arguments: P.args, **options: P.kwargs) -> str:
    """Return why a check refuses or fails, or an empty text."""
    try:
        check(*arguments, **options)
    except DiskwrightError as error:
        return str(error)
    return ""


def partition_path(drive_path: str, number: int) -> str:
    """Return a partition's node: `/dev/sda1`, `/dev/nvme0n1p1`."""
    return f"{drive_path}{'p' if drive_path[-1:].isdigit() else ''}{number}"


def is_partition_of(path: str, drive_path: str) -> bool:
    """Return True for the node of a partition of this drive, as the kernel would write its number."""
    stem = re.escape(partition_path(drive_path, 0)[:-1])
    return re.fullmatch(stem + "[1-9][0-9]{0,2}", path) is not None


def typed_word(text: str) -> str:
    """Quote untrusted text as one shell word, if necessary."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    return text if len(words) == 1 and shlex.quote(words[0]) == text else shlex.quote(text)


def printable(text: str, limit: int = 80) -> str:
    """Replace control and escape characters of untrusted text by `?`, and cut long text."""
    safe = "".join(char if char.isprintable() else "?" for char in text)
    return safe if len(safe) <= limit else safe[: limit - 3] + "..."


@dataclass_transform(frozen_default=True)
class FrozenStruct(Struct, frozen=True):
    """Base class of records, which never change."""


class TaggedStruct(
    FrozenStruct, tag_field="kind", tag=lambda name: re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
):
    """Base class of records that documents tell apart by the class: `kind` is `mount` or `set-owner`."""

    @property
    def kind(self) -> str:
        """The name in documents."""
        return str(self.__struct_config__.tag)


class Written(Enum):
    """How documents contain a field, as an annotation of its type."""

    WHERE_USED = "where used"
    DERIVED = "never"
    IN_ENGLISH = "in English"


WHERE_USED = Written.WHERE_USED
"""A field that documents contain only if it differs from the default, so documents of older
versions read the same."""

DERIVED = Written.DERIVED
"""A field derived from the rest of the document. Sealed documents omit the field, and readers
compute it, so a document cannot contradict itself, in any language."""

IN_ENGLISH = Written.IN_ENGLISH
"""A profile text. Documents contain the English text."""

T = TypeVar("T")
WhereUsed = Annotated[T, WHERE_USED]
Derived = Annotated[T, DERIVED]
