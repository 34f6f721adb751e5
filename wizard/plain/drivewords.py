"""A drive and what was found about it, as paragraphs to be read or heard: every severity and state is a
word."""

from collections import Counter
from collections.abc import Sequence

from wizard.advise.backing import evidence_for
from wizard.diagnose.told import (
    contents_words,
    layer_words,
    partition_words,
    recording_words,
    size_words,
    tuning_words,
)
from wizard.model.finding import Clue, Diagnosis, Finding, Severity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.model.units import format_capacity
from wizard.plain.advicewords import evidence_paragraphs
from wizard.plain.talk import Para

SEVERITIES = {
    Severity.DANGER: "Danger",
    Severity.WARNING: "Warning",
    Severity.INFO: "Good to know",
    Severity.OK: "Fine",
}
_COUNTED = {
    Severity.DANGER: ("danger", "dangers"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFO: ("note", "notes"),
}


def drive_line(drive: Drive) -> str:
    """`/dev/sda: Example HDD 500, 500 GB, on sata, sectors 512e, serial number S1.`"""
    pieces = [
        printable(drive.model or "no name", 40),
        format_capacity(drive.size_bytes) if drive.size_bytes is not None else "size unknown",
        f"on {drive.bus}" if drive.bus else "",
        f"sectors {drive.geometry.sector_format}" if drive.geometry else "sectors unknown",
        f"serial number {printable(drive.serial, 24)}" if drive.serial else "no serial number",
    ]
    return f"{drive.path}: {', '.join(filter(None, pieces))}."


def drive_brief(drive: Drive, diagnosis: Diagnosis) -> tuple[str, ...]:
    """What it holds, and the worst of what was found."""
    return (f"Holds {contents_words(drive)}.", _worst(diagnosis))


def _worst(diagnosis: Diagnosis) -> str:
    counts = Counter(finding.severity for finding in diagnosis.findings)
    said = [
        f"{counts[severity]} {names[counts[severity] != 1]}"
        for severity, names in _COUNTED.items()
        if counts[severity]
    ]
    if not said:
        return "Nothing was found amiss."
    worst = next(finding for finding in diagnosis.findings if finding.severity is diagnosis.worst)
    return f"Found: {', '.join(said)}. {SEVERITIES[worst.severity]}: {printable(str(worst.sentence), 400)}"


def drive_paragraphs(drive: Drive, diagnosis: Diagnosis) -> list[Para]:
    """All that is known of a drive, and all findings with what to do."""
    return [*_facts(drive, diagnosis), *finding_paragraphs(diagnosis.findings)]


def _facts(drive: Drive, diagnosis: Diagnosis) -> list[Para]:
    return [
        Para(drive_line(drive)),
        Para(f"Size: {size_words(drive)}.", 2, 2),
        Para(f"Holds: {contents_words(drive)}.", 2, 2),
        *(Para(partition_words(drive, part), 4, 2) for part in drive.partitions),
        *(Para(layer_words(layer), 4, 2) for layer in drive.layers),
        *([Para(better, 4, 2)] if (better := tuning_words(drive)) else []),
        Para(f"Recording: {recording_words(diagnosis.recording)}.", 2, 2),
    ]


def finding_paragraphs(findings: Sequence[Finding], *, sources: bool = False) -> list[Para]:
    """Each finding: severity, sentence, why, what to do; the worst first. `sources` adds where the rule comes
    from."""
    if not findings:
        return [Para("Nothing was found amiss.")]
    order = list(Severity)
    said: list[Para] = []
    for finding in sorted(findings, key=lambda finding: order.index(finding.severity)):
        said.append(Para(f"{SEVERITIES[finding.severity]}: {printable(str(finding.sentence), 400)}", 2, 2))
        if finding.severity is not Severity.OK:
            said.append(Para(f"Why: {printable(str(finding.why), 400)}", 4, 2))
            said.append(Para(f"Do: {printable(str(finding.remedy), 400)}", 4, 2))
        if sources and finding.source:
            said.append(Para(f"Source: {printable(str(finding.source), 200)}", 4, 2))
    return said


def drive_reasons(drive: Drive, diagnosis: Diagnosis) -> list[Para]:
    """Everything behind the words about a drive: facts, every clue to how it records, findings with their
    sources, published figures."""
    clues = diagnosis.recording.evidence
    said = _facts(drive, diagnosis)
    if drive.wwn:
        said.append(Para(f"WWN: {printable(drive.wwn, 50)}", 2))
    said += [Para("How it records, by every clue there is:", 2)] if clues else []
    said += [Para(_clue(clue), 4, 2) for clue in clues]
    said += finding_paragraphs(diagnosis.findings, sources=True)
    severe = (Severity.DANGER, Severity.WARNING)
    figures = dict.fromkeys(
        card
        for finding in diagnosis.findings
        if finding.severity in severe
        for card in evidence_for(finding.code)
    )
    return [Para(), *said, *evidence_paragraphs(figures), Para()]


def _clue(clue: Clue) -> str:
    return f"{printable(str(clue.source), 60)}: {printable(str(clue.says), 200)} (trust: {clue.confidence})"
