"""The steps by which an encrypted container comes to be, and what is shown of them: sentences, how each is
undone, what is checked."""

from wizard.layout.steps import words
from wizard.model.operations.encryption import AddCrypttabLine, Encryption, MakeContainer, OpenContainer
from wizard.model.said import t

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
            made = t(
                "Make an encrypted container (LUKS2) of {device}, which only the passphrase opens",
                device=device,
            )
            return str(
                t(
                    "{made}: its data begin {offset:exact} in, encrypted {sector} bytes at a stretch.",
                    made=made,
                    offset=offset,
                    sector=sector,
                )
            )
        case OpenContainer(device=device, name=name):
            return str(
                t(
                    "Open the container on {device} as {opened}; it stays open until `cryptsetup "
                    "close {name}` or the next start.",
                    device=device,
                    opened=operation.opened,
                    name=name,
                )
            )
        case AddCrypttabLine(name=name, key=key):
            return str(
                t(
                    "Have it opened as {name} at every start by the key in {key}: one line in /etc/crypttab.",
                    name=name,
                    key=key,
                )
                if key
                else t(
                    "Have it opened as {name} at every start, which asks for the passphrase: one "
                    "line in /etc/crypttab.",
                    name=name,
                )
            )


def container_undo(operation: OpenContainer | AddCrypttabLine) -> str:
    """How what the step does is taken back."""
    match operation:
        case OpenContainer(name=name):
            return str(t("By `cryptsetup close {name}`.", name=name))
        case AddCrypttabLine():
            return str(
                t("The old /etc/crypttab is kept beside the new one; taking the line out again undoes it.")
            )


def container_holds(operation: ContainerOperation) -> tuple[str, ...]:
    """What is checked when the step is done."""
    match operation:
        case MakeContainer(device=device, uuid=uuid, sector_bytes=sector, offset_bytes=offset):
            found = words.RECOGNISED(devices=(device,), what="crypto_LUKS", uuid=uuid, count=1)
            return (
                str(found),
                str(
                    t(
                        "Its header says that the data begin {offset:exact} in, in sectors of "
                        "{sector} bytes, and that place is aligned.",
                        offset=offset,
                        sector=sector,
                    )
                ),
            )
        case OpenContainer(device=device):
            return (
                str(
                    t(
                        "The device mapper has {opened} open on {device} and on nothing else.",
                        opened=operation.opened,
                        device=device,
                    )
                ),
            )
        case AddCrypttabLine(uuid=uuid):
            return (
                str(
                    t(
                        "/etc/crypttab has exactly this one line for {uuid}, and every other line as before.",
                        uuid=uuid,
                    )
                ),
            )
