"""Whether an md array, or LVM's striped volume, is as planned: by its own tool, and by the kernel."""

import re
from collections.abc import Iterator, Sequence

from wizard.apply.block.devices import SYS_BLOCK, kernel_name
from wizard.apply.steps.arrays import array_parts
from wizard.apply.steps.lvm import Do
from wizard.layout.several.striping import layer_name, striping_of
from wizard.layout.steps.commands import array_uuid
from wizard.model.errors import Failed
from wizard.model.geometry import Geometry, misalignment_bytes, plausible_optimal_io_bytes
from wizard.model.journal import Check
from wizard.model.machine import Striping
from wizard.model.names import printable
from wizard.model.plan import Plan, Stripe
from wizard.model.said import Sentence, t
from wizard.model.units import MIB

SECTOR_BYTES = 512
"""What mdadm and the kernel count in, whatever a drive's blocks are."""


def array_checks(plan: Plan, do: Do) -> Iterator[Check]:
    """What must hold of the plan's array, by its own tool and by the kernel."""
    stripe = plan.stripe
    if stripe is None or stripe.kind == "btrfs":
        return
    yield from tool_checks(plan, do)
    striping = None if stripe.mirrors else striping_of(stripe, len(plan.members))
    geometries = [member.drive.geometry for member in plan.members]
    yield kernel_check(stripe.device, read_geometry(stripe.device), striping, geometries)


def tool_checks(plan: Plan, do: Do) -> Iterator[Check]:
    """What must hold of the plan's array by the tool that made it."""
    stripe, parts = plan.stripe, array_parts(plan)
    if stripe is None or stripe.kind == "btrfs":
        return
    if stripe.kind == "md":
        yield from _md_checks(plan, stripe, parts, do)
    else:
        yield _lvm_check(plan, stripe, len(parts), do)


def _md_checks(plan: Plan, stripe: Stripe, parts: tuple[str, ...], do: Do) -> Iterator[Check]:
    uuid = array_uuid(stripe.uuids[0])
    wanted = {"MD_LEVEL": stripe.level, "MD_DEVICES": str(len(parts)), "MD_UUID": uuid}
    seen = exported(do(("mdadm", "--detail", "--export", stripe.device)).output)
    differing = [f"{key}={seen.get(key)}" for key, value in wanted.items() if seen.get(key) != value]
    what = t(
        "mdadm finds {device} a {level} of {drives} with the planned UUID",
        device=stripe.device,
        level=stripe.level.upper(),
        drives=len(parts),
    )
    yield Check(
        str(what),
        not differing,
        "; ".join(differing) or uuid,
    )
    for member, part in zip(plan.members, parts, strict=True):
        said = do(("mdadm", "--examine", part)).output
        (slot,) = member.after.partitions
        yield part_check(part, said, stripe, slot.start_bytes, member.drive.geometry)


def part_check(part: str, said: str, stripe: Stripe, start_bytes: int, geometry: Geometry) -> Check:
    """Whether a part, which begins at that byte of its drive, is one of the planned array, with its data
    aligned, by what `mdadm --examine` said of it. Pure.
    """
    chunk, offset = examined_chunk(said), examined_offset(said)
    right = _has_uuid(said, array_uuid(stripe.uuids[0]))
    aligned = offset is not None and misalignment_bytes(geometry, start_bytes + offset) == 0
    placed = (
        Sentence("its data {offset} bytes in, aligned")
        if aligned
        else Sentence("its data {offset} bytes in, not aligned")
    )
    where = t("its data cannot be found") if offset is None else placed(offset=offset)
    if stripe.mirrors:
        bitmap = "Internal Bitmap :" in said
        seen = t("{where}, a bitmap", where=where) if bitmap else t("{where}, no bitmap", where=where)
        return Check(
            str(t("mdadm finds on {part} its part of that array, with a bitmap and aligned", part=part)),
            right and aligned and bitmap,
            str(seen),
        )
    right = right and aligned and chunk == stripe.chunk_bytes
    seen = (
        t("no chunk, {where}", where=where)
        if chunk is None
        else t("{chunk} bytes, {where}", chunk=chunk, where=where)
    )
    return Check(
        str(t("mdadm finds on {part} its part of that array, with its chunk and aligned", part=part)),
        right,
        str(seen),
    )


def _has_uuid(text: str, uuid: str) -> bool:
    return re.search(rf"Array UUID : {re.escape(uuid)}", text) is not None


def exported(text: str) -> dict[str, str]:
    """mdadm's `--export`: lines of KEY=value. Pure."""
    return dict(line.partition("=")[::2] for line in text.splitlines() if "=" in line)


def examined_chunk(text: str) -> int | None:
    """The chunk in bytes from mdadm's `Chunk Size : 512K`; None where it says none. Pure."""
    match = re.search(r"(?m)^\s*Chunk Size : (\d+)([KM]?)", text)
    return int(match[1]) * {"": 1, "K": 1024, "M": MIB}[match[2]] if match else None


def examined_offset(text: str) -> int | None:
    """How many bytes into its part the array's data begin, from mdadm's `Data Offset : 2048 sectors`; None
    where it says none. Pure."""
    match = re.search(r"(?m)^\s*Data Offset : (\d+) sectors", text)
    return int(match[1]) * SECTOR_BYTES if match else None


def _lvm_check(plan: Plan, stripe: Stripe, count: int, do: Do) -> Check:
    (volume,) = plan.volumes
    name = f"{stripe.name}/{layer_name(volume.label)}"
    options = (
        "--noheadings",
        "--nosuffix",
        "--units",
        "b",
        "--separator",
        " ",
        "--options",
        "stripes,stripe_size",
    )
    seen = do(("lvs", *options, name)).output.split()
    return Check(
        str(
            t(
                "LVM finds {name} striped over {parts}, {chunk:exact} each",
                name=name,
                parts=count,
                chunk=stripe.chunk_bytes,
            )
        ),
        seen == [str(count), str(stripe.chunk_bytes)],
        printable(" ".join(seen)),
    )


def read_geometry(node: str) -> Geometry:
    """A device's geometry by the kernel's word; raises Failed where it does not tell."""
    folder = SYS_BLOCK / kernel_name(node)
    try:
        logical, physical = (
            int((folder / "queue" / f"{name}_block_size").read_text()) for name in ("logical", "physical")
        )
        least, best = (
            int((folder / "queue" / f"{name}_io_size").read_text()) for name in ("minimum", "optimal")
        )
        return Geometry(logical, physical, int((folder / "alignment_offset").read_text()), least, best)
    except (OSError, ValueError) as error:
        raise Failed(
            t("What the kernel says of {node} could not be read: {why}.", node=node, why=str(error))
        ) from None


def kernel_check(device: str, seen: Geometry, striping: Striping | None, drives: Sequence[Geometry]) -> Check:
    """Whether the kernel advises for the array what was planned, which is no stripe for a mirror, and finds
    it aligned on every drive. Pure.

    The kernel takes the largest of the smallest sizes and the least common multiple of the best ones
    (block/blk-settings.c, blk_stack_limits); a best size of a drive's own that cannot be meant spoils that,
    which says nothing against the array.
    """
    what = str(
        t("The kernel advises for {device} what it was made with, and finds it aligned", device=device)
    )
    said = t(
        "at least {least}, at best {best}, offset {offset}",
        least=seen.minimum_io_bytes,
        best=seen.optimal_io_bytes,
        offset=seen.alignment_offset_bytes,
    )
    if any(drive.optimal_io_bytes and plausible_optimal_io_bytes(drive) is None for drive in drives):
        return Check(
            what,
            True,
            str(
                t(
                    "{seen}: a drive's own optimal I/O size cannot be meant, so the kernel's sum "
                    "of them tells nothing",
                    seen=said,
                )
            ),
        )
    unit, width = (striping.unit_bytes, striping.width_bytes) if striping else (0, 0)
    least = max(unit, *(drive.minimum_io_bytes for drive in drives))
    best = seen.optimal_io_bytes > 0 and seen.optimal_io_bytes % (width or 1) == 0
    if all(not drive.optimal_io_bytes for drive in drives):
        best = seen.optimal_io_bytes == width
    return Check(
        what, seen.minimum_io_bytes == least and best and seen.alignment_offset_bytes == 0, str(said)
    )
