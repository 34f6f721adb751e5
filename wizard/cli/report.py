"""`diskwright report`: save a report on a run in one file, for archives and bug reports."""

import platform
import sys
from argparse import Namespace
from pathlib import Path

from wizard.apply.run.runs import find_run
from wizard.benchmark.results import read_any
from wizard.cli.command import REQUIRES
from wizard.cli.output import say
from wizard.cli.start import read_plan_file, read_text
from wizard.model.errors import BadInput
from wizard.model.said import t
from wizard.probe.machine import load_machine
from wizard.report.anonymous import without_names
from wizard.report.gather import Sources, make_report, named_files, render_report
from wizard.report.page import MISSING, render_page, write_report


def report(arguments: Namespace) -> None:
    """Collect the facts, anonymise if requested, and write the report."""
    alone = arguments.machine and not (arguments.plan or arguments.run)
    if arguments.workload is not None and arguments.device is None and not alone:
        raise BadInput(REQUIRES(option="--workload", needed=t("--device, or --machine alone")))
    to_file = arguments.output not in (None, "-")
    if arguments.output is None and not arguments.json and sys.stdout.isatty():
        raise BadInput(t("The report is an HTML page: save it with -o report.html, or use --json."))
    sources = sources_of(arguments)
    made = make_report(sources)
    if arguments.without_serials:
        made = without_names(made, platform.node(), named_files(sources.run))
    if to_file:
        write_report(made, Path(arguments.output))
        say(t("Report saved in {file}.", file=arguments.output))
    if arguments.json:
        sys.stdout.write(render_report(made))
    elif not to_file:
        sys.stdout.write(render_page(made))
    for absence in made.absent:
        say(f"{MISSING}: {absence.part}. {absence.why}")


def sources_of(arguments: Namespace) -> Sources:
    """Return the named sources. Raises BadInput."""
    recorded = arguments.machine
    alone = arguments.run is None and (arguments.plan or recorded or arguments.device)
    return Sources(
        run=None if alone else find_run(arguments.run, arguments.journal),
        plan=read_plan_file(arguments.plan) if arguments.plan else None,
        machine=load_machine(Path(recorded)) if recorded else None,
        origin=str(t("Recorded in {file}.", file=Path(recorded).name)) if recorded else "",
        devices=(arguments.device,) if arguments.device else (),
        workload=arguments.workload,
        measured=read_any(*read_text(arguments.verdict, "bench")) if arguments.verdict else None,
    )
