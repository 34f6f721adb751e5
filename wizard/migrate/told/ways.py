"""What the ways and means of a migration are called, the same on every face."""

import shlex
from collections.abc import Mapping

from wizard.model.ext import ExtFacts
from wizard.model.migration import Means, Migration, Offer, Prospect, SetFstabType, Way
from wizard.model.names import printable
from wizard.model.units import format_capacity, format_duration, roughly

TITLES: Mapping[Way, str] = {
    Way.MOUNT: "Mount as ext4",
    Way.LIGHT: "New files only",
    Way.FULL: "Everything",
    Way.FRESH: "A fresh ext4",
}
SUMMARIES: Mapping[Way, str] = {
    Way.MOUNT: "The ext4 driver mounts it as it is; nothing on the disk is changed.",
    Way.LIGHT: "Files that are written from now on get what ext4 has; the old ones stay as they are.",
    Way.FULL: "All files, directories and metadata are brought to ext4, where they lie.",
    Way.FRESH: "A new ext4 is made on another volume, and everything is copied there and compared.",
}
MEANS: Mapping[Means, str] = {
    Means.TRANSACTION: (
        "On a copy-on-write snapshot: the filesystem itself is changed only when all is done and checked "
        "there. A power cut costs nothing."
    ),
    Means.DIRECT: (
        "On the filesystem itself, with undo files of e2fsprogs. They do not cover a power cut: have a "
        "backup."
    ),
    Means.FILES: "Only a file of the system is changed, which is replaced in one go.",
    Means.COPY: "The old filesystem is only read.",
}
BETWEEN: Mapping[Means, str] = {
    Means.TRANSACTION: (
        "The journal knows how far it is: the filesystem is still the old one, or half committed and cannot "
        "be mounted until resume has finished it or undo has taken it back."
    ),
    Means.DIRECT: (
        "The filesystem may be damaged, and the undo files may be useless: that is what the backup is for."
    ),
    Means.FILES: "The file is the old one or the new one, never half of each.",
    Means.COPY: "The old filesystem has all files as before; the copy is begun anew.",
}
"""What a power cut would leave between two steps."""

UNTOUCHED = "Nothing is lost: everything is only being read yet, and nothing was written to the filesystem."
"""What a power cut would leave before the first step."""

LOOKED_AT: Mapping[Means, str] = {
    Means.TRANSACTION: "Every step is done on the snapshot, which is checked and then put in place",
    Means.DIRECT: "Every step on the filesystem is done, and what came of it is checked",
    Means.FILES: "Every step is done, and what came of it is checked",
    Means.COPY: "Everything is copied, and compared with the old filesystem",
}
"""What goes on behind the last step on the filesystem."""

COMPARED = frozenset({Way.LIGHT, Way.FULL})
"""Ways on which comparing every file is a choice: one changes nothing on the disk, the other always
compares."""


def is_damaged(before: ExtFacts) -> bool:
    """Whether the filesystem says itself that something in it is wrong, or was begun and not finished."""
    return before.has_errors or before.recorded_errors > 0 or bool(before.half_done)


def offer_of(prospect: Prospect, way: Way) -> Offer | None:
    """The offer for a way."""
    return next((offer for offer in prospect.offers if offer.way is way), None)


def title_words(offer: Offer) -> str:
    """`Everything (full)`: the second is what the command calls it."""
    return f"{TITLES[offer.way]} ({offer.way.value})"


def time_words(offer: Offer) -> str:
    """An estimate."""
    return roughly(offer.seconds) if offer.seconds >= 1 else "no time"


def room_words(offer: Offer) -> str:
    """What must be free elsewhere."""
    return format_capacity(offer.room_bytes) if offer.room_bytes else "none"


def place_words(prospect: Prospect) -> str:
    """What is migrated, on one line."""
    label = f', "{printable(prospect.before.label)}"' if prospect.before.label else ""
    return (
        f"{printable(prospect.device, 200)}, {prospect.before.kind}{label}, "
        f"{format_capacity(prospect.before.size_bytes)}"
    )


def power_words(migration: Migration, number: int | None, told: str, *, begun: bool = True) -> str:
    """What would become of everything if the power went while step `number`, from 1, is done; None between
    two steps, or before the first where none was `begun`.

    `told` is what the transaction itself says of that, empty where there is none.
    """
    step = migration.steps[number - 1] if number is not None and 0 < number <= len(migration.steps) else None
    if told and (step is None or not isinstance(step.operation, SetFstabType)):
        return told
    if not begun:
        return UNTOUCHED
    return step.power if step else BETWEEN[migration.means]


def percent_done(migration: Migration, done: int, share: float) -> int:
    """How far the run is in percent of the steps' own estimates, where `done` steps are done and the next one
    to `share` of it."""
    weights = [max(1.0, step.seconds) for step in migration.steps]
    if done >= len(weights):
        return 100
    return int(100 * (sum(weights[:done]) + weights[done] * share) / sum(weights))


def around_words(migration: Migration, done: int, working: int | None) -> str:
    """What goes on that belongs to no step, where `done` steps are done and step `working`, from 1, has
    begun; as a clause."""
    if not done:
        return "Before the first step everything is read"
    return (
        LOOKED_AT[migration.means]
        if working is None
        else "Before this step changes anything, every file is read"
    )


def silent_words(migration: Migration, number: int, taken_seconds: float) -> str:
    """What can be said of step `number`, from 1, whose program does not tell how far it is."""
    should = format_duration(max(1.0, migration.steps[number - 1].seconds))
    return (
        f"Step {number} should take about {should} and has taken {format_duration(taken_seconds)}; how far "
        "it is cannot be known."
    )


def seconds_left(migration: Migration, done: int, this_seconds: float | None) -> float:
    """What is left of the estimates: of the steps behind the one at work, and of it what is known, or its own
    estimate."""
    steps = migration.steps
    if done >= len(steps):
        return 0.0
    return (steps[done].seconds if this_seconds is None else this_seconds) + sum(
        step.seconds for step in steps[done + 1 :]
    )


def how_sentences(migration: Migration) -> tuple[str, ...]:
    """How it is made safe, where the room for that is, and what is compared and repaired."""
    said = [MEANS[migration.means]]
    folder = migration.store or migration.undo_dir
    if folder:
        said.append(
            f"It takes up to {format_capacity(migration.room_bytes)} in {printable(folder, 200)}, until you "
            "keep or undo it."
        )
    if migration.manifest:
        said.append(
            "Every file is compared before and after: content, holes, owner, rights, times, links, extended "
            "attributes."
        )
    elif migration.way in COMPARED:
        said.append("Files are not compared one by one; e2fsck checks the filesystem as a whole.")
    if migration.repairs:
        said.append("Damage that e2fsck finds may be repaired.")
    return tuple(said)


def risk_sentences(migration: Migration) -> tuple[str, ...]:
    """What may happen to the files, by a power cut among others, and until when there is a way back."""
    power = {
        Means.TRANSACTION: (
            "If the power goes: the old filesystem is there, or resume finishes the new one. It is never "
            "mounted half done."
        ),
        Means.DIRECT: (
            "If the power goes, the filesystem can be damaged beyond the undo files' help. Without a backup "
            "files can be lost."
        ),
        Means.FILES: (
            "If the power goes: nothing on the disk has changed, and the file of the system is the old one "
            "or the new one."
        ),
        Means.COPY: "If the power goes: the old filesystem has everything, and the copy is made anew.",
    }
    back = {
        Means.TRANSACTION: (
            "Undoing brings the old filesystem back to the bit, until you keep the new one or it is mounted "
            "for writing."
        ),
        Means.DIRECT: (
            "Undoing brings the old filesystem back to the bit, until you keep the new one or it is mounted "
            "for writing."
        ),
        Means.FILES: "Undoing puts the file back as it was.",
        Means.COPY: (
            "Undoing is not needed for the old filesystem, which stays as it is; the copy can be made anew."
        ),
    }
    driver = (
        ()
        if migration.way is Way.FRESH or migration.way is Way.MOUNT
        else ("Afterwards only an ext4 driver can mount it.",)
    )
    return (power[migration.means], back[migration.means], *driver)


def confirm_command(migration: Migration, file: str = "FILE") -> str:
    """The command by which root carries out what was saved in a file."""
    return (
        f"sudo diskwright apply {shlex.quote(file) if file != 'FILE' else file} --confirm "
        f"{shlex.quote(printable(migration.written.token))}"
    )
