"""What the verdict of a write probe says, and what it does not say."""

from wizard.model.machine import Drive
from wizard.model.said import Said, Sentence, t
from wizard.model.units import format_capacity, format_duration
from wizard.model.verdict import Cliff, CliffDoubt, CliffOutcome
from wizard.trial.cliff import SEEKING_SECONDS, Judgement
from wizard.trial.words.alignment import LOOP

EXPLAINED = {
    CliffDoubt.NO_COMPARISON: Sentence(
        "Sequential writing was not measured afterwards, so other work on the drive may have been the reason."
    ),
    CliffDoubt.SEQUENTIAL_TOO: Sentence(
        "But sequential writing became slower as well: other work, heat or a cache "
        "before the drive explain that."
    ),
    CliffDoubt.AS_FAST_AS_SEEKING: Sentence(
        "But it is still as fast as any hard disk that has to seek. A write cache "
        "that filled up, in a controller or an enclosure, explains that as well."
    ),
    CliffDoubt.SOLID_STATE: Sentence(
        "It is a solid-state drive: its own fast cache filled up. That has nothing "
        "to do with shingled recording."
    ),
    CliffDoubt.REMOVABLE: Sentence(
        "But it is removable: memory sticks and cards write at random like that by nature."
    ),
    CliffDoubt.NOT_A_DRIVE: Sentence(
        "But this is a loop device: the file beneath it and this machine's cache were measured, not a drive."
    ),
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
            return str(
                t(
                    "{drive}: inconclusive; {fall}. {why}",
                    drive=path,
                    fall=fall,
                    why=EXPLAINED[judgement.doubt](),
                )
            )
        return str(
            t(
                "{drive}: write cliff found; {fall}. But sequential writing stayed at "
                "{after} ({before} before). A drive-managed shingled drive writes like that "
                "when its cache is full: this one is likely shingled.",
                drive=path,
                fall=fall,
                after=_rate(after),
                before=_rate(before),
            )
        )
    if judgement.doubt is not None:
        return str(t("{drive}: inconclusive; {why}", drive=path, why=_plain(judgement.doubt)))
    return str(
        t(
            "{drive}: no write cliff within {written:size} of random writes. That is no "
            "proof that it is not shingled: a larger cache would not have shown.",
            drive=path,
            written=random_bytes,
        )
    )


def caveats_for(
    drive: Drive, outcome: CliffOutcome, *, saw_data: bool, all_used: bool, ended: bool
) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = []
    if outcome is CliffOutcome.FOUND:
        caveats.append(
            t(
                "The cache empties while the drive is left alone. Until then, an hour "
                "perhaps, it stays slow. Nothing is wrong with the drive."
            )
        )
    elif not saw_data:
        caveats.append(
            t(
                "Everything read was zeros: this space was perhaps never written, or "
                "discarded. A shingled drive may write there without its cache. Space that "
                "once held data tells more."
            )
        )
    else:
        caveats.append(
            t(
                "Where free space was discarded or never written, a shingled drive may write "
                "without its cache and show no cliff."
            )
        )
    if outcome is CliffOutcome.NONE_WITHIN and all_used:
        caveats.append(
            t("All of its free space was written; a drive with more free space could be tried longer.")
        )
    if drive.bus == "usb" and outcome is CliffOutcome.FOUND:
        caveats.append(
            t(
                "What is attached by USB often counts as a hard disk without being one. This "
                "says nothing of a memory stick."
            )
        )
    if drive.rotational is False and drive.bus != "loop":
        caveats.append(
            t("Shingled recording is a matter of rotating drives, and this one says that it is none.")
        )
    if drive.bus == "loop":
        caveats.append(LOOP)
    if ended:
        caveats.append(t("You ended it before its limits were reached."))
    return tuple(map(str, caveats))


def rate_in_words(bytes_per_second: float) -> str:
    """A rate for people: `6.4 MB/s`."""
    return f"{format_capacity(round(bytes_per_second))}/s"


def _plain(doubt: CliffDoubt) -> Said:
    """Why nothing can be said where there is no cliff."""
    return {
        CliffDoubt.TOO_LITTLE: t("too little was written to say anything. Give it more time and more bytes."),
        CliffDoubt.LATE: t(
            "random writing became slower only at the very end, too late to tell why. "
            "Give it more time and more bytes."
        ),
        CliffDoubt.SLOW_FROM_THE_START: t(
            "every random write took longer than {most} ms, from the first one on. A "
            "shingled drive whose cache was full already does that. So does one that is "
            "busy with something else, or failing, and any memory stick. Leave it alone "
            "for an hour, then try again.",
            most=round(SEEKING_SECONDS * 1000),
        ),
    }[doubt]


def _fall(cliff: Cliff) -> Said:
    return t(
        "after {written:size} of random writes ({duration} of writing) their rate "
        "fell from {before} to {after}, to 1/{factor}",
        written=cliff.after_bytes,
        duration=format_duration(cliff.after_seconds),
        before=_rate(cliff.bytes_per_second_before),
        after=_rate(cliff.bytes_per_second_after),
        factor=f"{cliff.factor:.0f}",
    )


def _rate(bytes_per_second: float | None) -> str:
    return str(t("an unknown rate")) if bytes_per_second is None else rate_in_words(bytes_per_second)
