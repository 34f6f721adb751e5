"""What a person types to show which drive is meant. Pure."""

from collections.abc import Iterable

ENOUGH = 4
"""Characters from the end of a serial that are enough where no other drive's ends alike."""


def shortened(token: str, others: Iterable[str], *, serial: bool) -> str:
    """The least that has to be typed of a token: its end, or all of it where that is short, is no `serial`,
    or another drive's ends alike."""
    end = token[-ENOUGH:]
    alike = any(other.endswith(end) for other in others)
    # Where there is a blank in it, nobody sees where the end begins.
    whole = not serial or alike or len(token) <= ENOUGH or " " in end
    return token if whole else end


def meant(typed: str, token: str, others: Iterable[str], *, serial: bool) -> bool:
    """Whether what was typed is the token, or enough of it."""
    return bool(typed) and typed in (token, shortened(token, others, serial=serial))
