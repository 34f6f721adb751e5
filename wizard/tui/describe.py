"""Facts, findings and choices as text for the screens: pure, and every foreign word made printable."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from wizard.diagnose.words import layer_words
from wizard.model.advice import Choice, Evidence, Option, Place, ZonedUse
from wizard.model.finding import Diagnosis, Finding, Recorded, Recording, Severity
from wizard.model.machine import Drive, Partition, Signature
from wizard.model.names import printable
from wizard.model.units import format_capacity
from wizard.tui.widgets.words import Block, Paragraph, gap, para

SEVERITY_INK = {Severity.DANGER: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan", Severity.OK: "green"}
PLACE_INK = {Place.CHOSEN: "green", Place.SECOND: "cyan", Place.REJECTED: "yellow"}


def severity_text(severity: Severity) -> Text:
    """The word in its colour."""
    return Text(severity.value, SEVERITY_INK[severity])


def recording_word(recording: Recording) -> str:
    """One word for a column."""
    return {
        Recorded.YES: "shingled",
        Recorded.LIKELY: "shingled?",
        Recorded.UNKNOWN: "unknown",
        Recorded.NOT_APPLICABLE: "no tracks",
    }[recording.verdict]


def drive_blocks(drive: Drive, diagnosis: Diagnosis, impediment: str) -> list[Block]:
    """What a drive is, in a few lines."""
    name = printable(drive.model or "no name", 60)
    facts = [
        ("Drive", " ".join(part for part in (name, printable(drive.revision or "", 12)) if part)),
        ("Serial", f"{printable(drive.serial, 40) if drive.serial else 'none'}   WWN {printable(drive.wwn or 'none', 50)}"),
        ("Size", _size(drive)),
        ("Holds", _contents(drive)),
        ("Recording", _recording(diagnosis.recording)),
    ]
    blocks: list[Block] = []
    if impediment:
        blocks.append(para(Text("Cannot be set up now. ", "yellow").append(impediment, "default")))
    for caption, text in facts:
        blocks.append(para(f"{caption + ':':<11}{text}", hang=11))
        if caption == "Holds":
            blocks += [para(_partition(part), indent=11, hang=2) for part in drive.partitions]
            blocks += [para(layer_words(layer), indent=11, hang=2) for layer in drive.layers]
    return blocks


def _size(drive: Drive) -> str:
    if drive.size_bytes is None:
        return "not read"
    text = f"{format_capacity(drive.size_bytes)} ({drive.size_bytes} bytes)"
    if geometry := drive.geometry:
        text += f", logical blocks of {geometry.logical_block_bytes} bytes, physical of {geometry.physical_block_bytes}"
    return text + {True: ", rotating", False: ", solid state", None: ""}[drive.rotational]


def _contents(drive: Drive) -> str:
    if drive.table is None:
        return "not read"
    if drive.is_empty:
        return "nothing: no table, no partition, no filesystem"
    parts = []
    if drive.table.kind != "none":
        count = len(drive.partitions)
        parts.append(f"{_TABLES.get(drive.table.kind, drive.table.kind)} with {count or 'no'} partition{'' if count == 1 else 's'}")
    if drive.signatures:
        parts.append("on the drive itself: " + ", ".join(map(_mark, drive.signatures)))
    if drive.unrecognised_zones:
        parts.append(f"{drive.unrecognised_zones} zones that were written to, with nothing that is recognised")
    free = sum(extent.size_bytes for extent in drive.free)
    if drive.partitions:
        parts.append(f"{format_capacity(free)} free" if free else "nothing free")
    return ", ".join(parts)


def _mark(mark: Signature) -> str:
    return printable(mark.kind, 20) + (f' "{printable(mark.label, 30)}"' if mark.label else "")


_TABLES = {"gpt": "a GPT table", "mbr": "an MBR table", "hybrid": "a hybrid table (GPT and MBR)", "other": "a table of another kind"}


def _partition(part: Partition) -> str:
    pieces = [part.path, format_capacity(part.size_bytes), part.filesystem or ("unclear" if part.signatures else "no filesystem")]
    if part.signatures and (label := part.signatures[0].label):
        pieces.append(f'"{printable(label, 30)}"')
    if part.mount_points:
        pieces.append("mounted on " + ", ".join(printable(point, 40) for point in part.mount_points))
    return "  ".join(pieces)


def _recording(recording: Recording) -> str:
    said = {
        Recorded.YES: "shingled: tracks overlap, rewriting in place is slow",
        Recorded.LIKELY: "likely shingled (overlapping tracks), not proven",
        Recorded.UNKNOWN: "unknown: nothing proves that it is shingled, or that it is not",
        Recorded.NOT_APPLICABLE: "no tracks to overlap",
    }[recording.verdict]
    strongest = sorted(recording.evidence, key=lambda clue: ("high", "medium", "low").index(clue.confidence))
    clues = "; ".join(printable(f"{clue.source}: {clue.says}", 120) for clue in strongest[:2])
    return f"{said} ({clues})" if clues else said


def finding_blocks(findings: Sequence[Finding]) -> list[Block]:
    """Each finding: word, sentence, why, remedy; the worst first."""
    if not findings:
        return [para("Nothing was found amiss.")]
    order = list(Severity)
    blocks: list[Block] = []
    for finding in sorted(findings, key=lambda finding: order.index(finding.severity)):
        word = Text(f"{finding.severity.value:<8} ", SEVERITY_INK[finding.severity])
        blocks.append(para(word.append(printable(finding.sentence, 400), "default"), hang=9))
        if finding.severity is not Severity.OK:
            blocks.append(para("Why: " + printable(finding.why, 400), indent=9, hang=5))
            blocks.append(para("Do:  " + printable(finding.remedy, 400), indent=9, hang=5))
    return blocks


def choice_blocks(choice: Choice) -> list[Block]:
    """The options of a choice with why and risk, or what stands against it."""
    blocks: list[Block] = []
    for obstacle in choice.obstacles:
        blocks.append(para(Text("Cannot be taken: ", "red").append(printable(obstacle, 300), "default"), hang=2))
    if choice.obstacles:
        return blocks
    made = "mkfs." + choice.filesystem
    scheduler = (choice.scheduler,) if choice.scheduler else ()
    for caption, options in (
        (f"Made with {made}", choice.mkfs),
        ("Mounted with", choice.mount),
        ("Scheduler of the drive's queue", scheduler),
    ):
        blocks.append(para(f"{caption}{':' if options else ': nothing beyond the defaults.'}", "bold"))
        blocks += _options(options)
    if choice.withheld:
        blocks += [para("Thought of, and not offered:", "bold")]
        blocks += [para(f"{printable(held.text, 40)}  {printable(held.reason, 300)}", indent=2, hang=2) for held in choice.withheld]
    return blocks


def _options(options: Iterable[Option]) -> Iterable[Paragraph]:
    for option in options:
        yield para(Text(printable(option.text, 60), "cyan").append("  " + printable(option.why, 300), "default"), indent=2, hang=2)
        if option.risk:
            yield para(Text("Risk: ", "yellow").append(printable(option.risk, 300), "default"), indent=4, hang=2)


def zoned_blocks(uses: Sequence[ZonedUse]) -> list[Block]:
    """What could live on a drive whose zones the host must manage, each with its commands; nothing for other drives."""
    if not uses:
        return []
    blocks: list[Block] = [gap(), para("In its zones, on this kernel with these programs", "bold")]
    for use in uses:
        blocks.append(para(f"- {use.verdict}. {printable(use.sentence, 600)}", indent=2, hang=2))
        blocks += [para(f"# {printable(command, 200)}", indent=4, hang=2) for command in use.commands]
    return blocks


def evidence_blocks(evidence: Sequence[Evidence]) -> list[Block]:
    """Published figures as bars, with what dates them."""
    if not evidence:
        return [para("No published figure stands behind this place; the sentence is a judgement.")]
    blocks: list[Block] = []
    for item in evidence:
        blocks.append(para(printable(item.title, 200), "bold"))
        if item.figures:
            better = "less is better" if item.lower_is_better else "more is better"
            blocks.append(para(f"{printable(item.unit, 60)}, {better}", indent=2))
            blocks.append(_Figures(item))
        if item.note:
            blocks.append(para(printable(item.note, 500), indent=2))
        blocks.append(
            para(
                f"Measured: {printable(item.era, 60)}, kernel {printable(item.kernel, 60)}, {printable(item.hardware, 160)}",
                indent=2,
                hang=2,
            )
        )
        blocks += [para(f"Source: {printable(item.source, 200)}", indent=2, hang=2), gap()]
    return blocks


class _Figures:
    """Bars as long as the figures."""

    def __init__(self, evidence: Evidence) -> None:
        self.figures = evidence.figures

    def __call__(self, width: int) -> list[Text]:
        names = max(len(printable(name, 24)) for name, _ in self.figures)
        numbers = max(len(f"{value:g}") for _, value in self.figures)
        room = max(4, width - names - numbers - 6)
        most = max(value for _, value in self.figures) or 1
        return [
            Text(f"  {printable(name, 24):<{names}}  ")
            .append("█" * max(1, round(room * value / most)), "cyan")
            .append(f" {value:g}", "default")
            for name, value in self.figures
        ]
