"""From requests for one drive, or one for several, to the plan: advice, who may write, where it is mounted,
and the planner; the same for every command that plans from requests."""

from collections.abc import Callable, Sequence

from wizard.advise.advise import advise, site_of
from wizard.advise.workloads import find_workload
from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.layout.planner import PLAIN, Mode, make_plan
from wizard.layout.several.striped import StripeWish, choice_on, make_striped_plan
from wizard.layout.several.striping import FILESYSTEMS, room_bytes
from wizard.layout.wishes.using import Usual, put_to_use
from wizard.layout.wishes.wanted import named_choice, wish_of, wish_with_options
from wizard.layout.wishes.wish import Arrangement, Request, Wish
from wizard.model.finding import Recording
from wizard.model.machine import Drive, Machine
from wizard.model.plan import Plan
from wizard.probe.host.people import writer_named


def plan_requested(
    machine: Machine,
    drive: Drive,
    requests: Sequence[Request],
    mode: Mode | None,
    draw_uuid: Callable[[], str],
    usual: Usual,
    phrases: Sequence[str] = (),
    arrangement: Arrangement = PLAIN,
) -> Plan:
    """The plan that gives `drive` a volume for each request. `usual` is what holds where a request does not
    say, `phrases` are the dangers that were typed back.

    Raises as `make_plan` does, and BadInput for a writer whom this system does not know.
    """
    recording = diagnose(machine, drive, load_patterns()).recording
    wishes: tuple[Wish, ...] = ()
    for asked in requests:
        wish = wish_of(machine, drive, recording, asked, phrases)
        wishes += (put_as_asked(wish, drive, asked, usual, wishes),)
    return make_plan(machine, drive, wishes, mode, draw_uuid, arrangement, recording)


def plan_striped(
    machine: Machine,
    drives: Sequence[Drive],
    asked: Request,
    stripe: StripeWish,
    mode: Mode | None,
    draw_uuid: Callable[[], str],
    usual: Usual,
    phrases: Sequence[str] = (),
    arrays: Sequence[str] = (),
) -> Plan:
    """The plan that gives `drives` one volume together, for the request. `arrays` are the nodes that other
    arrays have; the rest is as for one drive.

    Raises as `make_striped_plan` does, and BadInput for a writer whom this system does not know.
    """
    patterns = load_patterns()
    recordings = [diagnose(machine, drive, patterns).recording for drive in drives]
    room = room_bytes(stripe.kind, stripe.level, [drive.size_bytes or 0 for drive in drives])
    wish = striped_wish(machine, drives, recordings, asked, FILESYSTEMS[stripe.kind], phrases, room)
    wish = put_as_asked(wish, drives[0], asked, usual)
    return make_striped_plan(machine, drives, wish, stripe, mode, draw_uuid, recordings, arrays)


def striped_wish(
    machine: Machine,
    drives: Sequence[Drive],
    recordings: Sequence[Recording],
    asked: Request,
    possible: Sequence[str],
    phrases: Sequence[str] = (),
    room: int | None = None,
) -> Wish:
    """A request with the filesystem that is advised for the first drive, of those that are `possible` on
    several, or the named one.

    They are judged by the `room` in bytes that all drives have together; None is that of a stripe.
    """
    profile = find_workload(asked.workload)
    room = sum(drive.size_bytes or 0 for drive in drives) if room is None else room
    advice = advise(machine, drives[0], recordings[0], profile, size_bytes=room or None)
    choice = (
        choice_on(advice, possible) if asked.filesystem is None else named_choice(advice, asked.filesystem)
    )
    site = site_of(machine, drives[0], recordings[0], profile, room or None)
    return wish_with_options(choice, profile, asked, site, phrases, None)


def put_as_asked(wish: Wish, drive: Drive, asked: Request, usual: Usual, others: Sequence[Wish] = ()) -> Wish:
    """The wish with the writer and the place of its request. Raises as `put_to_use` does."""
    writer = None if asked.writable is None else writer_named(asked.writable)
    return put_to_use(wish, drive, usual, others, writer=writer, place=asked.mount_point)
