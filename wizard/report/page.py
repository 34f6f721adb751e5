"""The report as one HTML file without scripts or external resources. Shows the wizard's views.

Everything is escaped; charts show their numbers as text.
"""

import shlex
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from string import Template

from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import BenchmarkResult
from wizard.documents.files import write_file
from wizard.documents.profiles import BUNDLED
from wizard.host.services import NOTHING, Services
from wizard.model.errors import printable
from wizard.model.finding import Diagnosis, Finding
from wizard.model.machine import Drive
from wizard.model.said import Sentence, format_capacity, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.report.anonymous import REPLACED
from wizard.report.gather import Facts, Report, RunRecord, render_report
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import advice_rows, measured, reasons, run_rows
from wizard.ui.components.drive_bars import drive_bar
from wizard.ui.components.drive_rows import worst_first
from wizard.ui.dialogs.health import health_blocks
from wizard.ui.jobs.in_place import job_of
from wizard.ui.jobs.job import TONES, AnyJob

MISSING = t("Missing or unknown")


class Markup(str):
    """Text that is already HTML. Other text is escaped when inserted into a page."""

    __slots__ = ()


def clean(text: str) -> str:
    """Replace control characters and changes of text direction in foreign text. Keeps newlines."""
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)


def join(parts: Iterable[ui.Text], between: str = "") -> Markup:
    """Concatenate content. Escapes everything that is not markup."""
    return Markup(
        between.join(part if isinstance(part, Markup) else escape(clean(str(part))) for part in parts)
    )


def tag(name: str, /, *children: ui.Text, **attributes: str | None) -> Markup:
    """Return an element without attributes that are None. `_` becomes `-`; a trailing one is dropped."""
    words = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{words}>{join(children)}</{name}>")


def listed(items: Iterable[ui.Text]) -> Markup:
    """Return a list, or nothing without items."""
    points = [tag("li", item) for item in items]
    return tag("ul", *points) if points else Markup("")


def moment(at: str | None) -> str:
    """Format an ISO 8601 time in UTC, to the second."""
    return f"{at[:10]} {at[11:19]} UTC" if at else ""


def _pane_html(pane: ui.Pane) -> Markup:
    """Return a pane with the title."""
    return tag("section", tag("h3", pane.title) if pane.title != "" else "", blocks_html(pane.blocks))


def blocks_html(blocks: Iterable[ui.Block]) -> Markup:
    """Return the blocks of a view."""
    return join(map(_block, blocks))


def _block(block: ui.Block) -> Markup:
    match block:
        case ui.Para(pieces=pieces, indent=indent):
            style = f"margin-left: {indent / 2:g}rem" if indent else None
            # A row of a table is one text, whose columns are filled with blanks.
            row = "row" if any("  " in str(piece.text) for piece in pieces) else None
            return tag("p", _pieces(pieces), style=style, class_=row) if pieces else Markup("")
        case ui.Bar():
            return _bar(block)
        case ui.Figures():
            return _figures(block)
        case ui.Progress(said=said):
            return tag("p", said)
        case ui.Banner(text=text, detail=detail, tone=tone):
            lines = (tag("p", tag("strong", text)), *(tag("p", line) for line in detail))
            return tag("div", *lines, class_=f"banner {tone.value}")
        case ui.Command(argv=argv):
            # A single word is a line of a file.
            return tag("pre", tag("code", argv[0] if len(argv) == 1 else shlex.join(argv)))


def _pieces(pieces: Iterable[ui.Piece]) -> Markup:
    return join(
        (
            piece.text
            if piece.tone is ui.Tone.PLAIN
            else tag("strong", piece.text)
            if piece.tone is ui.Tone.STRONG
            else tag("span", piece.text, class_=piece.tone.value)
            for piece in pieces
            if piece.text != ""
        ),
        " ",
    )


def _bar(bar: ui.Bar) -> Markup:
    total = sum(one.size_bytes for one in bar.stretches) or 1
    drawn = (
        tag("span", one.name, class_=one.fate.value, style=f"width: {100 * one.size_bytes / total:.2f}%")
        for one in bar.stretches
    )
    return tag(
        "figure",
        tag("figcaption", bar.caption) if bar.caption != "" else "",
        tag("div", *drawn, class_="bar", aria_hidden="true"),
        listed(map(ui.stretch_words, bar.stretches)),
    )


def _figures(figures: ui.Figures) -> Markup:
    most = max((value for _, value, _ in figures.values), default=0) or 1
    rows = (
        tag(
            "tr",
            tag("th", printable(name, 200), scope="row"),
            tag("td", tag("div", class_="fill", style=f"width: {100 * value / most:.1f}%"), class_="chart"),
            tag("td", text, class_="number"),
        )
        for name, value, text in figures.values
    )
    return tag("table", tag("caption", figures.unit), tag("tbody", *rows), class_="figures")


def _labels(*rows: tuple[ui.Text, ui.Text]) -> Iterator[ui.Para]:
    """Yield captions with values. Omits empty values."""
    for caption, value in rows:
        if value != "":
            yield ui.label(messages.CAPTION(what=caption), value)


def _drive_panes(facts: Facts) -> ui.Panes:
    root = t("yes") if facts.root else t("no: limited information")
    unread = (ui.para(f"{one.what}: {one.why}") for one in facts.unread)
    about = _labels(("Kernel", facts.kernel), (t("Read as root"), root))
    yield ui.Pane("", (ui.para(facts.origin), *about, *unread))
    for drive, diagnosis in zip(facts.drives, facts.diagnoses, strict=True):
        title = f"{drive.path}: {drive.model or messages.NO_NAME}"
        yield ui.Pane(title, tuple(_drive_blocks(drive, diagnosis)))
    if facts.absent:
        yield ui.Pane(t("Not attached"), tuple(_finding_blocks(facts.absent)))


def _drive_blocks(drive: Drive, diagnosis: Diagnosis) -> ui.Blocks:
    yield from filter(None, (drive_bar(drive),))
    if not diagnosis.findings:
        yield ui.fine(t("No problems found."))
    yield from _finding_blocks(worst_first(diagnosis.findings))
    yield ui.heading(t("Details"))
    yield from health_blocks(drive, diagnosis, "")
    yield from _labels(
        ("by-id", ", ".join(drive.by_id)),
        (t("Table UUID"), (drive.table and drive.table.uuid) or ""),
        (t("In use"), ", ".join(f"{use.subject}: {use.kind} {use.by}" for use in drive.uses)),
        (t("Backing file"), drive.backing_file or ""),
    )
    for part in drive.partitions:
        marks = [named for mark in part.signatures for named in (("LABEL", mark.label), ("UUID", mark.uuid))]
        named = (*marks, ("PARTLABEL", part.name), ("PARTUUID", part.part_uuid))
        tags = (f'{name}="{value}"' for name, value in named if value)
        yield ui.label(f"{part.path}:", f"{part.size_bytes} bytes", *tags)


def _finding_blocks(findings: Iterable[Finding]) -> ui.Blocks:
    for finding in findings:
        reason = reasons.finding_reason(finding, published=False)
        yield ui.para(*reason.cells)
        yield from reason.behind


HEADINGS: dict[type[BenchmarkResult], Sentence] = {
    Verdict: Sentence("Alignment on {drive}"),
    CliffVerdict: Sentence("Write cliff of {drive}"),
    DisplacedVerdict: Sentence("Is {drive} shingled? The quick test"),
    TrialVerdict: Sentence("Filesystem test on {drive}"),
}


def run_facts(run: RunRecord) -> ui.Blocks:
    """Describe the state of a run, with the commands to choose from."""
    yield ui.Banner(run.ending, (), TONES.get(run.state, ui.Tone.WARN))
    yield from _labels(
        ("Run", run.id),
        ("State", t("done, not in use yet") if run.not_yet else run.state),
        ("Verified", run_rows.checks_text(run.checks) if run.checks else ""),
        (t("Begun"), moment(run.started_at)),
        (t("Ended"), moment(run.ended_at)),
        (t("On power loss now"), run.power),
    )
    if run.commands:
        yield ui.label(messages.CAPTION(what=t("Waiting for one of")))
        yield from (ui.Command((command,)) for command in run.commands)


def _run_panes(run: RunRecord, sentences: ui.Texts) -> ui.Panes:
    """Show steps, described by `sentences`, checks and journal."""
    blocks: list[ui.Block] = []
    for result, sentence in zip(run.steps, sentences, strict=False):
        took = "" if result.seconds is None else f"{result.seconds:.2f} s"
        blocks.append(run_rows.step_para(result.number, sentence, result.state, took))
        blocks.append(ui.para(result.said, indent=4))
    yield ui.Pane("", tuple(blocks))
    if run.checks:
        yield run_rows.checks_pane(run.checks)
    told: list[ui.Block] = []
    for one in run.journal:
        event = f"{one.event} {one.step}" if one.step else one.event
        told.append(ui.para(ui.muted(moment(one.at)), ui.accent(event), one.sentence))
        told += (ui.Command(words) for words in (one.command, (one.output,)) if "".join(words).strip())
    yield ui.Pane(t("Journal"), tuple(told))


def render_page(report: Report) -> str:
    """Return the page."""
    services = Services(NOTHING)
    job = job_of(services, report.document) if report.document else None
    drives = report.facts.drives if report.facts else ()
    what = job.title if job else ", ".join(drive.path for drive in drives) or messages.NONE
    parts = [*_parts(report, job)]
    sections = (
        tag("section", tag("h2", heading), *map(_pane_html, panes), id=ident)
        for ident, heading, panes in parts
    )
    return Template((BUNDLED / "report.html").read_text(encoding="utf-8")).substitute(
        title=join((t("Report: {what}", what=what),)),
        summary=blocks_html(_summary(report, job)),
        links=listed(tag("a", heading, href=f"#{ident}") for ident, heading, _ in parts),
        parts=join(sections),
    )


def _summary(report: Report, job: AnyJob | None) -> ui.Blocks:
    drives = job.drives if job else report.facts.drives if report.facts else ()
    banner = measured.verdict_banner(report.measured) if report.measured else None
    results = map(str, (banner.text, *banner.detail)) if banner else ()
    named = []
    for one in drives:
        facts = [one.model or str(messages.NO_NAME)]
        facts += [format_capacity(one.size_bytes)] if one.size_bytes else []
        named.append(f"{one.path} ({', '.join(facts)})")
    yield from run_facts(report.run) if report.run else ()
    yield from _labels(
        ("Drives", ", ".join(named)),
        ("Measured", " ".join(results)),
        ("Made", f"{moment(report.made_at)}, diskwright {report.diskwright}"),
    )
    if report.anonymous:
        yield ui.para(REPLACED)


def _parts(report: Report, job: AnyJob | None) -> Iterator[tuple[str, ui.Text, ui.Panes]]:
    if report.facts is not None:
        yield "drives", ui.ScreenStep.DRIVES.shown, _drive_panes(report.facts)
    if report.advice:
        advices = (
            ui.Pane(
                t("{purpose} on {drive}", purpose=one.workload.title, drive=one.drive),
                (ui.para(one.workload.summary), *advice_rows.advice_page(one)),
            )
            for one in report.advice
        )
        yield "advice", t("Recommendations"), advices
    if job is not None:
        shown = ui.Pane("", (job.banner(final=bool(job.word())), *job.bars))
        yield "plan", job.title, (shown, *job.panes(), ui.Pane(messages.STEPS, job.commands()))
    if result := report.measured:
        blocks = (
            measured.verdict_banner(result),
            *measured.verdict_blocks(result),
            *measured.method_blocks(result),
        )
        pane = ui.Pane(HEADINGS[type(result)](drive=result.drive), blocks)
        yield "measured", t("Measurements"), (pane,)
    if report.run is not None:
        yield "run", t("Execution"), _run_panes(report.run, job.sentences if job else ())
    found = report.facts.diagnoses if report.facts else ()
    cited = dict.fromkeys(
        card for one in found for finding in one.findings for card in reasons.figures_for(finding)
    )
    if cited:
        yield "published", reasons.PUBLISHED, (ui.Pane("", tuple(reasons.evidence_blocks(tuple(cited)))),)
    if report.absent:
        absent = (ui.para("-", f"{one.part}: {one.why}") for one in report.absent)
        yield "absent", MISSING, (ui.Pane("", tuple(absent)),)


def write_report(report: Report, path: Path) -> None:
    """Write atomically, as JSON if the name ends in .json. Raises like `write_file`."""
    text = render_report(report) if path.suffix == ".json" else render_page(report)
    write_file(path, text, str(t("The document")))
