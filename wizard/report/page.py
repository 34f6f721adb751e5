"""The report as one HTML file: nothing in it is fetched, nothing in it runs."""

from collections.abc import Iterator

from wizard.model.documents.move import Moves
from wizard.model.said import Said
from wizard.model.units import format_capacity
from wizard.report.advised import advice_part
from wizard.report.drives import drives_part, findings_part
from wizard.report.markup import Content, Markup, join, listed, moment, pairs, paragraphs, tag
from wizard.report.measured import cliff_part, displaced_part, verdict_part
from wizard.report.nouns import Report
from wizard.report.performed import Steps, checks_part, run_part
from wizard.report.planned import changes_part, migration_part, move_part, plan_part
from wizard.report.style import STYLE
from wizard.report.tried import trial_part
from wizard.report.words import page as words
from wizard.trial.candidates.sentences import sentences

POLICY = "; ".join(("default-src 'none'", "style-src 'unsafe-inline'"))
"""A second wall behind the escaping: even a page that was broken into could run and fetch nothing."""


def render_page(report: Report) -> str:
    """The page as text, ending in a newline."""
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


def _title(report: Report) -> Said:
    if report.plan is not None:
        return words.OF_PLAN(drives=report.plan.paths)
    if report.changes is not None:
        return words.OF_CHANGES(device=report.changes.device)
    if report.migration is not None:
        return words.OF_MIGRATION(device=report.migration.device)
    if report.move is not None:
        return words.OF_MOVE(device=report.move.device)
    drives = report.facts.drives if report.facts is not None else ()
    return words.OF_DRIVES(drives=tuple(drive.path for drive in drives) or words.NO_DRIVE())


def _summary(report: Report) -> Markup:
    """The answers that a reader wants first."""
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
                    ("Made", words.MADE(at=moment(report.made_at), version=report.diskwright)),
                )
            ),
            paragraphs(words.REPLACED()) if report.anonymous else "",
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
    return words.HOLD(holding=sum(check.holds for check in checks), all=len(checks))


def _measured(report: Report) -> str:
    verdicts = (report.verdict, report.cliff, report.displaced)
    said = [verdict.sentence for verdict in verdicts if verdict is not None]
    return " ".join((*said, *map(str, sentences(report.trial) if report.trial else ())))


def _parts(report: Report) -> Iterator[tuple[str, Said, Markup]]:
    """Every part that the report has, with its name in links and its heading."""
    if report.facts is not None:
        yield "drives", words.DRIVES(), drives_part(report.facts)
        yield "findings", words.FOUND(), findings_part(report.facts)
    if report.advice:
        yield "advice", words.ADVISED(), advice_part(report.advice, report.plan)
    if report.plan is not None:
        yield "plan", words.PLAN(), plan_part(report.plan)
    yield from _documents(report)
    measured = (
        *([verdict_part(report.verdict)] if report.verdict is not None else []),
        *([cliff_part(report.cliff)] if report.cliff is not None else []),
        *([displaced_part(report.displaced)] if report.displaced is not None else []),
        *([trial_part(report.trial)] if report.trial is not None else []),
    )
    if measured:
        yield "measured", words.MEASURED(), join(measured)
    if report.run is not None:
        yield "run", words.DONE(), run_part(report.run, _steps(report))
        if report.run.checks:
            yield "checks", words.VERIFIED(), checks_part(report.run.checks)
    if report.absent:
        yield (
            "absent",
            words.ABSENT(),
            listed(f"{one.part}: {one.why}" for one in report.absent),
        )


def _documents(report: Report) -> Iterator[tuple[str, Said, Markup]]:
    """What was to be done, where it was no plan."""
    if report.changes is not None:
        yield "plan", words.CHANGES(), changes_part(report.changes)
    if report.migration is not None:
        yield "plan", words.MIGRATION(), migration_part(report.migration)
    if report.move is not None:
        yield "plan", words.MOVE(), move_part(report.move)


def _steps(report: Report) -> Steps:
    """What has commands and checks of its own; a move has none."""
    return () if report.document is None or isinstance(report.document, Moves) else report.document.steps
