"""What the ways and means of a migration are called, the same on every face."""

import shlex
from collections.abc import Mapping

from wizard.migrate.words import ways as words
from wizard.model.documents.migration import Means, Migration, Offer, Prospect, SetFstabType, Way
from wizard.model.ext import ExtFacts
from wizard.model.names import printable
from wizard.model.said import Said

TITLES: Mapping[Way, Said] = {
    Way.MOUNT: words.MOUNT(),
    Way.LIGHT: words.LIGHT(),
    Way.FULL: words.FULL(),
    Way.FRESH: words.FRESH(),
}
SUMMARIES: Mapping[Way, Said] = {
    Way.MOUNT: words.MOUNT_DOES(),
    Way.LIGHT: words.LIGHT_DOES(),
    Way.FULL: words.FULL_DOES(),
    Way.FRESH: words.FRESH_DOES(),
}
_MEANS: Mapping[Means, Said] = {
    Means.TRANSACTION: words.TRANSACTION(),
    Means.DIRECT: words.DIRECT(),
    Means.FILES: words.FILES(),
    Means.COPY: words.COPY(),
}
MEANS: Mapping[Means, str] = {means: str(said) for means, said in _MEANS.items()}
BETWEEN: Mapping[Means, Said] = {
    Means.TRANSACTION: words.BETWEEN_TRANSACTION(),
    Means.DIRECT: words.BETWEEN_DIRECT(),
    Means.FILES: words.BETWEEN_FILES(),
    Means.COPY: words.BETWEEN_COPY(),
}
"""What a power cut would leave between two steps."""

POWER: Mapping[Means, Said] = {
    Means.TRANSACTION: words.POWER_TRANSACTION(),
    Means.DIRECT: words.POWER_DIRECT(),
    Means.FILES: words.POWER_FILES(),
    Means.COPY: words.POWER_COPY(),
}
"""What a power cut would do."""

BACK: Mapping[Means, Said] = {
    Means.TRANSACTION: words.BACK_TO_THE_BIT(),
    Means.DIRECT: words.BACK_TO_THE_BIT(),
    Means.FILES: words.BACK_FILES(),
    Means.COPY: words.BACK_COPY(),
}
"""Until when there is a way back."""

COMPARED = frozenset({Way.LIGHT, Way.FULL})
"""Ways on which comparing every file is a choice: one changes nothing on the disk, the other always
compares."""


def is_damaged(before: ExtFacts) -> bool:
    """Whether the filesystem says itself that something in it is wrong, or was begun and not finished."""
    return before.has_errors or before.recorded_errors > 0 or bool(before.half_done)


def offer_of(prospect: Prospect, way: Way) -> Offer | None:
    """The offer for a way."""
    return next((offer for offer in prospect.offers if offer.way is way), None)


def power_words(migration: Migration, number: int | None, told: str, *, begun: bool = True) -> Said | str:
    """What would become of everything if the power went while step `number`, from 1, is done; None between
    two steps, or before the first where none was `begun`.

    `told` is what the transaction itself says of that, empty where there is none.
    """
    step = migration.steps[number - 1] if number is not None and 0 < number <= len(migration.steps) else None
    if told and (step is None or not isinstance(step.operation, SetFstabType)):
        return told
    if not begun:
        return words.UNTOUCHED()
    return step.power if step else BETWEEN[migration.means]


def how_sentences(migration: Migration) -> tuple[Said, ...]:
    """How it is made safe, where the room for that is, and what is compared and repaired."""
    said = [_MEANS[migration.means]]
    folder = migration.store or migration.undo_dir
    if folder:
        said.append(words.ROOM(room=migration.room_bytes, folder=printable(folder, 200)))
    if migration.manifest:
        said.append(words.COMPARED())
    elif migration.way in COMPARED:
        said.append(words.NOT_COMPARED())
    if migration.repairs:
        said.append(words.REPAIRED())
    return tuple(said)


def risk_sentences(migration: Migration) -> tuple[Said, ...]:
    """What may happen to the files, by a power cut among others, and until when there is a way back."""
    driver = () if migration.way in (Way.FRESH, Way.MOUNT) else (words.ONLY_EXT4(),)
    return (POWER[migration.means], BACK[migration.means], *driver)


def confirm_command(migration: Migration, file: str = "FILE") -> str:
    """The command by which root carries out what was saved in a file."""
    named = shlex.quote(file) if file != "FILE" else file
    token = shlex.quote(printable(migration.written.token))
    return " ".join(("sudo", "diskwright", "apply", named, "--confirm", token))
