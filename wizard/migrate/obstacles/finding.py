"""Findings of a migration, in short."""

from wizard.migrate.situation import Situation
from wizard.model.finding import Finding, Severity


def danger(
    code: str, situation: Situation, sentence: str, why: str, remedy: str, source: str = "e2fsprogs"
) -> Finding:
    """What stands against a way, or puts data at risk."""
    return Finding(code, Severity.DANGER, situation.device, sentence, why, source, remedy)


def warning(
    code: str, situation: Situation, sentence: str, why: str, remedy: str, source: str = "superblock"
) -> Finding:
    """What can go wrong, or what a person may miss."""
    return Finding(code, Severity.WARNING, situation.device, sentence, why, source, remedy)


def info(
    code: str, situation: Situation, sentence: str, why: str, remedy: str, source: str = "superblock"
) -> Finding:
    """What is good to know."""
    return Finding(code, Severity.INFO, situation.device, sentence, why, source, remedy)


def version_text(version: tuple[int, int]) -> str:
    """1.43 for (1, 43), 2.06 for (2, 6)."""
    return f"{version[0]}.{version[1]:02}"
