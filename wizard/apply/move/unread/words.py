"""What is said of sectors that cannot be read while a partition moves."""

from wizard.model.said import Sentence

UNREADABLE = Sentence(
    "apply.move.unread.unreadable",
    "1 physical block cannot be read.",
    "{count} stretches of physical blocks cannot be read.",
)
TOO_MANY = Sentence(
    "apply.move.unread.too-many",
    "{why} More than {count} reads failed there, so no more are tried: the drive may be dying.",
)
TOO_MANY_KEPT = Sentence(
    "apply.move.unread.too-many-kept",
    "{count} stretches of the partition cannot be read, more than the journal holds: the drive may be dying.",
)
BESIDE = Sentence(
    "apply.move.unread.beside",
    "The drive could not be read at byte {byte}, in a block that the partition shares with what lies beside.",
)
UNREAD_AT = Sentence(
    "apply.move.unread.unread-at",
    "{drive} cannot be read in its sectors {first} to {last}: {size:exact} of {part}, sectors {own_first} to "
    "{own_last}, byte {begin} on.",
)
KEPT_AT = Sentence(
    "apply.move.unread.kept-at",
    "{drive} cannot be read in its sectors {first} to {last}: {size:exact} of {part}, sectors {own_first} to "
    "{own_last}, byte {begin} on. The journal on the drive has what was there.",
)
ZEROS_AT = Sentence(
    "apply.move.unread.zeros-at",
    "{part} has zeros in its sectors {own_first} to {own_last}: {size:exact}, byte {begin} on. They were "
    "sectors {first} to {last} of {drive}.",
)
STOPPED = Sentence(
    "apply.move.unread.stopped",
    "A place of {part} cannot be read, {size:exact}; so the move stopped, and nothing else is lost. "
    "`diskwright resume {run} --over-bad-sectors` goes on, and has zeros there from then on.",
    "{count} places of {part} cannot be read, {size:exact}; so the move stopped, and nothing else is lost. "
    "`diskwright resume {run} --over-bad-sectors` goes on, and has zeros there from then on.",
)
STOPPED_BEFORE = Sentence(
    "apply.move.unread.stopped-before",
    "A place at the beginning of {part} cannot be read any more, {size:exact}; nothing has moved yet. "
    "`diskwright resume {run} --over-bad-sectors` moves it, and restores that place from the journal.",
    "{count} places at the beginning of {part} cannot be read any more, {size:exact}; nothing has moved yet. "
    "`diskwright resume {run} --over-bad-sectors` moves it, and restores those places from the journal.",
)
SAME_BUT = Sentence(
    "apply.move.unread.same-but",
    "{part} holds the same bytes as before, but for {size:exact} that could not be read. {apart:size} around "
    "them could not be compared.",
)
STOPPED_BACK = Sentence(
    "apply.move.unread.stopped-back",
    "A place of {part} cannot be read, {size:exact}. `diskwright undo {run} --over-bad-sectors` goes on, and "
    "has zeros there.",
    "{count} places of {part} cannot be read, {size:exact}. `diskwright undo {run} --over-bad-sectors` goes "
    "on, and has zeros there.",
)
USED_UNKNOWN = Sentence(
    "apply.move.unread.used-unknown",
    "So nobody can tell whether {part} was used since it was moved. Only if it was not, "
    "`diskwright undo {run} --over-bad-sectors` moves it back, and restores these places from the journal.",
)
BACK_BUT = Sentence(
    "apply.move.unread.back-but",
    "{part} starts at {start:exact} again, as it was, but for {size:exact} that could not be read. "
    "{apart:size} around them could not be compared.",
)
NO_BAD = Sentence(
    "apply.move.unread.no-bad",
    "{run} has not stopped at a bad sector: --over-bad-sectors means nothing for it. Nothing was written.",
)
GOES_OVER = Sentence(
    "apply.move.unread.goes-over",
    "Going on with {run} leaves zeros in these places, but for what the journal has. What was there is lost "
    "then: `undo` brings back all but that.",
)
WHAT_IS_THERE = Sentence(
    "apply.move.unread.what-is-there",
    "Which file that is cannot be told while the partition is half moved. Moved back, its own check tells.",
)
