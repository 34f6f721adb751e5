"""How far the step is that a run is at: a small file beside the journal, for whoever watches. Nothing is decided by it."""

import json
from dataclasses import dataclass
from pathlib import Path

FILE = "progress.json"


@dataclass(frozen=True, slots=True)
class StepProgress:
    """Of step `step`, which counts from 1, the part `share` is done, from 0 to 1; None in `seconds_left` where nobody can tell yet."""

    step: int
    share: float
    seconds_left: float | None = None


def note_progress(run: Path, progress: StepProgress) -> None:
    """Put it beside the run's journal, whole or not at all. It is not made to outlive a power cut, and a failure is nobody's loss."""
    new = run / f"{FILE}.new"
    try:
        new.write_text(json.dumps({"step": progress.step, "share": progress.share, "seconds_left": progress.seconds_left}), "utf-8")
        new.replace(run / FILE)
    except OSError:
        return


def read_progress(run: Path) -> StepProgress | None:
    """What was noted last; None where nothing was, or nothing that makes sense."""
    try:
        said = json.loads((run / FILE).read_text("utf-8"))
        left = said["seconds_left"]
        progress = StepProgress(int(said["step"]), float(said["share"]), None if left is None else float(left))
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    return progress if 0 <= progress.share <= 1 and (progress.seconds_left is None or progress.seconds_left >= 0) else None
