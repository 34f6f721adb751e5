"""How far the step is that a run is at: a small file beside the journal, for whoever watches. Nothing is
decided by it."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

FILE = "progress.json"

NOTE_SECONDS = 0.5
"""How far a step is, is noted no more often."""

WHOLE = (0.0, 1.0)

Progress = Callable[[float], None]
"""Is told which part is done, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Of step `step`, which counts from 1, the part `share` is done, from 0 to 1; None in `seconds_left`
    where nobody can tell yet. Step 0 is what comes before the first, or behind the last: reading, checking,
    putting in place. `rate` is how many bytes a second it moves, None where nobody counts them.
    """

    step: int
    share: float
    seconds_left: float | None = None
    rate: float | None = None


def note_progress(run: Path, progress: StepProgress) -> None:
    """Put it beside the run's journal, whole or not at all. It is not made to outlive a power cut, and a
    failure is nobody's loss."""
    new = run / f"{FILE}.new"
    noted = asdict(progress)
    try:
        # Like everything in a run: for root alone.
        new.touch(mode=0o600)
        new.write_text(json.dumps(noted), "utf-8")
        new.replace(run / FILE)
    except OSError:
        return


def read_progress(run: Path) -> StepProgress | None:
    """What was noted last; None where nothing was, or nothing that makes sense."""
    try:
        said = json.loads((run / FILE).read_text("utf-8"))
        left, rate = (None if one is None else float(one) for one in (said["seconds_left"], said.get("rate")))
        progress = StepProgress(int(said["step"]), float(said["share"]), left, rate)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (
        progress
        if 0 <= progress.share <= 1 and (progress.seconds_left is None or progress.seconds_left >= 0)
        else None
    )


def noting(
    run: Path, step: int = 0, part: tuple[float, float] = WHOLE, size_bytes: int | None = None
) -> Progress:
    """Notes which share, from 0 to 1, of what begins now is done, not too often. It is `part` of its step,
    from where to where, and moves `size_bytes` where that is known.

    What is left is told as if the whole step went as fast as this.
    """
    begun = told = monotonic()
    low, high = part
    note_progress(run, StepProgress(step, low))

    def note(share: float) -> None:
        nonlocal told
        now = monotonic()
        if share and now >= told + NOTE_SECONDS:
            told = now
            of_all = low + (high - low) * share
            left = (now - begun) * (1 - of_all) / (of_all - low)
            rate = None if size_bytes is None else size_bytes * share / (now - begun)
            note_progress(run, StepProgress(step, of_all, left, rate))

    return note


class Tally:
    """Counts bytes that are read or written, and tells which part of them is done; nothing where nobody has
    begun to count."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._bytes, self._done = 1, 0

    def begin(self, progress: Progress, all_bytes: int) -> None:
        """Count from 0; `all_bytes` is about how many there will be."""
        self._progress, self._bytes, self._done = progress, max(1, all_bytes), 0

    def __call__(self, size_bytes: int) -> None:
        """So many more are done."""
        self._done += size_bytes
        if self._progress is not None:
            self._progress(min(self._done / self._bytes, 1.0))


def part_of(progress: Progress, begin: float, end: float) -> Progress:
    """Tells of a part of the work as of the whole."""
    return lambda share: progress(begin + share * (end - begin))
