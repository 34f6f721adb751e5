"""What the verdict of a write probe says, and what it does not say."""

from wizard.model.machine import Drive
from wizard.model.units import format_capacity, format_duration
from wizard.model.verdict import Cliff, CliffDoubt, CliffOutcome
from wizard.trial.cliff import SEEKING_SECONDS, Judgement

PLAIN_DOUBTS = {
    CliffDoubt.TOO_LITTLE: "too little was written to say anything. Give it more time and more bytes.",
    CliffDoubt.LATE: (
        "random writing became slower only at the very end, too late to tell why. Give it more time and more "
        "bytes."
    ),
    CliffDoubt.SLOW_FROM_THE_START: (
        f"every random write took longer than {SEEKING_SECONDS * 1000:.0f} ms, from the first one on. A "
        "shingled drive whose cache was full already does that, and so does one that is busy with something "
        "else, or failing, and any memory stick. Leave it alone for an hour, then try again."
    ),
}

EXPLAINED = {
    CliffDoubt.NO_COMPARISON: (
        "Sequential writing was not measured afterwards, so that other work on the drive may have been the "
        "reason."
    ),
    CliffDoubt.SEQUENTIAL_TOO: (
        "But sequential writing became slower as well: other work, heat or a cache before the drive explain "
        "that."
    ),
    CliffDoubt.AS_FAST_AS_SEEKING: (
        "But it is still as fast as any hard disk that has to seek: a write cache that filled up, in a "
        "controller or an enclosure, explains that as well."
    ),
    CliffDoubt.SOLID_STATE: (
        "It is a solid-state drive: its own fast cache filled up. That has nothing to do with shingled "
        "recording."
    ),
    CliffDoubt.REMOVABLE: "But it is removable: memory sticks and cards write at random like that by nature.",
    CliffDoubt.NOT_A_DRIVE: (
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
            return f"{path}: inconclusive; {fall}. {EXPLAINED[judgement.doubt]}"
        return (
            f"{path}: write cliff found; {fall}, while sequential writing stayed at {_rate(after)} "
            f"({_rate(before)} before). So writes a drive-managed shingled drive whose cache is full: this "
            "one is likely shingled."
        )
    if judgement.doubt is not None:
        return f"{path}: inconclusive; {PLAIN_DOUBTS[judgement.doubt]}"
    return (
        f"{path}: no write cliff within {_amount(random_bytes)} of random writes. That is no proof that it "
        "is not shingled: a larger cache would not have shown."
    )


def caveats_for(
    drive: Drive, outcome: CliffOutcome, *, saw_data: bool, all_used: bool, ended: bool
) -> tuple[str, ...]:
    """What a person must know to read the verdict rightly."""
    caveats = []
    if outcome is CliffOutcome.FOUND:
        caveats.append(
            "The cache empties while the drive is left alone: until then, an hour perhaps, it stays slow. "
            "Nothing is wrong with the drive."
        )
    elif not saw_data:
        caveats.append(
            "Everything read was zeros: this space was perhaps never written, or discarded, and a shingled "
            "drive may write there without its cache. Space that once held data tells more."
        )
    else:
        caveats.append(
            "Where free space was discarded or never written, a shingled drive may write without its cache "
            "and show no cliff."
        )
    if outcome is CliffOutcome.NONE_WITHIN and all_used:
        caveats.append(
            "All of its free space was written; a drive with more free space could be tried longer."
        )
    if drive.bus == "usb" and outcome is CliffOutcome.FOUND:
        caveats.append(
            "What is attached by USB often counts as a hard disk without being one: of a memory stick this "
            "says nothing."
        )
    if drive.rotational is False and drive.bus != "loop":
        caveats.append(
            "Shingled recording is a matter of rotating drives, and this one says that it is none."
        )
    if drive.bus == "loop":
        caveats.append(
            "This is a loop device: what was measured is the file beneath it and this machine's cache, not a "
            "drive."
        )
    if ended:
        caveats.append("Ended by you before its limits were reached.")
    return tuple(caveats)


def rate_in_words(bytes_per_second: float) -> str:
    """A rate for people: `6.4 MB/s`."""
    return f"{format_capacity(round(bytes_per_second))}/s"


def _fall(cliff: Cliff) -> str:
    return (
        f"after {_amount(cliff.after_bytes)} of random writes ({format_duration(cliff.after_seconds)} of "
        f"writing) their rate fell from {_rate(cliff.bytes_per_second_before)} to "
        f"{_rate(cliff.bytes_per_second_after)}, to 1/{cliff.factor:.0f}"
    )


def _rate(bytes_per_second: float | None) -> str:
    return "an unknown rate" if bytes_per_second is None else rate_in_words(bytes_per_second)


def _amount(size_bytes: int) -> str:
    return format_capacity(size_bytes)
