"""The report as one HTML file without scripts or external resources. Shows the wizard's views.

Everything is escaped; charts show their numbers as text.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

from wizard.advice.missing import for_files
from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import BenchmarkResult
from wizard.documents.files import write_file
from wizard.filesystems.registry import title_of
from wizard.host.services import NOTHING, Services
from wizard.model.advice import Advice, Choice
from wizard.model.errors import printable
from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, kinds_in
from wizard.model.run import JournalEntry
from wizard.model.said import Sentence, format_capacity, format_exact, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.report.parts import Facts, Report, RunRecord, render_report
from wizard.ui import messages
from wizard.ui import view as ui
from wizard.ui.components import advice_rows, measured, reasons, run_rows
from wizard.ui.components.drive_bars import drive_bar
from wizard.ui.components.drive_rows import worst_first
from wizard.ui.components.plan_rows import rating
from wizard.ui.components.reasons import Reason
from wizard.ui.dialogs.health import health_blocks
from wizard.ui.jobs.in_place import job_of
from wizard.ui.jobs.job import TONES, AnyJob

MISSING = t("Missing or unknown")

JOURNAL = t("Journal")
NOT_YET = t("done, not in use yet")

VOID = frozenset({"meta", "br"})


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
    return Markup(f"<{name}{words}>" if name in VOID else f"<{name}{words}>{join(children)}</{name}>")


def listed(items: Iterable[ui.Text]) -> Markup:
    """Return a list, or nothing without items."""
    points = [tag("li", item) for item in items]
    return tag("ul", *points) if points else Markup("")


def pairs(rows: Iterable[tuple[ui.Text, ui.Text]]) -> Markup:
    """Return a description list. Omits empty values."""
    return tag("dl", *(join((tag("dt", name), tag("dd", value))) for name, value in rows if value != ""))


def table(
    caption: ui.Text, heads: Sequence[ui.Text], rows: Iterable[Sequence[ui.Text]], numbers: Sequence[int] = ()
) -> Markup:
    """Return a table with row headers, or nothing without rows. `numbers`: right-aligned columns."""

    def cell(at: int, text: ui.Text, scope: str | None) -> Markup:
        return tag("th" if scope else "td", text, scope=scope, class_="number" if at in numbers else None)

    body = [
        tag("tr", *(cell(at, text, None if at else "row") for at, text in enumerate(row))) for row in rows
    ]
    if not body:
        return Markup("")
    head = tag("tr", *(cell(at, name, "col") for at, name in enumerate(heads)))
    return tag(
        "div", tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body)), class_="wide"
    )


def moment(at: str | None) -> str:
    """Format an ISO 8601 time in UTC, to the second."""
    return f"{at[:10]} {at[11:19]} UTC" if at else ""


def pane_html(pane: ui.Pane) -> Markup:
    """Return a pane with the title."""
    return tag("section", tag("h4", pane.title) if pane.title != "" else "", blocks_html(pane.blocks))


def reasons_html(reasons: Iterable[Reason]) -> Markup:
    """Return statements, each with the evidence."""
    return join(
        tag("section", tag("h4", _pieces(ui.pieces(*one.cells))), blocks_html(one.behind)) for one in reasons
    )


def blocks_html(blocks: Iterable[ui.Block]) -> Markup:
    """Return the blocks of a view."""
    return join(map(_block, blocks))


def _block(block: ui.Block) -> Markup:
    match block:
        case ui.Para(pieces=pieces, indent=indent):
            style = f"margin-left: {indent / 2:g}rem" if indent else None
            return tag("p", _pieces(pieces), style=style) if pieces else Markup("")
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


STYLE = """/* Light and dark, on screens and on paper. */
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --muted: #57606a; --edge: #c8ced5;
  --soft: #f3f5f7; --danger: #b3261e; --warn: #8a5300; --accent: #0b5cad; --good: #1a6b34;
  --kept: #9fc3e6; --new: #8fd3a6; --lost: #efa79b; --free: #e3e7eb; --unread: #e8cf7a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --paper: #15181c; --muted: #a3acb5; --edge: #454d56; --soft: #20252b;
    --danger: #ff8a80; --warn: #f0b45a; --accent: #7db8f5; --good: #7fd496;
    --kept: #2f5f8f; --new: #24683a; --lost: #8c3d31; --free: #353c44; --unread: #6e5a18; } }
@media print { nav { display: none; } h2, h3, h4 { break-after: avoid; }
  figure, tr, p { break-inside: avoid; } * { print-color-adjust: exact; } }
body { margin: 0 auto; padding: 1rem 1.25rem 4rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--edge); }
h3 { font-size: 1.1rem; margin: 1.7rem 0 .3rem; } h4 { font-size: 1rem; margin: 1rem 0 .2rem; }
p { margin: .3rem 0; max-width: 48rem; } ul { margin: .3rem 0; padding-left: 1.4rem; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }
a { color: var(--accent); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1.2rem; }
dt, caption, summary { color: var(--muted); } dd { margin: 0; } dd pre { margin: 0; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; font-size: .93rem; }
caption { text-align: left; } .wide table { overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0; }
tr { border-bottom: 1px solid var(--edge); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.figures { width: 100%; max-width: 48rem; } .figures th { font-weight: 400; width: 30%; }
.chart { width: 45%; }
.fill { background: var(--kept); height: 1rem; margin-top: .2rem; min-width: 2px; }
pre { background: var(--soft); border: 1px solid var(--edge); padding: .5rem .7rem; margin: .4rem 0;
  white-space: pre-wrap; font: .88rem/1.45 ui-monospace, monospace; }
summary { cursor: pointer; } figure { margin: .8rem 0; }
.bar { display: flex; border: 1px solid var(--ink); height: 2rem; line-height: 2rem; }
.bar span { overflow: hidden; white-space: nowrap; text-align: center; box-sizing: border-box; }
.bar span + span { border-left: 1px solid var(--ink); } .kept { background: var(--kept); }
.new { background: var(--new); } .free { background: var(--free); } .unread { background: var(--unread); }
.lost { background: repeating-linear-gradient(45deg, var(--lost) 0 8px, var(--paper) 8px 10px); }
.banner { border-left: .3rem solid; padding: .2rem .8rem; margin: .8rem 0; }
.muted { color: var(--muted); } .accent { color: var(--accent); } .good { color: var(--good); }
.warn { color: var(--warn); } .danger { color: var(--danger); } .banner p { color: var(--ink); }
"""

POLICY = "; ".join(("default-src 'none'", "style-src 'unsafe-inline'"))
"""Second line of defence after escaping: even injected code could neither run nor load anything."""


def _drives_part(facts: Facts) -> Markup:
    return join(
        (
            tag("p", facts.origin),
            pairs(
                (
                    ("Kernel", facts.kernel),
                    (t("Read as root"), t("yes") if facts.root else t("no: limited information")),
                )
            ),
            listed(f"{one.what}: {one.why}" for one in facts.unread),
            *map(_drive, facts.drives, facts.diagnoses),
            tag("h3", t("Not attached")) if facts.absent else "",
            reasons_html(reasons.finding_reason(one, published=False) for one in facts.absent),
        )
    )


def _drive(drive: Drive, diagnosis: Diagnosis) -> Markup:
    bar = drive_bar(drive)
    findings = worst_first(diagnosis.findings)
    none = () if findings else (ui.para(ui.good(t("No problems found."))),)
    return join(
        (
            tag("h3", f"{drive.path}: {drive.model or messages.NO_NAME}"),
            blocks_html((bar,) if bar else ()),
            tag("h4", t("Findings")),
            blocks_html(none),
            reasons_html(reasons.finding_reason(one, published=False) for one in findings),
            tag("h4", t("Details")),
            blocks_html(health_blocks(drive, diagnosis, "")),
            pairs(
                (
                    ("by-id", ", ".join(drive.by_id)),
                    (t("Table UUID"), (drive.table and drive.table.uuid) or ""),
                    (t("In use"), ", ".join(f"{use.subject}: {use.kind} {use.by}" for use in drive.uses)),
                    (t("Backing file"), drive.backing_file or ""),
                )
            ),
            table(
                t("Partitions of {drive}", drive=drive),
                ("Partition", "Start", "Size", "Holds", "Label", "Mounted at", "UUID", "PARTUUID"),
                (
                    (
                        part.path,
                        format_exact(part.start_bytes),
                        f"{format_capacity(part.size_bytes)} ({part.size_bytes} bytes)",
                        kinds_in(part.signatures),
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
    none = () if advice.chosen else (advice_rows.none_usable(advice),)
    return join(
        (
            tag("h3", t("{purpose} on {drive}", purpose=advice.workload.title, drive=advice.drive)),
            blocks_html((ui.para(advice.workload.summary), *none, *advice_rows.advice_blocks(advice))),
            *(_choice(one, taken=(advice.workload.id, one.filesystem) in planned) for one in shown),
            pane_html(ui.Pane(messages.ALSO_SUPPORTED, tuple(others))) if others else "",
            *(pane_html(ui.Pane(one.title, tuple(advice_rows.unmade_blocks(one)))) for one in advice.unmade),
        )
    )


def _choice(choice: Choice, *, taken: bool) -> Markup:
    title = title_of(choice.filesystem)
    said = t("{filesystem}, used in the plan", filesystem=title) if taken else title
    heading = f"{said}: {rating(choice).text}"
    return pane_html(ui.Pane(heading, tuple(advice_rows.choice_blocks(choice))))


HEADINGS: dict[type[BenchmarkResult], Sentence] = {
    Verdict: Sentence("Alignment on {drive}"),
    CliffVerdict: Sentence("Write cliff of {drive}"),
    DisplacedVerdict: Sentence("Is {drive} shingled? The quick test"),
    TrialVerdict: Sentence("Filesystem test on {drive}"),
}


def _entry(entry: JournalEntry) -> Markup:
    command = blocks_html((ui.Command(entry.command),) if entry.command else ())
    return join((entry.sentence, command, tag("pre", entry.output) if entry.output.strip() else ""))


def run_part(run: RunRecord, sentences: Sequence[ui.Text]) -> Markup:
    """Describe a run. `sentences` describe the steps."""
    commands = [ui.Command((command,)) for command in run.commands]
    steps: list[ui.Block] = []
    for result, sentence in zip(run.steps, sentences, strict=False):
        took = "" if result.seconds is None else f"{result.seconds:.2f} s"
        steps.append(run_rows.step_para(result.number, sentence, result.state, took))
        steps.append(ui.para(result.said, indent=4))
    return join(
        (
            pairs(
                (
                    ("Run", run.id),
                    ("State", NOT_YET if run.not_yet else run.state),
                    (t("Begun"), moment(run.started_at)),
                    (t("Ended"), moment(run.ended_at)),
                    (t("On power loss now"), run.power),
                    (t("Waiting for one of"), blocks_html(commands)),
                )
            ),
            blocks_html(steps),
            pane_html(run_rows.checks_pane(run.checks)) if run.checks else "",
            tag(
                "details",
                tag("summary", f"{JOURNAL} ({len(run.journal)})"),
                table(
                    JOURNAL,
                    ("At", "Event", "Step", t("Message")),
                    ((moment(one.at), one.event, str(one.step or ""), _entry(one)) for one in run.journal),
                ),
            ),
        )
    )


def render_page(report: Report) -> str:
    """Return the page."""
    services = Services(NOTHING)
    job = job_of(services, report.document) if report.document else None
    drives = report.facts.drives if report.facts else ()
    what = job.title if job else ", ".join(drive.path for drive in drives) or messages.NONE
    title, parts = t("Report: {what}", what=what), [*_parts(report, job)]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(STYLE)),
    )
    links = listed(tag("a", heading, href=f"#{ident}") for ident, heading, _ in parts)
    sections = (tag("section", tag("h2", heading), part, id=ident) for ident, heading, part in parts)
    header = tag("header", tag("h1", title), _summary(report, job))
    body = tag("body", header, tag("nav", links, aria_label="Contents"), tag("main", *sections))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _summary(report: Report, job: AnyJob | None) -> Markup:
    run = report.run
    drives = job.drives if job else report.facts.drives if report.facts else ()
    banner = measured.verdict_banner(report.measured) if report.measured else None
    results = map(str, (banner.text, *banner.detail)) if banner else ()
    anonymous = t(
        "Serial numbers, WWNs, UUIDs, labels, mount points and people's folders were replaced, each "
        "consistently."
    )
    named = []
    for one in drives:
        facts = [one.model or str(messages.NO_NAME)]
        facts += [format_capacity(one.size_bytes)] if one.size_bytes else []
        named.append(f"{one.path} ({', '.join(facts)})")
    return join(
        (
            blocks_html((ui.Banner(run.ending, (), TONES.get(run.state, ui.Tone.WARN)),) if run else ()),
            pairs(
                (
                    ("Drives", ", ".join(named)),
                    ("State", "" if run is None else NOT_YET if run.not_yet else run.state),
                    ("Verified", run_rows.checks_text(run.checks) if run and run.checks else ""),
                    ("Measured", " ".join(results)),
                    ("Made", f"{moment(report.made_at)}, diskwright {report.diskwright}"),
                )
            ),
            tag("p", anonymous) if report.anonymous else "",
        )
    )


def _parts(report: Report, job: AnyJob | None) -> Iterator[tuple[str, ui.Text, Markup]]:
    if report.facts is not None:
        yield "drives", ui.ScreenStep.DRIVES.shown, _drives_part(report.facts)
    if report.advice:
        volumes = report.plan.volumes if report.plan else ()
        planned = {(volume.workload, volume.filesystem) for volume in volumes}
        advices = join(_advice(advice, planned) for advice in report.advice)
        yield "advice", t("Recommendations"), advices
    if job is not None:
        shown = blocks_html((job.banner(final=bool(job.word())), *job.bars))
        panes = (*job.panes(), ui.Pane(messages.STEPS, job.commands()))
        yield "plan", job.title, join((shown, *map(pane_html, panes)))
    if result := report.measured:
        heading = HEADINGS[type(result)](drive=result.drive)
        blocks = (
            measured.verdict_banner(result),
            *measured.verdict_blocks(result),
            *measured.method_blocks(result),
        )
        yield "measured", t("Measurements"), join((tag("h3", heading), blocks_html(blocks)))
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
        yield "published", reasons.PUBLISHED, blocks_html(reasons.evidence_blocks(tuple(cited)))
    if report.absent:
        yield "absent", MISSING, listed(f"{one.part}: {one.why}" for one in report.absent)


def write_report(report: Report, path: Path) -> None:
    """Write atomically, as JSON if the name ends in .json. Raises like `write_file`."""
    text = render_report(report) if path.suffix == ".json" else render_page(report)
    write_file(path, text, str(t("The document")))
