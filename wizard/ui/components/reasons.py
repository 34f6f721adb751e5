"""Statements with their reasons and evidence. Reads rules and adds none."""

from collections.abc import Sequence

from msgspec import Struct

from wizard.filesystems.registry import title_of
from wizard.model.advice import Evidence
from wizard.model.finding import Diagnosis, Finding, Severity
from wizard.model.layout import TableEntry
from wizard.model.said import Message, ProfileText, t
from wizard.plan.plan import Plan, PlanOperation, Step
from wizard.plan.request.volume_request import VolumeSpec
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components.drive_rows import CAPTIONS, worst_first

SOURCE = t("Source:")
CHECKED = t("Checked afterwards:")


def evidence_blocks(evidence: Sequence[Evidence]) -> ui.Blocks:
    """Show published figures as bars with date and source, or state that there are none.

    Repeats no notes and sources, but dates every figure.
    """
    if not evidence:
        yield ui.para(t("This is a judgement, without published figures."))
    told: set[Message | str] = set()
    for item in evidence:
        yield ui.heading(item.title)
        if item.figures:
            unit = messages.MORE_IS_BETTER(unit=item.unit)
            if item.lower_is_better:
                unit = t("{unit}, less is better", unit=item.unit)
            named = tuple((str(ProfileText(name)), value, f"{value:g}") for name, value in item.figures)
            yield ui.Figures(unit, named)
        if item.note and item.note not in told:
            yield ui.para(item.note, indent=2)
        measured = t(
            "Measured: {era}, kernel {kernel}, {hardware}",
            era=item.era,
            kernel=item.kernel,
            hardware=item.hardware,
        )
        yield ui.para(measured, indent=2, hang=2)
        if item.source not in told:
            yield ui.label(SOURCE, item.source, indent=2)
        told.update((item.note, item.source))
        yield ui.GAP


WHY = t("Why:")
PUBLISHED = t("Published results")

TRUST = {"high": t("high"), "medium": t("medium"), "low": t("low")}


class Reason(Struct, frozen=True):
    """A statement in the cells of a row, and the evidence, with the pane's `title`."""

    cells: tuple[ui.Piece | ui.Text, ...]
    behind: tuple[ui.Block, ...] = ()
    title: ui.Text = ""


def finding_reasons(diagnosis: Diagnosis) -> tuple[Reason, ...]:
    """Return the findings, worst first, with reason, remedy, source and figures.

    The last entry has every clue about the recording technology.
    """
    reasons = tuple(map(finding_reason, worst_first(diagnosis.findings)))
    if clues := tuple(clue_blocks(diagnosis)):
        reasons += (Reason((CAPTIONS[Severity.INFO], t("Clues about the recording")), clues),)
    return reasons


def figures_for(finding: Finding) -> tuple[Evidence, ...]:
    """Return the published results about a severe finding."""
    from wizard.advice.evidence import evidence_for

    return evidence_for(finding.code) if finding.severity in (Severity.DANGER, Severity.WARNING) else ()


def finding_reason(finding: Finding, *, published: bool = True) -> Reason:
    """Return a finding with reason, remedy, source and, if wanted, published results."""
    behind = (
        *_named(WHY, finding.why),
        *_named(messages.REMEDY, finding.advice),
        *_named(SOURCE, finding.source),
        *_named(t("Rule:"), finding.code),
    )
    if published and (figures := figures_for(finding)):
        behind += (ui.heading(PUBLISHED), ui.GAP, *evidence_blocks(figures))
    return Reason((CAPTIONS[finding.severity], finding.sentence), behind)


def clue_blocks(diagnosis: Diagnosis) -> ui.Blocks:
    """Show source, meaning and confidence of each clue about the recording."""
    for clue in diagnosis.recording.evidence:
        yield ui.heading(f"{clue.source}:", clue.says)
        trust = TRUST.get(clue.confidence, clue.confidence)
        yield ui.para(t("Confidence: {confidence}.", confidence=trust), indent=2)


def step_reasons(plan: Plan, specs: Sequence[VolumeSpec]) -> tuple[Reason, ...]:
    """Return each step with reasons, then the plan's doubts. `command_blocks` has checks and undo."""
    steps = (
        Reason((f"{number}.", step.sentence), tuple(_behind(plan, specs, step.operation)))
        for number, step in enumerate(plan.steps, 1)
    )
    return (*steps, *(Reason((ui.warn(messages.NOTE), doubt)) for doubt in plan.doubts))


def _behind(plan: Plan, specs: Sequence[VolumeSpec], operation: PlanOperation) -> ui.Blocks:
    for table in plan.tables:
        if table == operation:
            yield from (ui.para(_placed(plan, entry), hang=2) for entry in table.entries if not entry.kept)
            yield ui.GAP
    made = operation in plan.filesystems
    if not made and operation not in (*plan.mounts, *plan.fstab_lines):
        return
    for spec, volume in zip(specs, plan.volumes, strict=False):
        choice = spec.choice
        if volume.path in operation.devices or volume.uuid == getattr(operation, "uuid", None):
            if made:
                yield from _named(title_of(choice.filesystem), choice.sentence)
            for option in choice.mkfs if made else choice.mount:
                yield from _named(option.text, option.why, option.risk)
            if made and choice.evidence:
                yield from evidence_blocks(choice.evidence)


def _placed(plan: Plan, entry: TableEntry) -> Message:
    geometry, start = plan.drive.geometry, entry.start_bytes
    off = geometry.misalignment_bytes(start)
    place = t("aligned to {block}-byte physical blocks", block=geometry.physical_block_bytes)
    if off:
        place = t("{off} bytes off a physical block", off=off)
    return t(
        "Partition {number} starts at byte {start}, {place}.", number=entry.number, start=start, place=place
    )


def _named(caption: ui.Text, *said: ui.Text) -> tuple[ui.Block, ...]:
    return (ui.heading(caption, *said), ui.GAP) if any(text != "" for text in said) else ()


def command_blocks(steps: Sequence[Step[object]]) -> ui.Blocks:
    """Show every step with commands, edits, losses, undo if it differs from the step before, and checks."""
    undo = ""
    for number, step in enumerate(steps, 1):
        yield ui.heading(f"{number}.", ui.strong(step.sentence), hang=3)
        yield from map(ui.Command, step.commands)
        yield from (ui.named(edit, indent=5, hang=2) for edit in step.edits)
        if step.destroys:
            yield ui.alarm(t("Destroys:"), step.destroys, indent=3)
        if step.undo and step.undo != undo:
            yield ui.label(messages.UNDO_CAPTION, step.undo, indent=3)
        undo = step.undo
        yield from (ui.label(CHECKED, held, indent=3) for held in step.holds)
        if step.seconds >= 1:
            yield ui.para(messages.TAKES(seconds=step.seconds), indent=3)
        yield ui.GAP
