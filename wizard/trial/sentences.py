"""What a verdict says, and what it does not say."""

from wizard.model.machine import Drive
from wizard.model.said import in_a_row
from wizard.model.verdict import Outcome, Ratio
from wizard.trial.paired import BAND
from wizard.trial.words import alignment as words


def sentence_for(
    path: str,
    access: str,
    outcome: Outcome,
    ratio: Ratio | None,
    pairs: int,
    claim_above: float = BAND[1],
    *,
    as_in_part: bool = False,
) -> str:
    """The verdict in a sentence or two, which claim no more than was measured. `as_in_part`: what was
    compared with aligned accesses lay as in the partition at `path`."""
    doing = words.READING() if access == "read" else words.WRITING()
    if ratio is None:
        return str(words.FEW_PAIRS(drive=path, doing=doing, pairs=pairs))
    factor = _number(ratio.estimate, ratio)
    interval = words.INTERVAL(
        low=_number(ratio.low, ratio),
        high=_number(ratio.high, ratio),
        confidence=f"{ratio.confidence * 100:.0f}",
    )
    match outcome:
        case Outcome.ALIGNED_FASTER:
            return str(words.FASTER(drive=path, doing=doing, factor=factor, interval=interval))
        case Outcome.NO_DIFFERENCE:
            none = words.AS_FAST if as_in_part else words.NO_DIFFERENCE
            said = none(drive=path, doing=doing, interval=interval)
            return str(in_a_row(said, words.READING_ONLY()) if access == "read" else said)
        case _:
            unclear = words.UNCLEAR_THERE if as_in_part else words.INCONCLUSIVE
            said = unclear(
                drive=path,
                doing=doing,
                factor=factor,
                interval=interval,
                above=claim_above,
                low=BAND[0],
                high=BAND[1],
            )
            return str(said)


def caveats_for(
    drive: Drive, access: str, outcome: Outcome, *, assumed: bool, counted_pauses: bool, ended: bool
) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = []
    if access == "read" and outcome is not Outcome.ALIGNED_FASTER:
        caveats.append(words.READING_ONLY())
    if drive.bus == "loop":
        caveats.append(words.LOOP())
    if assumed:
        caveats.append(words.ASSUMED())
    if drive.rotational is False and drive.bus != "loop":
        caveats.append(words.WEAR())
    if access == "write":
        caveats.append(words.DURABLE())
    if counted_pauses:
        caveats.append(words.PAUSES())
    if drive.uses:
        caveats.append(words.USED())
    if ended:
        caveats.append(words.ENDED())
    return tuple(map(str, caveats))


def _number(value: float, ratio: Ratio) -> str:
    """One digit behind the point is enough for ratios well above 1."""
    return f"{value:.1f}" if ratio.low >= 1.2 else f"{value:.2f}"
