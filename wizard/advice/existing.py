"""Better settings for an existing filesystem.

Covers mount options, I/O scheduler, read-ahead, discard and reserved blocks, with fstab lines and udev rules.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from wizard.advice.catalogue import CatalogueOption, OptionKind
from wizard.model.advice import Choice
from wizard.model.geometry import Identity
from wizard.model.machine import Drive
from wizard.model.said import KIB, Message, Sentence, t

MOUNTED_WITH = Sentence("mounted with {options}")

READ_AHEAD_BYTES = 128 * KIB
"""Minimum read-ahead of the kernel by default, twice the stripe on arrays (block/blk-settings.c)."""

RESERVED_SHARE = 0.01
"""A smaller share reserved for root is not reported."""

ACCESS_TIME = frozenset({"atime", "noatime", "relatime", "strictatime"})
STARTS_ALL_THE_SAME = frozenset({"nofail", "noauto"})
"""Options with which the boot does not wait for missing devices (systemd.mount(5), crypttab(5))."""


_NAME = re.compile(r"[A-Za-z0-9_.:-]+")


class Existing(Struct, frozen=True):
    """An existing filesystem. `filesystem` is libblkid's name. None means unreadable.

    `at_boot`: its fstab options, None without an entry. `read_ahead_bytes`: of the drive. `reserved_bytes`:
    reserved for root, of the `size_bytes` of a mounted filesystem. `trims_weekly`: fstrim.timer is enabled.
    """

    device: str
    filesystem: str
    size_bytes: int | None = None
    mount_point: str | None = None
    at_boot: tuple[str, ...] | None = None
    read_ahead_bytes: int | None = None
    reserved_bytes: int | None = None
    trims_weekly: bool | None = None


class Tuning(Struct, frozen=True):
    """Suggested settings, with `reasons`. `options`: complete fstab options, None if unchanged. `queue`:
    values by name in /sys/block. `reserved_percent`: share reserved for root, None if unchanged. `trims`:
    enable fstrim.timer."""

    reasons: tuple[str, ...] = ()
    options: tuple[str, ...] | None = None
    queue: tuple[tuple[str, str], ...] = ()
    reserved_percent: int | None = None
    trims: bool = False


def _reason(what: Message | str, why: Message | str, source: Message | str = "") -> str:
    return f"{what}: {why}{f' ({source})' if source else ''}"


def tuning_for(
    existing: Existing, drive: Drive, choice: Choice, catalogue: Mapping[str, CatalogueOption], *, root: bool
) -> Tuning:
    """Return suggested settings for a filesystem with the workload of `choice`. `root`: the filesystem
    contains a system."""
    known = [option for option in catalogue.values() if existing.filesystem in option.filesystems]
    options, reasons = _mount_options(existing, drive, choice, known)
    queue: list[tuple[str, str]] = []
    if choice.scheduler is not None and drive.scheduler not in (None, choice.scheduler.text):
        queue.append(("scheduler", choice.scheduler.text))
        source = _option_source(known, OptionKind.SCHEDULER, choice.scheduler.text)
        what = t(
            "scheduler {wanted} instead of {now}", wanted=choice.scheduler.text, now=drive.scheduler or ""
        )
        reasons.append(_reason(what, choice.scheduler.why, source))
    # As the kernel calculates it.
    best = drive.geometry.plausible_optimal_io_bytes if drive.geometry else None
    now, ahead = existing.read_ahead_bytes, max(READ_AHEAD_BYTES, 2 * (best or 0))
    if now is not None and now < ahead:
        queue.append(("read_ahead_kb", str(ahead // KIB)))
        why = t(
            "The kernel reads ahead {now:exact}, less than by default. Long files are "
            "then read in small pieces.",
            now=now,
        )
        what = t("read-ahead of {wanted:exact}", wanted=ahead)
        reasons.append(_reason(what, why, "kernel source, block/blk-settings.c"))
    trims = drive.discards and drive.rotational is False and existing.trims_weekly is False
    if trims:
        why = t("The drive supports discard, but no weekly job reports unused blocks to the drive.")
        reasons.append(_reason(t("fstrim.timer enabled"), why, "fstrim(8)"))
    reserved = _reserve(existing, choice, known, root=root)
    reasons += reserved.values()
    return Tuning(tuple(reasons), options, tuple(queue), next(iter(reserved), None), trims)


def _mount_options(
    existing: Existing, drive: Drive, choice: Choice, known: Sequence[CatalogueOption]
) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the complete fstab options, None if unchanged or without an fstab entry, and the reasons."""
    if existing.at_boot is None:
        return None, []
    reasons = []
    kept = list(existing.at_boot)
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
    if not reasons:
        return None, []
    return tuple(text for text in kept if text != "defaults") or ("defaults",), reasons


def _replaces(text: str, advised: str) -> bool:
    """Return True if an option is replaced by the recommended one because both set the same thing."""
    if advised in ACCESS_TIME:
        return text in ACCESS_TIME or (advised == "noatime" and text == "nodiratime")
    return text.partition("=")[0] == advised.partition("=")[0]


def _with_risk(why: Message | str, risk: Message | str) -> str | Message:
    return t("{why} Risk: {risk}", why=why, risk=risk) if risk else why


def _option_source(known: Iterable[CatalogueOption], kind: OptionKind, text: str) -> Message | str:
    return next((option.source for option in known if option.kind is kind and option.text == text), "")


def _reserve(
    existing: Existing, choice: Choice, known: Sequence[CatalogueOption], *, root: bool
) -> dict[int, str]:
    """Return the percentage to reserve for root with the reason, if the recommended `-m` differs. Empty
    otherwise."""
    size, reserved = existing.size_bytes, existing.reserved_bytes
    share = 0 if any(option.text == "-m 0" for option in choice.mkfs) else 1
    option = next(
        (entry for entry in known if entry.kind is OptionKind.TUNE and entry.text == f"tune2fs -m {share}"),
        None,
    )
    if root or not size or not reserved or reserved <= RESERVED_SHARE * size or option is None:
        return {}
    why = t("{size:size} reserved for root. {why}", size=reserved, why=_with_risk(option.why, option.risk))
    what = t("root reserve: {percent} %", percent=share)
    return {share: _reason(what, why, option.source)}


def line_with(line: str, options: Sequence[str]) -> str:
    """Replace the options in an fstab line, and preserve all other bytes."""
    found = re.fullmatch(r"(\s*\S+\s+\S+\s+\S+)(\s+)(\S+)(.*)", line)
    if found is None:
        return f"{line.rstrip()} {','.join(options)}"
    return f"{found[1]}{found[2]}{','.join(options)}{found[4]}"


def udev_match(drive: Identity) -> str:
    """Return a udev match that is unique among attached drives: serial number, else WWN. Empty if there is
    neither."""
    wwn = "ID_WWN_WITH_EXTENSION" if (drive.wwn or "").startswith("0x") else "ID_WWN"
    for key, number, shared in (
        ("ID_SERIAL_SHORT", drive.serial, drive.serial_shared),
        (wwn, drive.wwn, drive.wwn_shared),
    ):
        if number and not shared and _NAME.fullmatch(number):
            return f'ENV{{{key}}}=="{number}"'
    return ""


def udev_rule(drive: Identity, queue: Sequence[tuple[str, str]]) -> str:
    """Return a rules file that sets these queue values at every boot. Empty if there are none.

    A drive without a unique number is matched by kernel name, which can change.
    """
    if not queue:
        return ""
    match, remark = udev_match(drive), ""
    if not match:
        match = f'KERNEL=="{drive.path.removeprefix("/dev/")}"'
        remark = (
            "# The drive reports no serial number, so this rule matches its kernel name, which can change.\n"
        )
    values = ", ".join(f'ATTR{{queue/{name}}}="{value}"' for name, value in queue)
    return f'{remark}ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", {match}, {values}\n'


def values_in(rules: str) -> tuple[tuple[str, str], ...]:
    """Return the queue values set by a udev rules file, in order."""
    return tuple(re.findall(r'ATTR\{queue/(\w+)\}="([^"]*)"', rules))
