"""Report section on drives: identity, contents, findings and recording technology."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.findings.contents import unmarked_content, unmarked_contents
from wizard.findings.drive_faults import turning_words
from wizard.model.advice import Advice
from wizard.model.errors import WHERE_USED
from wizard.model.ext import Check, JournalEntry
from wizard.model.finding import Diagnosis, Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive, Partition, Signature, Unread
from wizard.model.migration import Migration, Moves
from wizard.model.said import Sentence, format_capacity, format_exact, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.plan.changes import Bring, Changes, RunDocument
from wizard.plan.plan import Plan
from wizard.report.charts import Content, Markup, join, listed, pairs, paragraphs, table, tag, word


@dataclass(frozen=True, slots=True)
class Absence:
    """A part missing from the report, with the reason as a sentence."""

    part: str
    why: str


@dataclass(frozen=True, slots=True)
class Facts:
    """The drives with their diagnoses, in the same order. `origin`: where and when they were read. `absent`:
    findings about drives that are not attached."""

    origin: str
    kernel: str
    root: bool
    drives: tuple[Drive, ...]
    diagnoses: tuple[Diagnosis, ...]
    unread: tuple[Unread, ...] = ()
    absent: tuple[Finding, ...] = field(default=(), metadata=WHERE_USED)


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step. `state`: done, failed, begun (not finished) or not begun. `seconds`: time of the last
    attempt by the journal's clock, None if not finished. `said`: final message."""

    number: int
    state: str
    started_at: str | None
    seconds: float | None
    said: str


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run, read from its journal. `ending` is the last sentence of the journal. Times are ISO 8601 in UTC.

    `power`: effect of a power cut, empty after the run. `commands`: commands the run waits for. `not_yet`:
    the result is not in use yet.
    """

    id: str
    state: str
    started_at: str | None
    ended_at: str | None
    ending: str
    steps: tuple[StepResult, ...]
    checks: tuple[Check, ...]
    journal: tuple[JournalEntry, ...]
    power: str = ""
    commands: tuple[str, ...] = ()
    not_yet: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """All parts of the document `diskwright.report/2`. `absent` explains missing parts.

    At most one of `plan`, `changes`, `migration`, `move` and `bring` is present. `anonymous`: everything that
    could identify a drive or person was replaced.
    """

    made_at: str
    diskwright: str
    anonymous: bool
    absent: tuple[Absence, ...]
    facts: Facts | None
    advice: tuple[Advice, ...]
    plan: Plan | None
    verdict: Verdict | None
    cliff: CliffVerdict | None
    run: RunRecord | None
    changes: Changes | None = None
    migration: Migration | None = None
    move: Moves | None = None
    bring: Bring | None = None
    displaced: DisplacedVerdict | None = None
    trial: TrialVerdict | None = None

    @property
    def document(self) -> RunDocument | None:
        """The document that the run executes."""
        return self.plan or self.changes or self.migration or self.move or self.bring


SOURCE = t("Source")

RECORDING = {
    Recorded.YES: Sentence("Shingled: tracks overlap, and rewriting in place is slow."),
    Recorded.LIKELY: Sentence("Likely shingled (overlapping tracks), not proven."),
    Recorded.UNKNOWN: Sentence("Unknown: no proof that the drive is shingled or conventional."),
    Recorded.NOT_APPLICABLE: Sentence("No tracks to overlap."),
}


def drives_part(facts: Facts) -> Markup:
    """Describe every drive with facts and partitions."""
    overview = pairs(
        (
            ("Kernel", facts.kernel),
            (t("Read as root"), t("yes") if facts.root else t("no: limited information")),
        )
    )
    unread = [f"{one.what}: {one.why}" for one in facts.unread]
    return join(
        (paragraphs(facts.origin), overview, listed(unread), *(_drive_part(drive) for drive in facts.drives))
    )


def _drive_part(drive: Drive) -> Markup:
    """Describe one drive and its contents."""
    unread = [f"{one.what}: {one.why}" for one in drive.unread]
    return join(
        (
            tag("h3", f"{drive.path}: {drive.model or 'no name'}"),
            pairs(_facts(drive)),
            _partitions(drive),
            join((tag("h4", t("Not read")), listed(unread))) if unread else "",
        )
    )


def _facts(drive: Drive) -> Iterator[tuple[Content, Content]]:
    yield "Serial number", drive.serial or "none"
    yield "WWN", drive.wwn or "none"
    yield "Known as", ", ".join(drive.by_id)
    yield "Firmware", drive.revision or ""
    yield "Bus", drive.bus or ""
    yield (
        "Size",
        "not read"
        if drive.size_bytes is None
        else f"{format_capacity(drive.size_bytes)} ({drive.size_bytes} bytes)",
    )
    if geometry := drive.geometry:
        optimal = f"{geometry.optimal_io_bytes} bytes" if geometry.optimal_io_bytes else "none"
        yield "Logical block", f"{geometry.logical_block_bytes} bytes"
        yield "Physical block", f"{geometry.physical_block_bytes} bytes ({geometry.sector_format})"
        yield "Alignment offset", f"{geometry.alignment_offset_bytes} bytes"
        yield "Optimal I/O size", optimal
    yield "Medium", str(turning_words(drive))
    yield "Zones", drive.zoned if drive.zoned and drive.zoned != "none" else ""
    yield (
        "Health",
        {
            True: t("health check (SMART) passed"),
            False: t("health check (SMART) FAILED"),
            None: t("unknown"),
        }[drive.smart.passed],
    )
    yield "Table", _table(drive)
    held = (*map(_signature_text, drive.signatures), *map(str, unmarked_contents(drive)))
    yield t("On the whole drive"), ", ".join(held)
    yield "In use", ", ".join(f"{use.subject}: {use.kind} {use.by}".rstrip() for use in drive.uses)
    yield "Layers", ", ".join(f"{layer.kind} {layer.path} on {layer.below}" for layer in drive.layers)
    yield "Backing file", drive.backing_file or ""


def _table(drive: Drive) -> str:
    if drive.table is None:
        return "not read"
    return (
        "none"
        if drive.table.kind == "none"
        else ", ".join(part for part in (drive.table.kind.upper(), drive.table.uuid) if part)
    )


def _signature_text(signature: Signature) -> str:
    return " ".join(
        part
        for part in (signature.kind, f'"{signature.label}"' if signature.label else "", signature.uuid or "")
        if part
    )


def _partitions(drive: Drive) -> Markup:
    if not drive.partitions:
        return Markup("")
    heads = ("Partition", "Start", "Size", "Holds", "Name", "Partition's UUID", "Mounted at")
    return table(
        t("Partitions of {drive}", drive=drive.path),
        heads,
        (_row(drive, part) for part in drive.partitions),
        numbers=(1, 2),
    )


def _row(drive: Drive, part: Partition) -> Sequence[str]:
    return (
        part.path,
        format_exact(part.start_bytes),
        f"{format_capacity(part.size_bytes)} ({part.size_bytes} bytes)",
        ", ".join(map(_signature_text, part.signatures)) or str(unmarked_content(drive, part)),
        part.name or "",
        part.part_uuid or "",
        ", ".join(part.mount_points),
    )


def findings_part(facts: Facts) -> Markup:
    """Describe the findings about each drive, the most severe first, and the recording method."""
    absent = join((tag("h3", t("Not attached")), *map(_finding, facts.absent))) if facts.absent else ""
    return join((*map(_diagnosis, facts.diagnoses), absent))


def _diagnosis(diagnosis: Diagnosis) -> Markup:
    order = list(Severity)
    findings = sorted(diagnosis.findings, key=lambda finding: order.index(finding.severity))
    found = join(map(_finding, findings)) if findings else paragraphs(t("No problems found."))
    return join((tag("h3", diagnosis.drive), found, _recording(diagnosis.drive, diagnosis.recording)))


def _finding(finding: Finding) -> Markup:
    content = (
        tag("h4", word(finding.severity.value, finding.severity.value), str(finding.sentence)),
        pairs(
            (
                ("Why", str(finding.why)),
                (t("Remedy"), str(finding.advice)),
                (SOURCE, str(finding.source)),
                ("Code", finding.code),
            )
        ),
    )
    return tag("section", *content)


def _recording(drive: str, recording: Recording) -> Markup:
    rows = [(str(clue.source), str(clue.says), clue.confidence) for clue in recording.evidence]
    evidence = (
        table(
            t("Recording evidence: {drive}", drive=drive),
            (SOURCE, t("Reported"), t("Confidence")),
            rows,
        )
        if rows
        else ""
    )
    return join((tag("h4", t("Recording")), paragraphs(RECORDING[recording.verdict]()), evidence))
