"""The report as one HTML file without scripts or external resources."""

from collections.abc import Iterator, Sequence

from wizard.benchmark.candidates.verdict import sentences as trial_sentences
from wizard.model.ext import Check, JournalEntry
from wizard.model.migration import MigrationStep, Moves
from wizard.model.said import Message, format_capacity, format_duration, t
from wizard.plan.changes import Bring, ChangeStep, RunDocument
from wizard.plan.plan import Step
from wizard.report import gather as words
from wizard.report.charts import (
    ChartBar,
    Content,
    Markup,
    bars,
    commands,
    folded,
    join,
    listed,
    moment,
    pairs,
    paragraphs,
    table,
    tag,
    word,
)
from wizard.report.drives import Report, RunRecord, StepResult, drives_part, findings_part
from wizard.report.measured import cliff_part, displaced_part, trial_part, verdict_part
from wizard.report.planned import (
    advice_part,
    bring_part,
    changes_part,
    migration_part,
    move_part,
    plan_part,
)

STATES = {"done": "done", "failed": "failed", "begun": "warning", "not begun": "warning"}


Steps = Sequence[Step] | Sequence[ChangeStep] | Sequence[MigrationStep]


def run_part(run: RunRecord, document: RunDocument | None) -> Markup:
    """Describe a run: ending, steps and journal."""
    sentences = _sentences(document)
    rows = [
        (
            str(result.number),
            sentences[result.number - 1],
            word(STATES[result.state], result.state),
            took(result),
            result.said,
        )
        for result in run.steps
    ]
    return join(
        (
            paragraphs(run.ending),
            pairs(
                (
                    ("Run", run.id),
                    ("State", t("done, not in use yet") if run.not_yet else run.state),
                    ("Begun", moment(run.started_at) if run.started_at else "not known"),
                    (t("On power loss now"), run.power),
                    (
                        t("Waiting for one of"),
                        tag("pre", tag("code", "\n".join(run.commands))) if run.commands else "",
                    ),
                    ("Ended", moment(run.ended_at) if run.ended_at else "not ended"),
                )
            ),
            table(
                t("Executed steps"),
                ("Step", "What", "State", "Took", t("Result")),
                rows,
                numbers=(3,),
            )
            if rows
            else "",
            _durations(
                run, () if document is None or isinstance(document, Moves | Bring) else document.steps
            ),
            folded(t("Full journal ({entries} entries)", entries=len(run.journal)), _journal(run.journal)),
        )
    )


def took(result: StepResult) -> str:
    """Format a step's time by the journal's clock."""
    return "" if result.seconds is None else f"{result.seconds:.2f} s"


def _sentences(document: RunDocument | None) -> tuple[Message | str, ...]:
    return document.sentences if document else ()


def _durations(run: RunRecord, steps: Steps) -> Markup:
    measured = [result for result in run.steps if result.seconds is not None]
    if not measured or not steps:
        return Markup("")
    title = t("Duration of each step")
    rows = [
        ChartBar(
            f"{result.number}. {steps[result.number - 1].operation.kind.replace('-', ' ')}",
            result.seconds or 0.0,
            _times(result, steps[result.number - 1]),
            kind=result.state,
        )
        for result in measured
    ]
    description = "; ".join(f"{row.name} {row.shown}" for row in rows) + "."
    return tag("figure", tag("figcaption", title), bars("durations", title, description, rows))


def _times(result: StepResult, step: Step | ChangeStep | MigrationStep) -> str:
    if isinstance(step, ChangeStep):
        return took(result)
    return str(t("{took}, estimated {duration}", took=took(result), duration=format_duration(step.seconds)))


def _checks_part(checks: Sequence[Check]) -> Markup:
    """List all checks with expected and actual results."""
    holding = sum(check.holds for check in checks)
    rows = [(check.what, _result(check), check.seen) for check in checks]
    return join(
        (
            paragraphs(t("{holding} of {all} checks passed.", holding=holding, all=len(checks))),
            table(t("Checks after the last step"), (t("Expected"), "Result", "Seen"), rows),
        )
    )


def _result(check: Check) -> Markup:
    return word("done", t("passed")) if check.holds else word("failed", t("failed"))


def _journal(entries: Sequence[JournalEntry]) -> Markup:
    rows = [
        (moment(entry.at), entry.event.value, str(entry.step) if entry.step else "", _message(entry))
        for entry in entries
    ]
    return table("Journal", ("At", "Event", "Step", t("Message")), rows)


def _message(entry: JournalEntry) -> Content:
    output = tag("pre", entry.output) if entry.output.strip() else ""
    return join((entry.sentence, commands([entry.command]) if entry.command else "", output))


STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --faint: #57606a; --edge: #c8ced5;
  --soft: #f3f5f7; --danger: #b3261e; --warning: #8a5300; --info: #0b5cad; --ok: #1a6b34;
  --kept: #4a7fb5; --new: #2c8a4b; --removed: #c9604f; --free: #e3e7eb; --unread: #c9a227; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --paper: #15181c; --faint: #a3acb5; --edge: #454d56; --soft: #20252b;
    --danger: #ff8a80; --warning: #f0b45a; --info: #7db8f5; --ok: #7fd496;
    --kept: #5d93c9; --new: #3fa35f; --removed: #c9604f; --free: #353c44; --unread: #b8942a; } }
@media print { :root { --ink: #000; --paper: #fff; --faint: #333; --edge: #999; --soft: #fff; }
  nav { display: none; } h2 { break-after: avoid; } figure, tr, li { break-inside: avoid; }
  * { print-color-adjust: exact; } }
body { margin: 0 auto; padding: 1rem 1.25rem 4rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--edge); padding-bottom: .2rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .3rem; } h4 { font-size: 1rem; margin: 1rem 0 .2rem; }
p { margin: .4rem 0; max-width: 46rem; } ul, ol { margin: .4rem 0; padding-left: 1.4rem; }
li { margin: .25rem 0; max-width: 46rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
a { color: var(--info); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1.2rem;
  margin: .6rem 0; }
dt { color: var(--faint); } dd { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; font-size: .93rem;
  overflow-wrap: normal; }
caption { text-align: left; color: var(--faint); padding: .2rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0;
  border-bottom: 1px solid var(--edge); }
tbody th { font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
pre { background: var(--soft); border: 1px solid var(--edge); padding: .5rem .7rem; overflow-x: auto;
  white-space: pre-wrap; font: .88rem/1.45 ui-monospace, monospace; margin: .4rem 0; }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--faint); }
figure { margin: .8rem 0 1.2rem; } figcaption { margin-bottom: .3rem; }
svg { display: block; width: 100%; height: auto; }
.quiet { color: var(--faint); } .word { border: 1px solid currentColor; border-radius: .25rem;
  padding: 0 .35rem; margin-right: .2rem; }
.danger, .failed { color: var(--danger); } .warning, .rejected { color: var(--warning); }
.info, .second { color: var(--info); }
.ok, .done, .chosen { color: var(--ok); }
svg text { font: 15px system-ui, sans-serif; fill: var(--ink); }
.line { stroke: var(--ink); stroke-width: 1.5; }
.neutral { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4; } .dot { fill: var(--ink); }
.bar { fill: var(--kept); } .bar.aligned, .bar.done { fill: var(--new); }
.bar.misaligned { fill: var(--unread); }
.bar.failed { fill: var(--removed); }
.stretch { stroke: var(--ink); stroke-width: 1; } .stretch.kept { fill: var(--kept); }
.stretch.new { fill: var(--new); }
.stretch.removed { fill: var(--removed); } .stretch.free { fill: var(--free); }
.stretch.unread { fill: var(--unread); }
.hatch { stroke: var(--paper); stroke-width: 1.5; fill: none; }
.plate { fill: var(--paper); }
"""


POLICY = "; ".join(("default-src 'none'", "style-src 'unsafe-inline'"))
"""Second line of defence after escaping: even injected code could neither run nor load anything."""


def render_page(report: Report) -> str:
    """Return the page as text with a final newline."""
    parts = list(_parts(report))
    title = _title(report)
    contents = listed(tag("a", heading, href=f"#{ident}") for ident, heading, _ in parts)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    body = tag(
        "body",
        tag("header", tag("h1", title), _summary(report)),
        tag("nav", contents, aria_label="Contents"),
        tag("main", *(tag("section", tag("h2", heading), part, id=ident) for ident, heading, part in parts)),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _title(report: Report) -> Message:
    if report.plan is not None:
        return t("Report on setting up {drives:list}", drives=report.plan.paths)
    if report.changes is not None:
        return t("Report on changing {device}", device=report.changes.device)
    if report.migration is not None:
        return t("Report on converting {device} to ext4", device=report.migration.device)
    if report.move is not None:
        return t("Report on moving {device}", device=report.move.device)
    if report.bring is not None:
        return t("Report on copying files to {device}", device=report.bring.target.device)
    drives = report.facts.drives if report.facts is not None else ()
    return t("Report on {drives:list}", drives=tuple(drive.path for drive in drives) or words.NO_DRIVE)


def _summary(report: Report) -> Markup:
    """Return the most important results."""
    return join(
        (
            paragraphs(report.run.ending if report.run else ""),
            pairs(
                (
                    ("Drives", ", ".join(_drive_words(report))),
                    (
                        "Purpose",
                        ", ".join(dict.fromkeys(volume.workload for volume in report.plan.volumes))
                        if report.plan
                        else "",
                    ),
                    ("Ended", report.run.state if report.run else ""),
                    ("Verified", _verified(report)),
                    ("Measured", _measured(report)),
                    (
                        "Made",
                        t(
                            "{at}, by diskwright {version}",
                            at=moment(report.made_at),
                            version=report.diskwright,
                        ),
                    ),
                )
            ),
            paragraphs(
                t(
                    "Serial numbers, WWNs, UUIDs, labels, mount points and people's folders were "
                    "replaced, each consistently."
                )
            )
            if report.anonymous
            else "",
        )
    )


def _drive_words(report: Report) -> Iterator[str]:
    if report.plan is not None:
        known = [
            (member.drive.path, member.drive.model, member.drive.size_bytes) for member in report.plan.members
        ]
        yield from (f"{path} ({model or 'no name'}, {format_capacity(size)})" for path, model, size in known)
    elif report.facts is not None:
        for drive in report.facts.drives:
            yield (
                f"{drive.path} ({drive.model or 'no name'}"
                f"{f', {format_capacity(drive.size_bytes)}' if drive.size_bytes else ''})"
            )


def _verified(report: Report) -> Content:
    if report.run is None or not report.run.checks:
        return ""
    checks = report.run.checks
    return t(
        "{holding} of {all} checks passed", holding=sum(check.holds for check in checks), all=len(checks)
    )


def _measured(report: Report) -> str:
    verdicts = (report.verdict, report.cliff, report.displaced)
    texts = [verdict.sentence for verdict in verdicts if verdict is not None]
    return " ".join((*texts, *map(str, trial_sentences(report.trial) if report.trial else ())))


def _parts(report: Report) -> Iterator[tuple[str, Message, Markup]]:
    """Yield the parts of the report with their anchors and headings."""
    if report.facts is not None:
        yield "drives", t("Drives"), drives_part(report.facts)
        yield "findings", t("Findings"), findings_part(report.facts)
    if report.advice:
        yield "advice", t("Recommendations and reasons"), advice_part(report.advice, report.plan)
    if report.plan is not None:
        yield "plan", t("The plan"), plan_part(report.plan)
    yield from _documents(report)
    measured = (
        *([verdict_part(report.verdict)] if report.verdict is not None else []),
        *([cliff_part(report.cliff)] if report.cliff is not None else []),
        *([displaced_part(report.displaced)] if report.displaced is not None else []),
        *([trial_part(report.trial)] if report.trial is not None else []),
    )
    if measured:
        yield "measured", t("Measurements"), join(measured)
    if report.run is not None:
        yield "run", t("Execution"), run_part(report.run, report.document)
        if report.run.checks:
            yield "checks", t("Verification"), _checks_part(report.run.checks)
    if report.absent:
        yield (
            "absent",
            t("Missing or unknown"),
            listed(f"{one.part}: {one.why}" for one in report.absent),
        )


def _documents(report: Report) -> Iterator[tuple[str, Message, Markup]]:
    """Yield the document's part if it is not a plan."""
    if report.changes is not None:
        yield "plan", t("Changes"), changes_part(report.changes)
    if report.migration is not None:
        yield "plan", t("The conversion"), migration_part(report.migration)
    if report.move is not None:
        yield "plan", t("Move"), move_part(report.move)
    if report.bring is not None:
        yield "plan", t("Copy"), bring_part(report.bring)
