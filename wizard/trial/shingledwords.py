"""What the verdict of a write probe says, and what it does not say."""

from wizard.model.machine import Drive
from wizard.model.said import Said
from wizard.model.units import format_capacity, format_duration
from wizard.model.verdict import Cliff, CliffDoubt, CliffOutcome
from wizard.trial.cliff import SEEKING_SECONDS, Judgement
from wizard.trial.words import shingled as words
from wizard.trial.words.alignment import LOOP

EXPLAINED = {
    CliffDoubt.NO_COMPARISON: words.NO_COMPARISON,
    CliffDoubt.SEQUENTIAL_TOO: words.SEQUENTIAL_TOO,
    CliffDoubt.AS_FAST_AS_SEEKING: words.AS_FAST,
    CliffDoubt.SOLID_STATE: words.SOLID_STATE,
    CliffDoubt.REMOVABLE: words.REMOVABLE,
    CliffDoubt.NOT_A_DRIVE: words.NO_DRIVE,
}


def sentence_for(
    path: str, judgement: Judgement, before: float | None, after: float | None, random_bytes: int
) -> str:
    """The verdict in a few sentences, which claim no more than was measured. The sequential rates are bytes a
    second."""
    cliff = judgement.cliff
    if cliff is not None:
        fall = _fall(cliff)
        if judgement.doubt is not None:
            return str(words.CLIFF(drive=path, fall=fall, why=EXPLAINED[judgement.doubt]()))
        return str(words.FOUND(drive=path, fall=fall, after=_rate(after), before=_rate(before)))
    if judgement.doubt is not None:
        return str(words.INCONCLUSIVE(drive=path, why=_plain(judgement.doubt)))
    return str(words.NONE_FOUND(drive=path, written=random_bytes))


def caveats_for(
    drive: Drive, outcome: CliffOutcome, *, saw_data: bool, all_used: bool, ended: bool
) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = []
    if outcome is CliffOutcome.FOUND:
        caveats.append(words.EMPTIES())
    elif not saw_data:
        caveats.append(words.ZEROS())
    else:
        caveats.append(words.DISCARDED())
    if outcome is CliffOutcome.NONE_WITHIN and all_used:
        caveats.append(words.ALL_WRITTEN())
    if drive.bus == "usb" and outcome is CliffOutcome.FOUND:
        caveats.append(words.USB())
    if drive.rotational is False and drive.bus != "loop":
        caveats.append(words.NOT_ROTATING())
    if drive.bus == "loop":
        caveats.append(LOOP())
    if ended:
        caveats.append(words.ENDED())
    return tuple(map(str, caveats))


def rate_in_words(bytes_per_second: float) -> str:
    """A rate for people: `6.4 MB/s`."""
    return f"{format_capacity(round(bytes_per_second))}/s"


def _plain(doubt: CliffDoubt) -> Said:
    """Why nothing can be said where there is no cliff."""
    return {
        CliffDoubt.TOO_LITTLE: words.TOO_LITTLE(),
        CliffDoubt.LATE: words.LATE(),
        CliffDoubt.SLOW_FROM_THE_START: words.SLOW(most=round(SEEKING_SECONDS * 1000)),
    }[doubt]


def _fall(cliff: Cliff) -> Said:
    return words.FELL(
        written=cliff.after_bytes,
        duration=format_duration(cliff.after_seconds),
        before=_rate(cliff.bytes_per_second_before),
        after=_rate(cliff.bytes_per_second_after),
        factor=f"{cliff.factor:.0f}",
    )


def _rate(bytes_per_second: float | None) -> str:
    return str(words.UNKNOWN_RATE()) if bytes_per_second is None else rate_in_words(bytes_per_second)
