"""Operations on encrypted containers (LUKS2)."""

from collections.abc import Mapping
from typing import Self

from msgspec.structs import replace

from wizard.filesystems.kind import Commands
from wizard.model.layout import MAPPER
from wizard.model.said import KERNEL_SECTOR_BYTES, Message, Sentence
from wizard.operations import operation
from wizard.operations.mounts import ONE_LINE, SAVED_BESIDE

LUKS = "crypto_LUKS"
"""TYPE in libblkid."""

KEY_SECONDS = 4.0
"""Key derivation in cryptsetup takes about two seconds by design, and twice that on slow machines."""

PASSPHRASE_FROM = "--key-file=-"
"""cryptsetup reads the whole standard input as passphrase, so it is not visible in process lists
(cryptsetup(8))."""


PASSPHRASE = Sentence(
    "the passphrase, on the command's standard input, never in a command, plan, journal or log"
)


class MakeContainer(operation.WritingTo):
    """Create a LUKS2 container on the whole `device`, with data from `offset_bytes`."""

    uuid: str
    sector_bytes: int
    offset_bytes: int

    says = Sentence(
        "Create an encrypted container (LUKS2) on {device}, opened only by the passphrase. Data starts at "
        "{offset_bytes:exact}, encrypted in sectors of {sector_bytes} bytes."
    )
    writes_also = (PASSPHRASE,)
    checks = (
        Sentence(
            "According to the header, data starts at {offset_bytes:exact} in sectors of {sector_bytes} "
            "bytes, and is aligned."
        ),
    )
    usual_seconds = KEY_SECONDS

    @property
    def made(self) -> dict[str, tuple[str, str]]:
        return {self.device: (LUKS, self.uuid)}

    def commands(self) -> Commands:
        """Return the command, with all values that cryptsetup would otherwise detect. --batch-mode answers
        the confirmation."""
        return (
            (
                *("cryptsetup", "luksFormat", "--type", "luks2", "--batch-mode", PASSPHRASE_FROM),
                *("--uuid", self.uuid, "--offset", str(self.offset_bytes // KERNEL_SECTOR_BYTES)),
                *("--sector-size", str(self.sector_bytes), self.device),
            ),
        )

    def destroys(self, context: operation.Context) -> str:
        return " ".join(context.overwritten(self.devices))

    def holds(self, context: operation.Context) -> tuple[Message, ...]:
        seen = operation.RECOGNISED(devices=self.devices, what=LUKS, uuid=self.uuid, count=1)
        return (seen, *operation.WritingTo.holds(self, context))


class OpenContainer(operation.Operation):
    """Open the container with this UUID on `device` as `name`."""

    device: str
    uuid: str
    name: str

    says = Sentence("Open the container on {device} as {opened} until `cryptsetup close {name}` or reboot.")
    writes_also = (PASSPHRASE,)
    undone = Sentence("Run `cryptsetup close {name}`.")
    checks = (Sentence("The device mapper has {opened} open only on {device}."),)
    usual_seconds = KEY_SECONDS

    rehearsed = True
    """A container is opened on the scratch copy, and again on the drive."""

    @property
    def opened(self) -> str:
        """Node of the open container."""
        return f"{MAPPER}{self.name}"

    @property
    def devices(self) -> tuple[str, ...]:
        return (self.device, self.opened)

    @property
    def created(self) -> tuple[str, ...]:
        return (self.opened,)

    def on(self, nodes: Mapping[str, str], names: Mapping[str, str]) -> Self:
        return replace(self, device=nodes[self.device], name=names[self.uuid])

    def commands(self) -> Commands:
        return (("cryptsetup", "open", "--type", "luks2", PASSPHRASE_FROM, self.device, self.name),)


class AddCrypttabLine(operation.Operation):
    """Add a crypttab line for the container with this UUID, to be opened with the key file `key`, or by
    passphrase if empty."""

    uuid: str
    name: str
    key: str = ""

    edits_boot = True

    @property
    def line(self) -> str:
        """The line without newline: name, container, key file, options (crypttab(5)). Boot continues without
        passphrase or key file."""
        return f"{self.name} UUID={self.uuid} {self.key or 'none'} luks,nofail"

    def sentence(self, context: operation.Context) -> Message:
        form = (
            Sentence(
                "Open the container as {name} on every boot with the key {key} (one line in {crypttab})."
            )
            if self.key
            else Sentence(
                "Open the container as {name} on every boot, asking for the passphrase (one line in "
                "{crypttab})."
            )
        )
        return operation.filled(form, self, context)

    def edits(self, context: operation.Context) -> tuple[str, ...]:
        return (self.line,)

    def undo_text(self, context: operation.Context) -> str:
        return str(SAVED_BESIDE(file=context.crypttab))

    def holds(self, context: operation.Context) -> tuple[Message, ...]:
        return (ONE_LINE(file=context.crypttab, what=self.uuid),)
