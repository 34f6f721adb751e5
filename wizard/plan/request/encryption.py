"""Encrypted volumes: rules for a LUKS2 container around a filesystem. Pure."""

from collections.abc import Iterator, Sequence

from wizard.filesystems.registry import MADE
from wizard.model.errors import BadInput
from wizard.model.geometry import Geometry
from wizard.model.layout import Encryption, Volume
from wizard.model.machine import Drive, Extent, Machine
from wizard.model.said import KIB, MIB, Message, Sentence, rounded_up, t
from wizard.operations import rules
from wizard.plan import dangers, free_space
from wizard.plan.plan import LOST, Plan
from wizard.plan.raid.striping import layer_name
from wizard.plan.request.roles import KEY, keys_fault
from wizard.plan.request.volume_request import VolumeSpec, places_of

LARGEST_BYTES = 512
"""Maximum length that cryptsetup reads from a keyboard at boot (cryptsetup(8), NOTES ON PASSPHRASE
PROCESSING)."""

FEW_CHARACTERS = 12
"""Shorter passphrases of letters and digits can be brute-forced by anyone with the drive and enough computing
power."""

FEW_DIFFERENT = 5


def passphrase_fault(secret: bytes) -> Message | None:
    """Return why these bytes are not a valid passphrase, as the end of a sentence, or None. It must be
    possible to type the passphrase at boot."""
    if not secret:
        return rules.EMPTY
    if len(secret) > LARGEST_BYTES:
        return t("is longer than the {most} bytes accepted at boot", most=LARGEST_BYTES)
    if b"\n" in secret or b"\0" in secret:
        return rules.CONTROLS
    return None


def passphrase_warning(secret: bytes) -> Message | None:
    """Return a warning about a short or repetitive passphrase, or None."""
    if len(secret) < FEW_CHARACTERS or len(set(secret)) < FEW_DIFFERENT:
        return t(
            "This passphrase has fewer than {least} characters or little variety, and can be guessed. "
            "Several words are better.",
            least=FEW_CHARACTERS,
        )
    if not secret.isascii():
        return t(
            "This passphrase has non-ASCII letters. At boot, a different keyboard layout "
            "may be unable to type them."
        )
    return None


OPENED_TO_KEEP = t(
    "To keep the result, diskwright opens the encrypted volume. Enter the "
    "passphrase, which diskwright has not stored."
)


FILESYSTEMS = ("ext4", "xfs", "btrfs", "swap")
"""Filesystems for encrypted containers. The others serve exchange with systems without LUKS, or were never
tested."""

HEADER_BYTES = 16 * MIB
"""Size of LUKS2 metadata before the data: two headers and the key slots (on-disk format, and cryptsetup's
default size)."""

LARGE_SECTOR_BYTES = 4 * KIB
"""Largest LUKS2 sector size."""

NO_TRIM = t(
    "The encrypted volume does not pass discards (trim) to the drive. Discards "
    "would show anyone with the drive how much is used, and where. `discard` in "
    "/etc/crypttab allows discards."
)


def refuse_encryption(machine: Machine, specs: Sequence[VolumeSpec]) -> None:
    """Raises Refused or BadInput if a request for encryption is not possible."""
    for spec in filter(lambda spec: spec.encrypted, specs):
        kind = spec.choice.filesystem
        if kind not in FILESYSTEMS:
            only = Sentence("{filesystem} is not supported in an encrypted volume. Supported: {known:and}.")
            raise BadInput(only(filesystem=kind, known=FILESYSTEMS))
        options = (part.partition("=")[0] for option in spec.choice.mount for part in option.text.split(","))
        if "discard" in options:
            raise BadInput(
                t(
                    "`discard` has no effect on an encrypted volume, which does not pass "
                    "discards to the drive. Omit `discard`."
                )
            )
        dangers.refuse_lacking(machine.kernel, dangers.CRYPT)
        dangers.refuse_missing(machine, ("cryptsetup",))
    if fault := keys_fault([one.key for one in specs if one.encrypted], places_of(*specs)):
        raise BadInput(KEY(fault=fault))


def header_bytes(geometry: Geometry) -> int:
    """Return the header size on this drive: at least 16 MiB, with the data aligned."""
    return rounded_up(HEADER_BYTES, geometry.grain_bytes)


def demand_of(spec: VolumeSpec, spaces: Sequence[Extent], grain_bytes: int) -> free_space.Demand:
    """Return the space that a request needs, with the header of a container. A share is of these spaces."""
    in_container, header = (" in LUKS2", rounded_up(HEADER_BYTES, grain_bytes)) if spec.encrypted else ("", 0)
    size_bytes = spec.size_bytes
    if spec.percent is not None:
        # Rounded down, so that shares of 100 percent always fit.
        share = sum(space.size_bytes for space in spaces) * spec.percent // 100
        size_bytes = share // grain_bytes * grain_bytes
    return free_space.Demand(
        f"{spec.final_label!r} ({spec.choice.filesystem}{in_container})",
        size_bytes,
        MADE[spec.choice.filesystem].minimum_bytes + header,
    )


def encryption_of(
    device: str, label: str, size_bytes: int, geometry: Geometry, uuid: str, key: str = ""
) -> Encryption:
    """Return the container on `device`. Its name is unique and includes the volume's name."""
    offset = header_bytes(geometry)
    large = (
        geometry.physical_block_bytes >= LARGE_SECTOR_BYTES and not (size_bytes - offset) % LARGE_SECTOR_BYTES
    )
    sector_bytes = LARGE_SECTOR_BYTES if large else 512
    return Encryption(device, f"luks-{layer_name(label)}-{uuid[:8]}", uuid, sector_bytes, offset, key)


def encryption_doubts(drive: Drive, volumes: Sequence[Volume]) -> tuple[Message, ...]:
    """Return sentences about encrypted volumes."""
    doubts = (LOST, NO_TRIM) if drive.rotational is False else (LOST,)
    return doubts if any(volume.encryption for volume in volumes) else ()


def encryption_faults(plan: Plan, extents: Sequence[Extent]) -> Iterator[str]:
    """Check the plan's containers, each on its volume's partition. `extents`: of the volumes."""
    if not plan.containers:
        return
    if LOST not in plan.doubts:
        yield "doubts"
    if keys_fault([one.key for one in plan.containers], places_of(*plan.volumes)):
        yield "containers"
    geometry = plan.drive.geometry
    for volume, extent in zip(plan.volumes, extents, strict=True):
        if (one := volume.encryption) is None:
            continue
        size = extent.size_bytes
        if volume.filesystem not in FILESYSTEMS or volume.path != one.opened:
            yield "volumes"
        if size < header_bytes(geometry) + MADE[volume.filesystem].minimum_bytes or one != encryption_of(
            one.device, volume.label, size, geometry, one.uuid, one.key
        ):
            yield "containers"
