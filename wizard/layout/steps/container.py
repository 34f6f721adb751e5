"""The steps by which an encrypted container comes to be, and what is shown of them: sentences, how each is
undone, what is checked."""

from wizard.model.encryption import AddCrypttabLine, Encryption, MakeContainer, OpenContainer
from wizard.model.units import format_exact

ContainerOperation = MakeContainer | OpenContainer | AddCrypttabLine

KEY_SECONDS = 4.0
"""Deriving the key takes cryptsetup about two seconds on purpose, and twice that on a slow machine."""


def container_operations(encryption: Encryption) -> tuple[MakeContainer, OpenContainer]:
    """What has to be done before anything can be made within."""
    return (
        MakeContainer(encryption.device, encryption.uuid, encryption.sector_bytes, encryption.offset_bytes),
        OpenContainer(encryption.device, encryption.uuid, encryption.name),
    )


def opened_at_start(encryption: Encryption) -> AddCrypttabLine:
    """What has it opened at every start, with a question for the passphrase."""
    return AddCrypttabLine(encryption.uuid, encryption.name)


def container_sentence(operation: ContainerOperation) -> str:
    """What the step does."""
    match operation:
        case MakeContainer(device=device, sector_bytes=sector, offset_bytes=offset):
            return (
                f"Make an encrypted container (LUKS2) of {device}, which only the passphrase opens: its data "
                f"begin {format_exact(offset)} in, encrypted {sector} bytes at a stretch."
            )
        case OpenContainer(device=device, name=name):
            return (
                f"Open the container on {device} as {operation.opened}; it stays open until `cryptsetup "
                f"close {name}` or the next start."
            )
        case AddCrypttabLine(name=name):
            return (
                f"Have it opened as {name} at every start, which asks for the passphrase: one line in "
                "/etc/crypttab."
            )


def container_undo(operation: OpenContainer | AddCrypttabLine) -> str:
    """How what the step does is taken back."""
    match operation:
        case OpenContainer(name=name):
            return f"By `cryptsetup close {name}`."
        case AddCrypttabLine():
            return "The old /etc/crypttab is kept beside the new one; taking the line out again undoes it."


def container_holds(operation: ContainerOperation) -> tuple[str, ...]:
    """What is checked when the step is done."""
    match operation:
        case MakeContainer(device=device, uuid=uuid, sector_bytes=sector, offset_bytes=offset):
            return (
                f"{device} is recognised as crypto_LUKS with UUID {uuid}.",
                f"Its header says that the data begin {format_exact(offset)} in, in sectors of {sector} "
                "bytes, and that place is aligned.",
            )
        case OpenContainer(device=device):
            return (f"The device mapper has {operation.opened} open on {device} and on nothing else.",)
        case AddCrypttabLine(uuid=uuid):
            return (f"/etc/crypttab has exactly this one line for {uuid}, and every other line as before.",)
