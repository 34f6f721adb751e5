"""The steps by which an encrypted container comes to be, and what is shown of them: sentences, how each is
undone, what is checked."""

from wizard.layout.steps import words
from wizard.model.operations.encryption import AddCrypttabLine, Encryption, MakeContainer, OpenContainer

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
    """What has it opened at every start, by its key, or with a question for the passphrase."""
    return AddCrypttabLine(encryption.uuid, encryption.name, encryption.key)


def container_sentence(operation: ContainerOperation) -> str:
    """What the step does."""
    match operation:
        case MakeContainer(device=device, sector_bytes=sector, offset_bytes=offset):
            made = words.CONTAINER(device=device)
            return str(words.MAKE_CONTAINER(made=made, offset=offset, sector=sector))
        case OpenContainer(device=device, name=name):
            return str(words.OPEN_CONTAINER(device=device, opened=operation.opened, name=name))
        case AddCrypttabLine(name=name, key=key):
            return str(words.OPEN_BY_KEY(name=name, key=key) if key else words.OPEN_AT_START(name=name))


def container_undo(operation: OpenContainer | AddCrypttabLine) -> str:
    """How what the step does is taken back."""
    match operation:
        case OpenContainer(name=name):
            return str(words.BY_CLOSING(name=name))
        case AddCrypttabLine():
            return str(words.CRYPTTAB_BACK())


def container_holds(operation: ContainerOperation) -> tuple[str, ...]:
    """What is checked when the step is done."""
    match operation:
        case MakeContainer(device=device, uuid=uuid, sector_bytes=sector, offset_bytes=offset):
            found = words.RECOGNISED(devices=(device,), what="crypto_LUKS", uuid=uuid, count=1)
            return (str(found), str(words.HEADER_READ(offset=offset, sector=sector)))
        case OpenContainer(device=device):
            return (str(words.IS_OPEN(opened=operation.opened, device=device)),)
        case AddCrypttabLine(uuid=uuid):
            return (str(words.CRYPTTAB_LINE(uuid=uuid)),)
