"""`diskwright report`: save a report on a run in one file, for archives and bug reports."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.apply.run.runs import find_run
from wizard.benchmark.candidates.compare import TrialVerdict
from wizard.benchmark.results import BenchmarkResult, read_any
from wizard.cli.command import CommandParser, plain, root
from wizard.cli.commands.apply import read_plan_file
from wizard.cli.passphrase import say
from wizard.cli.select_run import DOCUMENT, RUN, RUNS_IN
from wizard.documents.files import read_file
from wizard.model.errors import BadInput, ExitCode, printable
from wizard.model.said import Sentence, t
from wizard.model.verdict import CliffVerdict, DisplacedVerdict, Verdict
from wizard.probe.machine import load_machine
from wizard.report.gather import Sources, make_report
from wizard.report.page import render_page, write_report
from wizard.report.parts import SCHEMA, render_report

MISSING = Sentence("Missing or unconfirmed: {part}.")


def parser() -> ArgumentParser:
    """`diskwright report [RUN] [--plan PLAN.json] [--machine FILE] [--verdict FILE] [-o FILE] [--json]
    [--without-serials]`."""
    made = CommandParser(
        "report",
        (
            root("report", "-o", "report.html"),
            root("report", "0007-sdb", "--without-serials", "-o", "report.html"),
            plain(
                *("report", "--plan", "media.json", "--machine", "saved.json"),
                *("--verdict", "verdict.json", "-o", "report.html"),
            ),
            plain(
                *("report", "--device", "/dev/sdX", "--workload", "large-media", "--json"),
                *("|", "jq", "'.advice[0].choices[0]'"),
            ),
        ),
        (
            t(
                "By default, the report covers the newest run. The page needs no network, "
                "runs no scripts and can be printed. Missing parts are listed with the "
                "reason."
            ),
        ),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN))
    made.add_argument("--plan", metavar="PLAN.json", help=str(t("report on a plan that was not applied")))
    made.add_argument("--device", metavar="DEVICE", help=str(t("report on a drive, without a plan")))
    made.add_argument(
        "--workload", metavar="ID", help=str(t("with --device or --machine: add advice for this workload"))
    )
    made.add_argument(
        "--machine",
        metavar="FILE",
        help=str(t("use facts recorded by `inspect --save` instead of the run's or current facts")),
    )
    made.add_argument(
        "--verdict", metavar="VERDICT.json", help=str(t("add measurements from `bench -o` or `trial -o`"))
    )
    made.add_journal(RUNS_IN)
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=str(t("save the page in this file, or the document if the name ends in .json")),
    )
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    made.add_argument(
        "--without-serials",
        action="store_true",
        help=str(
            t(
                "replace serial numbers, WWNs, UUIDs, by-id paths, labels, mount points and "
                "names of personal folders"
            )
        ),
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Collect the facts, anonymise if requested, and write the report."""
    _check(arguments)
    to_file = arguments.output not in (None, "-")
    if arguments.output is None and not arguments.json and sys.stdout.isatty():
        raise BadInput(t("The report is an HTML page: save it with -o report.html, or use --json."))
    report = make_report(sources_of(arguments), without_serials=arguments.without_serials)
    if to_file:
        write_report(report, Path(arguments.output))
        say(t("Report saved in {file}.", file=arguments.output))
    if arguments.json:
        sys.stdout.write(render_report(report))
    elif not to_file:
        sys.stdout.write(render_page(report))
    for absence in report.absent:
        say(f"{MISSING(part=absence.part)} {absence.why}")
    return ExitCode.DONE


def _check(arguments: Namespace) -> None:
    """Check that the options fit together. Raises BadInput."""
    if arguments.run is not None and arguments.plan is not None:
        raise BadInput(t("A run has its own plan: name either the run or --plan."))
    if arguments.device is not None and (arguments.run is not None or arguments.plan is not None):
        raise BadInput(t("--device requires a report without a plan; a run or plan names the drives."))
    if (
        arguments.workload is not None
        and arguments.device is None
        and (arguments.machine is None or arguments.plan or arguments.run)
    ):
        raise BadInput(
            t("--workload requires --device, or --machine alone; a run or plan names the workloads.")
        )


def sources_of(arguments: Namespace) -> Sources:
    """Return the sources named on the command line. Raises BadInput if a source is unreadable."""
    alone = arguments.run is None and (arguments.plan or arguments.machine or arguments.device)
    journal_dir = arguments.journal
    measured = read_measurement(Path(arguments.verdict)) if arguments.verdict else None
    return Sources(
        run=None if alone else find_run(arguments.run, journal_dir),
        plan=read_plan_file(Path(arguments.plan)) if arguments.plan else None,
        machine=load_machine(Path(arguments.machine)) if arguments.machine else None,
        origin=_origin(arguments.machine),
        devices=(arguments.device,) if arguments.device else (),
        workload=arguments.workload,
        verdict=measured if isinstance(measured, Verdict) else None,
        cliff=measured if isinstance(measured, CliffVerdict) else None,
        displaced=measured if isinstance(measured, DisplacedVerdict) else None,
        trial=measured if isinstance(measured, TrialVerdict) else None,
    )


def _origin(machine: str | None) -> str:
    """Return the source of recorded facts."""
    return "" if not machine else str(t("Recorded in {file}.", file=printable(Path(machine).name, 200)))


def read_measurement(path: Path) -> BenchmarkResult:
    """Read the verdict of any benchmark from a file. Raises BadInput for other content."""
    shown = printable(str(path), 200)
    try:
        text = read_file(path)
    except FileNotFoundError:
        raise BadInput(
            t("{file} not found. Create it with `diskwright bench ... -o {file}`.", file=shown)
        ) from None
    return read_any(text, shown)
