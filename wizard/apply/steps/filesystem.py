"""Emptying a zoned drive, making a filesystem, and looking whether it is the one that was asked for."""

from contextlib import suppress

from wizard.apply.block.devices import forget_caches, tell_kernel
from wizard.apply.steps.readback import recognised_differences, signatures_on, spread_differences
from wizard.apply.steps.step_context import Site, look_at_all
from wizard.apply.steps.wipe import kinds_of, list_signatures
from wizard.filesystems.registry import MADE
from wizard.layout.steps.commands import commands_of, wipe
from wizard.model.errors import Failed
from wizard.model.journal import Event
from wizard.model.operations.make_filesystem import MakeFilesystem
from wizard.model.plan import ResetZones, WipeSignatures
from wizard.model.said import Said, Sentence, t


def make_filesystem(operation: MakeFilesystem, site: Site) -> Said:
    """Run the program that makes it; then libblkid must see exactly this one, and its own check must find it
    clean."""
    if site.again:
        # mkfs.btrfs refuses a UUID that it finds anywhere, and an earlier process of this run may have got as
        # far as writing it.
        for device in (operation.device, *operation.others):
            again = ResetZones(device) if site.plan.after.whole else WipeSignatures(device, ())
            for argv in commands_of(again):
                site.command(argv)
    _run_makers(operation, site)
    return made_as_planned(operation, site)


def made_as_planned(operation: MakeFilesystem, site: Site) -> Said:
    """Look whether what was made is what was asked for; a sentence on it. Raises Failed."""
    devices = (operation.device, *operation.others)
    for device in devices:
        forget_caches(device)
    paths = [member.drive.path for device in devices if (member := site.plan.member(device))]
    drives = look_at_all(paths) if paths else ()
    for device in devices:
        found = signatures_on(device, site.plan, site.seconds, drives)
        if differences := recognised_differences(
            found, operation.filesystem, operation.uuid, operation.label
        ):
            raise Failed(
                t(
                    "{device} is not recognised as planned: {differences:semicolons}.",
                    device=device,
                    differences=differences,
                )
            )
    kind = MADE[operation.filesystem]
    # Before anything is mounted, the filesystem's own check can read all of it.
    if kind.clean_check:
        site.command((*kind.clean_check, operation.device))
    if differences := spread_differences(operation, site.seconds):
        raise Failed(
            t(
                "{device} is not striped as planned: {differences:semicolons}.",
                device=operation.device,
                differences=differences,
            )
        )
    made = (
        Sentence("{device} is recognised as {filesystem} with UUID {uuid}, and its own check finds it clean.")
        if kind.clean_check
        else Sentence("{device} is recognised as {filesystem} with UUID {uuid}.")
    )
    return made(device=operation.device, filesystem=operation.filesystem, uuid=operation.uuid)


def _run_makers(operation: MakeFilesystem, site: Site) -> None:
    commands = commands_of(operation)
    if MADE[operation.filesystem].uuid_follows:
        drawn = t(
            "{device} gets a UUID that {program} draws, and then the planned one.",
            device=operation.device,
            program=commands[0][0],
        )
        site.journal.add(Event.MAKING, drawn, step=site.step, command=commands[0])
    try:
        for argv in commands:
            site.command(argv)
    except Failed:
        if MADE[operation.filesystem].uuid_follows:
            # With the UUID that its maker drew it would pass for somebody else's when the run is taken up
            # again.
            with suppress(Failed):
                site.command(wipe(operation.device))
        raise


def reset_zones(operation: ResetZones, site: Site) -> Said:
    """Empty every zone, and see that nothing is recognised any more. The kernel then forgets the partitions
    that were there."""
    for argv in commands_of(operation):
        site.command(argv)
    forget_caches(operation.device)
    tell_kernel(operation.device, anew=True)
    if left := list_signatures(operation.device, site.seconds):
        raise Failed(
            t(
                "{device} still shows {kinds:list} after it was emptied.",
                device=operation.device,
                kinds=kinds_of(left),
            )
        )
    return t("Every zone of {device} is empty.", device=operation.device)
