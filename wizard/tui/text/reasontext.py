"""The sentences of the steps, each with what stands behind it: pure, and every foreign word made
printable."""

from collections.abc import Iterable, Sequence

from rich.text import Text

from wizard.advise.backing import evidence_for
from wizard.diagnose.words.codes import CODES
from wizard.layout.wishes.wish import Wish
from wizard.model.advice import Advice, Choice, Option, Unmade
from wizard.model.finding import Clue, Diagnosis, Finding, Severity
from wizard.model.geometry import misalignment_bytes
from wizard.model.make_filesystem import MakeFilesystem
from wizard.model.names import printable
from wizard.model.plan import AddFstabLine, Mount, Plan, Step, TableEntry, WriteTable
from wizard.model.units import MIB
from wizard.model.verdict import Ratio, Verdict
from wizard.tui.dialogs.reasons import Reason
from wizard.tui.text.describe import SEVERITY_INK, evidence_blocks
from wizard.tui.text.verdicttext import measured_blocks
from wizard.tui.widgets.words import Block, gap, para

LONGEST = 4000
"""Characters of a sentence that may be about many things."""


def finding_reasons(diagnosis: Diagnosis) -> list[Reason]:
    """Each finding, the worst first, with why, remedy, source and figures; then how the drive records, with
    every clue."""
    reasons = [_finding(finding) for finding in diagnosis.findings]
    if clues := diagnosis.recording.evidence:
        sentence = Text("recording ", "cyan").append(
            f"{len(clues)} clue{'s' * (len(clues) != 1)} to how the drive records", "default"
        )
        reasons.append(Reason(sentence, [block for clue in clues for block in _clue(clue)]))
    return reasons


def _finding(finding: Finding) -> Reason:
    sentence = Text(f"{finding.severity.value} ", SEVERITY_INK[finding.severity]).append(
        printable(str(finding.sentence), 400), "default"
    )
    behind: list[Block] = [
        *_named("Why", str(finding.why)),
        *_named("Do", str(finding.remedy)),
        *_named("Source", str(finding.source)),
        *_named("Rule", f"{finding.code}: {CODES.get(finding.code, '')}"),
    ]
    if finding.severity in (Severity.DANGER, Severity.WARNING) and (figures := evidence_for(finding.code)):
        behind += [para("Published figures on the matter", "bold"), gap(), *evidence_blocks(figures)]
    return Reason(sentence, behind)


def _clue(clue: Clue) -> list[Block]:
    said = Text(f"{printable(str(clue.source), 80)}: ", "bold").append(
        printable(str(clue.says), 300), "not bold"
    )
    return [para(said, hang=2), para(f"How far it can be trusted: {clue.confidence}.", indent=2), gap()]


def choice_reasons(choice: Choice, advice: Advice) -> list[Reason]:
    """Why a filesystem has its place, with the figures; then its options, what is not offered, and what holds
    of the drive."""
    reasons = [
        Reason(
            Text(printable(choice.sentence, 500)), [*_obstacles(choice), *evidence_blocks(choice.evidence)]
        )
    ]
    for kind, options in (
        ("mkfs", choice.mkfs),
        ("mount", choice.mount),
        ("scheduler", (choice.scheduler,) if choice.scheduler else ()),
    ):
        reasons += [
            Reason(Text(f"{kind}: ").append(printable(option.text, 60), "cyan"), _option(option))
            for option in options
        ]
    reasons += [
        Reason(Text(f"{held.kind}: {printable(held.text, 60)} is not offered"), _named("Why", held.reason))
        for held in choice.withheld
    ]
    drive = "This holds of the drive, whatever is put on it."
    return reasons + [
        Reason(Text(printable(note, 500)), [para(drive)]) for note in (*advice.doubts, *advice.notes)
    ]


def unmade_reasons(unmade: Unmade) -> list[Reason]:
    """Why a filesystem is never made, with what the studies measured of it; then the way off."""
    return [
        Reason(Text(printable(unmade.why_not, 600)), evidence_blocks(unmade.evidence)),
        Reason(Text("The way off it"), [para(printable(unmade.way_off, 800))]),
    ]


def _obstacles(choice: Choice) -> list[Block]:
    return [
        para(Text("Cannot be taken: ", "red").append(printable(obstacle, 300), "default"), hang=2)
        for obstacle in choice.obstacles
    ]


def _option(option: Option) -> list[Block]:
    return [*_named("Why", option.why), *(_named("Risk", option.risk) if option.risk else [])]


def step_reasons(plan: Plan, wishes: Sequence[Wish]) -> list[Reason]:
    """Each step with why it is as it is, what is checked afterwards, and how it is undone; then each
    doubt."""
    reasons = []
    for number, step in enumerate(plan.steps, 1):
        behind = [*_why_step(plan, wishes, step), *_after_step(step)]
        reasons.append(Reason(Text(f"{number}. {printable(step.sentence, 400)}"), behind))
    doubt = [para("It could not be known when the plan was made.")]
    return reasons + [
        Reason(Text("in doubt ", "yellow").append(printable(said, 600), "default"), doubt)
        for said in plan.doubts
    ]


def _why_step(plan: Plan, wishes: Sequence[Wish], step: Step) -> Iterable[Block]:
    operation = step.operation
    if isinstance(operation, WriteTable):
        yield from (_placed(plan, entry) for entry in operation.entries if not entry.kept)
        yield gap()
    of = _choice_of(plan, wishes, step)
    if of is None:
        return
    if isinstance(operation, MakeFilesystem):
        yield from _named(of.filesystem, of.sentence)
        for option in of.mkfs:
            yield from _named(option.text, f"{option.why} {option.risk}".strip())
        if of.evidence:
            yield from evidence_blocks(of.evidence)
    else:
        for option in of.mount:
            yield from _named(option.text, f"{option.why} {option.risk}".strip())


def _choice_of(plan: Plan, wishes: Sequence[Wish], step: Step) -> Choice | None:
    """The choice that a step carries out, found by its volume."""
    match step.operation:
        case MakeFilesystem(uuid=uuid) | AddFstabLine(uuid=uuid):
            found = [volume.uuid == uuid for volume in plan.volumes]
        case Mount(device=device):
            found = [volume.path == device for volume in plan.volumes]
        case _:
            return None
    return next((wish.choice for wish, fits in zip(wishes, found, strict=False) if fits), None)


def _placed(plan: Plan, entry: TableEntry) -> Block:
    """Where a partition starts, and what that start is a boundary of."""
    geometry = plan.drive.geometry
    off = misalignment_bytes(geometry, entry.start_bytes)
    where = (
        f"off a physical block by {off} bytes"
        if off
        else f"on a physical block of {geometry.physical_block_bytes} bytes"
    )
    grain = " and on 1 MiB" if entry.start_bytes % MIB == 0 else ""
    return para(f"Partition {entry.number} starts at byte {entry.start_bytes}: {where}{grain}.", hang=2)


def _after_step(step: Step) -> list[Block]:
    blocks: list[Block] = []
    if step.holds:
        blocks += [
            para("Checked afterwards:", "bold"),
            *(para(f"- {printable(held, LONGEST)}", hang=2) for held in step.holds),
            gap(),
        ]
    if step.destroys:
        blocks += _named("Destroys", step.destroys)
    return [*blocks, *_named("Undo", step.undo)]


def verdict_reasons(verdict: Verdict) -> list[Reason]:
    """What was measured and how sure it is; then each caveat; then what others have measured."""
    reasons = [Reason(Text(printable(verdict.sentence, 400)), [*_method(verdict), *measured_blocks(verdict)])]
    limit = [para("This limits what the measurement shows; the sentence claims no more than that.")]
    reasons += [
        Reason(Text("but ", "yellow").append(printable(caveat, 400), "default"), limit)
        for caveat in verdict.caveats
    ]
    return [
        *reasons,
        Reason(
            Text("What others measured on misaligned partitions"), evidence_blocks(evidence_for("alignment"))
        ),
    ]


def _method(verdict: Verdict) -> list[Block]:
    if not verdict.pairs:
        return [para("Nothing was measured.")]
    blocks: list[Block] = [
        para(
            f"Pairs of {verdict.block_bytes} bytes, one on a block's boundary and one {verdict.shift_bytes} "
            "bytes beside it, at neighbouring places and right after each other. The factor is the "
            "misaligned time over the aligned one."
        ),
        gap(),
    ]
    return [*blocks, *(_sure(verdict.ratio) if verdict.ratio else [])]


def _sure(ratio: Ratio) -> list[Block]:
    percent = f"{100 * ratio.confidence:.0f}"
    said = (
        f"{ratio.estimate:.2f}, and with {percent} % confidence between {ratio.low:.2f} and "
        f"{ratio.high:.2f}, from {ratio.pairs} pairs."
    )
    return _named("Factor", said)


def _named(caption: str, text: str) -> list[Block]:
    """`Why: ...`, and a gap."""
    return [
        para(
            Text(f"{printable(caption, 60)}: ", "bold").append(printable(text, LONGEST), "not bold"), hang=2
        ),
        gap(),
    ]
