"""Findings about the use and recording technology of a drive, and notices of waiting runs."""

import shlex
from collections.abc import Iterator
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from wizard.model.errors import FrozenStruct
from wizard.model.machine import Extent, Placed
from wizard.model.said import MIB, Message, t, tn


class Severity(StrEnum):
    """danger: data or the job is at risk, or a kernel rule is violated; warning: likely harm, or a drive may
    report false values; info: good to know; ok: checked without problems."""

    DANGER = "danger"
    WARNING = "warning"
    INFO = "info"
    OK = "ok"


NO_ACTION = t("No action needed.")


class FindingCommand(FrozenStruct):
    """A command in a finding: program and arguments, without sudo. The user replaces words in capitals.
    `unused`: device that must not be in use, or empty."""

    argv: tuple[str, ...]
    unused: str = ""

    @property
    def text(self) -> str:
        """The command for a shell."""
        return shlex.join(("sudo", *self.argv))


Commands: TypeAlias = tuple[FindingCommand, ...]


def command(*argv: str, unused: str = "") -> Commands:
    """Return the only command of a finding. `unused`: device that must not be in use, or empty."""
    return (FindingCommand(argv, unused),)


class Finding(FrozenStruct):
    """A finding. `code`: stable and documented. `subject`: device node. `remedy`: what to do, or why nothing
    can be done. `commands`: alternatives; `wizard.apply.remedies` drops refused ones. A command for another
    system is in the text."""

    code: str
    severity: Severity
    subject: str
    sentence: Message | str
    why: Message | str
    source: Message | str
    remedy: Message | str
    commands: Commands = ()

    @property
    def advice(self) -> Message | str:
        """The remedy with the commands, as every interface shows it."""
        commands = tuple(f"`{command.text}`" for command in self.commands)
        if not commands:
            return self.remedy
        return tn(
            "{remedy} Command: {commands:list}.",
            "{remedy} Commands: {commands:list}.",
            count=len(commands),
            remedy=self.remedy,
            commands=commands,
        )


class Recorded(StrEnum):
    """Certainty that a drive is shingled. There is no `no`, because drives need not report it."""

    YES = "yes"
    LIKELY = "likely"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"


class Clue(FrozenStruct):
    """One piece of evidence: source, statement and confidence (high, medium, low)."""

    source: Message
    says: Message
    confidence: str


class Recording(FrozenStruct):
    """Recording technology of a drive. `kind`: shingled, listed-conventional, unknown or not-applicable.
    `management`: drive, host-aware, host-managed or None."""

    kind: str
    management: str | None
    verdict: Recorded
    confidence: str
    evidence: tuple[Clue, ...] = ()

    @property
    def is_shingled(self) -> bool:
        """True if the drive is at least likely shingled."""
        return self.verdict in (Recorded.YES, Recorded.LIKELY)


NOT_JUDGED = Recording("unknown", None, Recorded.UNKNOWN, "none")
"""Recording of a drive that was not assessed."""


class Diagnosis(FrozenStruct):
    """All conclusions about one drive. `drive` is its node."""

    drive: str
    recording: Recording
    findings: tuple[Finding, ...]


PARTS, NEIGHBOURS = 16, 3
"""A notice is stored at a multiple of one sixteenth of the drive, rounded down to MiB, or up to this many MiB
after, so searching requires few reads."""

MOST_BYTES = MIB


class HiddenBlock(Placed, Struct, frozen=True):
    """Hidden adjacent blocks that identify contents. `data`: real content in base64. If `stays`, the drive
    still has its old content there; otherwise zeros."""

    start_bytes: int
    size_bytes: int
    stays: bool
    data: str


class Notice(FrozenStruct):
    """Notice of a waiting run, in `room_bytes` from `start_bytes`, zeroed by keep. `run`: argument for
    commands. `begun`: ISO 8601. `told`: short summary without names. `plan`: the complete document; this is
    drive `number`, from 0. `places`: all other changed ranges on the drive, sorted and disjoint. `digest`:
    SHA-256 of their contents while waiting. `bare_digest`: of the `withheld` places alone, in order of
    writing. `zeros`: ranges in new volumes that keep zeroes."""

    run: str
    begun: str
    told: str
    plan: str
    number: int
    drive_bytes: int
    start_bytes: int
    room_bytes: int
    places: tuple[Extent, ...]
    digest: str
    withheld: tuple[HiddenBlock, ...]
    bare_digest: str
    zeros: tuple[Extent, ...] = ()

    @property
    def extent(self) -> Extent:
        """Location of the notice."""
        return Extent(self.start_bytes, self.room_bytes)


def notice_places(drive_bytes: int) -> Iterator[int]:
    """Yield the possible starts of a notice, most likely first."""
    starts = (
        drive_bytes * part // PARTS // MIB * MIB + near * MIB
        for near in range(NEIGHBOURS + 1)
        for part in range(1, PARTS)
    )
    yield from (start for start in dict.fromkeys(starts) if 0 < start < drive_bytes)
