"""The page's part on the run: what each step came to, how long it took, what was verified, and the
journal."""

from collections.abc import Sequence

from wizard.model.changes import ChangeStep
from wizard.model.journal import Check, Entry
from wizard.model.migration import MigrationStep
from wizard.model.plan import Step
from wizard.model.units import format_duration
from wizard.report.charts import Bar, bars
from wizard.report.markup import (
    Content,
    Markup,
    commands,
    folded,
    join,
    moment,
    pairs,
    paragraphs,
    table,
    tag,
    word,
)
from wizard.report.nouns import RunRecord, StepResult

STATES = {"done": "done", "failed": "failed", "begun": "warning", "not begun": "warning"}


Steps = Sequence[Step] | Sequence[ChangeStep] | Sequence[MigrationStep]


def run_part(run: RunRecord, steps: Steps) -> Markup:
    """How it ended, the steps, the journal."""
    rows = [
        (
            str(result.number),
            steps[result.number - 1].sentence,
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
                    ("State", run.state),
                    ("Begun", moment(run.started_at) if run.started_at else "not known"),
                    ("If the power went now", run.power),
                    (
                        "It waits for one of",
                        tag("pre", tag("code", "\n".join(run.commands))) if run.commands else "",
                    ),
                    ("Ended", moment(run.ended_at) if run.ended_at else "not ended"),
                )
            ),
            table(
                "Steps as they were done",
                ("Step", "What", "State", "Took", "What came of it"),
                rows,
                numbers=(3,),
            )
            if rows
            else "",
            _durations(run, steps),
            folded(f"The whole journal ({len(run.journal)} entries)", _journal(run.journal)),
        )
    )


def took(result: StepResult) -> str:
    """A step's time by the journal's clock."""
    return "" if result.seconds is None else f"{result.seconds:.2f} s"


def _durations(run: RunRecord, steps: Steps) -> Markup:
    measured = [(result, steps[result.number - 1]) for result in run.steps if result.seconds is not None]
    if not measured:
        return Markup("")
    title = "How long each step took"
    rows = [
        Bar(
            f"{result.number}. {step.operation.kind.replace('-', ' ')}",
            result.seconds or 0.0,
            took(result)
            + ("" if isinstance(step, ChangeStep) else f", estimated {format_duration(step.seconds)}"),
            kind=result.state,
        )
        for result, step in measured
    ]
    said = "; ".join(f"{row.name} {row.shown}" for row in rows) + "."
    return tag("figure", tag("figcaption", title), bars("durations", title, said, rows))


def checks_part(checks: Sequence[Check]) -> Markup:
    """Everything that was verified, held against what was to be."""
    holding = sum(check.holds for check in checks)
    rows = [
        (check.what, word("done", "holds") if check.holds else word("failed", "does not hold"), check.seen)
        for check in checks
    ]
    return join(
        (
            paragraphs(f"{holding} of {len(checks)} checks hold."),
            table("Checks after the last step", ("What was to hold", "Result", "Seen"), rows),
        )
    )


def _journal(entries: Sequence[Entry]) -> Markup:
    rows = [
        (moment(entry.at), entry.event.value, str(entry.step) if entry.step else "", _said(entry))
        for entry in entries
    ]
    return table("Journal", ("At", "Event", "Step", "What was said"), rows)


def _said(entry: Entry) -> Content:
    output = tag("pre", entry.output) if entry.output.strip() else ""
    return join((entry.sentence, commands([entry.command]) if entry.command else "", output))
