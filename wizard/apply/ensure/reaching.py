"""What lies on drives that a file names, and on others that it does not name: no word for the named ones says
that it may be lost. Looks; nothing is written."""

from collections.abc import Iterator, Sequence
from functools import partial

from wizard.apply.ensure.layered import group_of, physical_in
from wizard.apply.ensure.together import superblock_of
from wizard.apply.resizing.btrfs import number_in
from wizard.apply.run.environment import LOOK_SECONDS
from wizard.apply.steps.array_checks import exported
from wizard.layout.several.striping import MEMBER_KINDS
from wizard.model.errors import Failed
from wizard.model.machine import Drive, Signature
from wizard.model.said import Said, Sentence, t
from wizard.tools.program import run

REACHES_FURTHER = Sentence(
    "{device} is one of {count} devices of {what}, and the others are not named here, so nothing is replaced"
)

_look = partial(run, seconds=LOOK_SECONDS)

PARTS = frozenset(
    (
        *("LDM_member", "LVM1_member", "bcache", "ceph_bluestore", "drbd", "jbd"),
        *("stratis", "xfs_external_log", "zfs_member"),
    )
)
"""libblkid's types of what may be a part of more, as a journal is of a filesystem elsewhere; so are those of
all firmware's RAIDs."""


def reaching_faults(drives: Sequence[Drive]) -> tuple[Said, ...]:
    """Each Btrfs, md array and volume group on these drives that lies on further ones, too, and each part of
    what may. Raises Failed where the tools do not tell."""
    held = [
        (device, signature)
        for drive in drives
        for device, signatures in (
            (drive.path, drive.signatures),
            *((part.path, part.signatures) for part in drive.partitions),
        )
        for signature in signatures
    ]
    return (
        *_of_btrfs(_only(held, "btrfs")),
        *_of_md(_only(held, MEMBER_KINDS["md"])),
        *_of_lvm(held),
        *_of_others(held),
    )


Held = Sequence[tuple[str, Signature]]


def _only(held: Held, kind: str) -> Held:
    return [one for one in held if one[1].kind == kind]


def _named(held: Held, uuid: str | None) -> int:
    """How many of the parts are here."""
    return sum(one.uuid == uuid for _, one in held)


def _of_btrfs(held: Held) -> Iterator[Said]:
    for device, one in held:
        count = number_in(superblock_of(device), "num_devices")
        if count > _named(held, one.uuid):
            yield REACHES_FURTHER(device=device, count=count, what=t("a Btrfs"))


def _of_md(held: Held) -> Iterator[Said]:
    for device, one in held:
        said = exported(_look(("mdadm", "--examine", "--export", device)).output)
        count = said.get("MD_DEVICES", "")
        if not count.isdigit():
            raise Failed(t("mdadm does not say of how many drives the array on {device} is.", device=device))
        if int(count) > _named(held, one.uuid):
            yield REACHES_FURTHER(device=device, count=int(count), what=t("an md array"))


def _of_lvm(held: Held) -> Iterator[Said]:
    here = [device for device, _ in _only(held, MEMBER_KINDS["lvm"])]
    for device in here:
        name = group_of(device)
        physical = physical_in(name)[0] if name else frozenset()
        if physical - {*here}:
            yield REACHES_FURTHER(device=device, count=len(physical), what=t("a volume group"))


def _of_others(held: Held) -> Iterator[Said]:
    """Whose other parts no tool is asked for here."""
    for device, one in held:
        is_raid = one.kind.endswith("_raid_member") and one.kind not in MEMBER_KINDS.values()
        if is_raid or one.kind in PARTS:
            yield t(
                "{device} is a {kind}, so it may be a part of what lies on further drives; "
                "nothing is replaced",
                device=device,
                kind=one.kind,
            )
