"""`diskwright ensure`: make drives match a file. Changes only what differs, so it is repeatable."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.look import DriveAssessment, DriveState, look_at
from wizard.apply.run.job import Start
from wizard.apply.run.runs import doubts_about, make_private, runs_folder
from wizard.apply.run_control import job_for, resume
from wizard.cli import output
from wizard.cli.start import check_is_root, environment_of, page_of, read_text
from wizard.cli.status import begin_heeding, narrate
from wizard.documents.codec import render_document
from wizard.documents.profiles import BUNDLED
from wizard.model.ensure import ENSURED_SCHEMA, AlsoDrive, Difference, Ensured, EnsuredDrive, WantedDrives
from wizard.model.errors import BadInput, DiskwrightError, ExitCode
from wizard.model.said import Message, Sentence, in_english, reason_of, shown_lines, t
from wizard.plan.desired_state.document import places_named, read_wanted

State = Literal["as-wanted", "would-change", "changed", "refused", "failed"]


class EnsureResult(Struct, frozen=True):
    """A drive at the `first` and `last` inspection, and the names of its runs."""

    first: DriveAssessment
    last: DriveAssessment | None = None
    runs: tuple[str, ...] = ()
    code: ExitCode = ExitCode.DONE

    @property
    def exit_code(self) -> ExitCode:
        """Exit code for this drive."""
        return ExitCode.REFUSED if self.state == "refused" else self.code

    @property
    def state(self) -> State:
        """State in the document."""
        if self.code is not ExitCode.DONE:
            return "failed" if self.runs else "refused"
        if self.first.state is DriveState.REFUSED:
            return "refused"
        if self.first.state is DriveState.AS_WANTED:
            return "as-wanted"
        return "would-change" if self.last is None else "changed"

    @property
    def differs(self) -> bool:
        """True if the drive was or would be changed."""
        return bool(self.runs) or self.state == "would-change"

    @property
    def said(self) -> tuple[Message | str, ...]:
        """Differences from the file: at first or, after a failure, at the end."""
        return self.last.said if self.last is not None and self.code is not ExitCode.DONE else self.first.said


HEADS = {
    "as-wanted": Sentence("{name} already matches; no changes were made."),
    "would-change": Sentence("{name} would be changed."),
    "changed": Sentence("{name} was changed and now matches."),
    "refused": Sentence("{name} is refused; no changes were made."),
    "failed": Sentence("{name} could not be changed as specified."),
}


def lines_of(result: EnsureResult) -> Iterator[str]:
    """Yield the result, then the differences."""
    name, paths = result.first.name, ", ".join(result.first.paths)
    yield str(HEADS[result.state](name=name if paths in ("", name) else f"{name} ({paths})"))
    if result.state != "changed":
        yield from (f"    {line}" for said in result.said for line in shown_lines(said, 2000))


def document_of(results: Sequence[EnsureResult], *, check: bool) -> Ensured:
    """Return the document."""
    changed = any(bool(result.runs) or (check and result.differs) for result in results)
    return Ensured(check, changed, tuple(map(_drive, results)))


def _drive(result: EnsureResult) -> EnsuredDrive:
    first = result.first
    last = first if result.last is None else result.last
    after = last.before if result.state == "changed" else first.after
    known = zip_longest(first.drives, first.before, after)
    every = [AlsoDrive(drive.path, drive.token, before, then) for drive, before, then in known if drive]
    one = every[0] if every else None
    return EnsuredDrive(
        name=first.name,
        state=result.state,
        path=one.path if one else None,
        token=one.token if one else None,
        differences=tuple(Difference(said, in_english(said)) for said in result.said),
        before=one.before if one else None,
        after=one.after if one else None,
        replace=first.replace,
        runs=result.runs,
        also=tuple(every[1:]),
    )


EXAMPLE = BUNDLED / "wanted.toml"
MOST_STEPS = 12
"""Maximum number of runs per drive: one to create it, or one change per volume."""

WORST_FIRST = (
    *(ExitCode.ENDED_BY_USER, ExitCode.INTERRUPTED, ExitCode.FAILED),
    *(ExitCode.REFUSED, ExitCode.USAGE, ExitCode.CHANGED, ExitCode.DONE),
)
"""The worst result decides. A refused drive must not hide a failed run."""


def ensure(arguments: Namespace) -> ExitCode:
    """Inspect every drive first. Change drives only if none is refused."""
    if arguments.example:
        sys.stdout.write(EXAMPLE.read_text(encoding="utf-8"))
        return ExitCode.DONE
    if arguments.wanted is None or not Path(arguments.wanted).exists() or Path(arguments.wanted).is_dir():
        raise BadInput(
            t(
                "{file} is not a file. `diskwright ensure --example` prints an example to start from.",
                file=arguments.wanted or "WANTED.toml",
            )
        )
    wanted = read_wanted(*read_text(arguments.wanted))
    check_is_root(arguments)
    where = Where(environment_of(arguments), arguments.journal)
    with redirect_stdout(sys.stderr):
        # Only the result is data. Messages of the runs are narration here.
        results = ensured(wanted, where, check=arguments.check)
    if arguments.json:
        document = document_of(results, check=arguments.check)
        sys.stdout.write(render_document(ENSURED_SCHEMA, document))
    else:
        output.tell(line for result in results for line in lines_of(result))
    code = min((result.exit_code for result in results), key=WORST_FIRST.index, default=ExitCode.DONE)
    if code is ExitCode.DONE and arguments.detailed_exitcode and any(one.differs for one in results):
        return ExitCode.CHANGED
    return code


def ensured(wanted: WantedDrives, where: Where, *, check: bool) -> tuple[EnsureResult, ...]:
    """Return the results, in the document's order. If one is refused, none is changed."""
    if not check:
        # Rehearsals would create and delete this folder, maybe while another run starts.
        make_private(runs_folder(where.journal_dir))
    looks = _looks(wanted, where)
    if check or any(look.state is DriveState.REFUSED for look in looks):
        for look in looks if check else ():
            if look.state not in (DriveState.REFUSED, DriveState.AS_WANTED):
                _show(look)
        return tuple(map(EnsureResult, looks))
    for doubt in doubts_about(runs_folder(where.journal_dir)):
        output.say(doubt)
    return tuple(_carried_out(look, where) for look in looks)


def _looks(wanted: WantedDrives, where: Where) -> list[DriveAssessment]:
    """No two entries may use the same drive, names or mount points."""
    looks: list[DriveAssessment] = []
    given = frozenset(places_named(wanted))
    for one in wanted.drive:
        looks.append(look_at(one, replace(where, given=given)))
        volumes = [volume for shape in looks[-1].after for volume in shape.volumes]
        given |= {name for volume in volumes for name in (volume.device, *volume.mount_points)}
    paths = [path for look in looks for path in look.paths]
    for number, look in enumerate(looks):
        if twice := next((path for path in look.paths if paths.count(path) > 1), None):
            looks[number] = _refused(look, t("Two entries of the file match {drive}.", drive=twice))
    return looks


def _refused(look: DriveAssessment, why: Message | str) -> DriveAssessment:
    return replace(look, state=DriveState.REFUSED, said=(why,))


def _show(look: DriveAssessment) -> None:
    if look.document is not None:
        output.show(page_of(look.document, keep=look.replaces), sys.stderr)


def _carried_out(look: DriveAssessment, where: Where) -> EnsureResult:
    """Change a drive until it matches. Each step is planned from the current state."""
    first = look
    runs: list[str] = []
    code = ExitCode.DONE
    for _ in range(MOST_STEPS):
        if look.state in (DriveState.AS_WANTED, DriveState.REFUSED):
            code = ExitCode.DONE if look.state is DriveState.AS_WANTED else ExitCode.FAILED
            break
        _show(look)
        try:
            run = _begun(look, where)
            runs.append(run.name)
            code = narrate(run)
        except DiskwrightError as error:
            look, code = _refused(look, reason_of(error)), ExitCode.FAILED if runs else error.exit_code
            break
        if code is ExitCode.DONE or (code is ExitCode.REFUSED and look.state is DriveState.RESUME):
            # After a reboot, a run that wrote nothing may not recognise the drive. A new run does.
            anew = _same_again(first, look_at(look.wanted, where))
            if code is ExitCode.DONE or anew.state is DriveState.MAKE:
                look = anew
                continue
        look = _refused(look, t("Run {run} did not finish.", run=run.name))
        break
    else:
        look = _refused(look, t("The drive still differs after repeated changes; check the runs."))
        code = ExitCode.FAILED
    return EnsureResult(first, look, tuple(runs), code)


def _same_again(first: DriveAssessment, look: DriveAssessment) -> DriveAssessment:
    """Other drives were not compared with the other entries."""
    if not look.drives or [one.token for one in look.drives] == [one.token for one in first.drives]:
        return look
    said = t(
        "The file matched {drives:and} before and matches {found:and} now.",
        drives=first.paths,
        found=look.paths,
    )
    return replace(_refused(look, said), document=None)


def _begun(look: DriveAssessment, where: Where) -> Path:
    if look.run is not None:
        resume(look.run)
        return look.run
    document = look.document
    assert document is not None
    how = Start(document.tokens, where.journal_dir, where.environment, keep=look.replaces)
    return begin_heeding(partial(job_for(document).start, document, how))
