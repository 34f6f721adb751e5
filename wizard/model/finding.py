"""What is right or wrong with how a drive is used, and how it records."""

from dataclasses import dataclass
from enum import StrEnum

from wizard.model.said import Said


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
    sentence: Said | str
    why: Said | str
    source: Said | str
    remedy: Said | str


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

    source: Said
    says: Said
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
