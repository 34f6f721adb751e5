"""`diskwright ensure`: make drives match a file. Changes only what differs, so it is repeatable."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import partial
from itertools import zip_longest
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.ensure.compare_mounts import Where
from wizard.apply.ensure.look import DriveAssessment, look_at
from wizard.apply.run.job import Start
from wizard.apply.run.runs import doubts_about, make_private, runs_folder
from wizard.apply.run_control import job_for, resume
from wizard.cli import output
from wizard.cli.start import check_is_root, environment_of, page_of, read_text
from wizard.cli.status import begin_heeding, narrate
from wizard.documents.codec import render_document
from wizard.documents.profiles import BUNDLED
from wizard.model.ensure import (
    ENSURED_SCHEMA,
    AlsoDrive,
    Difference,
    Ensured,
    EnsuredDrive,
    State,
    WantedDrives,
)
from wizard.model.errors import BadInput, DiskwrightError, ExitCode
from wizard.model.said import Sentence, in_english, reason_of, shown_lines, t
from wizard.plan.desired_state.document import places_named, read_wanted

HEADS = {
    "as-wanted": Sentence("{name} already matches; no changes were made."),
    "would-change": Sentence("{name} would be changed."),
    "changed": Sentence("{name} was changed and now matches."),
    "refused": Sentence("{name} is refused; no changes were made."),
    "failed": Sentence("{name} could not be changed as specified."),
}


Result = tuple[EnsuredDrive, ExitCode]


def _result(
    first: DriveAssessment,
    last: DriveAssessment | None = None,
    runs: tuple[str, ...] = (),
    code: ExitCode = ExitCode.DONE,
) -> Result:
    """Describe a drive at the first and last inspection, with the names of the runs."""
    state: State = "would-change" if last is None else "changed"
    if code is not ExitCode.DONE:
        state = "failed" if runs else "refused"
    elif first.is_refused:
        state = "refused"
    elif first.is_as_wanted:
        state = "as-wanted"
    latest = last or first
    said = first.said if code is ExitCode.DONE else latest.said
    after = latest.before if state == "changed" else first.after
    known = zip_longest(first.drives, first.before, after)
    every = [AlsoDrive(drive.path, drive.token, before, then) for drive, before, then in known if drive]
    one = every[0] if every else None
    found = EnsuredDrive(
        name=first.name,
        state=state,
        path=one.path if one else None,
        token=one.token if one else None,
        differences=tuple(Difference(each, in_english(each)) for each in said),
        before=one.before if one else None,
        after=one.after if one else None,
        replace=first.replace,
        runs=runs,
        also=tuple(every[1:]),
    )
    return found, ExitCode.REFUSED if state == "refused" else code


def lines_of(drive: EnsuredDrive) -> Iterator[str]:
    """Yield the result, then the differences."""
    paths = ", ".join(filter(None, (drive.path, *(one.path for one in drive.also))))
    name = drive.name if paths in ("", drive.name) else f"{drive.name} ({paths})"
    yield str(HEADS[drive.state](name=name))
    if drive.state != "changed":
        yield from (f"    {line}" for one in drive.differences for line in shown_lines(one.said, 2000))


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
        document, code = ensured(wanted, where, check=arguments.check)
    if arguments.json:
        sys.stdout.write(render_document(ENSURED_SCHEMA, document))
    else:
        output.tell(line for drive in document.drives for line in lines_of(drive))
    changed = code is ExitCode.DONE and arguments.detailed_exitcode and document.changed
    return ExitCode.CHANGED if changed else code


def ensured(wanted: WantedDrives, where: Where, *, check: bool) -> tuple[Ensured, ExitCode]:
    """Return the results in the document's order, and the worst exit code. If a drive is refused, none is
    changed."""
    if not check:
        # Rehearsals would create and delete this folder, maybe while another run starts.
        make_private(runs_folder(where.journal_dir))
    looks = _looks(wanted, where)
    if check or any(look.is_refused for look in looks):
        for look in looks if check else ():
            _show(look)
        results = [*map(_result, looks)]
    else:
        for doubt in doubts_about(runs_folder(where.journal_dir)):
            output.say(doubt)
        results = [_carried_out(look, where) for look in looks]
    drives = tuple(drive for drive, _ in results)
    changed = any(drive.runs or (check and drive.state == "would-change") for drive in drives)
    code = min((code for _, code in results), key=WORST_FIRST.index, default=ExitCode.DONE)
    return Ensured(check, changed, drives), code


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
            looks[number] = look.refused(t("Two entries of the file match {drive}.", drive=twice))
    return looks


def _show(look: DriveAssessment) -> None:
    if look.document is not None:
        output.show(page_of(look.document, keep=look.replaces), sys.stderr)


def _carried_out(look: DriveAssessment, where: Where) -> Result:
    """Change a drive until it matches. Each step is planned from the current state."""
    first = look
    runs: list[str] = []
    code = ExitCode.DONE
    for _ in range(MOST_STEPS):
        if not look.can_change:
            code = ExitCode.DONE if look.is_as_wanted else ExitCode.FAILED
            break
        _show(look)
        try:
            run = _begun(look, where)
            runs.append(run.name)
            code = narrate(run)
        except DiskwrightError as error:
            look, code = look.refused(reason_of(error)), ExitCode.FAILED if runs else error.exit_code
            break
        if code is ExitCode.DONE or (code is ExitCode.REFUSED and look.run is not None):
            # After a reboot, a run that wrote nothing may not recognise the drive. A new run does.
            anew = _same_again(first, look_at(look.wanted, where))
            if code is ExitCode.DONE or anew.document is not None:
                look = anew
                continue
        look = look.refused(t("Run {run} did not finish.", run=run.name))
        break
    else:
        look = look.refused(t("The drive still differs after repeated changes; check the runs."))
        code = ExitCode.FAILED
    return _result(first, look, tuple(runs), code)


def _same_again(first: DriveAssessment, look: DriveAssessment) -> DriveAssessment:
    """Other drives were not compared with the other entries."""
    if not look.drives or [one.token for one in look.drives] == [one.token for one in first.drives]:
        return look
    return look.refused(
        t(
            "The file matched {drives:and} before and matches {found:and} now.",
            drives=first.paths,
            found=look.paths,
        )
    )


def _begun(look: DriveAssessment, where: Where) -> Path:
    if look.run is not None:
        resume(look.run)
        return look.run
    document = look.document
    assert document is not None
    how = Start(document.tokens, where.journal_dir, where.environment, keep=look.replaces)
    return begin_heeding(partial(job_for(document).start, document, how))
