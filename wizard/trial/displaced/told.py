"""What the verdict of the quick probe says, and what it does not say."""

from statistics import median

from wizard.model.displaced import Basis, Displaced, Look, Timings
from wizard.model.said import Said, Sentence, t
from wizard.trial.displaced.judge import MILLISECOND, Judgement

CANNOT_TELL = Sentence("{drive}: can't tell; {why}.")

_SAID = {
    Basis.STAYS: Sentence(
        "blocks that were written are read from another place than their neighbours, "
        "and stayed there while it was left alone"
    ),
    Basis.UNWRITTEN: Sentence(
        "places that were never written answer without its platters, as those of a drive with TRIM do"
    ),
    Basis.CAME_HOME: Sentence(
        "blocks that were written were read from another place, but came home while "
        "it was left alone. Conventional drives with a media cache do that"
    ),
    Basis.FROM_MEMORY: Sentence(
        "too much of what was written came from a memory: the drive's own, a controller's, or flash"
    ),
    Basis.NO_PLATTERS: Sentence("it answers as nothing that turns does"),
    Basis.ENDED: Sentence("you ended it before it could say anything"),
}


def sentence_for(path: str, judgement: Judgement, timings: Timings, seconds: float) -> str:
    """The verdict in a sentence or two, which claim no more than was measured. `seconds` is the limit."""
    match judgement.outcome:
        case Displaced.LIKELY:
            return str(
                t(
                    "{drive} is likely shingled: {why}.",
                    drive=path,
                    why=_why(judgement.basis, timings, seconds),
                )
            )
        case Displaced.NOTHING_FOUND:
            return str(
                t(
                    "{drive}: nothing found; written blocks were read as their neighbours were. "
                    "That is no proof that it is not shingled.",
                    drive=path,
                )
            )
        case Displaced.CANNOT_TELL:
            return str(CANNOT_TELL(drive=path, why=_why(judgement.basis, timings, seconds)))


def known_sentence(path: str, family: str) -> str:
    """Of a drive whose model is listed, and that was not tried therefore."""
    return str(
        CANNOT_TELL(
            drive=path,
            why=t(
                "this model ({family}) may have a media cache, which looks the same. Nothing was written",
                family=family,
            ),
        )
    )


def caveats_for(path: str, judgement: Judgement) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = [t("No real drive has confirmed this test yet. It was tried on simulated drives only.")]
    if judgement.basis is Basis.STAYS:
        caveats.append(
            t(
                "A conventional drive that empties a media cache late looks the same. Its "
                "model is not in the list."
            )
        )
    if judgement.basis is not Basis.ENDED:
        caveats.append(
            t(
                "The surer test is the write cliff: `diskwright bench {drive} --scratch "
                "--shingled`, for half an hour.",
                drive=path,
            )
        )
    if judgement.basis not in (Basis.ENDED, Basis.MEDIA_CACHE):
        caveats.append(
            t(
                "If you know how this drive records, send its report to the project: it "
                "holds every time measured."
            )
        )
    return tuple(map(str, caveats))


def kinds_of_reads(look: Look) -> tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]:
    """The reads that are compared, by the name of their kind: nanoseconds, batch by batch."""
    return (
        (str(t("written, at random")), look.written_at_random),
        (str(t("not written, at random")), look.unwritten_at_random),
        (str(t("written, in order")), look.written_in_order),
        (str(t("not written, in order")), look.unwritten_in_order),
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
        return t(
            "each small write takes {milliseconds} ms, as if a whole band were rewritten",
            milliseconds=round(median(timings.writes) / MILLISECOND),
        )
    if basis is Basis.TOO_SLOW:
        return t("its {seconds} s were over too early. Leave it alone, and try again", seconds=round(seconds))
    return _SAID[basis]()
