"""Living beside programs that mount whatever appears: a desktop's automounter, udev rules, systemd.

What happens on a machine with udev. While a run holds the lock on the whole drive, udev takes up none of its
events (systemd, src/udev/udev-worker.c: a shared lock that must not wait), so what listens to udev hears of
nothing, and cannot disturb the verification. When the lock goes, everything is told at once and late, in the
order in which it happened: that the old partitions were removed, too, by the names that the new ones have
now. Whoever unmounts what was removed then unmounts the new volume: it was seen under a real udev, and
systemd itself did so, until it bound only those mounts to their device that ask for it (its pull request
2017; systemd.mount(5), x-systemd.device-bound). Therefore the lock is lent to udev right after a table was
written, when nothing is formatted or mounted yet, and what comes at the end are changes alone.

In the moment of lending, an older filesystem can show through in a new partition, and a kept one seems to be
plugged in. A rule in /run, which is gone after a restart, asks desktops to keep their hands off this drive's
partitions for that moment (UDISKS_IGNORE, udisks(8), a hint that automounters heed); udev is told to look
again when the moment is over.

Programs that do not listen to udev but look by themselves can mount a new filesystem as soon as it is made.
One that bears the UUID that was drawn for it, and is mounted elsewhere than planned, is unmounted, never by
force, and then looked at or mounted once more; it is never made anew. Whatever else is mounted meanwhile is
somebody's: then the run fails.

What remains in doubt: a program that mounts again and again, or does so in a mount namespace of its own,
makes a step fail; the journal says what is in use. A udev that gives up on a locked drive after some minutes
(EVENT_RETRY_TIMEOUT_USEC in its source) loses changes, but does not tell them in another order. After the run
a volume that was unmounted is mounted again once; what systemd does even later than udev's last event is not
waited for.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wizard.apply.block.devices import SYS_BLOCK
from wizard.apply.block.unseen import heed, ignore
from wizard.apply.plan.guard import own_nodes
from wizard.apply.run.begin import settle, udev_runs
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.run.journal import Journal
from wizard.apply.steps.mount import mount_checked
from wizard.apply.steps.readback import recognised_differences, signatures_on
from wizard.apply.steps.step_context import Site, told_in
from wizard.apply.steps.targets import check_target
from wizard.apply.system.mounts import Mounted, is_mounted, mounted_at, read_mounts
from wizard.layout.rehearsed import array_node
from wizard.model.errors import DiskwrightError, Failed
from wizard.model.journal import Event
from wizard.model.names import printable
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import Mount, Plan
from wizard.model.said import Sentence, t
from wizard.probe.host.sysfs import name_of

BUSY = Sentence("Another program mounted {device} at {place} while the run was at work:")
NOT_AGAIN = Sentence("{place} was unmounted by another program, and could not be mounted again:")

MOMENT = "partitions"
"""What the rule is about that udev has while a partition table is changed."""


@contextmanager
def unseen(plan: Plan) -> Iterator[None]:
    """While this lasts, udev tells automounters to leave the partitions of the plan's drives alone, old and
    new ones.

    At its end udev has to look at them once more, which it does when no drive is locked: nothing said for the
    moment outlives the run.
    """
    nodes = [node for member in plan.members for node in own_nodes(member)[1:]]
    names = sorted({name_of(node) for node in ([plan.part_path] if plan.part else nodes)})
    # What is not ready mdadm's rules do not put together: that is done by the run, by the planned number.
    alone = 'ENV{UDISKS_IGNORE}="1"' + (', ENV{SYSTEMD_READY}="0"' if array_node(plan) else "")
    with suppress(OSError):
        ignore(MOMENT, [f'SUBSYSTEM=="block", KERNEL=="{name}", {alone}' for name in names])
    try:
        yield
    finally:
        heed(MOMENT)
        for name in names:
            with suppress(OSError):
                (SYS_BLOCK / name / "uevent").write_text("change")


def strangers(plan: Plan) -> tuple[tuple[Mounted, MakeFilesystem], ...]:
    """What is mounted, elsewhere than the plan says, of devices on which it makes a filesystem; the last
    first."""
    makes = [step.operation for step in plan.steps if isinstance(step.operation, MakeFilesystem)]
    planned = {step.operation.mount_point for step in plan.steps if isinstance(step.operation, Mount)}
    there = [entry for entry in reversed(read_mounts()) if entry.mount_point not in planned]
    return tuple(
        (entry, make) for entry in there for make in makes if entry.source in (make.device, *make.others)
    )


def let_go(site: Site) -> bool:
    """Unmount what others have mounted of the filesystems that this run made; whether there was any. Raises
    Failed where one is in use."""
    found = [entry for entry, make in strangers(site.plan) if _is_ours(make, site)]
    for entry in found:
        place = printable(entry.mount_point, 200)
        # umount takes away what is mounted last at a place, and that can be another's.
        if (top := mounted_at(entry.mount_point)) and top.source != entry.source:
            raise Failed(
                t(
                    "Another program mounted {device} at {place}, where {other} hides it: "
                    "nothing was unmounted.",
                    device=entry.source,
                    place=place,
                    other=printable(top.source),
                )
            )
        try:
            site.command(["umount", entry.mount_point])
        except Failed as error:
            raise Failed(f"{BUSY(device=entry.source, place=place)} {error}") from None
        said = t(
            "Another program had mounted {device} at {place}; it was unmounted, to be done as planned.",
            device=entry.source,
            place=place,
        )
        site.journal.add(Event.COMMAND, str(said), step=site.step)
    return bool(found)


def _is_ours(make: MakeFilesystem, site: Site) -> bool:
    """Whether a device bears the filesystem with the UUID that was drawn for it. Whatever else is mounted
    from it is somebody's data."""
    with suppress(DiskwrightError):
        seen = signatures_on(make.device, site.plan, site.seconds)
        return not recognised_differences(seen, make.filesystem, make.uuid, make.label)
    return False


def stand(plan: Plan, journal: Journal) -> str | None:
    """Once the drives are free: wait for what udev put off, and mount again what was unmounted meanwhile;
    else a sentence of failure."""
    if not udev_runs():
        return None
    settle()
    mounts = [step.operation for step in plan.steps if isinstance(step.operation, Mount)]
    for one in mounts:
        if not is_mounted(one):
            _mount_again(plan, one, journal)
    if lost := [one for one in mounts if not is_mounted(one)]:
        return str(
            t(
                "Every check held, but another program unmounted {places:list} as soon as "
                "the drive was free, and again.",
                places=tuple(printable(one.mount_point, 200) for one in lost),
            )
        )
    return None


def _mount_again(plan: Plan, one: Mount, journal: Journal) -> None:
    """Mount it unless its device has become another; the journal says how that ended."""
    place = printable(one.mount_point, 200)
    try:
        check_target(plan, one, LOOK_SECONDS)
        mount_checked(one, told_in(journal))
    except Failed as error:
        journal.add(Event.COMMAND, f"{NOT_AGAIN(place=place)} {error}")
    else:
        journal.add(
            Event.COMMAND,
            str(
                t(
                    "{place} was unmounted by another program when the drive was free; mounted again.",
                    place=place,
                )
            ),
        )
