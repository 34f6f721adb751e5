"""Facts, findings and choices as text for the screens: pure, and every foreign word made printable."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from wizard.diagnose.told import (
    contents_words,
    layer_words,
    partition_words,
    recording_words,
    size_words,
    tuning_words,
)
from wizard.model.advice import Choice, Evidence, Option, Place, Unmade, ZonedUse
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.machine import Drive
from wizard.model.names import printable
from wizard.tui.widgets.words import Block, Paragraph, gap, para

SEVERITY_INK = {
    Severity.DANGER: "red",
    Severity.WARNING: "yellow",
    Severity.INFO: "cyan",
    Severity.OK: "green",
}
PLACE_INK = {Place.CHOSEN: "green", Place.SECOND: "cyan", Place.REJECTED: "yellow"}


def severity_text(severity: Severity) -> Text:
    """The word in its colour."""
    return Text(severity.value, SEVERITY_INK[severity])


def drive_blocks(drive: Drive, diagnosis: Diagnosis, impediment: str) -> list[Block]:
    """What a drive is, in a few lines."""
    name = printable(drive.model or "no name", 60)
    facts = [
        ("Drive", " ".join(part for part in (name, printable(drive.revision or "", 12)) if part)),
        (
            "Serial",
            f"{printable(drive.serial, 40) if drive.serial else 'none'}   WWN "
            f"{printable(drive.wwn or 'none', 50)}",
        ),
        ("Size", size_words(drive)),
        ("Holds", contents_words(drive)),
        ("Recording", recording_words(diagnosis.recording)),
    ]
    blocks: list[Block] = []
    if impediment:
        blocks.append(para(Text("Cannot be set up now. ", "yellow").append(impediment, "default")))
    for caption, text in facts:
        blocks.append(para(f"{caption + ':':<11}{text}", hang=11))
        if caption == "Holds":
            blocks += [para(partition_words(drive, part), indent=11, hang=2) for part in drive.partitions]
            blocks += [para(layer_words(layer), indent=11, hang=2) for layer in drive.layers]
            if better := tuning_words(drive):
                blocks.append(para(better, indent=11, hang=2))
    return blocks


def finding_blocks(findings: Sequence[Finding]) -> list[Block]:
    """Each finding: word, sentence, why, remedy; the worst first."""
    if not findings:
        return [para("Nothing was found amiss.")]
    order = list(Severity)
    blocks: list[Block] = []
    for finding in sorted(findings, key=lambda finding: order.index(finding.severity)):
        word = Text(f"{finding.severity.value:<8} ", SEVERITY_INK[finding.severity])
        blocks.append(para(word.append(printable(str(finding.sentence), 400), "default"), hang=9))
        if finding.severity is not Severity.OK:
            blocks.append(para("Why: " + printable(str(finding.why), 400), indent=9, hang=5))
            blocks.append(para("Do:  " + printable(str(finding.remedy), 400), indent=9, hang=5))
    return blocks


def choice_blocks(choice: Choice) -> list[Block]:
    """The options of a choice with why and risk, or what stands against it."""
    blocks: list[Block] = []
    for obstacle in choice.obstacles:
        blocks.append(
            para(Text("Cannot be taken: ", "red").append(printable(obstacle, 300), "default"), hang=2)
        )
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
        blocks += [
            para(f"{printable(held.text, 40)}  {printable(held.reason, 300)}", indent=2, hang=2)
            for held in choice.withheld
        ]
    return blocks


def unmade_blocks(unmade: Unmade) -> list[Block]:
    """Why a filesystem is only recognised, and how to get off it."""
    title = Text(f"{printable(unmade.title, 30)}: ", "bold")
    return [
        para(title.append(printable(unmade.why_not, 600), "not bold"), hang=2),
        gap(),
        para(Text("The way off: ", "bold").append(printable(unmade.way_off, 800), "not bold"), hang=2),
    ]


def _options(options: Iterable[Option]) -> Iterable[Paragraph]:
    for option in options:
        yield para(
            Text(printable(option.text, 60), "cyan").append("  " + printable(option.why, 300), "default"),
            indent=2,
            hang=2,
        )
        if option.risk:
            yield para(
                Text("Risk: ", "yellow").append(printable(option.risk, 300), "default"), indent=4, hang=2
            )


def zoned_blocks(uses: Sequence[ZonedUse]) -> list[Block]:
    """What could live on a drive whose zones the host must manage, each with its commands; nothing for other
    drives."""
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
                f"Measured: {printable(item.era, 60)}, kernel {printable(item.kernel, 60)}, "
                f"{printable(item.hardware, 160)}",
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
