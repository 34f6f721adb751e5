"""Step 1: which drive."""

from dataclasses import replace

from wizard.migrate.ext.candidates import Candidate, candidate_words, old_filesystems
from wizard.model.errors import DiskwrightError
from wizard.model.machine import Drive, Machine
from wizard.plain.desk import Desk
from wizard.plain.drivewords import drive_brief, drive_line, drive_paragraphs, drive_reasons
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.services.session import Moved, Moving, Next, Session

HELP = (
    "Each number is a whole drive. It was read without being changed. Drives that are in use or cannot be "
    "written are listed with the reason; they can be asked about by e, but not be set up.",
    "Sectors: 512n and 4Kn drives read and write the blocks they really have. 512e drives have blocks of "
    "4096 bytes and pretend to have 512: a partition that starts within a block makes many writes slow.",
    "Keep all files: an ext2 or ext3 filesystem becomes ext4, and everything in it stays. The ways there "
    "are, and what each costs, are told before anything is written. Only root can look into a filesystem, so "
    "root's rights are asked for then. An incomplete ext4 lacks what every new one has, as one that was an "
    "ext3: it can be given what it lacks.",
    "Findings: a danger puts data or the job at risk; a warning is likely harm, or a doubt; a note is good "
    "to know.",
)

READ_AS_ROOT = Item("Ask for root's rights, and read the drives again. Nothing is written by that.")


def choose_drive(desk: Desk, session: Session) -> Moved:
    """Read the drives, list them, and take one that nothing stands against."""
    desk.heading(1, "Drives")
    while True:
        drives = _read(desk)
        machine, found = drives if drives else (None, [])
        topic = Topic("Which drive is to be set up?", HELP, back=False, again="read the drives again")
        movable = [(drive, candidate) for drive, _ in found for candidate in old_filesystems(drive)]
        items = (*(item for _, item in found), *(_moving_item(candidate) for _, candidate in movable))
        asking = (READ_AS_ROOT,) if desk.services.asks_for_root else ()
        answer = choose(desk.talk, Choosing(topic, (*items, *asking), _default(session, found)))
        if isinstance(answer, Word) or machine is None:
            continue
        if answer == len(items):
            _obtain_root(desk)
            continue
        if answer < len(found):
            return Next(replace(_taken(desk, session, machine, found[answer][0]), moving=None))
        drive, candidate = movable[answer - len(found)]
        return Next(replace(_taken(desk, session, machine, drive), moving=Moving(candidate.device)))


def _obtain_root(desk: Desk) -> None:
    """Ask for it; why it was not given is said."""
    try:
        desk.services.obtain_root()
    except DiskwrightError as error:
        desk.talk.say(str(error))


def _read(desk: Desk) -> tuple[Machine, list[tuple[Drive, Item]]] | None:
    """All drives with what is said of each; None, after saying why, where they cannot be read."""
    try:
        paths = desk.services.drive_paths()
        desk.talk.say(
            f"Reading {', '.join(paths)} ..." if paths else "No drive was found. Plug one in, and type r."
        )
        machine = desk.services.probe(lambda _: None)
    except DiskwrightError as error:
        desk.talk.say(str(error))
        return None
    return machine, [(drive, _item(desk, machine, drive)) for drive in machine.drives]


def _moving_item(candidate: Candidate) -> Item:
    """Not to set a drive up, but to keep what is on it."""
    return Item(f"Keep all files, and make it ext4: {candidate_words(candidate)}.")


def _item(desk: Desk, machine: Machine, drive: Drive) -> Item:
    diagnosis = desk.services.diagnose(machine, drive)
    return Item(
        drive_line(drive),
        drive_brief(drive, diagnosis),
        desk.services.impediment(drive),
        lambda: drive_reasons(drive, diagnosis),
    )


def _default(session: Session, found: list[tuple[Drive, Item]]) -> int | None:
    """The drive that was taken before; else the only one that can be taken. Among several the person
    chooses."""
    free = [index for index, (_, item) in enumerate(found) if not item.refusal]
    before = [index for index in free if found[index][0] == session.drive]
    return before[0] if before else free[0] if len(free) == 1 else None


def _taken(desk: Desk, session: Session, machine: Machine, drive: Drive) -> Session:
    """What was settled before stays for the same drive; for another one only the purpose does."""
    diagnosis = desk.services.diagnose(machine, drive)
    desk.talk.say()
    desk.talk.say_all(drive_paragraphs(drive, diagnosis))
    kept = session if session.drive == drive else Session(workload=session.workload)
    return replace(kept, machine=machine, drive=drive, diagnosis=diagnosis)
