"""Describe a plan beyond its bars: volumes in new partitions, free space used, lost data, and undo.

The sentences are the same in all interfaces.
"""

from collections.abc import Iterator, Sequence

from wizard.filesystems.partition_types import is_extended
from wizard.filesystems.registry import MADE
from wizard.model import layout
from wizard.model.errors import FrozenStruct, printable
from wizard.model.geometry import FLOOR_BYTES
from wizard.model.said import Message, Sentence, Sentences, format_capacity, joined, t, tn
from wizard.operations import data_loss
from wizard.plan.plan import Plan
from wizard.plan.raid import striping
from wizard.plan.raid.striping import group_room_bytes


def brief(plan: Plan) -> tuple[str, ...]:
    """Summarise the plan. Operations of the same kind share a sentence."""
    said: dict[Sentence | str, list[Message | str]] = {}
    for step in plan.steps:
        match step.operation.summary(step.sentence):
            case (sentence, words) if words not in said.get(sentence, ()):
                said.setdefault(sentence, []).append(words)
            case (_, _):
                # Two volumes may have the same label.
                said[step.sentence] = []
            case sentence if sentence:
                said[sentence] = []
    return tuple(
        str(one(what=tuple(words)) if isinstance(one, Sentence) else one) for one, words in said.items()
    )


TURNED_ON = t("enabled")


def background_work(plan: Plan) -> tuple[Message, ...]:
    """Return that a new ext4 is busy after mounting, unless mkfs writes all inode tables."""
    lazy = (
        one
        for one in plan.filesystems
        if one.filesystem == "ext4" and "lazy_itable_init=0" not in str(one.options)
    )
    late = t("ext4 writes inode tables in the background for a while after mounting.")
    return (late,) if any(lazy) else ()


def inside_sentences(plan: Plan, *, writers: bool = True) -> tuple[str, ...]:
    """Return sentences on the volume group, and each volume's subvolumes and `writers`."""
    form = Sentence('Subvolumes of "{label}", sharing the space: {subvolumes:list}.')
    subvolumes = [
        form(
            label=volume.label,
            subvolumes=tuple(f"{one.name} {_mount_text(one.mount_point)}" for one in volume.subvolumes),
        )
        for volume in plan.volumes
        if volume.subvolumes
    ]
    writable = _writable(plan.volumes) if writers else ()
    return tuple(map(str, (*_grouped(plan), *subvolumes, *_together(plan), *writable)))


def _together(plan: Plan) -> Iterator[Message]:
    if plan.stripe is None:
        return
    (volume,) = plan.volumes
    where = f"{plan.stripe.device}: " if plan.stripe.device else ""
    mounted = f" at {volume.mount_point}" if volume.mount_point else ""
    drives = len(plan.members)
    if plan.stripe.mirrors:
        how = t("{copies} copies of every byte", copies=striping.copies(plan.stripe, drives))
    else:
        how = t("striped in units of {unit:exact}", unit=striping.striping_of(plan.stripe, drives).unit_bytes)
    yield t(
        "Across all {drives} drives: {what}, about {size:size}, {how}.",
        drives=drives,
        what=f'{where}{volume.filesystem} "{volume.label}"{mounted}',
        size=striping.volume_sizes(plan)[0],
        how=how,
    )


def free_used(plan: Plan) -> Iterator[Message]:
    """Yield a warning about new or larger partitions in free space, which may contain data of deleted
    ones."""
    covered = dict.fromkeys(
        member.drive.path
        for member in plan.members
        if not member.before.is_bare
        for slot in member.before.slots
        if not slot.number and slot.size_bytes > FLOOR_BYTES
        for part in member.after.partitions
        if not is_extended(part) and slot.overlaps(part)
    )
    if covered:
        yield t(
            "Deleted or unrecognised data in the free space of {drives:and} is lost.", drives=tuple(covered)
        )


def _writable(volumes: Sequence[layout.Volume]) -> Iterator[Message]:
    """Yield who may write to the volumes. A filesystem without owners belongs to the user it is mounted
    for."""
    writers: dict[layout.Writer, list[str]] = {}
    for volume in volumes:
        has_owner = volume.writer != layout.ROOT and MADE[volume.filesystem].holds.owners
        if has_owner or volume.mount_point not in (None, layout.NO_PLACE):
            writers.setdefault(volume.writer, []).append(volume.label)
    for writer, labels in writers.items():
        if len(labels) == len(volumes):
            yield t("Writable by {who}.", who=writer.shown)
        else:
            yield t("{volumes:and}: writable by {who}.", volumes=tuple(labels), who=writer.shown)


def _grouped(plan: Plan) -> Iterator[Message | str]:
    """Yield each logical volume with the exact size, and the remaining space of the group."""
    if (group := plan.group) is None:
        return
    volumes = plan.logical_volumes
    (slot,) = (slot for slot in plan.after.partitions if plan.members[0].node(slot.number) == group.device)
    yield t("LVM volume group {name} on {device}:", device=group.device, name=group.name)
    for one, volume in zip(volumes, plan.volumes, strict=True):
        where = TURNED_ON if volume.mount_point == layout.NO_PLACE else _mount_text(volume.mount_point)
        size = f"{format_capacity(one.size_bytes)} ({one.size_bytes} bytes)"
        yield f'{one.device}: {volume.filesystem} "{volume.label}", {size}, {where}.'
    if left := group_room_bytes(slot.size_bytes) - sum(one.size_bytes for one in volumes):
        yield t("{left:size} ({left} bytes) remains for snapshots or for growing a volume.", left=left)


def _mount_text(mount_point: str | None) -> Message:
    return t("mounted at {place}", place=mount_point) if mount_point else t("not mounted")


UNREAD = Sentences(
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AGAIN_AS_ROOT = t("Create the plan again as root, when the drive is readable.")


def unread_words(plan: Plan) -> str:
    """Return the note that a plan was made without reading its drives and cannot be applied, or an empty
    string."""
    return str(UNREAD(drives=plan.unread, count=len(plan.unread))) if plan.unread else ""


def danger_of(plan: Plan) -> Message | None:
    """Return the warning to show before a striped plan, or None."""
    if plan.stripe is None or plan.stripe.mirrors:
        return None
    return t(
        "Striping adds no safety: every file is spread across all {drives} drives. "
        "If any drive fails, everything on all drives is lost. Only a copy elsewhere "
        "protects the data.",
        drives=len(plan.members),
    )


TRIED = Sentences(
    "The plan is rehearsed on a scratch copy of the drive first, and all contents to be changed are saved.",
    "The plan is rehearsed on a scratch copy of the drives first, and all contents to be changed are saved.",
)

WORD = "no undo"
"""Typed together with the serial number to confirm a change that cannot be undone."""


class UndoSpace(FrozenStruct):
    """Space for undo data, with the run's own files. `fits`: there is enough. `sentence`: the amount, or why
    it is unknown; empty if undo is not possible. `lost`: unrecognised data that no plan shows. `blanks`: for
    each drive, if only zeros are overwritten."""

    sentence: Message | str = ""
    fits: bool = True
    lost: tuple[Message | str, ...] = ()
    blanks: tuple[bool, ...] = ()
    needed_bytes: int = 0


ROOM_NOT_YET = UndoSpace(t("The space required for undo is unknown until root rehearses the plan."))


def needs_word(plan: Plan, why_direct: str = "") -> bool:
    """Return True if the plan cannot be undone once started, so a token alone does not confirm it.
    `why_direct`: why no scratch copy is possible, as a clause, or empty."""
    return bool(plan.direct_reason or why_direct) and not shows_nothing(plan)


def promise(plan: Plan, why_direct: str = "", *, keep: bool = False) -> str:
    """Describe until when the plan can be undone, if at all.

    `why_direct`: why no scratch copy is possible on this machine, as a clause; empty if possible or unknown.
    `keep`: the result is kept immediately.
    """
    drives = len(plan.members)
    if why := plan.direct_reason or why_direct:
        return str(
            tn(
                "The steps run directly on the drive, because {why}. The run can be neither "
                "undone nor resumed. After a power cut or an error, the drive must be set up again.",
                "The steps run directly on the drives, because {why}. The run can be neither "
                "undone nor resumed. After a power cut or an error, the drives must be set up again.",
                why=why,
                count=drives,
            )
        )
    if keep:
        lost = t(
            "The result is used as soon as writing finishes. The old contents are then lost, and `undo` "
            "cannot restore them."
        )
        return joined([TRIED(count=drives), lost])
    # md copies more than was read, so a decision is required.
    overwrites = plan.stripe is not None and plan.stripe.kind == "md" and plan.stripe.mirrors
    sentences = [TRIED(count=drives)]
    sentences.append(
        t(
            "When writing finishes, the result is waiting and not in use yet. `diskwright keep` accepts the "
            "result. Until then, `diskwright undo` restores the old contents bit for bit."
        )
    )
    if shows_nothing(plan) and not overwrites:
        zeros = t("If only zeros would be overwritten, the result is used immediately, without undo.")
        sentences.append(zeros)
    if plan.containers:
        sentences.append(t("Encrypted volumes are then opened, so `keep` asks for the passphrase."))
    return joined(sentences)


def shows_nothing(plan: Plan) -> bool:
    """Return True if no table, partition or contents are recognised on any drive and no run waits there. The
    drives may still contain data."""
    return all(member.before.is_bare for member in plan.members)


def losses(plan: Plan) -> list[str]:
    """Return each partition that is lost, with the contents. If the only drive has none, return the data loss
    of the steps."""
    lost: list[str] = []
    for member in () if plan.only_table else plan.members:
        path, before = member.drive.path, member.before
        if slots := before.changed:
            lost += [f"{member.node(slot.number)}: {data_loss.described(slot)}." for slot in slots]
            # What the losses mean for other drives.
            lost += [str(said) for slot in slots for said in slot.beyond]
        elif not before.partitions and (whole := data_loss.whole_lost(member)):
            lost.append(whole)
        elif not plan.others:
            return list(dict.fromkeys(printable(step.destroys, 4000) for step in plan.steps if step.destroys))
        elif before.table == "unread":
            lost.append(str(data_loss.UNREADABLE(device=path)))
        elif before.table != "none":
            lost.append(str(data_loss.ALL(device=path, what=before.table)))
        if waiting := data_loss.waiting_lost(before):
            lost.append(f"{path}: {waiting}" if plan.others else waiting)
    # A mirror overwrites everything, recognised or not.
    return [*lost, *(array.copy_loss for array in plan.arrays if array.copied)]
