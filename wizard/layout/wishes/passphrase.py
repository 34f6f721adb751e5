"""What a passphrase may be, and when it is a weak one. Pure."""

from wizard.layout.wishes import words

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
        return str(words.PASSPHRASE_EMPTY())
    if len(secret) > LARGEST_BYTES:
        return str(words.PASSPHRASE_LONG(most=LARGEST_BYTES))
    if b"\n" in secret or b"\0" in secret:
        return str(words.PASSPHRASE_CONTROLS())
    return None


def passphrase_warning(secret: bytes) -> str | None:
    """A sentence where the passphrase is short or hardly varied; else None."""
    if len(secret) < FEW_CHARACTERS:
        return str(words.PASSPHRASE_SHORT(least=FEW_CHARACTERS))
    if len(set(secret)) < FEW_DIFFERENT:
        return str(words.PASSPHRASE_PLAIN())
    if not secret.isascii():
        return str(words.PASSPHRASE_FOREIGN())
    return None


def from_file(content: bytes) -> bytes:
    """The passphrase in a file: its bytes without one line end behind them."""
    return content.removesuffix(b"\n")
