"""To ext4, steps 5 and 6: follow the run, told at every moment what a power cut would leave; then keep it or
undo it."""

from collections.abc import Sequence

from wizard.apply.migration.moved import HALF_DONE, decision_of, moved_sentence
from wizard.apply.run.journal import RunState
from wizard.apply.run.runs import called
from wizard.migrate.told.ways import power_words
from wizard.model.errors import DiskwrightError
from wizard.model.journal import Entry, Event
from wizard.model.names import printable
from wizard.plain.desk import Desk
from wizard.plain.steps.applying import follow_entries, tell_checks, tell_entry, tell_steps
from wizard.plain.steps.moving import migration_of
from wizard.plain.steps.settling import settle
from wizard.services.session import Moved, Next, Session

HELP = (
    "Keeping lets go of what is needed for undoing, and gives its room back. There is no way back then.",
    "Undoing brings the filesystem back as it was before, to the bit, as long as nobody has mounted it for "
    "writing.",
    "Both can be done later by diskwright keep and diskwright undo. Until then the room stays taken, and the "
    "filesystem should not be mounted for writing.",
)


def follow_migration(desk: Desk, session: Session) -> Moved:
    """A line for each entry of the journal, and one whenever a power cut would leave something else than
    before."""
    desk.moving_heading(5, "Running")
    migration, run = migration_of(session), session.run
    assert run is not None
    said = ""

    def tell(entry: Entry) -> None:
        nonlocal said
        tell_entry(desk, entry, len(migration.steps))
        number = entry.step if entry.event is Event.STEP_STARTED else None
        told = desk.services.power(run)
        if number is None and not told:
            return
        now = power_words(migration, number, told)
        if now != said:
            said = now
            desk.talk.say(now if now == told else f"If the power goes now: {printable(now, 1000)}", 2, 2)

    follow_entries(desk, run, tell)
    return Next(session)


def settle_migration(desk: Desk, session: Session) -> Moved:
    """How it ended, from the whole journal once more; then keep, undo, or neither now."""
    desk.moving_heading(6, "Result")
    run = session.run
    assert run is not None
    try:
        state, entries, closed = (
            desk.services.state(run),
            tuple(desk.services.follow(run)),
            desk.services.closed(run),
        )
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return Next(session)
    _tell_result(desk, session, state, entries)
    if closed:
        desk.talk.say(printable(closed, 1000))
    settle(desk, run, decision_of(migration_of(session), state, entries, closed=bool(closed)), HELP)
    return Next(session)


def _tell_result(desk: Desk, session: Session, state: RunState, entries: Sequence[Entry]) -> None:
    """How it ended, what was checked, and the way on where it is not done."""
    migration, run = migration_of(session), session.run
    assert run is not None
    desk.talk.say(moved_sentence(state))
    tell_checks(desk, entries)
    if state in HALF_DONE or state is RunState.REFUSED:
        tell_steps(desk, [step.sentence for step in migration.steps], entries)
    desk.talk.say(f"Journal: {printable(str(run), 200)}", hang=2)
    if state in HALF_DONE:
        desk.talk.say(f"To go on: sudo diskwright resume {called(run)}")
