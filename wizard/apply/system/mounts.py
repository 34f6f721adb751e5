"""Read mounts and compare their options with the plan. Comparisons are pure."""

import os
import re
from contextlib import suppress
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from wizard.apply.block.devices import SYS_BLOCK, device_number, kernel_name
from wizard.apply.run.backup_store import OWN_FSTAB
from wizard.apply.run.process import refused
from wizard.apply.system.fstab import read_lines
from wizard.filesystems.registry import mounted_as
from wizard.model.errors import BadInput
from wizard.model.run import differences
from wizard.model.said import Message, Sentence, parse_size, t
from wizard.operations.mounts import ACCESS_TIME, Mount, mounted_subvolume
from wizard.plan.request.using import PLACES, Usual
from wizard.probe.host import environment
from wizard.probe.host.sysfs import Mounted, mounts_in, swaps_in, text

MOUNTINFO = Path("/proc/self/mountinfo")
MAPPED = re.compile(r"/dev/(dm-\d+)")

NOT_THE_KERNELS = frozenset({"defaults", "auto", "noauto", "nofail", "nouser", "_netdev", "rw"})
"""The kernel never sees these. `rw` is checked by the opposite."""


def read_mounts() -> tuple[Mounted, ...]:
    """Return the visible mounts. Mapped devices have their device-mapper names."""
    found = mounts_in(MOUNTINFO.read_text(errors="replace"))
    return tuple(replace(one, source=_named(one.source)) for one in found)


def _named(source: str) -> str:
    """Btrfs reports the node by which it was found first, which can be /dev/dm-2."""
    node = MAPPED.fullmatch(source)
    name = text(SYS_BLOCK / node[1] / "dm/name") if node else None
    return f"/dev/mapper/{name}" if name else source


def mounted_at(place: str) -> Mounted | None:
    """Return the topmost mount."""
    return next((entry for entry in reversed(read_mounts()) if entry.mount_point == place), None)


def mounted_from(device: str, place: str) -> Mounted | None:
    """Return the topmost mount if it is of this device."""
    found = mounted_at(place)
    return found if found is not None and is_mount_of(found, device) else None


def is_mount_of(mounted: Mounted, device: str) -> bool:
    """Follows links. The kernel lists the root filesystem as /dev/root."""
    source = mounted.source
    if source == "/dev/root":
        return is_on(device, mounted.mount_point)
    return source.startswith("/dev/") and os.path.realpath(source) == os.path.realpath(device)


def is_on(device: str, place: str) -> bool:
    """Return True if a path is in the filesystem of this device."""
    try:
        return Path(place).stat().st_dev == Path(device).stat().st_rdev
    except OSError:
        return False


def is_mounted(operation: Mount) -> bool:
    """Return True if the device or subvolume is mounted at the place. A multi-device Btrfs is listed under
    any device."""
    found = mounted_at(operation.mount_point)
    root = f"/{mounted_subvolume(operation.options)}"
    return found is not None and _is_from(found, operation) and found.root == root


def _is_from(found: Mounted, operation: Mount) -> bool:
    """By node and current device number."""
    if found.source not in (operation.device, *operation.others):
        return False
    if found.number.startswith("0:"):
        return True
    with suppress(OSError):
        return found.number == device_number(found.source)
    return False


def mount_differences(operation: Mount) -> tuple[str, ...]:
    """Describe differences between a mount and the plan, as clauses."""
    found = mounted_at(operation.mount_point)
    if found is None:
        return (str(t("nothing is mounted there")),)
    # mountinfo omits options in effect. ext4 lists all of its own in /proc/fs/ext4.
    file = Path("/proc/fs/ext4") / kernel_name(operation.device) / "options"
    is_listed = operation.filesystem == "ext4" and file.exists()
    seen = found.options.union(file.read_text().split() if is_listed else ())
    listed = tuple(one for one in operation.options if found.type == found.filesystem or one == "ro")
    source = found.number if found.source in operation.devices else found.source
    device = [] if _is_from(found, operation) else [("device", source, operation.device)]
    differing = differences(
        (
            *device,
            ("type", found.type, operation.filesystem),
            ("folder", found.root, f"/{mounted_subvolume(operation.options)}"),
        )
    )
    return (*map(str, (*differing, *option_differences(listed, operation.filesystem, seen))),)


AGAINST = Sentence("{option} was recommended, but {other} is in effect")


def option_differences(
    advised: tuple[str, ...], filesystem: str, seen: frozenset[str]
) -> tuple[Message, ...]:
    """Return a clause for each recommended option that is not in effect or is contradicted. Pure."""
    found = []
    kind = mounted_as(filesystem)
    silent = kind.silent_options if kind else frozenset()
    for option in advised:
        if option in NOT_THE_KERNELS or option.startswith("x-"):
            continue
        if any(_matches(option, other) for other in seen):
            continue
        if against := min((other for other in seen if _contradicts(option, other)), default=""):
            found.append(AGAINST(option=option, other=against))
        elif option not in silent:
            found.append(t("{option} was recommended but is not in effect", option=option))
    if "ro" in seen and "ro" not in advised:
        found.append(AGAINST(option="rw", other="ro"))
    return tuple(found)


def _matches(option: str, seen: str) -> bool:
    """`discard` is listed as `discard=async`, and `compress=zstd` as `compress=zstd:3`."""
    key, equals, value = option.partition("=")
    seen_key, _, seen_value = seen.partition("=")
    return key == seen_key and (
        not equals
        or value == seen_value
        or seen_value.startswith(value + ":")
        or (_number(value) is not None and _number(value) == _number(seen_value))
    )


def _contradicts(option: str, seen: str) -> bool:
    """`option` matches none of the seen ones."""
    key, seen_key = (text.partition("=")[0] for text in (option, seen))
    if key in ACCESS_TIME:
        return seen_key in ACCESS_TIME
    return seen_key in (key, "no" + key) or key == "no" + seen_key


def _number(text: str) -> int | None:
    """Convert a size; `32k` equals `32768`."""
    with suppress(BadInput):
        return parse_size(text)
    return None


MOST_NAMED = 5


def users_of(place: str) -> tuple[str, ...]:
    """Return the programs with open files at a place, such as `bash (1234)`. Only root sees other users'
    programs."""
    below = f"{place.rstrip('/')}/"
    found = []
    for number in environment.pids():
        # Empty for a program that has ended or belongs to another user.
        paths = chain(environment.process_paths(number), (path for _, path in environment.opened(number)))
        if any(path == place or path.startswith(below) for path in paths):
            name = environment.name_of(number) or t("a program")
            found.append(f"{name} ({number})")
    return tuple(found)


def check_unused(place: str) -> None:
    """Raises Refused, naming the programs, if a mount is in use."""
    places = (one.mount_point for one in read_mounts())
    if below := next((one for one in places if one.startswith(f"{place.rstrip('/')}/")), None):
        raise refused(t("{below} is mounted below {place}; unmount {below} first.", below=below, place=place))
    if users := users_of(place):
        named = users[:MOST_NAMED] + ((t("others"),) if len(users) > MOST_NAMED else ())
        raise refused(
            t("{place} is in use by {users:and}. Close these programs first.", place=place, users=named)
        )


def usual_places() -> str:
    """Return the default folder for mount points: $DISKWRIGHT_PLACES or /srv, resolved."""
    return str(Path(os.environ.get("DISKWRIGHT_PLACES") or PLACES).resolve())


def usual_here(fstab: Path = OWN_FSTAB, places: Path | None = None) -> Usual:
    """Return the calling user and the default mount points, in `places` or the default folder."""
    folder = str(places or usual_places())
    return Usual(environment.caller(), folder, taken_places(folder, fstab), _fixed_fstab(fstab))


def taken_places(places: str, fstab: Path = OWN_FSTAB) -> frozenset[str]:
    """Return current mount points, those in fstab, and entries of `places` other than empty folders.
    Unreadable files are checked again before a run."""
    taken = {one.mount_point for one in read_mounts()}
    with suppress(BadInput, OSError):
        taken |= {line.mount_point for line in read_lines(fstab)}
    with suppress(OSError):
        for entry in Path(places).iterdir():
            is_free = False
            with suppress(OSError):
                is_free = entry.is_dir() and not entry.is_symlink() and not any(entry.iterdir())
            if not is_free:
                taken.add(str(entry))
    return frozenset(taken)


def _fixed_fstab(fstab: Path = OWN_FSTAB) -> str:
    """Return fstab's path if it is on a read-only filesystem, as on NixOS; else empty."""
    real = fstab.resolve()
    try:
        return str(fstab) if os.statvfs(real.parent).f_flag & os.ST_RDONLY else ""
    except OSError:
        return ""


SWAPS = Path("/proc/swaps")


def _swaps() -> tuple[str, ...]:
    """Kernels without swap support have no /proc/swaps."""
    return swaps_in(text(SWAPS) or "")


def is_swap(device: str) -> bool:
    """Return True for an active swap device."""
    return os.path.realpath(device) in map(os.path.realpath, _swaps())


def swap_files_on(device: str) -> tuple[str, ...]:
    """Return the active swap files on the filesystem of this device."""
    return tuple(one for one in _swaps() if Path(one).is_file() and is_on(device, one))
