"""`diskwright report`: everything about a run in one file, to keep or to attach to a report of a bug."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from wizard.apply.run.runs import find_run
from wizard.documents.files import read_file
from wizard.faces.changing.apply import read_plan_file
from wizard.faces.runs.words import report as words
from wizard.faces.showing.command import Command, plain, root
from wizard.faces.showing.console import say
from wizard.faces.words.shared import DOCUMENT, RUN, RUNS_IN
from wizard.model.displaced import DisplacedVerdict
from wizard.model.errors import BadInput, ExitCode
from wizard.model.names import printable
from wizard.model.verdict import CliffVerdict, Verdict
from wizard.probe.recorded import load_machine
from wizard.report.gather import Sources
from wizard.report.page import render_page
from wizard.report.run_document import SCHEMA, render_report
from wizard.report.save import make_report, write_report
from wizard.trial.candidates.document import SCHEMA as TRIAL_SCHEMA
from wizard.trial.candidates.document import read_trial
from wizard.trial.candidates.result import TrialVerdict
from wizard.trial.document import (
    CLIFF_SCHEMA,
    DISPLACED_SCHEMA,
    read_cliff_verdict,
    read_displaced_verdict,
    read_verdict,
)


def parser() -> ArgumentParser:
    """`diskwright report [RUN] [--plan PLAN.json] [--machine FILE] [--verdict FILE] [-o FILE] [--json]
    [--without-serials]`."""
    made = Command(
        "report",
        words.SAYS(),
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
        (words.ABOUT(),),
    )
    made.add_argument("run", metavar="RUN", nargs="?", help=str(RUN()))
    made.add_argument("--plan", metavar="PLAN.json", help=str(words.PLAN()))
    made.add_argument("--device", metavar="DEVICE", help=str(words.DEVICE()))
    made.add_argument("--workload", metavar="ID", help=str(words.WORKLOAD()))
    made.add_argument("--machine", metavar="FILE", help=str(words.MACHINE()))
    made.add_argument("--verdict", metavar="VERDICT.json", help=str(words.VERDICT()))
    made.add_journal(RUNS_IN())
    made.add_argument("-o", "--output", metavar="FILE", help=str(words.OUTPUT()))
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=SCHEMA)))
    made.add_argument("--without-serials", action="store_true", help=str(words.WITHOUT_SERIALS()))
    return made


def main(arguments: Namespace) -> ExitCode:
    """Gather, replace where asked, write."""
    _check(arguments)
    to_file = arguments.output not in (None, "-")
    if arguments.output is None and not arguments.json and sys.stdout.isatty():
        raise BadInput(words.NEEDS_FILE())
    report = make_report(sources_of(arguments), without_serials=arguments.without_serials)
    if to_file:
        write_report(report, Path(arguments.output))
        say(words.WRITTEN(file=arguments.output))
    if arguments.json:
        sys.stdout.write(render_report(report))
    elif not to_file:
        sys.stdout.write(render_page(report))
    for absence in report.absent:
        say(f"{words.MISSING(part=absence.part)} {absence.why}")
    return ExitCode.DONE


def _check(arguments: Namespace) -> None:
    """Raises BadInput for options that do not go together."""
    if arguments.run is not None and arguments.plan is not None:
        raise BadInput(words.RUN_OR_PLAN())
    if arguments.device is not None and (arguments.run is not None or arguments.plan is not None):
        raise BadInput(words.DEVICE_ALONE())
    if (
        arguments.workload is not None
        and arguments.device is None
        and (arguments.machine is None or arguments.plan or arguments.run)
    ):
        raise BadInput(words.WORKLOAD_ALONE())


def sources_of(arguments: Namespace) -> Sources:
    """What the command line names; raises BadInput for what cannot be read."""
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
    """Where the facts of a recording come from."""
    return "" if not machine else str(words.RECORDED_IN(file=printable(Path(machine).name, 200)))


def read_measurement(path: Path) -> Verdict | CliffVerdict | DisplacedVerdict | TrialVerdict:
    """The verdict in a file, of whichever measurement; raises BadInput for anything else."""
    shown = printable(str(path), 200)
    try:
        text = read_file(path)
    except FileNotFoundError:
        raise BadInput(words.NO_VERDICT(file=shown)) from None
    if f'"{CLIFF_SCHEMA}"' in text[:200]:
        return read_cliff_verdict(text, shown)
    if f'"{DISPLACED_SCHEMA}"' in text[:200]:
        return read_displaced_verdict(text, shown)
    if f'"{TRIAL_SCHEMA}"' in text[:200]:
        return read_trial(text, shown)
    return read_verdict(text, shown)
