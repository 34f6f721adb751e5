"""From requests for one drive to its plan: advice, who may write, where it is mounted, and the planner; the
same for every command that plans from requests."""

from collections.abc import Callable, Sequence

from wizard.diagnose.diagnose import diagnose
from wizard.diagnose.patterns import load_patterns
from wizard.layout.planner import PLAIN, Mode, make_plan
from wizard.layout.wishes.using import Usual, put_to_use
from wizard.layout.wishes.wanted import wish_of
from wizard.layout.wishes.wish import Arrangement, Request, Wish
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


def put_as_asked(wish: Wish, drive: Drive, asked: Request, usual: Usual, others: Sequence[Wish] = ()) -> Wish:
    """The wish with the writer and the place of its request. Raises as `put_to_use` does."""
    writer = None if asked.writable is None else writer_named(asked.writable)
    return put_to_use(wish, drive, usual, others, writer=writer, place=asked.mount_point)
