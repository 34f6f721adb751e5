"""What a passphrase may be, and when it is a weak one. Pure."""

from wizard.model.said import t

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
        return str(t("is longer than the {most} bytes that can be typed at a start", most=LARGEST_BYTES))
    if b"\n" in secret or b"\0" in secret:
        return str(t("holds a line end or a zero byte, which cannot be typed at a start"))
    return None


def passphrase_warning(secret: bytes) -> str | None:
    """A sentence where the passphrase is short or hardly varied; else None."""
    if len(secret) < FEW_CHARACTERS:
        return str(
            t(
                "This passphrase is short: with fewer than {least} characters it can be "
                "guessed by trying. Several words are better.",
                least=FEW_CHARACTERS,
            )
        )
    if len(set(secret)) < FEW_DIFFERENT:
        return str(
            t("This passphrase is hardly varied: it can be guessed by trying. Several words are better.")
        )
    if not secret.isascii():
        return str(
            t(
                "This passphrase has letters beyond plain ASCII. At a start another keyboard "
                "may be set, on which they cannot be typed."
            )
        )
    return None


def from_file(content: bytes) -> bytes:
    """The passphrase in a file: its bytes without one line end behind them."""
    return content.removesuffix(b"\n")
