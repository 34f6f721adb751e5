"""`diskwright ensure`: have drives be as a file says, once or any number of times."""

import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.apply.ensure.look import Look, Standing, look_at
from wizard.apply.ensure.using import Where
from wizard.apply.plan.start import start_run
from wizard.apply.run.environment import OWN_FSTAB, Environment
from wizard.apply.run.runs import doubts_about, make_private, runs_folder
from wizard.apply.tune.start import start_told
from wizard.documents.codec import render_document, to_json
from wizard.documents.profiles import BUNDLED
from wizard.faces.changing.apply import narrate, read_document
from wizard.faces.showing.command import Command, given_again, root
from wizard.faces.showing.console import err, out, say
from wizard.faces.showing.ensured import Result, document_of, lines_of
from wizard.faces.words.shared import DOCUMENT, NEEDS_ROOT, OTHER_FSTAB, RUN_HERE
from wizard.faces.writing.beginning import begin_heeding
from wizard.faces.writing.changing import change_lines
from wizard.layout.ensured.document import places_named, read_wanted
from wizard.layout.told.preview import plan_lines
from wizard.model.documents.ensure import ENSURED_SCHEMA, WantedDrives
from wizard.model.errors import BadInput, DiskwrightError, ExitCode, Refused
from wizard.model.names import printable
from wizard.model.said import reason_of, t

EXAMPLE = BUNDLED / "wanted.toml"
MOST_STEPS = 12
"""So many runs at most bring one drive there: making it, or a change for each volume."""

WORST_FIRST = (
    *(ExitCode.ENDED_BY_USER, ExitCode.INTERRUPTED, ExitCode.FAILED),
    *(ExitCode.REFUSED, ExitCode.USAGE, ExitCode.CHANGED, ExitCode.DONE),
)
"""Of several drives the worst decides: that nothing was written to one must not hide a run that did."""


def parser() -> ArgumentParser:
    """`diskwright ensure WANTED.toml [--check] [--json] [--detailed-exitcode] [--journal DIR]`."""
    made = Command(
        "ensure",
        t("Make drives match a file. Run it as often as you like: it changes only what differs."),
        (
            root("ensure", "wanted.toml", "--check"),
            root("ensure", "wanted.toml"),
            root("ensure", "wanted.toml", "--check", "--detailed-exitcode", "--json"),
        ),
        (
            t(
                "Model, serial number, size, bus or path must match exactly one drive. "
                "Volumes have the keys of `plan --volume`."
            ),
            t(
                "A blank drive is planned, applied and put to use. On one that has the "
                "volumes, only a missing mount, line of fstab or mount option is added."
            ),
            t(
                "A drive that holds anything else is refused. The refusal says which line "
                "`replace` in the file would allow losing exactly that, and nothing later."
            ),
            t(
                "It ends with 0 whether something was changed or not, which --json says, or "
                "--detailed-exitcode. Where one drive is refused, none is changed."
            ),
        ),
    )
    made.add_argument("wanted", metavar="WANTED.toml", help=str(t("file with drives and volumes")))
    made.add_argument(
        "--example",
        action=_Prints,
        default=SUPPRESS,
        help=str(t("print an example with every key explained")),
    )
    made.add_argument("--check", action="store_true", help=str(t("show changes; write nothing")))
    made.add_argument(
        "--detailed-exitcode",
        action="store_true",
        help=str(t("exit with 5 after a change, or if --check found one")),
    )
    made.add_argument("--json", action="store_true", help=str(DOCUMENT(schema=ENSURED_SCHEMA)))
    made.add_journal(RUN_HERE)
    made.add_argument("--fstab", metavar="FILE", default=str(OWN_FSTAB), help=str(OTHER_FSTAB))
    return made


class _Prints(Action):
    """Prints the example and ends, before a file is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, default: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, default=default, help=help)

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        """As --help does."""
        out().file.write(EXAMPLE.read_text(encoding="utf-8"))
        parser.exit()


def main(arguments: Namespace) -> ExitCode:
    """Look at every drive first; only where none is refused, do what is missing."""
    file = Path(arguments.wanted)
    if not file.exists() or file.is_dir():
        raise BadInput(
            t(
                "{file} is no file. `diskwright ensure --example` prints one to begin with.",
                file=printable(str(file), 200),
            )
        )
    wanted = read_wanted(*read_document(file))
    if os.geteuid() != 0:
        raise Refused(f"{NEEDS_ROOT}  {given_again()}")
    where = Where(Environment(fstab=Path(arguments.fstab).absolute()), arguments.journal)
    with redirect_stdout(sys.stderr):
        # Data is the result alone; what runs say on the way is narration here.
        results = ensured(wanted, where, check=arguments.check)
    if arguments.json:
        document = to_json(document_of(results, check=arguments.check))
        out().file.write(render_document(ENSURED_SCHEMA, document))
    else:
        for result in results:
            for line in lines_of(result):
                out().print(line, soft_wrap=True)
    code = min((result.exit_code for result in results), key=WORST_FIRST.index, default=ExitCode.DONE)
    if code is ExitCode.DONE and arguments.detailed_exitcode and any(one.differs for one in results):
        return ExitCode.CHANGED
    return code


def ensured(wanted: WantedDrives, where: Where, *, check: bool) -> tuple[Result, ...]:
    """What came of each drive, in the document's order. One that is refused keeps the others from being
    changed."""
    if not check:
        # Else trying plans out makes it and takes it away, maybe from under another that begins.
        make_private(runs_folder(where.journal_dir))
    looks = _each_once(_looks(wanted, where))
    if check or any(look.standing is Standing.REFUSED for look in looks):
        return tuple(_seen(look, check=check) for look in looks)
    for doubt in doubts_about(runs_folder(where.journal_dir)):
        say(doubt)
    return tuple(_carried_out(look, where) for look in looks)


def _looks(wanted: WantedDrives, where: Where) -> list[Look]:
    """One for each entry, of which none is to get what another gets."""
    looks: list[Look] = []
    given = frozenset(places_named(wanted))
    for one in wanted.drive:
        looks.append(look_at(one, replace(where, given=given)))
        volumes = [volume for shape in looks[-1].after for volume in shape.volumes]
        given |= {name for volume in volumes for name in (volume.device, *volume.mount_points)}
    return looks


def _each_once(looks: list[Look]) -> list[Look]:
    """A drive that two entries mean is refused to both."""
    paths = [path for look in looks for path in look.paths]
    twice = [next((path for path in look.paths if paths.count(path) > 1), None) for look in looks]
    return [
        replace(
            look, standing=Standing.REFUSED, said=(t("Two entries of the file mean {drive}.", drive=path),)
        )
        if path
        else look
        for look, path in zip(looks, twice, strict=True)
    ]


def _seen(look: Look, *, check: bool) -> Result:
    if check and look.standing not in (Standing.REFUSED, Standing.AS_WANTED):
        _show(look)
    return Result(look)


def _show(look: Look) -> None:
    """Every step that would be done."""
    for line in _step_lines(look, min(max(err().width, 40), 120)):
        err().print(line, soft_wrap=True)


def _step_lines(look: Look, width: int) -> Iterator[str]:
    if look.plan is not None:
        yield from plan_lines(look.plan, width, keep=look.replaces)
    elif look.changes is not None:
        yield from change_lines(look.changes, width)


def _carried_out(look: Look, where: Where) -> Result:
    """Go on until it is as wanted, or nothing leads there. Each step is worked out anew from what is there
    then."""
    first = look
    runs: list[str] = []
    for _ in range(MOST_STEPS):
        if look.standing is Standing.AS_WANTED:
            return Result(first, look, tuple(runs))
        if look.standing is Standing.REFUSED:
            return Result(first, look, tuple(runs), ExitCode.FAILED)
        _show(look)
        try:
            run = _begun(look, where)
            runs.append(run.name)
            code = narrate(run)
        except DiskwrightError as error:
            failed = replace(look, standing=Standing.REFUSED, said=(reason_of(error),))
            return Result(first, failed, tuple(runs), ExitCode.FAILED if runs else error.exit_code)
        if code is ExitCode.REFUSED and look.standing is Standing.RESUME:
            # A run that wrote nothing yet may not know its drive again after a restart. A new one does.
            anew = _same_again(first, look_at(look.wanted, where))
            if anew.standing is Standing.MAKE:
                look = anew
                continue
        if code is not ExitCode.DONE:
            ended = replace(
                look,
                standing=Standing.REFUSED,
                said=(t("The run {run} did not come to its end.", run=run.name),),
            )
            return Result(first, ended, tuple(runs), code)
        look = _same_again(first, look_at(look.wanted, where))
    endless = replace(
        look, standing=Standing.REFUSED, said=(t("Each change leads to another one; look at the runs."),)
    )
    return Result(first, endless, tuple(runs), ExitCode.FAILED)


def _same_again(first: Look, look: Look) -> Look:
    """The look, refused where it is one at other drives: those were never held against the other entries."""
    if not look.drives or [one.token for one in look.drives] == [one.token for one in first.drives]:
        return look
    said = t(
        "The file meant {drives:and} before, and means {found:and} now.", drives=first.paths, found=look.paths
    )
    return replace(look, standing=Standing.REFUSED, said=(said,), plan=None, changes=None)


def _begun(look: Look, where: Where) -> Path:
    """The run that does the next step, begun now."""
    environment, journal_dir = where.environment, where.journal_dir
    if look.run is not None:
        from wizard.apply.decide import resume

        run = look.run
        resume(run)
        return run
    if look.plan is not None:
        plan, keep = look.plan, look.replaces
        begin = partial(
            start_run,
            plan,
            *plan.tokens,
            journal_dir=journal_dir,
            environment=environment,
            keep=keep,
        )
        return begin_heeding(begin)
    assert look.changes is not None
    changes = look.changes
    return begin_heeding(
        partial(start_told, changes, changes.drive.token, journal_dir=journal_dir, environment=environment)
    )
