"""Encrypted volumes: rules for a LUKS2 container around a filesystem. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput, Refused, printable
from wizard.model.geometry import Geometry, grain_bytes
from wizard.model.machine import Drive, Machine
from wizard.model.operations import Encryption
from wizard.model.plan import Plan, TableEntry, Volume
from wizard.model.said import KIB, MIB, Message, Sentence, rounded_up, t
from wizard.plan.dangers import CRYPT, refuse_lacking, refuse_missing
from wizard.plan.messages import SAME_UUID
from wizard.plan.raid.striping import layer_name
from wizard.plan.request.roles import keys_fault
from wizard.plan.request.subvolumes import places_of
from wizard.plan.request.volume_request import Wish
from wizard.plan.rules import uuid_fault

LARGEST_BYTES = 512
"""The most that cryptsetup takes from a keyboard at a start (cryptsetup(8), NOTES ON PASSPHRASE
PROCESSING)."""

FEW_CHARACTERS = 12
"""Below this a passphrase of letters and digits can be tried out by whoever has the drive and enough
machines."""

FEW_DIFFERENT = 5


def passphrase_fault(secret: bytes) -> str | None:
    """Why these bytes cannot be a passphrase, as the end of a sentence, or None. What cannot be typed at a
    start cannot be one."""
    if not secret:
        return str(t("is empty"))
    if len(secret) > LARGEST_BYTES:
        return str(t("is longer than the {most} bytes accepted at boot", most=LARGEST_BYTES))
    if b"\n" in secret or b"\0" in secret:
        return str(t("contains a line break or zero byte, which cannot be typed at boot"))
    return None


def passphrase_warning(secret: bytes) -> str | None:
    """A sentence where the passphrase is short or hardly varied; else None."""
    if len(secret) < FEW_CHARACTERS:
        return str(
            t(
                "This passphrase is short: fewer than {least} characters can be guessed. "
                "Several words are better.",
                least=FEW_CHARACTERS,
            )
        )
    if len(set(secret)) < FEW_DIFFERENT:
        return str(t("This passphrase has little variety and can be guessed. Several words are better."))
    if not secret.isascii():
        return str(
            t(
                "This passphrase has non-ASCII letters. At boot, a different keyboard layout "
                "may be unable to type them."
            )
        )
    return None


def from_file(content: bytes) -> bytes:
    """The passphrase in a file: its bytes without one line end behind them."""
    return content.removesuffix(b"\n")


# --volume, word by word.

# Volumes that contradict themselves or each other.

# Roles.

# Subvolumes.

# Encryption.
LOST_DOUBT = Sentence(
    "Without the passphrase, everything in the encrypted volume is lost: nobody can open "
    "it, and diskwright does not store it. A damaged header also loses everything, unless "
    "a copy from `cryptsetup luksHeaderBackup` exists elsewhere."
)
OPENED_TO_KEEP = t(
    "To keep the result, diskwright opens the encrypted volume. Enter the "
    "passphrase, which diskwright has not stored."
)

# Keys in files.

# Passphrases.


FILESYSTEMS = ("ext4", "xfs", "btrfs", "swap")
"""What is made within a container. The others are for exchange with systems that know no LUKS, or were never
tried there."""

HEADER_BYTES = 16 * MIB
"""What LUKS2 keeps in front of the data: two headers and the key slots (its on-disk format, and cryptsetup's
usual size)."""

LARGE_SECTOR_BYTES = 4 * KIB
"""The most that LUKS2 encrypts at a stretch."""

LOST, NO_TRIM = (
    LOST_DOUBT(),
    t(
        "The encrypted volume does not pass discards (trim) to the drive. Discards "
        "would show anyone with the drive how much is used, and where. `discard` in "
        "/etc/crypttab allows discards."
    ),
)


def refuse_encryption(machine: Machine, wishes: Sequence[Wish], *, why_not: Message | None = None) -> None:
    """Raises Refused or BadInput where one of the wishes is to be encrypted and cannot be; `why_not` is why
    nothing can be there."""
    for wish in wishes:
        if not wish.encrypted:
            continue
        if why_not:
            raise Refused(
                str(
                    t(
                        "{why} Cannot encrypt the volume '{label}'.",
                        why=why_not,
                        label=printable(wish.final_label),
                    )
                )
            )
        kind = wish.choice.filesystem
        if kind not in FILESYSTEMS:
            raise BadInput(
                str(
                    t(
                        "{filesystem} is not supported in an encrypted volume. Supported: {known:and}.",
                        filesystem=kind,
                        known=FILESYSTEMS,
                    )
                )
            )
        options = (part.partition("=")[0] for option in wish.choice.mount for part in option.text.split(","))
        if "discard" in options:
            raise BadInput(
                str(
                    t(
                        "`discard` has no effect on an encrypted volume, which does not pass "
                        "discards to the drive. Omit `discard`."
                    )
                )
            )
        refuse_lacking(machine.kernel, CRYPT)
        refuse_missing(machine, ("cryptsetup",))
    places = [place for one in wishes for place in places_of(one.mount_point, one.subvolumes)]
    if fault := keys_fault([one.key for one in wishes if one.encrypted], places):
        raise BadInput(str(t("The key of an encrypted volume {fault}.", fault=fault)))


def header_bytes(geometry: Geometry) -> int:
    """What a container keeps in front of its data on such a drive: at least 16 MiB, and so much that the data
    begin aligned."""
    grain = grain_bytes(geometry)
    return rounded_up(HEADER_BYTES, grain)


def needed_bytes(wish: Wish, geometry: Geometry) -> int:
    """The least that a wish's partition can have."""
    return MADE[wish.choice.filesystem].minimum_bytes + (header_bytes(geometry) if wish.encrypted else 0)


def encrypted(volume: Volume, size_bytes: int, geometry: Geometry, uuid: str, key: str) -> Volume:
    """The volume of a partition of that size, in a container with that UUID, which the file `key` opens."""
    encryption = encryption_of(volume.path, volume.label, size_bytes, geometry, uuid, key)
    return replace(volume, path=encryption.opened, encryption=encryption)


def encryption_of(
    device: str, label: str, size_bytes: int, geometry: Geometry, uuid: str, key: str = ""
) -> Encryption:
    """The container on `device`. The name that it opens to tells the volume, and no other has it."""
    offset = header_bytes(geometry)
    large = (
        geometry.physical_block_bytes >= LARGE_SECTOR_BYTES and not (size_bytes - offset) % LARGE_SECTOR_BYTES
    )
    sector_bytes = LARGE_SECTOR_BYTES if large else 512
    return Encryption(device, f"luks-{layer_name(label)}-{uuid[:8]}", uuid, sector_bytes, offset, key)


def encryption_doubts(drive: Drive, wishes: Sequence[Wish]) -> tuple[Message, ...]:
    """What is said of encrypted volumes, in sentences."""
    if not any(wish.encrypted for wish in wishes):
        return ()
    return (LOST, NO_TRIM) if drive.rotational is False else (LOST,)


def _planned_key_faults(plan: Plan) -> Iterator[Message]:
    places = [place for one in plan.volumes for place in places_of(one.mount_point, one.subvolumes)]
    if fault := keys_fault([one.key for one in plan.containers], places):
        yield t("the key of an encrypted volume {fault}", fault=fault)


def encryption_faults(plan: Plan, entries: Sequence[TableEntry]) -> Iterator[Message]:
    """Faults of the plan's containers, each on the partition of its volume; `entries` are those of its
    table."""
    if plan.containers and LOST not in plan.doubts:
        yield t("the plan encrypts without a warning about a lost passphrase")
    sizes = {entry.number: entry.size_bytes for entry in entries}
    uuids = [*(volume.uuid for volume in plan.volumes), *(encryption.uuid for encryption in plan.containers)]
    if len(set(uuids)) != len(uuids):
        yield SAME_UUID
    yield from _planned_key_faults(plan)
    for volume in plan.volumes:
        if (encryption := volume.encryption) is None:
            continue
        number = volume.partition
        if volume.filesystem not in FILESYSTEMS:
            yield t(
                "volume {number} is {filesystem}, which is not supported in an encrypted volume",
                number=number,
                filesystem=volume.filesystem,
            )
        if fault := uuid_fault(encryption.uuid):
            uuid = printable(encryption.uuid, 40)
            yield t(
                "volume {number} is in a container with UUID '{uuid}', which {fault}",
                number=number,
                uuid=uuid,
                fault=fault,
            )
        size = sizes.get(volume.partition, 0)
        geometry = plan.drive.geometry
        if size < header_bytes(geometry) + MADE[volume.filesystem].minimum_bytes:
            yield t("volume {number} is too small for encryption", number=number)
        uuid, key = encryption.uuid, encryption.key
        if encryption != encryption_of(encryption.device, volume.label, size, geometry, uuid, key):
            yield t("the encryption of volume {number} does not match the partition", number=number)
        if volume.path != encryption.opened:
            yield t(
                "volume {number} is at '{path}', which is not the opened container",
                number=number,
                path=printable(volume.path, 60),
            )
