"""Convert advice for a filesystem to changes with exact old and new values, and their document."""

from collections.abc import Iterable, Iterator, Set
from pathlib import PurePosixPath

from msgspec.structs import replace

from wizard.advice import existing
from wizard.documents import codec
from wizard.filesystems.kind import WRITTEN_UUIDS
from wizard.filesystems.registry import KINDS
from wizard.model import requests
from wizard.model.geometry import Identity
from wizard.model.said import Message, t
from wizard.operations import mounts, rules, settings
from wizard.operations.fstab import LineEdit, edit_of
from wizard.operations.operation import Context, Setting
from wizard.plan.changes import Changes
from wizard.plan.plan import steps_of

ROOT_ONLY = t("Only root can read the number of blocks reserved for root, so that number remains unchanged.")
"""Doubt for unprivileged users."""


RESERVED = "Reserved block count"
"""Name of the number of blocks reserved for root, in dumpe2fs."""


class CurrentSettings(existing.Existing, frozen=True, kw_only=True):
    """A filesystem with the current settings to be changed. None means unreadable.

    `uuid`: may be empty. `fstab` and `fstab_text`: path and text. `line`: line number of the filesystem.
    `superblock`: values of dumpe2fs, by name. `rules`: folder of udev rules. `rules_text`: content of the
    drive's own rules file. `queue`: queue values of the drive. `mounted`: generic mount options in use at the
    place of that line, or at any place without a line; None if not mounted. `elsewhere`: mount points of
    further lines, as with Btrfs.
    """

    uuid: str
    fstab: str
    fstab_text: str
    line: int | None
    rules: str | None
    rules_text: str | None
    queue: tuple[tuple[str, str], ...]
    superblock: dict[str, str] | None
    mounted: tuple[str, ...] | None
    elsewhere: tuple[str, ...] = ()


Planned = Iterator[Setting | Message | str]
"""Operations of a document, doubts about them as messages, and reasons as text."""


def changes_of(
    drive: Identity,
    place: tuple[str, str, str],
    wanted: requests.Wanted,
    planned: Iterable[Setting | Message | str],
) -> Changes:
    """Return the document. `place` is the device, and the type and UUID of its content or empty strings."""
    found = tuple(planned)
    operations = sorted((one for one in found if isinstance(one, Setting)), key=lambda one: one.turn)
    doubts = tuple(one for one in found if isinstance(one, Message))
    reasons = tuple(one for one in found if isinstance(one, str))
    return Changes(drive, *place, wanted, steps_of(operations, Context(drive)), reasons, doubts)


def tuned(drive: Identity, tuning: existing.Tuning, found: CurrentSettings) -> Planned:
    """Yield the suggested settings that differ, with reasons; no settings if no change is needed or
    possible."""
    yield from tuning.reasons
    if tuning.reserved_percent is not None:
        if (held := found.superblock) is None:
            yield ROOT_ONLY
        else:
            old, new = int(held[RESERVED]), int(held["Block count"]) * tuning.reserved_percent // 100
            if new < old:
                yield settings.ReserveBlocks(found.device, old, new, int(held["Block size"]))
    if tuning.options is not None and found.line is not None:
        yield from set_options(found, tuning.options)
    if tuning.queue:
        yield from _queue(drive, tuning, found)
    if tuning.trims:
        yield settings.SwitchOnTimer()


def set_options(found: CurrentSettings, options: tuple[str, ...], in_use: Set[str] = mounts.TUNED) -> Planned:
    """Yield operations that change the options of mount and line, and doubts about later effects. `in_use`:
    options that can be changed while in use."""
    number = found.line or 0
    old = found.fstab_text.split("\n")[number - 1]
    if found.fstab_text.split("\n").count(old) != 1:
        yield t(
            "{file} has the line of {device} twice, so the line remains unchanged; fix this first.",
            file=found.fstab,
            device=found.device,
        )
        return
    at_boot = {*(found.at_boot or ())}
    if existing.STARTS_ALL_THE_SAME & at_boot and not existing.STARTS_ALL_THE_SAME & {*options}:
        yield t("Without nofail, the boot may stop if the device is missing.")
    changed = sorted({*options} ^ at_boot - {"defaults"})
    now = _remount(found, options, in_use)
    if now is not None:
        yield now
    yield edit_of(found.fstab, found.fstab_text, LineEdit(number, old, existing.line_with(old, options)))
    held = found.mounted or ()
    waits = [word for word in changed if found.mounted is None or (word in held) is not (word in options)]
    later = [
        word
        for word in changed
        if word not in in_use | existing.ACCESS_TIME or (now is None and word in waits)
    ]
    if found.elsewhere:
        yield t(
            "{file} also has lines for {device} at {places:and}, which remain unchanged.",
            file=found.fstab,
            device=found.device,
            places=found.elsewhere,
        )
    if later:
        names = tuple(dict.fromkeys(option.partition("=")[0] for option in later))
        yield t("The change to {options:and} takes effect at the next mount.", options=names)


def _remount(found: CurrentSettings, options: tuple[str, ...], in_use: Set[str]) -> mounts.Remount | None:
    """Return the remount with new options that can be changed in use. None if nothing changes or remounting
    is not safe."""
    if (
        found.mounted is None
        or found.mount_point is None
        or found.filesystem not in mounts.REMOUNTING
        or "rw" not in found.mounted
    ):
        return None
    wanted = [word for word in options if word in in_use]
    # Options removed from the line are dropped, and access time returns to the kernel's default.
    dropped = {*(found.at_boot or ())} & in_use - {*options}
    if dropped & existing.ACCESS_TIME and not existing.ACCESS_TIME & {*wanted}:
        wanted.append("relatime")
    removed = dropped | (existing.ACCESS_TIME if existing.ACCESS_TIME & {*wanted} else frozenset())
    kept = tuple(word for word in found.mounted if word not in removed)
    new = (*kept, *(word for word in wanted if word not in kept))
    if {*new} == {*found.mounted}:
        return None
    return mounts.Remount(found.device, found.mount_point, found.mounted, new)


def _queue(drive: Identity, tuning: existing.Tuning, found: CurrentSettings) -> Planned:
    """Yield operations for the current values and the rules for every boot. Rules written by others are left
    alone."""
    now = dict(found.queue)
    for name, value in tuning.queue:
        if now.get(name) not in (None, value):
            yield settings.SetQueue(drive.path, name, now[name], value)
    if found.rules is None:
        yield t("No folder for udev rules was found, so the current settings last only until the next boot.")
        return
    file = str(PurePosixPath(found.rules) / settings.rules_name(drive))
    old = existing.values_in(found.rules_text or "")
    if found.rules_text is not None and existing.udev_rule(drive, old) != found.rules_text:
        yield t(
            "{file} was edited by hand and remains unchanged. The current settings last only until the next "
            "boot.",
            file=file,
        )
        return
    values = tuple({**dict(old), **dict(tuning.queue)}.items())
    if values != old:
        yield settings.WriteRules(file, values, found.rules_text)
    if not existing.udev_match(drive):
        yield t(
            "{drive} reports no serial number for the udev rule, which uses the device "
            "name instead. That name can change.",
            drive=drive,
        )


def _faults(changes: Changes) -> Iterator[str]:
    yield from rules.drive_faults(changes.drive)
    if not rules.is_device_path(changes.device) or changes.device not in {
        changes.drive.path,
        *changes.partitions,
    }:
        yield "device"
    yield from _request_faults(changes)
    turns = [one.turn for one in changes.settings]
    names = {(type(one), one.once) for one in changes.settings}
    if (
        not changes.steps
        or not all(type(changes.wanted) in one.requests for one in changes.settings)
        or turns != sorted(turns)
        or len(names) != len(changes.steps)
    ):
        yield "steps"
    yield from (
        one.kind
        for one in changes.settings
        if not one.fits(changes)
        or not (one.elsewhere or getattr(one, "device", changes.device) == changes.device)
    )


def _request_faults(changes: Changes) -> Iterator[str]:
    if isinstance(changes.wanted, requests.SwitchOff | requests.Release):
        if changes.filesystem or changes.uuid or changes.device != changes.drive.path:
            yield "filesystem"
        return
    written = WRITTEN_UUIDS if isinstance(changes.wanted, requests.NewUuid) else frozenset()
    if changes.filesystem not in KINDS and changes.filesystem not in written:
        yield "filesystem"
    if changes.uuid and not rules.UUID_FORM.fullmatch(changes.uuid):
        yield "uuid"
    if isinstance(changes.wanted, requests.Tune) and not rules.is_workload_id(changes.wanted.workload):
        yield "wanted.workload"


SETTINGS = codec.Sealed(
    "diskwright.changes/2",
    Changes,
    codec.RECREATE(command="tune"),
    _faults,
    lambda changes: replace(changes, steps=steps_of(changes.settings, Context(changes.drive))),
    {"diskwright.changes/1": codec.without_texts},
)
