"""Convert advice for an existing filesystem to changes, each with exact old and new values."""

from collections.abc import Set
from pathlib import PurePosixPath

from msgspec import Struct

from wizard.advice.existing import (
    ACCESS_TIME,
    STARTS_ALL_THE_SAME,
    Existing,
    Tuning,
    line_with,
    udev_match,
    udev_rule,
    values_in,
)
from wizard.model.geometry import Identity
from wizard.model.requests import Tune
from wizard.model.said import Message, Sentence, t
from wizard.operations import mounts, settings
from wizard.operations.fstab import LineEdit, edit_of
from wizard.operations.operation import Context, Setting
from wizard.plan.changes import Changes
from wizard.plan.plan import steps_of

ROOT_ONLY = t("Only root can read the number of blocks reserved for root, so that number remains unchanged.")
"""Doubt for unprivileged users."""


class Superblock(Struct, frozen=True):
    """Block counts in an ext superblock: total and reserved for root, in blocks of `block_bytes`."""

    blocks: int
    reserved_blocks: int
    block_bytes: int


class CurrentSettings(Struct, frozen=True):
    """Current settings to be changed. None means unreadable.

    `fstab` and `fstab_text`: path and text. `line`: line number of the filesystem. `rules`: folder of udev
    rules. `rules_text`: content of the drive's own rules file. `queue`: queue values of the drive. `mounted`:
    generic mount options in use at the place of that line, or at any place without a line; None if not
    mounted. `elsewhere`: mount points of further lines, as with Btrfs.
    """

    fstab: str
    fstab_text: str
    line: int | None
    rules: str | None
    rules_text: str | None
    queue: tuple[tuple[str, str], ...]
    superblock: Superblock | None
    mounted: tuple[str, ...] | None
    elsewhere: tuple[str, ...] = ()


def make_changes(
    drive: Identity, existing: Existing, uuid: str, workload: str, tuning: Tuning, found: CurrentSettings
) -> Changes:
    """Return the changes, without steps if no change is needed or possible."""
    operations: list[Setting] = []
    doubts: list[Message | str] = []
    if tuning.reserved_percent is not None:
        if (held := found.superblock) is None:
            doubts.append(ROOT_ONLY)
        elif (new := held.blocks * tuning.reserved_percent // 100) < (old := held.reserved_blocks):
            operations.append(settings.ReserveBlocks(existing.device, old, new, held.block_bytes))
    if tuning.options is not None and found.line is not None:
        set_options(existing, tuning.options, found, operations, doubts)
    _queue(drive, tuning, found, operations, doubts)
    if tuning.trims:
        operations.append(settings.SwitchOnTimer())
    reasons = tuple(
        f"{change.what}: {change.why}{f' ({change.source})' if change.source else ''}"
        for change in tuning.changes
    )
    steps = steps_of(operations, Context(drive))
    return Changes(
        drive, existing.device, existing.filesystem, uuid, Tune(workload), steps, reasons, tuple(doubts)
    )


def set_options(
    existing: Existing,
    options: tuple[str, ...],
    found: CurrentSettings,
    operations: list[Setting],
    doubts: list[Message | str],
    in_use: Set[str] = mounts.TUNED,
) -> None:
    """Append operations that change the options of mount and line, and doubts about later effects. `in_use`:
    options that can be changed while in use."""
    number = found.line or 0
    old = found.fstab_text.split("\n")[number - 1]
    if found.fstab_text.split("\n").count(old) != 1:
        twice = Sentence(
            "{file} has the line of {device} twice, so the line remains unchanged; fix this first."
        )
        doubts.append(twice(file=found.fstab, device=existing.device))
        return
    at_boot = {*(existing.at_boot or ())}
    if STARTS_ALL_THE_SAME & at_boot and not STARTS_ALL_THE_SAME & {*options}:
        doubts.append(
            t("Without nofail, the next boot may stop if {device} is missing.", device=existing.device)
        )
    changed = sorted({*options} ^ at_boot - {"defaults"})
    now = _remount(existing, options, found, in_use)
    if now is not None:
        operations.append(now)
    edit = LineEdit(number, old, line_with(old, options))
    operations.append(edit_of(found.fstab, found.fstab_text, edit))
    held = found.mounted or ()
    waits = [word for word in changed if found.mounted is None or (word in held) is not (word in options)]
    later = [word for word in changed if word not in in_use | ACCESS_TIME or (now is None and word in waits)]
    if found.elsewhere:
        more = t(
            "{file} also has lines for {device} at {places:and}, which remain unchanged.",
            file=found.fstab,
            device=existing.device,
            places=found.elsewhere,
        )
        doubts.append(more)
    if later:
        names = tuple(dict.fromkeys(option.partition("=")[0] for option in later))
        doubts.append(t("The change to {options:and} takes effect at the next mount.", options=names))


def _remount(
    existing: Existing, options: tuple[str, ...], found: CurrentSettings, in_use: Set[str]
) -> mounts.Remount | None:
    """Return the remount with new options that can be changed in use. None if nothing changes or remounting
    is not safe."""
    if (
        found.mounted is None
        or existing.mount_point is None
        or existing.filesystem not in mounts.REMOUNTING
        or "rw" not in found.mounted
    ):
        return None
    wanted = [word for word in options if word in in_use]
    # Options removed from the line are dropped, and access time returns to the kernel's default.
    dropped = {*(existing.at_boot or ())} & in_use - {*options}
    if dropped & ACCESS_TIME and not ACCESS_TIME & {*wanted}:
        wanted.append("relatime")
    removed = dropped | (ACCESS_TIME if ACCESS_TIME & {*wanted} else frozenset())
    kept = tuple(word for word in found.mounted if word not in removed)
    new = (*kept, *(word for word in wanted if word not in kept))
    if {*new} == {*found.mounted}:
        return None
    return mounts.Remount(existing.device, existing.mount_point, found.mounted, new)


def _queue(
    drive: Identity,
    tuning: Tuning,
    found: CurrentSettings,
    operations: list[Setting],
    doubts: list[Message | str],
) -> None:
    """Append operations for the current values and the rules for every boot. Rules written by others are left
    alone."""
    if not tuning.queue:
        return
    now = dict(found.queue)
    operations += [
        settings.SetQueue(drive.path, name, now[name], value)
        for name, value in tuning.queue
        if now.get(name) not in (None, value)
    ]
    if found.rules is None:
        doubts.append(
            t("No folder for udev rules was found, so the current settings last only until the next boot.")
        )
        return
    file = str(PurePosixPath(found.rules) / settings.rules_name(drive))
    old = values_in(found.rules_text or "")
    if found.rules_text is not None and udev_rule(drive, old) != found.rules_text:
        edited = Sentence(
            "{file} was edited by hand and remains unchanged. The current settings last only until the next "
            "boot."
        )
        doubts.append(edited(file=file))
        return
    values = tuple({**dict(old), **dict(tuning.queue)}.items())
    if values != old:
        operations.append(settings.WriteRules(file, values, found.rules_text))
    if not udev_match(drive):
        doubts.append(
            t(
                "{drive} reports no serial number for the udev rule, which uses the device "
                "name instead. That name can change.",
                drive=drive,
            )
        )
