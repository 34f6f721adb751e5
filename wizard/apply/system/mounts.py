"""Read mounts and compare their options with the plan. Comparisons are pure."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from psutil import pids

from wizard.apply.block.devices import SYS_BLOCK, kernel_name
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.apply.run.process import NOTHING_WRITTEN
from wizard.apply.system.edited_file import read_text
from wizard.apply.system.fstab import parse
from wizard.filesystems.registry import mounted_as
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.plan import Mount
from wizard.model.said import Message, join, t
from wizard.plan.request.subvolumes import mounted_subvolume
from wizard.plan.request.using import PLACES
from wizard.probe.host.environment import name_of, opened, stands_in
from wizard.probe.host.uses import unescaped

MOUNTINFO = Path("/proc/self/mountinfo")
MAPPED = re.compile(r"/dev/(dm-\d+)")

NOT_THE_KERNELS = frozenset({"defaults", "auto", "noauto", "nofail", "nouser", "_netdev", "rw"})
"""Options for mount(8) and for boot, which the kernel never sees; `rw` is compared by what contradicts it."""

ACCESS_TIME = frozenset({"noatime", "relatime", "strictatime", "atime"})

SHARED = frozenset({"sync", "dirsync", "mand", "lazytime"})
"""Words that mountinfo lists with the filesystem's options although they are every filesystem's
(fs/proc_namespace.c)."""


@dataclass(frozen=True, slots=True)
class Mounted:
    """One line of mountinfo. `options` are those of the mount and of the filesystem together, `own` those of
    the mount alone, `root` what of the filesystem is mounted, `number` the kernel's MAJOR:MINOR of its
    device; a major of 0 is no device, as for Btrfs.
    """

    source: str
    mount_point: str
    filesystem: str
    options: frozenset[str]
    root: str = "/"
    own: tuple[str, ...] = ()
    number: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that holds whatever the filesystem, which a remount that leaves one out takes away
        (mount(8)): `rw` only where mount and filesystem can both be written, the access time also where it is
        the one that is not listed.
        """
        kept = [word for word in self.own if word != "rw" or "ro" not in self.options]
        kept += [] if ACCESS_TIME & {*kept} else ["strictatime"]
        return (*kept, *sorted(SHARED & self.options - {*kept}))


def parse_mountinfo(text: str) -> tuple[Mounted, ...]:
    """Every mount, in order (proc(5), /proc/pid/mountinfo)."""
    found = []
    for line in text.splitlines():
        before, _, behind = line.partition(" - ")
        fields, tail = before.split(" "), behind.split(" ")
        if len(fields) < 6 or len(tail) < 3:
            continue
        options = frozenset(fields[5].split(",")) | frozenset(tail[2].split(","))
        own = tuple(fields[5].split(","))
        found.append(
            Mounted(
                unescaped(tail[1]),
                unescaped(fields[4]),
                tail[0],
                options,
                unescaped(fields[3]),
                own,
                fields[2],
            )
        )
    return tuple(found)


def read_mounts() -> tuple[Mounted, ...]:
    """Every mount that this process sees, what the device mapper made by the name that it has there."""
    found = parse_mountinfo(MOUNTINFO.read_text(errors="replace"))
    return tuple(replace(one, source=_named(one.source)) for one in found)


def _named(source: str) -> str:
    """Btrfs shows the node by which it was found first: with udev that can be /dev/dm-2."""
    if node := MAPPED.fullmatch(source):
        with suppress(OSError):
            return f"/dev/mapper/{(SYS_BLOCK / node[1] / 'dm/name').read_text().strip()}"
    return source


def mounted_at(place: str) -> Mounted | None:
    """What is mounted at a place, the topmost where there are several."""
    return next((entry for entry in reversed(read_mounts()) if entry.mount_point == place), None)


def silent_options(device: str, filesystem: str) -> frozenset[str]:
    """Options in force that mountinfo does not list; ext4 tells all of its own in /proc/fs/ext4."""
    told = Path("/proc/fs") / filesystem / kernel_name(device) / "options"
    if filesystem == "ext4" and told.exists():
        return frozenset(told.read_text().split())
    return frozenset()


def is_mounted(operation: Mount) -> bool:
    """Whether the device, or the subvolume on it, is what is mounted at the place.

    A Btrfs over several devices is shown by any one of them.
    """
    found = mounted_at(operation.mount_point)
    root = f"/{mounted_subvolume(operation.options)}"
    return found is not None and _is_from(found, operation) and found.root == root


def _is_from(found: Mounted, operation: Mount) -> bool:
    """Whether a mount is of the operation's device, by its node and by the number that the node has now."""
    if found.source not in (operation.device, *operation.others):
        return False
    if found.number.startswith("0:"):
        return True
    with suppress(OSError):
        number = Path(found.source).stat().st_rdev
        return found.number == f"{os.major(number)}:{os.minor(number)}"
    return False


def mount_differences(operation: Mount) -> tuple[str, ...]:
    """How what is mounted differs from the plan, in pieces of sentences: device, type, options."""
    found = mounted_at(operation.mount_point)
    if found is None:
        return (str(t("nothing is mounted there")),)
    differences = []
    if found.source not in (operation.device, *operation.others):
        differences.append(
            t(
                "{found} is mounted there instead of {device}",
                found=printable(found.source),
                device=operation.device,
            )
        )
    elif not _is_from(found, operation):
        differences.append(
            t(
                "device {number} is mounted there, no longer {device}",
                number=found.number,
                device=found.source,
            )
        )
    if found.filesystem != operation.filesystem:
        differences.append(
            t(
                "the type is {found}, not {filesystem}",
                found=printable(found.filesystem),
                filesystem=operation.filesystem,
            )
        )
    if found.root != (root := f"/{mounted_subvolume(operation.options)}"):
        differences.append(
            t("{found} is mounted, not {subvolume}", found=printable(found.root), subvolume=root)
        )
    seen = found.options | silent_options(operation.device, operation.filesystem)
    differences += option_differences(operation.options, operation.filesystem, seen)
    return (*map(str, differences),)


def option_differences(
    advised: tuple[str, ...], filesystem: str, seen: frozenset[str]
) -> tuple[Message, ...]:
    """A piece of a sentence for every advised option that is not in force, and for everything in force that
    contradicts one."""
    found = []
    wanted = tuple(
        option for option in advised if option not in NOT_THE_KERNELS and not option.startswith("x-")
    )
    kind = mounted_as(filesystem)
    silent = kind.silent_options if kind else frozenset()
    for option in wanted:
        against = sorted(other for other in seen if _contradicts(option, other))
        if against and not any(_is(option, other) for other in seen):
            found.append(
                t("{option} was recommended, but {other} is in effect", option=option, other=against[0])
            )
        elif not any(_is(option, other) for other in seen) and option not in silent:
            found.append(t("{option} was recommended but is not in effect", option=option))
    if "ro" in seen and "ro" not in advised:
        found.append(t("it is read-only"))
    return tuple(found)


def _is(option: str, seen: str) -> bool:
    """Whether what is listed is what was asked for: `discard` is listed as `discard=async`, `compress=zstd`
    as `compress=zstd:3`."""
    key, equals, value = option.partition("=")
    seen_key, _, seen_value = seen.partition("=")
    if option == seen:
        return True
    if key != seen_key:
        return False
    return (
        not equals
        or seen_value.startswith(value + ":")
        or (_number(value) is not None and _number(value) == _number(seen_value))
    )


def _contradicts(option: str, seen: str) -> bool:
    key, _, value = option.partition("=")
    seen_key, _, seen_value = seen.partition("=")
    if key in ACCESS_TIME:
        return seen_key in ACCESS_TIME and seen_key != key
    if key == "no" + seen_key or seen_key == "no" + key:
        return True
    return key == seen_key and value != seen_value and not _is(option, seen)


def _number(text: str) -> int | None:
    """`32k` and `32768` are the same size."""
    match = re.fullmatch(r"(\d+)([kmg]?)", text, re.IGNORECASE | re.ASCII)
    return int(match[1]) * 1024 ** " kmg".index(match[2].lower() or " ") if match else None


A_PROGRAM = t("a program")

MOST_NAMED = 5


def users_of(place: str) -> tuple[str, ...]:
    """The programs with something open at a place or below it, such as `bash (1234)`; of other people's only
    root sees all."""
    below = f"{place.rstrip('/')}/"
    return tuple(
        f"{name_of(number) or A_PROGRAM} ({number})"
        for number in pids()
        if any(path == place or path.startswith(below) for path in _open_paths(number))
    )


def check_unused(place: str) -> None:
    """Raises Refused, naming who it is, where somebody uses what is mounted at a place."""
    shown = printable(place, 200)
    below = next((one for one in read_mounts() if one.mount_point.startswith(f"{place.rstrip('/')}/")), None)
    if below is not None:
        said = t(
            "{below} is mounted below {place}; unmount {below} first.",
            below=printable(below.mount_point, 200),
            place=shown,
        )
        raise Refused(join(said, NOTHING_WRITTEN))
    if users := users_of(place):
        named = users[:MOST_NAMED] + ((t("others"),) if len(users) > MOST_NAMED else ())
        raise Refused(
            join(
                t("{place} is in use by {users:and}. Close these programs first.", place=shown, users=named),
                NOTHING_WRITTEN,
            )
        )


def _open_paths(number: int) -> Iterator[str]:
    """Nothing of a program that is gone, or another person's."""
    yield from stands_in(number)
    yield from (path for _, path in opened(number))


def usual_places() -> str:
    """The folder below which they are mounted: $DISKWRIGHT_PLACES, or /srv; where that is a link, what it
    leads to, as the kernel would list it."""
    return str(Path(os.environ.get("DISKWRIGHT_PLACES") or PLACES).resolve())


def taken_places(places: str, fstab: Path = OWN_FSTAB) -> frozenset[str]:
    """Every folder that something is mounted at, now or at boot, and whatever in `places` is more than an
    empty folder. Only looks; what cannot be read is left to the checks before a run."""
    listed: set[str] = set()
    with suppress(BadInput, OSError):
        listed = {line.mount_point for line in parse(read_text(fstab), str(fstab))}
    return frozenset({*listed, *(one.mount_point for one in read_mounts()), *_holding(Path(places))})


def fixed_fstab(fstab: Path = OWN_FSTAB) -> str:
    """The file of mounts at boot where it lies on a read-only filesystem, as in NixOS's store; else empty."""
    real = fstab.resolve()
    try:
        return str(fstab) if os.statvfs(real.parent).f_flag & os.ST_RDONLY else ""
    except OSError:
        return ""


def _holding(places: Path) -> Iterator[str]:
    try:
        found = sorted(places.iterdir())
    except OSError:
        return
    for entry in found:
        try:
            free = entry.is_dir() and not entry.is_symlink() and not any(entry.iterdir())
        except OSError:
            free = False
        if not free:
            yield str(entry)
