"""Recommend better settings for an existing filesystem, as changes with exact old and new values.

Covers mount options, I/O scheduler, read-ahead, discard and reserved blocks, with fstab lines and udev rules.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

from wizard.advice.catalogue import CatalogueOption, OptionKind, load_catalogue
from wizard.apply.settings.existing_filesystem import ExistingVolume
from wizard.apply.system.edited_file import read_text
from wizard.model.advice import Choice
from wizard.model.said import KIB, Message, Sentence, t
from wizard.operations import mounts, settings
from wizard.operations.fstab import STARTS_ALL_THE_SAME, LineEdit, edit_of, with_fields
from wizard.plan.changes import Planned

MOUNTED_WITH = Sentence("mounted with {options}")

READ_AHEAD_BYTES = 128 * KIB
"""Minimum read-ahead of the kernel by default, twice the stripe on arrays (block/blk-settings.c)."""

RESERVED_SHARE = 0.01
"""A smaller share reserved for root is not reported."""

ROOT_ONLY = t("Only root can read the number of blocks reserved for root, so that number remains unchanged.")
"""Doubt for unprivileged users."""


def _reason(what: Message | str, why: Message | str, source: Message | str = "") -> str:
    return f"{what}: {why}{f' ({source})' if source else ''}"


def tuned(used: ExistingVolume, choice: Choice, *, root: bool) -> Planned:
    """Yield better settings for the workload of `choice`, with reasons. `root`: the filesystem contains a
    system."""
    drive = used.drive
    known = [option for option in load_catalogue().values() if used.filesystem in option.filesystems]
    yield from _better_options(used, choice, known)
    values = {}
    if choice.scheduler is not None and drive.scheduler not in (None, choice.scheduler.text):
        values["scheduler"] = choice.scheduler.text
        source = _option_source(known, OptionKind.SCHEDULER, choice.scheduler.text)
        what = t(
            "scheduler {wanted} instead of {now}", wanted=choice.scheduler.text, now=drive.scheduler or ""
        )
        yield _reason(what, choice.scheduler.why, source)
    # As the kernel calculates it.
    best = drive.geometry.plausible_optimal_io_bytes if drive.geometry else None
    now, ahead = used.queue.get("read_ahead_kb", ""), max(READ_AHEAD_BYTES, 2 * (best or 0))
    if now.isdigit() and int(now) * KIB < ahead:
        values["read_ahead_kb"] = str(ahead // KIB)
        why = t(
            "The kernel reads ahead {now:exact}, less than by default. Long files are "
            "then read in small pieces.",
            now=int(now) * KIB,
        )
        what = t("read-ahead of {wanted:exact}", wanted=ahead)
        yield _reason(what, why, "kernel source, block/blk-settings.c")
    if values:
        yield from set_queue(used, values)
    if drive.discards and drive.rotational is False and used.trims_weekly is False:
        why = t("The drive supports discard, but no weekly job reports unused blocks to the drive.")
        yield _reason(t("fstrim.timer enabled"), why, "fstrim(8)")
        yield settings.SwitchOnTimer()
    if not root:
        yield from _smaller_reserve(used, choice, known)


def _better_options(used: ExistingVolume, choice: Choice, known: Sequence[CatalogueOption]) -> Planned:
    if used.line is None:
        return
    drive, kept, reasons = used.drive, list(used.line.options), []
    for option in (entry for entry in known if entry.kind is OptionKind.MOUNT and entry.danger):
        for text in {option.text, *option.also} & set(kept):
            kept.remove(text)
            reasons.append(_reason(t("mounted without {option}", option=text), option.never, option.source))
    for advised in choice.mount:
        if advised.text in kept:
            continue
        kept = [text for text in kept if not _replaces(text, advised.text)]
        kept.append(advised.text)
        what = MOUNTED_WITH(options=advised.text)
        source = _option_source(known, OptionKind.MOUNT, advised.text)
        reasons.append(_reason(what, _with_risk(advised.why, advised.risk), source))
    if drive.is_often_unplugged and not drive.runs_system and not STARTS_ALL_THE_SAME & {*kept}:
        kept.append("nofail")
        reasons.append(
            _reason(
                MOUNTED_WITH(options="nofail"),
                t("The drive is removable. Without nofail, the boot may stop if the drive is missing."),
                "systemd.mount(5)",
            )
        )
    if reasons:
        yield from reasons
        yield from set_options(used, tuple(text for text in kept if text != "defaults") or ("defaults",))


def _replaces(text: str, advised: str) -> bool:
    """Return True if an option is replaced by the recommended one because both set the same thing."""
    if advised in mounts.ACCESS_TIME:
        return text in mounts.ACCESS_TIME or (advised == "noatime" and text == "nodiratime")
    return text.partition("=")[0] == advised.partition("=")[0]


def _with_risk(why: Message | str, risk: Message | str) -> str | Message:
    return t("{why} Risk: {risk}", why=why, risk=risk) if risk else why


def _option_source(known: Iterable[CatalogueOption], kind: OptionKind, text: str) -> Message | str:
    return next((option.source for option in known if option.kind is kind and option.text == text), "")


def _smaller_reserve(used: ExistingVolume, choice: Choice, known: Sequence[CatalogueOption]) -> Planned:
    size, reserved = used.size_bytes, used.reserved_bytes
    share = 0 if any(option.text == "-m 0" for option in choice.mkfs) else 1
    option = next(
        (entry for entry in known if entry.kind is OptionKind.TUNE and entry.text == f"tune2fs -m {share}"),
        None,
    )
    if not size or not reserved or reserved <= RESERVED_SHARE * size or option is None:
        return
    why = t("{size:size} reserved for root. {why}", size=reserved, why=_with_risk(option.why, option.risk))
    yield _reason(t("root reserve: {percent} %", percent=share), why, option.source)
    yield from set_reserve(used, share)


def set_reserve(used: ExistingVolume, percent: int) -> Planned:
    """Yield the operation that reserves fewer blocks for root, or a doubt without root access."""
    if (ext := used.ext) is None:
        yield ROOT_ONLY
    elif (new := ext.blocks * percent // 100) < ext.reserved_blocks:
        yield settings.ReserveBlocks(used.device, ext.reserved_blocks, new, ext.block_bytes)


def set_options(used: ExistingVolume, options: tuple[str, ...], in_use: Set[str] = mounts.TUNED) -> Planned:
    """Yield operations that change the options of mount and line, and doubts about later effects. `in_use`:
    options that can be changed while in use."""
    line, file = used.line, used.fstab
    assert line is not None
    if used.fstab_text.split("\n").count(line.text) != 1:
        yield t(
            "{file} has the line of {device} twice, so the line remains unchanged; fix this first.",
            file=file,
            device=used.device,
        )
        return
    at_boot = {*line.options}
    if STARTS_ALL_THE_SAME & at_boot and not STARTS_ALL_THE_SAME & {*options}:
        yield t("Without nofail, the boot may stop if the device is missing.")
    now = _remount(used, at_boot, options, in_use)
    if now is not None:
        yield now
    new = with_fields(line.text, {3: ",".join(options)})
    yield edit_of(file, used.fstab_text, LineEdit(line.number, line.text, new))
    if elsewhere := tuple(other.mount_point for other in used.lines if other is not line):
        yield t(
            "{file} also has lines for {device} at {places:and}, which remain unchanged.",
            file=file,
            device=used.device,
            places=elsewhere,
        )
    held = used.mounted or ()
    later = [
        word.partition("=")[0]
        for word in sorted({*options} ^ at_boot - {"defaults"})
        if word not in in_use | mounts.ACCESS_TIME
        or (now is None and (used.mounted is None or (word in held) is not (word in options)))
    ]
    if later:
        names = tuple(dict.fromkeys(later))
        yield t("The change to {options:and} takes effect at the next mount.", options=names)


def _remount(
    used: ExistingVolume, at_boot: Set[str], options: Sequence[str], in_use: Set[str]
) -> mounts.Remount | None:
    """Return the remount with new options that can be changed in use. None if nothing changes or remounting
    is not safe."""
    held, times = used.mounted, mounts.ACCESS_TIME
    if held is None or used.filesystem not in mounts.REMOUNTING or "rw" not in held:
        return None
    assert used.mount_point is not None
    wanted = [word for word in options if word in in_use]
    # Options removed from the line are dropped, and access time returns to the kernel's default.
    dropped = at_boot & in_use - {*options}
    if dropped & times and not times & {*wanted}:
        wanted.append("relatime")
    removed = dropped | (times if times & {*wanted} else frozenset())
    kept = tuple(word for word in held if word not in removed)
    new = (*kept, *(word for word in wanted if word not in kept))
    return mounts.Remount(used.device, used.mount_point, held, new) if {*new} != {*held} else None


def set_queue(used: ExistingVolume, values: Mapping[str, str]) -> Planned:
    """Yield operations for the current queue values and the rules for every boot. Rules written by others
    are left alone."""
    drive, folder = used.identity, used.environment.rules
    for name, value in values.items():
        yield settings.SetQueue(drive.path, name, used.queue[name], value)
    if not folder.is_dir():
        yield t("No folder for udev rules was found, so the current settings last only until the next boot.")
        return
    file = folder / settings.rules_name(drive)
    text = read_text(file) if file.exists() else None
    old = settings.values_in(text or "")
    if text is not None and settings.udev_rule(drive, old) != text:
        yield t(
            "{file} was edited by hand and remains unchanged. The current settings last only until the next "
            "boot.",
            file=file,
        )
        return
    new = tuple({**dict(old), **values}.items())
    if new != old:
        yield settings.WriteRules(str(file), new, text)
    if not settings.udev_match(drive):
        yield t(
            "{drive} reports no serial number for the udev rule, which uses the device "
            "name instead. That name can change.",
            drive=drive,
        )
