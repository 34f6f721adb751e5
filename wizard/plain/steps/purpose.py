"""Step 2: what the drive is for."""

from dataclasses import replace

from wizard.advise.workloads import Profile
from wizard.model.errors import DiskwrightError
from wizard.model.names import printable
from wizard.plain.desk import Desk
from wizard.plain.questions import Choosing, Item, Topic, Word, choose
from wizard.plain.talk import Para
from wizard.services.session import Back, Moved, Next, Session

HELP = (
    "A purpose says what the work at hand asks of a filesystem. Choose the nearest one; the advice follows "
    "from it. Several volumes with a purpose each can be made later, in step 4.",
    "Purposes are files: your own in ~/.config/diskwright/workloads or /etc/diskwright/workloads appear in "
    "this list.",
)


def choose_purpose(desk: Desk, session: Session) -> Moved:
    """A changed purpose makes the advice and all that follows anew."""
    desk.heading(2, "Purpose")
    assert session.machine is not None and session.drive is not None and session.diagnosis is not None
    profiles = _profiles(desk)
    if profiles is None:
        return Back(session)
    names = [profile.workload.id for profile in profiles]
    default = names.index(session.workload) if session.workload in names else None
    while True:
        topic = Topic("What will the drive mostly hold?", HELP)
        answer = choose(desk.talk, Choosing(topic, tuple(map(purpose_item, profiles)), default))
        if isinstance(answer, Word):
            return Back(session)
        try:
            advice = desk.services.advise(
                session.machine, session.drive, session.diagnosis.recording, names[answer]
            )
        except DiskwrightError as error:
            desk.talk.say(str(error))
            continue
        if advice != session.advice:
            session = replace(
                session, workload=names[answer], advice=advice, choice=None, taken=None, wishes=(), plan=None
            )
        return Next(session)


def _profiles(desk: Desk) -> tuple[Profile, ...] | None:
    """The purposes; a file that is at fault is said, and read again once that is mended. None where the
    person goes back."""
    while True:
        try:
            return desk.services.profiles()
        except DiskwrightError as error:
            desk.talk.say(str(error))
        topic = Topic("The purposes cannot be read as long as that is so.", HELP, again="read them again")
        if choose(desk.talk, Choosing(topic, ())) is Word.BACK:
            return None


def purpose_item(profile: Profile, *, brief: bool = False) -> Item:
    """A purpose as an answer; `brief` where it was told before."""
    workload = profile.workload
    origin = Para(f"This purpose, and what it asks for, stands in {printable(workload.origin, 200)}.")
    summary = printable(workload.summary, 400)
    return Item(
        printable(workload.title, 70), () if brief else (summary,), reasons=lambda: [Para(summary), origin]
    )
