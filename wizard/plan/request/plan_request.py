"""What to plan: new volumes, a change of one partition, or a lost partition table."""

from collections.abc import Sequence
from enum import Enum

from wizard.model.drive_facts import HOST_MANAGED
from wizard.model.errors import BadInput, FrozenStruct, Refused
from wizard.model.layout import Stripe
from wizard.model.machine import Drive, Partition
from wizard.model.said import Sentence, Sentences, join, t
from wizard.plan.raid import striping
from wizard.plan.refusals import HOST_MANAGED_ZONES
from wizard.plan.request.roles import TableKind
from wizard.plan.request.volume_request import VolumeSpec


class Mode(Enum):
    """How to treat existing contents. REPLACE: erase them and create a new table. USE_FREE: preserve the
    table and all partitions bit for bit."""

    REPLACE = "replace"
    USE_FREE = "use-free"


class Arrangement(FrozenStruct):
    """How volumes use their drives: type of a new table, use of an LVM volume group, and layout of one volume
    on several drives."""

    table: TableKind = "gpt"
    grouped: bool = False
    stripe: Stripe | None = None


PLAIN = Arrangement()


class NewVolumes(FrozenStruct):
    """Create volumes on drives. `mode` None is only possible on empty drives. `part`: format only this
    partition, and preserve all others."""

    specs: tuple[VolumeSpec, ...]
    mode: Mode | None = None
    arrangement: Arrangement = PLAIN
    part: Partition | None = None


class DeletePart(FrozenStruct):
    """Delete a partition, with all its signatures."""

    part: Partition


class ResizePart(FrozenStruct):
    """Grow or shrink a partition and the filesystem to `size_bytes`, rounded up to an aligned end. Without a
    size, grow to all adjacent free space. A partition smaller than the contents grows alone, by default just
    enough."""

    part: Partition
    size_bytes: int | None = None
    grows: bool = True


class RestoreTable(FrozenStruct):
    """Write the lost table back: exactly as in a lone backup GPT, else around the filesystems found. `table`:
    the only type to use."""

    table: TableKind | None = None


Request = NewVolumes | DeletePart | ResizePart | RestoreTable


ALONE = t("Request one unencrypted volume, without size or role, and omit volume groups, MBR and --use-free.")
SIZE_STAYS = Sentence("{part} remains at {size:size}. Omit the size, or delete the partition first.")


def check_request(request: NewVolumes, drives: Sequence[Drive]) -> None:
    """Raises BadInput or Refused for volumes that these drives, the partition or each other exclude."""
    how, specs, part = request.arrangement, request.specs, request.part
    special = any(spec.role or spec.encrypted for spec in specs)
    simple = how.table == "gpt" and not how.grouped and request.mode is not Mode.USE_FREE
    fills = simple and len(specs) == 1 and specs[0].takes_rest and not special
    if part is not None:
        if len(specs) != 1:
            raise BadInput(
                t("{part} accepts one volume, but {asked} were requested.", part=part, asked=len(specs))
            )
        if specs[0].percent is not None or specs[0].size_bytes not in (None, part.size_bytes):
            raise BadInput(SIZE_STAYS(part=part, size=part.size_bytes))
    elif how.stripe:
        if not fills:
            raise BadInput(join(t("Several drives form one volume together."), ALONE))
        check_stripe(how.stripe, len(drives), specs[0].choice.filesystem)
    elif len(drives) > 1:
        raise BadInput(
            t(
                "A plan for several drives needs one volume across all drives. Use --stripe or --mirror, "
                "with md or btrfs."
            )
        )
    elif drives[0].zoned == HOST_MANAGED and not fills:
        raise Refused(join(HOST_MANAGED_ZONES(drive=drives[0]), ALONE))
    elif how.grouped and special:
        raise BadInput(t("Volume groups support neither roles nor encryption."))


def check_chunk(chunk_bytes: int) -> None:
    """Raises BadInput if md cannot have chunks of this size."""
    if not striping.is_chunk(chunk_bytes):
        raise BadInput(
            t(
                "A chunk of {chunk:exact} is not a power of two from {least:exact} to {most:exact}. "
                "{usual:exact} is usual.",
                chunk=chunk_bytes,
                least=striping.LEAST_CHUNK_BYTES,
                most=striping.MOST_CHUNK_BYTES,
                usual=striping.USUAL_CHUNK_BYTES,
            )
        )


def check_stripe(asked: Stripe, drives: int, filesystem: str) -> None:
    """Raises BadInput if a filesystem cannot be on so many drives in this way."""
    if not 2 <= drives <= striping.MOST_DRIVES:
        named = Sentences(
            "A mirror or stripe needs 2 to {most} drives, but {count} was listed.",
            "A mirror or stripe needs 2 to {most} drives, but {count} were listed.",
        )
        raise BadInput(named(most=striping.MOST_DRIVES, count=drives))
    has = "" if asked.mirrors else asked.kind
    if (asked.chunk_bytes and has != "md") or (
        asked.metadata and (has != "btrfs" or asked.metadata not in striping.METADATA)
    ):
        raise BadInput(
            t("Only md stripes have a chunk size, and only Btrfs stripes a metadata profile, raid0 or raid1.")
        )
    if asked.chunk_bytes:
        check_chunk(asked.chunk_bytes)
    if filesystem in striping.FILESYSTEMS[asked.kind]:
        return
    option = "--mirror" if asked.mirrors else "--stripe"
    only = t(
        "{option} {kind} supports {possible}, not {filesystem}.",
        option=option,
        kind=asked.kind,
        possible=" or ".join(striping.FILESYSTEMS[asked.kind]),
        filesystem=filesystem,
    )
    built_in = t("Btrfs has built-in RAID. Use {option} btrfs.", option=option)
    raise BadInput(join(only, built_in) if filesystem == "btrfs" else only)
