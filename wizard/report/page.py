"""The report as one HTML file without scripts or external resources. Shows the wizard's views."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from wizard.advice.missing import for_files
from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import BenchmarkResult
from wizard.documents.files import write_file
from wizard.filesystems.registry import title_of
from wizard.host.services import RecordedServices
from wizard.model.advice import Advice, Choice
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Kernel, Machine
from wizard.model.run import JournalEntry
from wizard.model.said import Sentence, format_capacity, format_exact, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.report import html
from wizard.report.html import Markup
from wizard.report.parts import Facts, Report, RunRecord, render_report
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import advice_rows, measured, reasons, run_rows
from wizard.ui.components.drive_bars import drive_bar
from wizard.ui.components.drive_rows import worst_first
from wizard.ui.dialogs.health import health_blocks
from wizard.ui.jobs.in_place import job_of
from wizard.ui.jobs.job import AnyJob
from wizard.ui.jobs.plan import TONES


def _drives_part(facts: Facts) -> Markup:
    return html.join(
        (
            html.tag("p", facts.origin),
            html.pairs(
                (
                    ("Kernel", facts.kernel),
                    (t("Read as root"), messages.YES if facts.root else t("no: limited information")),
                )
            ),
            html.listed(f"{one.what}: {one.why}" for one in facts.unread),
            *map(_drive, facts.drives, facts.diagnoses),
            html.tag("h3", t("Not attached")) if facts.absent else "",
            html.reasons_html(map(reasons.bare_reason, facts.absent)),
        )
    )


def _drive(drive: Drive, diagnosis: Diagnosis) -> Markup:
    bar = drive_bar(drive)
    findings = worst_first(diagnosis.findings)
    none = () if findings else (ui.para(ui.good(t("No problems found."))),)
    return html.join(
        (
            html.tag("h3", f"{drive.path}: {drive.model or messages.NO_NAME}"),
            html.blocks_html((bar,) if bar else ()),
            html.tag("h4", t("Findings")),
            html.blocks_html(none),
            html.reasons_html(map(reasons.bare_reason, findings)),
            html.tag("h4", t("Details")),
            html.blocks_html(health_blocks(drive, diagnosis, "")),
            html.pairs(
                (
                    (t("Known as"), ", ".join(drive.by_id)),
                    (t("Table UUID"), (drive.table and drive.table.uuid) or ""),
                    (t("In use"), ", ".join(f"{use.subject}: {use.kind} {use.by}" for use in drive.uses)),
                    (t("Backing file"), drive.backing_file or ""),
                )
            ),
            html.table(
                t("Partitions of {drive}", drive=drive),
                ("Partition", "Start", "Size", "Holds", "Label", "Mounted at", "UUID", "PARTUUID"),
                (
                    (
                        part.path,
                        format_exact(part.start_bytes),
                        f"{format_capacity(part.size_bytes)} ({part.size_bytes} bytes)",
                        "+".join(mark.kind for mark in part.signatures),
                        ", ".join(filter(None, (*(mark.label for mark in part.signatures), part.name))),
                        ", ".join(part.mount_points),
                        ", ".join(mark.uuid for mark in part.signatures if mark.uuid),
                        part.part_uuid or "",
                    )
                    for part in drive.partitions
                ),
                numbers=(1, 2),
            ),
        )
    )


def _advice(advice: Advice, planned: set[tuple[str, str]]) -> Markup:
    shown = [one for one in advice.choices if one.ranked or (advice.workload.id, one.filesystem) in planned]
    others = [
        ui.para(ui.strong(title_of(one.filesystem)), one.sentence)
        for one in for_files(advice.choices)
        if one not in shown
    ]
    none = () if advice.chosen else (ui.para(ui.warn(advice_rows.none_usable(advice))),)
    return html.join(
        (
            html.tag("h3", t("{workload}, on {drive}", workload=advice.workload.title, drive=advice.drive)),
            html.blocks_html((ui.para(advice.workload.summary), *none, *advice_rows.advice_blocks(advice))),
            *(_choice(one, taken=(advice.workload.id, one.filesystem) in planned) for one in shown),
            html.pane_html(ui.Pane(messages.ALSO_SUPPORTED, tuple(others))) if others else "",
            *(
                html.pane_html(ui.Pane(one.title, tuple(advice_rows.unmade_blocks(one))))
                for one in advice.unmade
            ),
        )
    )


def _choice(choice: Choice, *, taken: bool) -> Markup:
    title = title_of(choice.filesystem)
    said = t("{filesystem}, used in the plan", filesystem=title) if taken else title
    cannot = [ui.para(ui.danger(messages.CANNOT), why) for why in choice.obstacles[:1]]
    return html.pane_html(
        ui.Pane(
            t("{filesystem}: {rating}", filesystem=said, rating=advice_rows.rating(choice).text),
            (*cannot, *advice_rows.choice_blocks(choice)),
        )
    )


def _job_part(job: AnyJob) -> Markup:
    return html.join(
        (
            html.blocks_html((job.banner(final=bool(job.word())), *job.bars)),
            *map(html.pane_html, job.panes()),
            html.pane_html(ui.Pane(messages.STEPS, job.commands())),
        )
    )


HEADINGS: dict[type[BenchmarkResult], Sentence] = {
    Verdict: Sentence("Alignment on {drive}"),
    CliffVerdict: Sentence("Write cliff of {drive}"),
    DisplacedVerdict: Sentence("Is {drive} shingled? The quick test"),
    TrialVerdict: Sentence("Filesystem test on {drive}"),
}


def _results(report: Report) -> tuple[BenchmarkResult, ...]:
    results = (report.verdict, report.cliff, report.displaced, report.trial)
    return tuple(result for result in results if result is not None)


def _measured(report: Report) -> Iterator[Markup]:
    for result in _results(report):
        yield html.tag("h3", HEADINGS[type(result)](drive=result.drive))
        yield html.blocks_html((measured.verdict_banner(result),))
        yield html.blocks_html(measured.verdict_blocks(result))
        yield html.blocks_html(measured.method_blocks(result))


def run_part(run: RunRecord, sentences: Sequence[ui.Text]) -> Markup:
    """Describe a run. `sentences` describe the steps."""
    commands = [ui.Command((command,)) for command in run.commands]
    steps: list[ui.Block] = []
    for result, sentence in zip(run.steps, sentences, strict=False):
        took = "" if result.seconds is None else f"{result.seconds:.2f} s"
        steps.append(run_rows.step_para(result.number, sentence, result.state, took))
        steps.append(ui.para(result.said, indent=4))
    return html.join(
        (
            html.pairs(
                (
                    ("Run", run.id),
                    ("State", _state(run)),
                    (t("Begun"), html.moment(run.started_at)),
                    (t("Ended"), html.moment(run.ended_at)),
                    (t("On power loss now"), run.power),
                    (t("Waiting for one of"), html.blocks_html(commands)),
                )
            ),
            html.blocks_html(steps),
            html.pane_html(run_rows.checks_pane(run.checks)) if run.checks else "",
            html.tag(
                "details",
                html.tag("summary", t("Full journal ({entries} entries)", entries=len(run.journal))),
                _journal(run.journal),
            ),
        )
    )


def _state(run: RunRecord) -> ui.Text:
    return t("done, not in use yet") if run.not_yet else run.state


def _journal(entries: Sequence[JournalEntry]) -> Markup:
    rows = ((html.moment(entry.at), entry.event, str(entry.step or ""), _entry(entry)) for entry in entries)
    return html.table(t("Journal"), ("At", "Event", "Step", t("Message")), rows)


def _entry(entry: JournalEntry) -> Markup:
    command = html.blocks_html((ui.Command(entry.command),) if entry.command else ())
    return html.join((entry.sentence, command, html.tag("pre", entry.output) if entry.output.strip() else ""))


def render_page(report: Report) -> str:
    """Return the page."""
    services = RecordedServices(Machine(Kernel(""), ()), "")
    job = job_of(services, report.document) if report.document else None
    drives = report.facts.drives if report.facts else ()
    what = job.title if job else ", ".join(drive.path for drive in drives) or t("no drive")
    return html.document(t("Report: {what}", what=what), _summary(report, job), list(_parts(report, job)))


def _summary(report: Report, job: AnyJob | None) -> Markup:
    run = report.run
    drives = job.drives if job else report.facts.drives if report.facts else ()
    banners = map(measured.verdict_banner, _results(report))
    results = [str(text) for banner in banners for text in (banner.text, *banner.detail)]
    anonymous = t(
        "Serial numbers, WWNs, UUIDs, labels, mount points and people's folders were "
        "replaced, each consistently."
    )
    named = []
    for one in drives:
        facts = [one.model or str(messages.NO_NAME)]
        facts += [format_capacity(one.size_bytes)] if one.size_bytes else []
        named.append(f"{one.path} ({', '.join(facts)})")
    return html.join(
        (
            html.blocks_html((ui.Banner(run.ending, (), TONES.get(run.state, ui.Tone.WARN)),) if run else ()),
            html.pairs(
                (
                    ("Drives", ", ".join(named)),
                    ("State", _state(run) if run else ""),
                    ("Verified", run_rows.checks_text(run.checks) if run and run.checks else ""),
                    ("Measured", " ".join(results)),
                    ("Made", f"{html.moment(report.made_at)}, diskwright {report.diskwright}"),
                )
            ),
            html.tag("p", anonymous) if report.anonymous else "",
        )
    )


def _parts(report: Report, job: AnyJob | None) -> Iterator[tuple[str, ui.Text, Markup]]:
    if report.facts is not None:
        yield "drives", ui.ScreenStep.DRIVES.shown, _drives_part(report.facts)
    if report.advice:
        volumes = report.plan.volumes if report.plan else ()
        planned = {(volume.workload, volume.filesystem) for volume in volumes}
        advices = html.join(_advice(advice, planned) for advice in report.advice)
        yield "advice", t("Recommendations"), advices
    if job is not None:
        yield "plan", job.title, _job_part(job)
    if results := html.join(_measured(report)):
        yield "measured", t("Measurements"), results
    if report.run is not None:
        yield "run", t("Execution"), run_part(report.run, job.sentences if job else ())
    found = report.facts.diagnoses if report.facts else ()
    cited = dict.fromkeys(
        (
            *(card for one in found for finding in one.findings for card in reasons.figures_for(finding)),
            *(card for advice in report.advice for one in advice.choices for card in one.evidence),
        )
    )
    if cited:
        yield "published", reasons.PUBLISHED, html.blocks_html(reasons.evidence_blocks(tuple(cited)))
    if report.absent:
        missing = html.listed(f"{one.part}: {one.why}" for one in report.absent)
        yield "absent", t("Missing or unknown"), missing


def write_report(report: Report, path: Path) -> None:
    """Write atomically, as JSON if the name ends in .json. Raises like `write_file`."""
    text = render_report(report) if path.suffix == ".json" else render_page(report)
    write_file(path, text, str(t("The report")))
