"""Findings about the use and recording technology of a drive, and notices of waiting runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wizard.model.machine import Extent, Placed
from wizard.model.said import MIB, Message


class Severity(StrEnum):
    """danger: data or the job is at risk, or the kernel's own rule is broken; warning: likely harm, or a
    doubt about a drive that may lie; info: good to know; ok: looked at and fine."""

    DANGER = "danger"
    WARNING = "warning"
    INFO = "info"
    OK = "ok"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `code` is stable and documented; `subject` a device node; `remedy` says what to do, or why
    nothing can be done. The findings of a migration are still text."""

    code: str
    severity: Severity
    subject: str
    sentence: Message | str
    why: Message | str
    source: Message | str
    remedy: Message | str


class Recorded(StrEnum):
    """Whether a drive is shingled. There is no `no`: silence of a drive proves nothing."""

    YES = "yes"
    LIKELY = "likely"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class Clue:
    """One rung of the ladder: where it was read, what it says, and how far it can be trusted (high, medium,
    low)."""

    source: Message
    says: Message
    confidence: str


@dataclass(frozen=True, slots=True)
class Recording:
    """How the drive records. `kind`: shingled, unknown or not-applicable; `management`: drive, host-aware,
    host-managed or None."""

    kind: str
    management: str | None
    verdict: Recorded
    confidence: str
    evidence: tuple[Clue, ...] = ()


NOT_JUDGED = Recording("unknown", None, Recorded.UNKNOWN, "none")
"""Of a drive that nobody judged."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that is concluded about one drive. `drive` is its node."""

    drive: str
    recording: Recording
    findings: tuple[Finding, ...]


PARTS, NEIGHBOURS = 16, 3
"""A notice lies at a sixteenth of the drive, rounded down to MiB, or within so many MiB behind it: whoever
looks for one reads few places.
"""

MOST_BYTES = MIB


@dataclass(frozen=True, slots=True)
class HiddenBlock(Placed):
    """A block, or some in a row, by which something is recognised: `data` in base64 is what belongs there.
    Where it `stays`, the drive holds what it held before; else zeros.
    """

    start_bytes: int
    size_bytes: int
    stays: bool
    data: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What waits on a drive. It lies from `start_bytes` on, in `room_bytes`, which are zeros once it is kept.

    `run` is what a command is told that means the run, as it is typed: its name where runs usually lie, else
    its folder; `begun` is when (ISO 8601), `told` what is made, in a few words without
    names; `plan` the whole plan as its document, of which this is drive `number` counted from 0. `places` are
    all that changed on the drive, in order and apart, without the notice's own; `digest` the SHA-256 of what
    they hold while it waits, and `bare_digest` that of the places of `withheld` alone, in the order in which
    they are put in place.
    """

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

    @property
    def extent(self) -> Extent:
        """Where it lies."""
        return Extent(self.start_bytes, self.room_bytes)


def notice_places(drive_bytes: int) -> Iterator[int]:
    """Where on a drive of this size a notice may begin, the likeliest first; each once."""
    found: set[int] = set()
    for near in range(NEIGHBOURS + 1):
        for part in range(1, PARTS):
            start = drive_bytes * part // PARTS // MIB * MIB + near * MIB
            if 0 < start < drive_bytes and start not in found:
                found.add(start)
                yield start
