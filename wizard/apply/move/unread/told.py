"""Sectors that could not be read while a partition moved, in words. Pure."""

from collections.abc import Iterable, Iterator

from wizard.apply.move.content import uncompared_bytes
from wizard.apply.move.noted import Bad, Noted
from wizard.model.documents.move import Move, Moves
from wizard.model.said import Said, Sentence, Sentences, in_a_row, t, tn


def bad_listed(move: Move, bad: Iterable[Bad]) -> Iterator[Said]:
    """Each place: where it was on the drive, and where it is in the partition."""
    block = move.drive.geometry.logical_block_bytes
    for one in bad:
        says = (
            Sentence(
                "{part} has zeros in its sectors {own_first} to {own_last}: {size:exact}, "
                "byte {begin} on. They were sectors {first} to {last} of {drive}."
            )
            if one.is_zeros
            else Sentence(
                "{drive} cannot be read in its sectors {first} to {last}: {size:exact} of "
                "{part}, sectors {own_first} to {own_last}, byte {begin} on. The journal on "
                "the drive has what was there."
            )
            if one.is_kept
            else Sentence(
                "{drive} cannot be read in its sectors {first} to {last}: {size:exact} of "
                "{part}, sectors {own_first} to {own_last}, byte {begin} on."
            )
        )
        yield says(
            drive=move.drive.path,
            part=move.device,
            first=one.drive_bytes // block,
            last=(one.drive_bytes + one.content.size_bytes) // block - 1,
            own_first=one.content.start_bytes // block,
            own_last=one.content.end_bytes // block - 1,
            begin=one.content.start_bytes,
            size=one.content.size_bytes,
        )


def stops_of(moves: Moves, notes: Iterable[Noted]) -> tuple[Said, ...]:
    """All places that a run stops at now."""
    pairs = zip(moves.moves, notes, strict=True)
    return tuple(said for move, noted in pairs for said in bad_listed(move, noted.stops))


def stopped_said(move: Move, bad: tuple[Bad, ...], run: str) -> Said:
    """Why a move stopped on its way, and how it goes on, or back."""
    says = (
        Sentences(
            "A place at the beginning of {part} cannot be read any more, {size:exact}; "
            "nothing has moved yet. `diskwright resume {run} --over-bad-sectors` moves "
            "it, and restores that place from the journal.",
            "{count} places at the beginning of {part} cannot be read any more, "
            "{size:exact}; nothing has moved yet. `diskwright resume {run} "
            "--over-bad-sectors` moves it, and restores those places from the journal.",
        )
        if all(one.is_kept for one in bad)
        else Sentences(
            "A place of {part} cannot be read, {size:exact}; so the move stopped, and "
            "nothing else is lost. `diskwright resume {run} --over-bad-sectors` goes on, "
            "and has zeros there from then on.",
            "{count} places of {part} cannot be read, {size:exact}; so the move stopped, "
            "and nothing else is lost. `diskwright resume {run} --over-bad-sectors` goes "
            "on, and has zeros there from then on.",
        )
    )
    return says(count=len(bad), part=move.device, size=_size(bad), run=run)


def stopped_back_said(move: Move, bad: tuple[Bad, ...], run: str) -> Said:
    """The places at which the way back stops, and how it goes on."""
    if all(one.is_kept for one in bad):
        said = t(
            "So nobody can tell whether {part} was used since it was moved. Only if it "
            "was not, `diskwright undo {run} --over-bad-sectors` moves it back, and "
            "restores these places from the journal.",
            part=move.device,
            run=run,
        )
    else:
        said = tn(
            "A place of {part} cannot be read, {size:exact}. `diskwright undo {run} "
            "--over-bad-sectors` goes on, and has zeros there.",
            "{count} places of {part} cannot be read, {size:exact}. `diskwright undo "
            "{run} --over-bad-sectors` goes on, and has zeros there.",
            count=len(bad),
            part=move.device,
            size=_size(bad),
            run=run,
        )
    return in_a_row(*bad_listed(move, bad), said)


def same_said(move: Move, bad: tuple[Bad, ...]) -> Said:
    """What was compared: all, or all but the pieces around what was lost."""
    if not bad:
        return t("{part} holds the same bytes as before.", part=move.device)
    apart = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return t(
        "{part} holds the same bytes as before, but for {size:exact} that could not "
        "be read. {apart:size} around them could not be compared.",
        part=move.device,
        size=_size(bad),
        apart=apart,
    )


def back_but(move: Move, bad: tuple[Bad, ...]) -> Said:
    """Where it is again, and what is not as it was."""
    apart = uncompared_bytes(move.before.size_bytes, (one.content for one in bad))
    return t(
        "{part} starts at {start:exact} again, as it was, but for {size:exact} that "
        "could not be read. {apart:size} around them could not be compared.",
        part=move.device,
        start=move.before.start_bytes,
        size=_size(bad),
        apart=apart,
    )


def _size(bad: Iterable[Bad]) -> int:
    return sum(one.content.size_bytes for one in bad)
