"""`diskwright resume`: go on with a run that ended early."""

import shlex
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wizard.apply.decide import LEFT_OFF, phase_now, resume
from wizard.apply.engine.record import Phase
from wizard.apply.migration.of_run import load_migration
from wizard.apply.migration.start import check_token as check_migration_token
from wizard.apply.plan.rehearsed import wants_passphrase
from wizard.apply.plan.start import check_tokens
from wizard.apply.plan.steps_told import as_options
from wizard.apply.plan.still_to_do import still_writes_over
from wizard.apply.run.begin import check_root
from wizard.apply.run.journal import RunState, read_entries, state
from wizard.apply.run.runs import Kind, called, kind_of, load_plan
from wizard.apply.tune.of_run import load_changes
from wizard.apply.tune.start import check_token as check_changes_token
from wizard.faces.apply import narrate
from wizard.faces.showing.console import say
from wizard.faces.writing.ask_passphrase import passphrase_for
from wizard.faces.writing.which_run import run_meant, tell_drives
from wizard.model.errors import BadInput, ExitCode, Refused
from wizard.model.migration import Means
from wizard.model.names import printable

EPILOG = """examples:
    sudo diskwright resume
    sudo diskwright resume 0007-sdb --confirm WD-WX11A2345678

It goes on from the first step that is not done. The drive must be the same one and hold what the run left on
it.
A run that is complete and waits for `keep` or `undo` has nothing to go on with, and says so.
A run that would still write a table or make a filesystem wants the drive's token again, as `apply` does.
"""


def parser() -> ArgumentParser:
    """`diskwright resume [RUN] [--confirm TOKEN] [--passphrase-file FILE] [--journal DIR]`."""
    made = ArgumentParser(
        "diskwright resume",
        description=(
            "Go on with a run that failed, was stopped or was interrupted; it needs no name while a single "
            "run is open."
        ),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "run", metavar="RUN", nargs="?", help="a name from `diskwright status`, or a run's folder"
    )
    made.add_argument(
        "--confirm",
        metavar="TOKEN",
        action="append",
        help="the drive's token, where the run would still write over what it holds",
    )
    made.add_argument(
        "--passphrase-file",
        metavar="FILE",
        help=(
            "read the passphrase of what the run encrypts from this file, or from the input for -; asked "
            "otherwise, where it is needed"
        ),
    )
    made.add_argument("--journal", metavar="DIR", help="where `apply --journal DIR` kept the runs")
    return made


def main(arguments: Namespace) -> ExitCode:
    """Say which drive is meant, go on, and follow."""
    run = run_meant(arguments.run, "resume", Path(arguments.journal) if arguments.journal else None)
    check_root()
    kind = kind_of(run)
    if arguments.passphrase_file is not None and kind is not Kind.PLAN:
        raise BadInput(
            "--passphrase-file is for a run that encrypts; this one changes a filesystem that exists, which "
            "wants none."
        )
    seen = len(read_entries(run))
    tell_drives(run)
    tokens = tuple(arguments.confirm or ())
    match kind:
        case Kind.PLAN:
            _resume_plan(run, tokens, arguments.passphrase_file)
        case Kind.CHANGES:
            _check_one(load_changes(run), tokens, check_changes_token)
            resume(run)
        case Kind.MIGRATION:
            migration = load_migration(run)
            if migration.means is Means.COPY and not tokens and state(run) is not RunState.DONE:
                raise _unconfirmed(
                    run,
                    "makes a new filesystem",
                    migration.written.path,
                    f"--confirm {_quoted(migration.written.token)}",
                )
            _check_one(migration, tokens, check_migration_token)
            resume(run)
    return narrate(run, seen)


def _resume_plan(run: Path, tokens: tuple[str, ...], file: str | None) -> None:
    plan = load_plan(run)
    left = still_writes_over(run, plan) if state(run) in LEFT_OFF else ()
    if left and not tokens:
        for number, step in left:
            say(f"    step {number} is still to be done: {printable(step.sentence, 400)}")
            if step.destroys:
                say(f"        it destroys {printable(step.destroys, 400)}")
        raise _unconfirmed(run, "writes over what is there", ", ".join(plan.paths), as_options(plan.tokens))
    if tokens:
        check_tokens(plan, tokens)
    wanted = file is not None or wants_passphrase(run, plan)
    # While it rehearses, what is encrypted is made anew.
    anew = phase_now(run) is Phase.REHEARSING
    resume(run, passphrase_for(plan, file, anew=anew) if wanted else None)


def _unconfirmed(run: Path, does: str, where: str, options: str) -> Refused:
    return Refused(
        f"Going on with run {run.name} {does} on {printable(where, 400)}. If that is the drive that you "
        f"mean, confirm it: sudo diskwright resume {called(run)} {options}. Nothing was written now."
    )


def _quoted(token: str) -> str:
    return shlex.quote(printable(token))


Document = TypeVar("Document")


def _check_one(document: Document, tokens: tuple[str, ...], check: Callable[[Document, str], None]) -> None:
    """Raises Refused for a token that is not the drive's; none was asked for here, and one may be given all
    the same."""
    for token in tokens:
        check(document, token)
