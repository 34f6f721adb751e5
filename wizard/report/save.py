"""The room's door: a report made and kept in a file."""

import platform
from collections.abc import Iterator
from pathlib import Path

from wizard.apply.run.runs import STATE, load_environment
from wizard.documents.files import write_file
from wizard.model.errors import BadInput
from wizard.report.anonymous import without_names
from wizard.report.gather import Sources, gather
from wizard.report.nouns import Report
from wizard.report.page import render_page
from wizard.report.run_document import render_report


def make_report(sources: Sources, *, without_serials: bool = False) -> Report:
    """The report of these sources. Raises BadInput where one of them cannot be read."""
    report = gather(sources)
    return without_names(report, platform.node(), _named_files(sources.run)) if without_serials else report


def _named_files(run: Path | None) -> Iterator[str]:
    """The paths that a person named for a run, by --fstab and --journal, and those beside them; none where
    they are the usual ones."""
    if run is None:
        return
    if run.parent != STATE / "runs":
        yield from map(str, (run, run.parent))
    try:
        environment = load_environment(run)
    except BadInput:
        # A plain user's wizard cannot read it, nor name another fstab.
        return
    if not environment.is_running_system:
        for path in (environment.fstab, environment.crypttab):
            yield from dict.fromkeys((str(path), str(path.resolve())))


def write_report(report: Report, path: Path) -> None:
    """Put the report in a file in one move: as JSON where its name ends so, else as HTML. Raises as
    `write_file` does."""
    text = render_report(report) if path.suffix == ".json" else render_page(report)
    write_file(path, text, "The report")
