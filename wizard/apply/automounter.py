"""Living beside programs that mount whatever appears: a desktop's automounter, udev rules, systemd.

What happens on a machine with udev. While a run holds the lock on the whole drive, udev takes up none of its events (systemd,
src/udev/udev-worker.c: a shared lock that must not wait), so what listens to udev hears of nothing, and cannot disturb the verification.
When the lock goes, everything is told at once and late, in the order in which it happened: that the old partitions were removed, too, by
the names that the new ones have now. Whoever unmounts what was removed then unmounts the new volume: it was seen under a real udev, and
systemd itself did so, until it bound only those mounts to their device that ask for it (its pull request 2017; systemd.mount(5),
x-systemd.device-bound). Therefore the lock is lent to udev right after a table was written, when nothing is formatted or mounted yet, and
what comes at the end are changes alone.

In the moment of lending, an older filesystem can show through in a new partition, and a kept one seems to be plugged in. A rule in /run,
which is gone after a restart, asks desktops to keep their hands off this drive's partitions for that moment (UDISKS_IGNORE, udisks(8), a
hint that automounters heed); udev is told to look again when the moment is over.

Programs that do not listen to udev but look by themselves can mount a new filesystem at any time. Nothing of the drive was mounted when the
run began, so what is mounted elsewhere than planned is theirs: it is unmounted, never by force, and the step is done once more.

What remains in doubt: a program that mounts again and again, or does so in a mount namespace of its own, makes a step fail; the journal
says what is in use. A udev that gives up on a locked drive after some minutes (EVENT_RETRY_TIMEOUT_USEC in its source) loses changes, but
does not tell them in another order. After the run a volume that was unmounted is mounted again once; what systemd does even later than
udev's last event is not waited for.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from wizard.apply.guard import own_nodes
from wizard.apply.journal import Journal
from wizard.apply.mounts import Mounted, is_mounted, read_mounts
from wizard.apply.site import Site
from wizard.apply.start import settle, udev_runs
from wizard.layout.commands import commands_of
from wizard.model.errors import Failed
from wizard.model.journal import Event
from wizard.model.names import partition_path, printable
from wizard.model.plan import MakeFilesystem, Mount, Plan
from wizard.probe.sysfs import name_of
from wizard.tools.run import run

RULES = Path("/run/udev/rules.d")
RULE_NAME = "99-diskwright-{}.rules"
"""With the number of the process whose rule it is."""

SYS_BLOCK = Path("/sys/class/block")
TRIES = 4
"""How often a step is done that was disturbed."""


@contextmanager
def unseen(plan: Plan) -> Iterator[None]:
    """While this lasts, udev tells automounters to leave the partitions of the plan's drives alone, old and new ones.

    At its end udev has to look at them once more, which it does when no drive is locked: nothing said for the moment outlives the run.
    """
    names = sorted({name_of(node) for member in plan.members for node in own_nodes(member)[1:]})
    rule = RULES / RULE_NAME.format(os.getpid())
    lines = [f'SUBSYSTEM=="block", KERNEL=="{name}", ENV{{UDISKS_IGNORE}}="1"' for name in names]
    with suppress(OSError):
        RULES.mkdir(parents=True, exist_ok=True)
        rule.write_text("\n".join(["# For the moment in which a partition table is changed.", *lines, ""]))
    _reload()
    try:
        yield
    finally:
        _forget(rule)
        for name in names:
            with suppress(OSError):
                (SYS_BLOCK / name / "uevent").write_text("change")


def forget_left_rules() -> None:
    """Take away rules that processes left behind which were killed in that moment."""
    for rule in RULES.glob(RULE_NAME.format("*")):
        if not Path("/proc", rule.stem.rpartition("-")[2]).exists():
            _forget(rule)


def _forget(rule: Path) -> None:
    with suppress(OSError):
        rule.unlink()
    _reload()


def _reload() -> None:
    with suppress(Failed):
        run(["udevadm", "control", "--reload"], seconds=30)


def strangers(plan: Plan) -> tuple[Mounted, ...]:
    """What is mounted of the plan's drives and of what it makes, elsewhere than it says, the last first. Kept partitions are nobody's."""
    kept = {partition_path(member.drive.path, slot.number) for member in plan.members for slot in member.after.partitions if slot.kept}
    devices = {node for member in plan.members for node in own_nodes(member)} - kept
    devices |= {step.operation.device for step in plan.steps if isinstance(step.operation, MakeFilesystem)}
    planned = {step.operation.mount_point for step in plan.steps if isinstance(step.operation, Mount)}
    return tuple(one for one in reversed(read_mounts()) if one.source in devices and one.mount_point not in planned)


def let_go(site: Site) -> bool:
    """Unmount what others have mounted of the drives since the run began; whether there was anything. Raises Failed where it is in use."""
    found = strangers(site.plan)
    for one in found:
        place = printable(one.mount_point, 200)
        try:
            site.command(["umount", one.mount_point])
        except Failed as error:
            raise Failed(f"Another program mounted {one.source} at {place} while the run was at work: {error}") from None
        said = f"Another program had mounted {one.source} at {place}; it was unmounted, to be done as planned."
        site.journal.add(Event.COMMAND, said, step=site.step)
    return bool(found)


def stand(plan: Plan, journal: Journal) -> str | None:
    """Once the drives are free: wait for what udev put off, and mount again what was unmounted meanwhile; else a sentence of failure."""
    if not udev_runs():
        return None
    settle()
    mounts = [step.operation for step in plan.steps if isinstance(step.operation, Mount)]
    for one in mounts:
        if not is_mounted(one):
            _mount_again(one, commands_of(one), journal)
    if lost := [one for one in mounts if not is_mounted(one)]:
        places = ", ".join(printable(one.mount_point, 200) for one in lost)
        return f"Every check held, but another program unmounted {places} as soon as the drive was free, and again."
    return None


def _mount_again(one: Mount, commands: Sequence[Sequence[str]], journal: Journal) -> None:
    place = printable(one.mount_point, 200)
    for argv in commands:
        try:
            run(argv, seconds=60)
        except Failed as error:
            journal.add(Event.COMMAND, f"{place} was unmounted by another program, and could not be mounted again: {error}", command=argv)
            return
        journal.add(Event.COMMAND, f"{place} was unmounted by another program when the drive was free; mounted again.", command=argv)
