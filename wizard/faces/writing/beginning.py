"""What `diskwright apply` asks before it begins a run that a single token confirms: of changes in use, or of
a migration."""

import os
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from wizard.apply.run.begin import request_stop
from wizard.apply.run.environment import Environment
from wizard.apply.run.runs import doubts_about, runs_folder
from wizard.faces.showing.console import out, say
from wizard.faces.words.shared import NEEDS_ROOT
from wizard.model.errors import ExitCode, Refused
from wizard.model.names import printable
from wizard.model.said import Said, t
from wizard.tools.signals import ended_by_signal

Preflight = Callable[[Path | None, Environment], None]
Start = Callable[[str, Path | None, Environment], Path]


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be confirmed by `token`.

    `beforehand` are sentences that are told first, `lines` its steps in a width. `outcome` is a sentence on
    what becomes of the drive, `drive` how that is called there, `refusal_of_more` says that it takes one
    token. `check` refuses another token; `preflight` and `start` take the folder for runs and where a run
    works.
    """

    token: str
    outcome: Said
    drive: Said | str
    refusal_of_more: Said
    beforehand: Sequence[Said | str]
    lines: Callable[[int], Iterator[str]]
    check: Callable[[str], None]
    preflight: Preflight
    start: Start


def begin_or_refuse(question: Question, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    journal_dir = arguments.journal
    environment = Environment(fstab=Path(arguments.fstab).absolute())
    for sentence in question.beforehand:
        say(sentence)
    if arguments.dry_run:
        return _dry_run(question, journal_dir, environment)
    option = f"--confirm {shlex.quote(printable(question.token))}"
    if not arguments.confirm:
        said = t(
            "Nothing was written. {outcome}; `diskwright show` has every step. To go on, "
            "confirm {drive} by its token:",
            outcome=question.outcome,
            drive=question.drive,
        )
        raise Refused(f"{said} {option}")
    if len(arguments.confirm) > 1:
        raise Refused(
            t(
                "{why}: give its token once, with {option}. Nothing was written.",
                why=question.refusal_of_more,
                option=option,
            )
        )
    question.check(arguments.confirm[0])
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {as_root()}")
    for doubt in doubts_about(runs_folder(journal_dir)):
        say(doubt)
    return begin_heeding(partial(question.start, arguments.confirm[0], journal_dir, environment))


def begin_heeding(begin: Callable[[], Path]) -> Path:
    """The folder of a run that is begun now. Ctrl+C waits until it has begun, and then stops it before its
    next step."""
    with ended_by_signal() as is_ended:
        run = begin()
        if is_ended():
            request_stop(run)
            say(t("Ctrl+C: the run has begun, and will stop before its next step."))
    return run


def _dry_run(question: Question, journal_dir: Path | None, environment: Environment) -> ExitCode:
    for line in question.lines(out().width):
        out().print(line, soft_wrap=True)
    if os.geteuid() != 0:
        say(
            t(
                "Without root it could not be checked whether all of it stands as it was "
                "found. Nothing was written."
            )
        )
        return ExitCode.DONE
    question.preflight(journal_dir, environment)
    say(t("Every check before the first step holds. Nothing was written."))
    return ExitCode.DONE
