"""Recordings that are older than the codes of reasons: they have a text, and nothing on what stood against
reading. Here alone does a text decide that."""

from wizard.model.machine import Obstacle
from wizard.model.said import Said
from wizard.probe.facts import RawError
from wizard.probe.reasons import obstacle_in
from wizard.probe.words.unread import AS_RECORDED


def reason_of(error: RawError) -> Said:
    """The reason. A text of before is made a sentence; one that names an unknown code stays as it is."""
    if isinstance(error.why, Said):
        return error.why
    return AS_RECORDED(text=error.why if error.obstacle else _sentence(error.why))


def obstacle_of(error: RawError) -> Obstacle:
    """What stood against reading, as recorded, or by the text of before."""
    if error.obstacle is None and isinstance(error.why, str):
        return obstacle_in(error.why)
    return error.obstacle or Obstacle.FAILED


def _sentence(text: str) -> str:
    whole = text.rstrip(".")
    return f"{whole}." if text.startswith("/") else f"{whole[:1].upper()}{whole[1:]}."
