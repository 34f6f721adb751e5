"""What waits on a drive, by its own notice."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run that wrote to a drive and withheld by what that is recognised. `run` is what a command is told
    that means it, as it is typed: its name, or its folder where that lies elsewhere; `begun` when, `told`
    what it made. The notice of it lies from `start_bytes` on, in `size_bytes`.

    `bare`: what is withheld is not there, and so it waits. Else the drive was written to since, and nobody
    can tell what of it is whole.
    """

    run: str
    begun: str
    told: str
    start_bytes: int
    size_bytes: int
    bare: bool
