"""`diskwright resume`: go on with a run that ended early."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

from wizard.apply.migration.start import resume_migration
from wizard.apply.plan.guard import check_root
from wizard.apply.plan.resume import done_steps
from wizard.apply.plan.start import resume_run
from wizard.apply.run.journal import read_entries
from wizard.apply.run.runs import Kind, find_run, kind_of, load_plan
from wizard.apply.steps.containers import wants_secret
from wizard.apply.tune.start import resume_tuning
from wizard.faces.apply import narrate
from wizard.faces.passphrase import passphrase_for
from wizard.model.errors import BadInput, ExitCode

EPILOG = """examples:
    sudo diskwright resume
    sudo diskwright resume 20261120-142233-sdb

It goes on from the first step that is not done. The drive must be the same one and hold what the run left on it.
"""


def parser() -> ArgumentParser:
    """`diskwright resume [RUN] [--passphrase-file FILE] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright resume",
        description="Go on with a run that failed, was stopped or was interrupted; the newest one unless you name another.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument("run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder")
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help="read the passphrase of what the run encrypts from this file, or from the input for -; asked otherwise, where it is needed",
    )
    made.add_argument("--journal", metavar="DIR", help="where `apply --journal DIR` kept the runs")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Go on and follow."""
    run = find_run(arguments.run, Path(arguments.journal) if arguments.journal else None)
    check_root()
    seen = len(read_entries(run))
    kind = kind_of(run)
    if arguments.passphrase_file is not None and kind is not Kind.PLAN:
        raise BadInput("--passphrase-file is for a run that encrypts; this one changes a filesystem that exists, which wants none.")
    match kind:
        case Kind.PLAN:
            _resume_plan(run, arguments.passphrase_file)
        case Kind.CHANGES:
            resume_tuning(run)
        case Kind.MIGRATION:
            resume_migration(run)
    return narrate(run, seen)


def _resume_plan(run: Path, file: str | None) -> None:
    plan = load_plan(run)
    wanted = file or wants_secret(plan, done_steps(read_entries(run)))
    resume_run(run, passphrase_for(plan, file, anew=False) if wanted else None)
