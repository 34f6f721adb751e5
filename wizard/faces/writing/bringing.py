"""Files that are brought, as `diskwright bring`, `show` and `apply` treat them: the same as a plan, in
their own words."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from wizard.apply.bring.start import check_token, preflight_bring, start_bring
from wizard.apply.bring.told import step_said
from wizard.faces.words.shared import STEPS
from wizard.faces.writing.beginning import Question, begin_or_refuse
from wizard.layout.bring.told import amount_said, fstab_difference
from wizard.layout.told.text import wrapped
from wizard.model.documents.bring import Bring
from wizard.model.errors import ExitCode
from wizard.model.names import printable
from wizard.model.said import t


def bring_lines(bring: Bring, width: int) -> Iterator[str]:
    """What is copied where, how much it is, what the copy does not keep, and what changes in fstab."""
    for one in amount_said(bring):
        yield from wrapped(str(one), width)
    for doubt in bring.doubts or (t("The copy keeps all that the files are."),):
        yield from wrapped(f"- {printable(str(doubt), 4000)}", width, 2)
    yield from (f"    {printable(line, 4000)}" for line in fstab_difference(bring))


def all_lines(bring: Bring, width: int) -> Iterator[str]:
    """With the steps."""
    yield from bring_lines(bring, width)
    yield str(STEPS)
    for number, step in enumerate(bring.steps, 1):
        yield from wrapped(f"{number}. {printable(str(step_said(bring, step)), 4000)}", width, 3)


def apply_bring(bring: Bring, arguments: Namespace, as_root: Callable[[], str]) -> Path | ExitCode:
    """Begin the run and give its folder, or the exit code of a dry run. `as_root` words the command for
    root."""
    question = Question(
        token=bring.drive.token,
        outcome=t(
            "Files are added to {folder}; nothing there is overwritten.",
            folder=printable(bring.target.folder, 400),
        ),
        drive=t("the drive of the target"),
        refusal_of_more=t("files are brought to one drive at a time"),
        beforehand=(),
        lines=partial(all_lines, bring),
        check=partial(check_token, bring),
        preflight=lambda runs, environment: preflight_bring(bring, journal_dir=runs, environment=environment),
        start=lambda token, runs, environment: start_bring(
            bring, token, journal_dir=runs, environment=environment
        ),
    )
    return begin_or_refuse(question, arguments, as_root)
