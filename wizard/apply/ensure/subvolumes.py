"""Whether what is mounted where a subvolume is wanted is that subvolume. Looks; nothing is written."""

from collections.abc import Iterator, Sequence

from wizard.apply.system.fstab import Line
from wizard.apply.system.mounts import read_mounts
from wizard.layout.wishes.subvolumes import subvolume_option
from wizard.model.names import printable
from wizard.model.plan import Subvolume
from wizard.model.said import Said, t


def subvolume_faults(
    subvolumes: Sequence[Subvolume], device: str, lines: Sequence[Line], file: str
) -> Iterator[Said]:
    """Each place where fstab, by these lines, or the kernel has another part of the Btrfs. What is not there
    at all is no fault here."""
    roots = {mounted.mount_point: mounted.root for mounted in read_mounts()}
    for one in subvolumes:
        if one.mount_point is None:
            continue
        place, option = printable(one.mount_point, 200), subvolume_option(one.name)
        told = {option, option.replace("=/", "=")}
        if any(line.mount_point == one.mount_point and told.isdisjoint(line.options) for line in lines):
            yield t(
                "{file} mounts {device} at {place} without the option {option}",
                device=device,
                place=place,
                option=option,
                file=file,
            )
        elif roots.get(one.mount_point, f"/{one.name}") != f"/{one.name}":
            found = printable(roots[one.mount_point], 200)
            yield t(
                "at {place}, {device} is mounted from {found} instead of {wanted}",
                device=device,
                place=place,
                found=found,
                wanted=f"/{one.name}",
            )
