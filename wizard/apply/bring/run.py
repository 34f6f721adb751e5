"""What the detached process does: copy, catch up, compare; and taking that back. All of it is in the
journal."""

from collections.abc import Callable
from pathlib import Path

from wizard.apply.bring import words
from wizard.apply.bring.catching_up import catch_up
from wizard.apply.bring.comparing import compare
from wizard.apply.bring.copying import Stopped, copy_listed
from wizard.apply.bring.guard import check_new, check_own
from wizard.apply.bring.of_run import load_bring
from wizard.apply.bring.places import shown
from wizard.apply.bring.record import load_again
from wizard.apply.bring.site import BringSite, site_of
from wizard.apply.bring.told import step_said
from wizard.apply.bring.undoing import NAMED, remove_brought, remove_made_folders
from wizard.apply.manifest.look import named
from wizard.apply.run.journal import Journal, RunState, begun_steps, done_steps, read_entries, state
from wizard.apply.run.process import STOP, UNDOING
from wizard.apply.run.runs import called, load_environment
from wizard.apply.run.vault import mark_durably
from wizard.model.documents.bring import BringStep
from wizard.model.errors import BadInput, DiskwrightError, Failed, Refused
from wizard.model.journal import Event
from wizard.model.said import Said, in_a_row, reason_of


def bring_files(run: Path, journal: Journal) -> tuple[Event, Said]:
    """Carry it out from where it stands: how the run ended. Raises DiskwrightError."""
    bring = load_bring(run)
    try:
        check_own(bring, load_environment(run))
        if begun_steps(read_entries(run)):
            check_goes_on(run)
        else:
            check_new(bring)
        with site_of(run, bring, makes=True) as site:
            return _all_steps(site, journal)
    except BadInput as error:
        raise Refused(str(error)) from None


def check_goes_on(run: Path) -> None:
    """Raises Refused where the run was being undone."""
    if (run / UNDOING).exists():
        raise Refused(words.BEING_UNDONE(run=run.name, name=called(run)))


def _all_steps(site: BringSite, journal: Journal) -> tuple[Event, Said]:
    done, ways = done_steps(read_entries(site.run)), words.WAYS_ON(run=called(site.run))
    for number, step in enumerate(site.bring.steps, 1):
        if number in done:
            continue
        if (site.run / STOP).exists():
            return Event.STOPPED, words.STOPPED(ways=ways)
        journal.add(Event.STEP_STARTED, step_said(site.bring, step), step=number)
        try:
            said = _DOES[step](site, journal)
        except Stopped:
            return Event.STOPPED, words.STOPPED(ways=ways)
        except (DiskwrightError, OSError) as error:
            reason = reason_of(error) if isinstance(error, DiskwrightError) else str(error)
            journal.add(Event.STEP_FAILED, reason, step=number)
            steps = len(site.bring.steps)
            return Event.FAILED, words.STEP_FAILED(step=number, steps=steps, error=reason, ways=ways)
        journal.add(Event.STEP_DONE, said, step=number)
    return Event.DONE, _ended(site)


def _copy(site: BringSite, _: Journal) -> Said:
    return copy_listed(site)


def _catch_up(site: BringSite, _: Journal) -> Said:
    return catch_up(site)


def _compare(site: BringSite, journal: Journal) -> Said:
    try:
        said, entries = compare(site)
    except Failed as error:
        journal.add(Event.NOT_VERIFIED, words.ALL_SAME(), output=str(error))
        raise
    journal.add(Event.VERIFIED, words.ALL_SAME(), output=str(words.NO_DIFFERENCE(entries=entries)))
    return said


_DOES: dict[BringStep, Callable[[BringSite, Journal], Said]] = {
    BringStep.COPY: _copy,
    BringStep.CATCH_UP: _catch_up,
    BringStep.COMPARE: _compare,
}


def _ended(site: BringSite) -> Said:
    folder, source = (shown(path) for path in (site.bring.target.folder, site.bring.source.path))
    again = load_again(site.run)
    new = (words.NEW_AT_TOP(paths=_names(again.new)),) if again.new else ()
    if again.unsteady:
        paths = _names(again.unsteady)
        return in_a_row(words.BROUGHT_BUT(folder=folder, source=source, paths=paths), *new)
    return in_a_row(words.BROUGHT(folder=folder, source=source, run=called(site.run)), *new)


def _names(paths: tuple[str, ...]) -> tuple[Said | str, ...]:
    more = (words.MORE_CHANGE(count=len(paths) - NAMED),) if len(paths) > NAMED else ()
    return (*(named(path.encode(errors="surrogateescape")) for path in paths[:NAMED]), *more)


def check_takes_back(run: Path) -> None:
    """Raises Refused where there is nothing to take back."""
    if state(run) is RunState.UNDONE:
        raise Refused(words.UNDONE_ALREADY(run=run.name))
    if not begun_steps(read_entries(run)):
        raise Refused(words.WROTE_NOTHING(run=run.name))


def take_back(run: Path) -> tuple[Event, Said]:
    """Remove what was brought: how that ended. Raises DiskwrightError."""
    bring = load_bring(run)
    check_own(bring, load_environment(run))
    mark_durably(run / UNDOING)
    try:
        with site_of(run, bring, makes=True) as site:
            said = remove_brought(site)
    except (Refused, BadInput) as error:
        raise Failed(words.SOURCE_GONE(why=reason_of(error))) from None
    remove_made_folders(bring.target.makes)
    return Event.UNDONE, said
