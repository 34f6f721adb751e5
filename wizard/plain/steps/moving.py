"""To ext4, steps 2 to 4: which way, what exactly, and the last question."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from wizard.migrate.carry import can_be_carried
from wizard.migrate.document import render_migration
from wizard.migrate.told.ways import COMPARED, confirm_command, is_damaged, place_words
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive
from wizard.model.migration import Migration, Prospect, Way
from wizard.model.names import printable
from wizard.model.units import roughly
from wizard.plain.desk import Desk
from wizard.plain.drivewords import finding_paragraphs
from wizard.plain.movewords import how_paragraphs, offer_item, risk_paragraphs, steps_lines
from wizard.plain.questions import Choosing, Item, Topic, Word, Writing, choose, write
from wizard.plain.saving import save
from wizard.plain.steps.carrying import carry
from wizard.plain.steps.confirm import begun
from wizard.plain.steps.tokens import typed_token
from wizard.services.session import Back, Moved, Moving, Next, Session

WAY_HELP = (
    "Each number is a way from this filesystem to ext4 that keeps every file. What it gains and costs, how "
    "long it takes, how much room it needs elsewhere, and how it is undone, is told below it.",
    "Extent: ext4 notes a file as a few runs of blocks, ext3 every single block.",
    "Inode: what the filesystem keeps of one file: owner, times, where its blocks are.",
)
STEPS_HELP = (
    "The steps are carried out in this order. Commands are told with the device's name; where a "
    "copy-on-write snapshot is worked on, its node stands there instead.",
    "If the power goes: what would be found after a power cut in the middle of this step.",
)
CONFIRM_HELP = (
    "Token: the drive's serial number, or its name where it has none. Typing it proves that you mean this "
    "drive and no other.",
    "Before the first write the filesystem is looked at once more: if it differs from the one that was "
    "planned for, nothing is written.",
)
GO_ON, SAVE, REPEAT = range(3)
LOOK_ELSEWHERE = (
    Item("Look again, with room in a folder that I name."),
    Item("Look again, with a volume that I name for a fresh ext4."),
)
CARRY = Item("Write a way down to be carried to a rescue medium, since the filesystem is in use.")


def moving_of(session: Session) -> Moving:
    """What is migrated."""
    assert session.moving is not None
    return session.moving


def migration_of(session: Session) -> Migration:
    """What was planned."""
    planned = moving_of(session).migration
    assert planned is not None
    return planned


def choose_way(desk: Desk, session: Session) -> Moved:
    """Tell the ways there are, take one, settle what goes with it, and plan it."""
    desk.moving_heading(2, "Ways")
    while True:
        moving = _looked(desk, session)
        assert session.drive is not None
        if moving is None or (asked := _asked(desk, session.drive, moving)) is None:
            return Back(replace(session, moving=None))
        session = replace(session, moving=asked)
        if asked.way is not None and (planned := _planned(desk, session)):
            return planned


def _looked(desk: Desk, session: Session) -> Moving | None:
    """With the ways there are, which are told; None, after saying why, where they cannot be known."""
    moving, drive = moving_of(session), session.drive
    assert drive is not None
    desk.talk.say(
        f"Looking at the filesystem on {printable(moving.device, 200)}; nothing is written by that ..."
    )
    try:
        prospect, seconds = desk.services.migration_prospect(drive, moving)
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return None
    _tell(desk, prospect)
    return _repairing(desk, replace(moving, prospect=prospect, comparing_seconds=seconds))


def _asked(desk: Desk, drive: Drive, moving: Moving) -> Moving | None:
    """With the way that was taken and whether files are compared; without a way where it is to be looked at
    again; None to go back."""
    prospect = moving.prospect
    assert prospect is not None
    ways = [offer.way for offer in prospect.offers]
    items = tuple(offer_item(offer, prospect.default, repairs=moving.repairs) for offer in prospect.offers)
    others = (*LOOK_ELSEWHERE, CARRY) if can_be_carried(prospect) else LOOK_ELSEWHERE
    topic = Topic("Which way to ext4?", WAY_HELP, again="look again")
    wanted = moving.way or prospect.default
    answer = choose(
        desk.talk, Choosing(topic, (*items, *others), ways.index(wanted) if wanted in ways else None)
    )
    if answer is Word.AGAIN:
        return replace(moving, way=None)
    if isinstance(answer, Word):
        return None
    if answer < len(ways) and (ways[answer] is not Way.FRESH or moving.target is not None):
        return _comparing(desk, replace(moving, way=ways[answer]))
    if answer == len(ways) + len(LOOK_ELSEWHERE):
        carry(desk, drive, moving)
        return replace(moving, way=None)
    return _named(desk, replace(moving, way=None), volume=answer != len(ways))


def _tell(desk: Desk, prospect: Prospect) -> None:
    desk.talk.say(f"{place_words(prospect)}.")
    if prospect.findings:
        desk.talk.say_all(finding_paragraphs(prospect.findings))
    desk.talk.say(
        f"{'Proposed' if prospect.default else 'No way is possible now'}: {printable(prospect.why, 400)}"
    )


def _named(desk: Desk, moving: Moving, *, volume: bool) -> Moving:
    """The folder for the room that a way needs, or the volume for a fresh ext4; going back or an empty line
    leaves it as it was."""
    before = moving.target if volume else str(moving.folder) if moving.folder else None
    asks = (
        "Which volume? Such as /dev/sdb1; it must hold nothing."
        if volume
        else "Which folder? It must be on another filesystem."
    )
    taken = write(desk.talk, Writing(Topic(asks, ()), before or "", before or "none"), str)
    if isinstance(taken, Word) or not taken:
        return moving
    return replace(moving, target=taken) if volume else replace(moving, folder=Path(taken))


def _repairing(desk: Desk, moving: Moving) -> Moving:
    """Whether damage may be repaired, where there is any; going back leaves it as it was."""
    if moving.prospect is None or not is_damaged(moving.prospect.before):
        return moving
    help_ = (
        "e2fsck puts right what it finds, and may have to let go of parts of files that cannot be told any "
        "more.",
    )
    topic = Topic("The filesystem says that it is damaged. May the damage be repaired?", help_)
    answer = choose(desk.talk, Choosing(topic, (Item("No."), Item("Yes.")), 1 if moving.repairs else 0))
    return moving if isinstance(answer, Word) else replace(moving, repairs=answer == 1)


def _comparing(desk: Desk, moving: Moving) -> Moving:
    """Whether every file is compared, where that is open; going back leaves it as it was."""
    if moving.way not in COMPARED:
        return moving
    topic = Topic(
        "Is every file to be compared before and after?",
        ("Every file is read twice. It is the best proof there is.",),
    )
    items = (Item(f"Yes, which takes {roughly(moving.comparing_seconds)} (an estimate)."), Item("No."))
    answer = choose(desk.talk, Choosing(topic, items, 0 if moving.compares else 1))
    return moving if isinstance(answer, Word) else replace(moving, compares=answer == 0)


def _planned(desk: Desk, session: Session) -> Moved | None:
    """On with the plan; None, after saying why, where there is none."""
    moving, drive = moving_of(session), session.drive
    assert drive is not None
    try:
        return Next(
            replace(session, moving=replace(moving, migration=desk.services.plan_migration(drive, moving)))
        )
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return None


def show_migration(desk: Desk, session: Session) -> Moved:
    """Tell every step; go on, save it, or tell it again."""
    desk.moving_heading(3, "Preview")
    migration = migration_of(session)
    _tell_steps(desk, migration)
    items = (Item("Go on."), Item("Save it in a file."), Item("Tell it again."))
    while True:
        answer = choose(desk.talk, Choosing(Topic("What is to be done with this?", STEPS_HELP), items, GO_ON))
        if isinstance(answer, Word):
            return Back(session)
        if answer == GO_ON:
            return Next(session)
        if answer == SAVE:
            _save(desk, migration)
        else:
            _tell_steps(desk, migration)


def _tell_steps(desk: Desk, migration: Migration) -> None:
    desk.talk.say("Exactly this will be done, and nothing else. Nothing has been written yet.")
    desk.talk.say_all(how_paragraphs(migration))
    desk.talk.say()
    desk.talk.show(steps_lines(migration, desk.talk.width))
    for doubt in migration.doubts:
        desk.talk.say(f"In doubt: {printable(doubt, 1000)}", hang=2)


def _save(desk: Desk, migration: Migration) -> Path | None:
    return save(
        desk.talk,
        "What is to be done",
        render_migration(migration),
        f"{Path(migration.device).name}-to-ext4.json",
    )


def confirm_migration(desk: Desk, session: Session) -> Moved:
    """Say what may happen, ask for the token, and begin; or say how it can be done elsewhere."""
    desk.moving_heading(4, "Confirm")
    migration = migration_of(session)
    desk.talk.say_all(risk_paragraphs(migration, desk.services.journal_doubts()))
    if obstacle := desk.services.apply_obstacle:
        desk.talk.say(obstacle)
        if path := _save(desk, migration):
            desk.talk.say("Carry it out by:")
            desk.talk.say(confirm_command(migration, str(path)), indent=4)
        return Back(session)
    asks = (
        f"The last question. To begin now, type the token of {migration.written.path}, which is "
        f"{printable(migration.written.token, 40)}"
    )
    while typed_token(desk, migration.written, asks, CONFIRM_HELP):
        if run := begun(
            desk, "the filesystem", partial(desk.services.start_migration, migration, migration.written.token)
        ):
            return Next(replace(session, run=run))
    return Back(session)
