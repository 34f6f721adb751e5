"""The page's part on the run: what each step came to, how long it took, what was verified, and the
journal."""

from collections.abc import Sequence

from wizard.model.documents.changes import ChangeStep
from wizard.model.documents.migration import MigrationStep
from wizard.model.journal import Check, Entry
from wizard.model.plan import Step
from wizard.model.said import t
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
                    ("State", t("done, not yet in use") if run.not_yet else run.state),
                    ("Begun", moment(run.started_at) if run.started_at else "not known"),
                    (t("If the power went now"), run.power),
                    (
                        t("It waits for one of"),
                        tag("pre", tag("code", "\n".join(run.commands))) if run.commands else "",
                    ),
                    ("Ended", moment(run.ended_at) if run.ended_at else "not ended"),
                )
            ),
            table(
                t("Steps as they were done"),
                ("Step", "What", "State", "Took", t("What came of it")),
                rows,
                numbers=(3,),
            )
            if rows
            else "",
            _durations(run, steps),
            folded(
                t("The whole journal ({entries} entries)", entries=len(run.journal)), _journal(run.journal)
            ),
        )
    )


def took(result: StepResult) -> str:
    """A step's time by the journal's clock."""
    return "" if result.seconds is None else f"{result.seconds:.2f} s"


def _durations(run: RunRecord, steps: Steps) -> Markup:
    measured = [(result, steps[result.number - 1]) for result in run.steps if result.seconds is not None]
    if not measured:
        return Markup("")
    title = t("How long each step took")
    rows = [
        Bar(
            f"{result.number}. {step.operation.kind.replace('-', ' ')}",
            result.seconds or 0.0,
            _times(result, step),
            kind=result.state,
        )
        for result, step in measured
    ]
    said = "; ".join(f"{row.name} {row.shown}" for row in rows) + "."
    return tag("figure", tag("figcaption", title), bars("durations", title, said, rows))


def _times(result: StepResult, step: Step | ChangeStep | MigrationStep) -> str:
    if isinstance(step, ChangeStep):
        return took(result)
    return str(t("{took}, estimated {duration}", took=took(result), duration=format_duration(step.seconds)))


def checks_part(checks: Sequence[Check]) -> Markup:
    """Everything that was verified, held against what was to be."""
    holding = sum(check.holds for check in checks)
    rows = [(check.what, _result(check), check.seen) for check in checks]
    return join(
        (
            paragraphs(t("{holding} of {all} checks hold.", holding=holding, all=len(checks))),
            table(t("Checks after the last step"), (t("What was to hold"), "Result", "Seen"), rows),
        )
    )


def _result(check: Check) -> Markup:
    return word("done", t("holds")) if check.holds else word("failed", t("does not hold"))


def _journal(entries: Sequence[Entry]) -> Markup:
    rows = [
        (moment(entry.at), entry.event.value, str(entry.step) if entry.step else "", _said(entry))
        for entry in entries
    ]
    return table("Journal", ("At", "Event", "Step", t("What was said")), rows)


def _said(entry: Entry) -> Content:
    output = tag("pre", entry.output) if entry.output.strip() else ""
    return join((entry.sentence, commands([entry.command]) if entry.command else "", output))
