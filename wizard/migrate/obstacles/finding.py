"""Findings of a migration, in short."""

from dataclasses import replace

from wizard.migrate.situation import Situation
from wizard.model.finding import Finding, Severity
from wizard.model.said import Said, in_a_row


def danger(
    code: str, situation: Situation, sentence: Said, why: Said, remedy: Said, source: str = "e2fsprogs"
) -> Finding:
    """What stands against a way, or puts data at risk."""
    return _finding(code, Severity.DANGER, situation, sentence, why, remedy, source)


def warning(
    code: str, situation: Situation, sentence: Said, why: Said, remedy: Said, source: str = "superblock"
) -> Finding:
    """What can go wrong, or what a person may miss."""
    return _finding(code, Severity.WARNING, situation, sentence, why, remedy, source)


def info(
    code: str, situation: Situation, sentence: Said, why: Said, remedy: Said, source: str = "superblock"
) -> Finding:
    """What is good to know."""
    return _finding(code, Severity.INFO, situation, sentence, why, remedy, source)


def _finding(
    code: str, severity: Severity, situation: Situation, sentence: Said, why: Said, remedy: Said, source: str
) -> Finding:
    return Finding(code, severity, situation.device, sentence, why, source, remedy)


def told_of(finding: Finding) -> Said | str:
    """What is so, and what to do."""
    sentence, remedy = finding.sentence, finding.remedy
    if isinstance(sentence, Said) and isinstance(remedy, Said):
        return in_a_row(sentence, remedy)
    return f"{sentence} {remedy}"


def as_text(finding: Finding) -> Finding:
    """As `diskwright.prospect/1` holds it."""
    return replace(finding, sentence=str(finding.sentence), why=str(finding.why), remedy=str(finding.remedy))


def version_text(version: tuple[int, int]) -> str:
    """1.43 for (1, 43), 2.06 for (2, 6)."""
    return f"{version[0]}.{version[1]:02}"
