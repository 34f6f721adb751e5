"""What a verdict says, and what it does not say."""

from wizard.model.machine import Drive
from wizard.model.verdict import Outcome, Ratio
from wizard.trial.paired import BAND

READING_ONLY = (
    "Reading alone never clears a drive: the penalty of misalignment is in writing, which was not measured."
)


def sentence_for(
    path: str, access: str, outcome: Outcome, ratio: Ratio | None, pairs: int, claim_above: float = BAND[1]
) -> str:
    """The verdict in a sentence or two, which claim no more than was measured."""
    doing = "reading" if access == "read" else "writing"
    if ratio is None:
        return f"{path}, {doing}: inconclusive; {pairs} pairs are too few to say anything. Give it more time."
    interval = f"({_range(ratio)}, {ratio.confidence:.0%})".replace("%", " %")
    match outcome:
        case Outcome.ALIGNED_FASTER:
            return f"{path}, {doing}: aligned is {_number(ratio.estimate, ratio)}x faster {interval}."
        case Outcome.NO_DIFFERENCE:
            said = f"{path}, {doing}: no measurable difference between aligned and misaligned {interval}."
            return f"{said} {READING_ONLY}" if access == "read" else said
        case _:
            return (
                f"{path}, {doing}: inconclusive; misaligned takes {_number(ratio.estimate, ratio)} times as "
                f"long as aligned {interval}, and a difference is claimed only above {claim_above}, none "
                f"only within {BAND[0]}-{BAND[1]}."
            )


def caveats_for(
    drive: Drive, access: str, outcome: Outcome, *, assumed: bool, counted_pauses: bool, ended: bool
) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = []
    if access == "read" and outcome is not Outcome.ALIGNED_FASTER:
        caveats.append(READING_ONLY)
    if drive.bus == "loop":
        caveats.append(
            "This is a loop device: what was measured is the file beneath it and this machine's cache, not a "
            "drive."
        )
    if assumed:
        caveats.append("The physical block size was given by you, not by the drive.")
    if drive.rotational is False and drive.bus != "loop":
        caveats.append("On a solid-state drive misalignment also costs wear, which no timing shows.")
    if access == "write":
        caveats.append(
            "Each write was waited for until the drive called it durable; with its write cache, costs come "
            "later, but they come."
        )
    if counted_pauses:
        caveats.append(
            "The drive works off what it took before while nothing is asked of it: the pauses between "
            "accesses were counted."
        )
    if drive.uses:
        caveats.append("The drive is in use: other work on it widens the interval.")
    if ended:
        caveats.append("Ended by you before the interval was as narrow as it could have become.")
    return tuple(caveats)


def _range(ratio: Ratio) -> str:
    return f"{_number(ratio.low, ratio)}-{_number(ratio.high, ratio)}"


def _number(value: float, ratio: Ratio) -> str:
    """One digit behind the point is enough for ratios well above 1."""
    return f"{value:.1f}" if ratio.low >= 1.2 else f"{value:.2f}"
