"""Better settings for an existing filesystem.

Covers mount options, I/O scheduler, read-ahead, discard and reserved blocks, with fstab lines and udev rules.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wizard.advice.catalogue import CatalogueOption, OptionKind
from wizard.model.advice import Choice
from wizard.model.geometry import Identity, plausible_optimal_io_bytes
from wizard.model.machine import Drive
from wizard.model.said import KIB, Message, t

READ_AHEAD_BYTES = 128 * KIB
"""What the kernel reads ahead at least, unless told otherwise; on an array twice its stripe
(block/blk-settings.c)."""

RESERVED_SHARE = 0.01
"""Less than this of a volume kept for root is not worth a word."""

ACCESS_TIME = frozenset({"atime", "noatime", "relatime", "strictatime"})
_NAME = re.compile(r"[A-Za-z0-9_.:-]+")


@dataclass(frozen=True, slots=True)
class Existing:
    """A filesystem as it is found, `filesystem` by libblkid's name; what could not be read is None.

    `at_boot` are the options that fstab has for it, None without an entry; `read_ahead_bytes` the drive's;
    `reserved_bytes` what is kept for root of the `size_bytes` of a mounted one; `trims_weekly` whether
    fstrim.timer is switched on.
    """

    device: str
    filesystem: str
    size_bytes: int | None = None
    mount_point: str | None = None
    at_boot: tuple[str, ...] | None = None
    read_ahead_bytes: int | None = None
    reserved_bytes: int | None = None
    trims_weekly: bool | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One thing that could be better: what, why in sentences, and where that is from."""

    what: str
    why: Message | str
    source: Message | str = ""


@dataclass(frozen=True, slots=True)
class Tuning:
    """What would change. `options` are all that fstab would have, None where they stay; `queue` are values by
    name below /sys/block; `reserved_percent` what would be kept for root, None where that stays; `trims`
    whether fstrim.timer would be switched on.
    """

    changes: tuple[Suggestion, ...] = ()
    options: tuple[str, ...] | None = None
    queue: tuple[tuple[str, str], ...] = ()
    reserved_percent: int | None = None
    trims: bool = False


def tuning_for(
    existing: Existing, drive: Drive, choice: Choice, catalogue: Mapping[str, CatalogueOption], *, root: bool
) -> Tuning:
    """What would suit the filesystem better for the work that `choice` was made for. `root` where a system
    lives on it."""
    known = [option for option in catalogue.values() if existing.filesystem in option.filesystems]
    options, changes = _mount_options(existing, choice, known)
    queue: list[tuple[str, str]] = []
    if choice.scheduler is not None and drive.scheduler not in (None, choice.scheduler.text):
        queue.append(("scheduler", choice.scheduler.text))
        source = _source(known, OptionKind.SCHEDULER, choice.scheduler.text)
        what = t(
            "scheduler {wanted} instead of {now}", wanted=choice.scheduler.text, now=drive.scheduler or ""
        )
        changes.append(Suggestion(str(what), choice.scheduler.why, source))
    ahead = _read_ahead(drive)
    if existing.read_ahead_bytes is not None and existing.read_ahead_bytes < ahead:
        queue.append(("read_ahead_kb", str(ahead // KIB)))
        changes.append(_more_ahead(existing.read_ahead_bytes, ahead))
    trims = _trims(existing, drive)
    reserved = _reserve(existing, choice, known, root=root)
    changes += [*trims, *reserved.values()]
    return Tuning(tuple(changes), options, tuple(queue), next(iter(reserved), None), bool(trims))


def _mount_options(
    existing: Existing, choice: Choice, known: Sequence[CatalogueOption]
) -> tuple[tuple[str, ...] | None, list[Suggestion]]:
    """All options that fstab would have, None where it has none for it or they stay; and each difference."""
    if existing.at_boot is None:
        return None, []
    changes = []
    kept = list(existing.at_boot)
    for option in (entry for entry in known if entry.kind is OptionKind.MOUNT and entry.danger):
        for text in {option.text, *option.also} & set(kept):
            kept.remove(text)
            changes.append(
                Suggestion(str(t("mounted without {option}", option=text)), option.never, option.source)
            )
    for advised in choice.mount:
        if advised.text in kept:
            continue
        kept = [text for text in kept if not _says_the_same(text, advised.text)]
        kept.append(advised.text)
        what, source = (
            str(t("mounted with {option}", option=advised.text)),
            _source(known, OptionKind.MOUNT, advised.text),
        )
        changes.append(Suggestion(what, _with_risk(advised.why, advised.risk), source))
    if not changes:
        return None, []
    return tuple(text for text in kept if text != "defaults") or ("defaults",), changes


def _says_the_same(text: str, advised: str) -> bool:
    """Whether an option speaks of what the advised one speaks of, and so gives way."""
    if advised in ACCESS_TIME:
        return text in ACCESS_TIME or (advised == "noatime" and text == "nodiratime")
    return text.partition("=")[0] == advised.partition("=")[0]


def _with_risk(why: Message | str, risk: Message | str) -> str | Message:
    return t("{why} Risk: {risk}", why=why, risk=risk) if risk else why


def _source(known: Iterable[CatalogueOption], kind: OptionKind, text: str) -> Message | str:
    return next((option.source for option in known if option.kind is kind and option.text == text), "")


def _read_ahead(drive: Drive) -> int:
    """As the kernel would, from an optimal I/O size that can be meant."""
    best = plausible_optimal_io_bytes(drive.geometry) if drive.geometry else None
    return max(READ_AHEAD_BYTES, 2 * (best or 0))


def _more_ahead(now: int, wanted: int) -> Suggestion:
    what, why = (
        t("read-ahead of {wanted:exact}", wanted=wanted),
        t(
            "The kernel reads ahead {now:exact}, less than by default. Long files are "
            "then read in small pieces.",
            now=now,
        ),
    )
    return Suggestion(str(what), str(why), "kernel source, block/blk-settings.c")


def _trims(existing: Existing, drive: Drive) -> tuple[Suggestion, ...]:
    takes = drive.discard is not None and drive.discard.maximum_bytes > 0
    if not takes or drive.rotational is not False or existing.trims_weekly is not False:
        return ()
    return (
        Suggestion(
            str(t("fstrim.timer enabled")),
            str(t("The drive supports discard, but no weekly job reports unused blocks to the drive.")),
            "fstrim(8)",
        ),
    )


def _reserve(
    existing: Existing, choice: Choice, known: Sequence[CatalogueOption], *, root: bool
) -> dict[int, Suggestion]:
    """For what was made with `-m` in mind: the percent of its blocks that only root may fill; nothing where
    they stay."""
    size, held = existing.size_bytes, existing.reserved_bytes
    share = 0 if any(option.text == "-m 0" for option in choice.mkfs) else 1
    option = next(
        (entry for entry in known if entry.kind is OptionKind.TUNE and entry.text == f"tune2fs -m {share}"),
        None,
    )
    if root or not size or not held or held <= RESERVED_SHARE * size or option is None:
        return {}
    why = t("{size:size} reserved for root. {why}", size=held, why=_with_risk(option.why, option.risk))
    what = t("root reserve: 1 %") if share else t("no root reserve")
    return {share: Suggestion(str(what), why, option.source)}


def line_with(line: str, options: Sequence[str]) -> str:
    """A line of fstab with these options; every other byte as it was."""
    found = re.fullmatch(r"(\s*\S+\s+\S+\s+\S+)(\s+)(\S+)(.*)", line)
    if found is None:
        return f"{line.rstrip()} {','.join(options)}"
    return f"{found[1]}{found[2]}{','.join(options)}{found[4]}"


def udev_match(drive: Identity) -> str:
    """What udev knows the drive by and no other attached one: its serial number, else its WWN; empty where it
    has neither."""
    wwn = "ID_WWN_WITH_EXTENSION" if (drive.wwn or "").startswith("0x") else "ID_WWN"
    for key, number, shared in (
        ("ID_SERIAL_SHORT", drive.serial, drive.serial_shared),
        (wwn, drive.wwn, drive.wwn_shared),
    ):
        if number and not shared and _NAME.fullmatch(number):
            return f'ENV{{{key}}}=="{number}"'
    return ""


def udev_rule(drive: Identity, queue: Sequence[tuple[str, str]]) -> str:
    """The lines of a rules file that give the drive these values at every start; empty for none.

    One that has no number of its own is known by the kernel's name only, which can change.
    """
    if not queue:
        return ""
    known, remark = udev_match(drive), ""
    if not known:
        known = f'KERNEL=="{drive.path.removeprefix("/dev/")}"'
        remark = (
            "# The drive tells no serial number that could stand here: look whether its name has stayed the "
            "same.\n"
        )
    values = ", ".join(f'ATTR{{queue/{name}}}="{value}"' for name, value in queue)
    return f'{remark}ACTION=="add|change", SUBSYSTEM=="block", ENV{{DEVTYPE}}=="disk", {known}, {values}\n'


def values_in(rules: str) -> tuple[tuple[str, str], ...]:
    """The values of a queue that a rules file of udev sets, in order."""
    return tuple(re.findall(r'ATTR\{queue/(\w+)\}="([^"]*)"', rules))
