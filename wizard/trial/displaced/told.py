"""What the verdict of the quick probe says, and what it does not say."""

from statistics import median

from wizard.model.displaced import Basis, Displaced, Look, Timings
from wizard.model.said import Said
from wizard.trial.displaced.judge import MILLISECOND, Judgement
from wizard.trial.words import displaced as words

_SAID = {
    Basis.STAYS: words.STAYS,
    Basis.UNWRITTEN: words.UNWRITTEN,
    Basis.CAME_HOME: words.CAME_HOME,
    Basis.FROM_MEMORY: words.FROM_MEMORY,
    Basis.NO_PLATTERS: words.NO_PLATTERS,
    Basis.ENDED: words.ENDED,
}


def sentence_for(path: str, judgement: Judgement, timings: Timings, seconds: float) -> str:
    """The verdict in a sentence or two, which claim no more than was measured. `seconds` is the limit."""
    match judgement.outcome:
        case Displaced.LIKELY:
            return str(words.LIKELY(drive=path, why=_why(judgement.basis, timings, seconds)))
        case Displaced.NOTHING_FOUND:
            return str(words.NOTHING_FOUND(drive=path))
        case Displaced.CANNOT_TELL:
            return str(words.CANNOT_TELL(drive=path, why=_why(judgement.basis, timings, seconds)))


def known_sentence(path: str, family: str) -> str:
    """Of a drive whose model is listed, and that was not tried therefore."""
    return str(words.CANNOT_TELL(drive=path, why=words.MEDIA_CACHE(family=family)))


def caveats_for(path: str, judgement: Judgement) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = [words.UNCONFIRMED()]
    if judgement.basis is Basis.STAYS:
        caveats.append(words.SMALL_LATER())
    if judgement.basis is not Basis.ENDED:
        caveats.append(words.CLIFF_PROVES(drive=path))
    if judgement.basis not in (Basis.ENDED, Basis.MEDIA_CACHE):
        caveats.append(words.CONTRIBUTE())
    return tuple(map(str, caveats))


def kinds_of_reads(look: Look) -> tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]:
    """The reads that are compared, by the name of their kind: nanoseconds, batch by batch."""
    return (
        (str(words.READ_WRITTEN()), look.written_at_random),
        (str(words.READ_UNWRITTEN()), look.unwritten_at_random),
        (str(words.READ_WRITTEN_IN_ORDER()), look.written_in_order),
        (str(words.READ_UNWRITTEN_IN_ORDER()), look.unwritten_in_order),
    )


def medians(look: Look) -> tuple[tuple[str, float], ...]:
    """The median of each kind that was read, in nanoseconds."""
    return tuple(
        (name, median(time for batch in batches for time in batch))
        for name, batches in kinds_of_reads(look)
        if batches
    )


def _why(basis: Basis, timings: Timings, seconds: float) -> Said:
    if basis is Basis.REWRITES:
        return words.REWRITES(milliseconds=round(median(timings.writes) / MILLISECOND))
    if basis is Basis.TOO_SLOW:
        return words.TOO_SLOW(seconds=round(seconds))
    return _SAID[basis]()
