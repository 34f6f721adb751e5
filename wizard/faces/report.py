"""`diskwright report`: everything about a run in one file, to keep or to attach to a report of a bug."""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.run.runs import find_run
from wizard.documents.files import read_file
from wizard.faces.apply import read_plan_file
from wizard.faces.showing.console import say
from wizard.model.errors import BadInput, ExitCode
from wizard.model.names import printable
from wizard.model.verdict import CliffVerdict, Verdict
from wizard.probe.recorded import load_machine
from wizard.report.gather import Sources
from wizard.report.page import render_page
from wizard.report.run_document import SCHEMA, render_report
from wizard.report.save import make_report, write_report
from wizard.trial.document import CLIFF_SCHEMA, read_cliff_verdict, read_verdict

EPILOG = """examples:
    sudo diskwright report -o report.html
    sudo diskwright report 0007-sdb --without-serials -o report.html
    diskwright report --plan media.json --machine saved.json --verdict verdict.json -o report.html
    diskwright report --device /dev/sdX --workload large-media --json | jq '.advice[0].choices[0]'

Without a run, a plan, a recording or a device it is about the newest run. The page needs no network and runs
no script; it can be printed. What a report does not have it names, with the reason.
"""


def parser() -> ArgumentParser:
    """`diskwright report [RUN] [--plan PLAN.json] [--machine FILE] [--verdict FILE] [-o FILE] [--json]
    [--without-serials]`."""
    made = ArgumentParser(
        "diskwright report",
        description=(
            "Facts, findings, advice with its evidence, plan, measurement, steps and checks in one HTML "
            "file, or as JSON."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder"
    )
    made.add_argument(
        "--plan", metavar="PLAN.json", help="about a plan that was not applied, instead of a run"
    )
    made.add_argument("--device", metavar="DEVICE", help="about a drive, without a plan")
    made.add_argument(
        "--workload", metavar="ID", help="with --device or --machine: with advice for this purpose"
    )
    made.add_argument(
        "--machine",
        metavar="FILE",
        help="with the facts that `inspect --save` recorded, instead of those of the run or of now",
    )
    made.add_argument("--verdict", metavar="VERDICT.json", help="with what `bench -o` measured")
    made.add_argument("--journal", metavar="DIR", help="where `apply --journal DIR` kept the runs")
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the page to this file, or where its name ends in .json the document",
    )
    made.add_argument("--json", action="store_true", help=f"print a {SCHEMA} document")
    made.add_argument(
        "--without-serials",
        action="store_true",
        help=(
            "replace serial numbers, WWNs, UUIDs, by-id paths, labels, mount points and names of people's "
            "folders"
        ),
    )
    return made


def main(arguments: Namespace) -> ExitCode:
    """Gather, replace where asked, write."""
    _check(arguments)
    to_file = arguments.output not in (None, "-")
    if arguments.output is None and not arguments.json and sys.stdout.isatty():
        raise BadInput(
            "The report is a page for a browser: name a file for it with -o report.html, or say --json."
        )
    report = make_report(sources_of(arguments), without_serials=arguments.without_serials)
    if to_file:
        write_report(report, Path(arguments.output))
        say(f"The report is in {printable(arguments.output, 4000)}.")
    if arguments.json:
        sys.stdout.write(render_report(report))
    elif not to_file:
        sys.stdout.write(render_page(report))
    for absence in report.absent:
        say(f"Missing or in doubt: {absence.part}. {absence.why}")
    return ExitCode.DONE


def _check(arguments: Namespace) -> None:
    """Raises BadInput for options that do not go together."""
    if arguments.run is not None and arguments.plan is not None:
        raise BadInput("A run has its own plan: name either the run or --plan.")
    if arguments.device is not None and (arguments.run is not None or arguments.plan is not None):
        raise BadInput(
            "--device is for a report without a plan; a run and a plan name their drives themselves."
        )
    if (
        arguments.workload is not None
        and arguments.device is None
        and (arguments.machine is None or arguments.plan or arguments.run)
    ):
        raise BadInput(
            "--workload goes with --device, or with --machine alone; a run and a plan name their purposes "
            "themselves."
        )


def sources_of(arguments: Namespace) -> Sources:
    """What the command line names; raises BadInput for what cannot be read."""
    alone = arguments.run is None and (arguments.plan or arguments.machine or arguments.device)
    journal_dir = Path(arguments.journal) if arguments.journal else None
    verdict, cliff = read_measurement(Path(arguments.verdict)) if arguments.verdict else (None, None)
    return Sources(
        run=None if alone else find_run(arguments.run, journal_dir),
        plan=read_plan_file(Path(arguments.plan)) if arguments.plan else None,
        machine=load_machine(Path(arguments.machine)) if arguments.machine else None,
        origin=f"Recorded in {printable(Path(arguments.machine).name, 200)}." if arguments.machine else "",
        devices=(arguments.device,) if arguments.device else (),
        workload=arguments.workload,
        verdict=verdict,
        cliff=cliff,
    )


def read_measurement(path: Path) -> tuple[Verdict | None, CliffVerdict | None]:
    """The verdict in a file, of whichever benchmark; raises BadInput for anything else."""
    shown = printable(str(path), 200)
    try:
        text = read_file(path)
    except FileNotFoundError:
        raise BadInput(
            f"There is no file {shown}; `diskwright bench ... -o {shown}` would write one."
        ) from None
    if f'"{CLIFF_SCHEMA}"' in text[:200]:
        return None, read_cliff_verdict(text, shown)
    return read_verdict(text, shown), None
