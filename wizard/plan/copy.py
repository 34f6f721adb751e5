"""Losses and limits of a copy to another filesystem, and fstab edits to replace the source. Pure."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from msgspec.structs import replace

from wizard.documents.codec import RECREATE, Sealed
from wizard.filesystems.kind import EVERYTHING, SECOND, Holds
from wizard.filesystems.registry import KINDS, title_of
from wizard.model.said import Message, Sentence, format_duration, format_nanoseconds, t, tn
from wizard.operations import fstab, rules
from wizard.operations.operation import Context
from wizard.operations.rules import is_device_path, mount_point_fault
from wizard.plan.changes import Bring, TakePlace
from wizard.plan.plan import Step, steps_of


def holds_of(filesystem: str) -> Holds:
    """Return what a filesystem can store, by libblkid's or the kernel's name. Unknown filesystems can store
    everything."""
    return KINDS[filesystem].holds if filesystem in KINDS else EVERYTHING


OLD_UNCHANGED = Sentence(
    "The old filesystem on {device} remains unchanged; its line in {file} becomes a comment."
)


def losses_of(bring: Bring) -> tuple[Message, ...]:
    """Return sentences on everything that the copy omits or does not preserve."""
    return (*_target_losses(bring), *_source_losses(bring))


def _target_losses(bring: Bring) -> Iterator[Message]:
    kind, amount = KINDS[bring.target.filesystem], bring.amount
    title, holds = kind.title, kind.holds
    if not holds.owners:
        yield t(
            "{title} does not store owners, permissions, extended attributes, ACLs or "
            "flags, so these are not copied.",
            title=title,
        )
    elif bring.source.filesystem in KINDS and ~holds.flags & KINDS[bring.source.filesystem].holds.flags:
        yield t("Flags of chattr unknown to {title} are not copied.", title=title)
    if not holds.links:
        if omitted := amount.links + amount.others:
            yield tn(
                "{title} does not support symbolic links, pipes, sockets or devices: 1 is omitted.",
                "{title} does not support symbolic links, pipes, sockets or devices: {count:,d} are omitted.",
                title=title,
                count=omitted,
            )
        if amount.names:
            yield tn(
                "{title} does not support hard links: 1 extra name becomes a separate copy.",
                "{title} does not support hard links: {count:,d} extra names become separate copies.",
                title=title,
                count=amount.names,
            )
    if not holds.holes:
        yield t("{title} does not support holes, so they are filled with zeros.", title=title)
    if holds.grain >= SECOND or holds.grain > max(1, holds_of(bring.source.filesystem).grain):
        seconds = format_duration(holds.grain / SECOND)
        grain = seconds if holds.grain >= SECOND else format_nanoseconds(holds.grain)
        yield t("{title} stores times in multiples of {grain}.", title=title, grain=grain)


def _source_losses(bring: Bring) -> Iterator[Message]:
    source = bring.source
    if not holds_of(source.filesystem).owners and holds_of(bring.target.filesystem).owners:
        yield t(
            "{title} does not store owners. The copies belong to the owner that {title} "
            "reports, possibly root.",
            title=KINDS[source.filesystem].title,
        )
    if source.below:
        yield t("Not copied because on another filesystem: {places:list}.", places=source.below)
    if (takes := bring.takes) is not None:
        place, device = takes.place, takes.device
        yield t(
            "Data written to {place} between the copy and the next boot remains only on {device}.",
            place=place,
            device=device,
        )
        yield OLD_UNCHANGED(device=device, file=takes.edit.file)


def name_fault(name: str, filesystem: str) -> Message | None:
    """Return why a file name is not allowed on a filesystem, as a clause, or None."""
    kind = KINDS[filesystem]
    forbidden = kind.holds.forbidden
    if found := next((one for one in name if forbidden and (one in forbidden or ord(one) < 32)), None):
        return t("{title} does not allow {character} in names", title=kind.title, character=repr(found))
    if kind.holds.ends_plainly and name.endswith((".", " ")):
        return t("{title} does not allow names ending with a dot or space", title=kind.title)
    return None


def size_fault(size_bytes: int, filesystem: str) -> Message | None:
    """Return why a file is too large for a filesystem, as a clause, or None."""
    kind = KINDS[filesystem]
    most = kind.holds.largest_bytes
    form = Sentence("{title} allows {most:size} per file, and this file has {size:size}")
    return form(title=kind.title, most=most, size=size_bytes) if 0 < most < size_bytes else None


BEFORE = "# before diskwright: "
"""Prefix of the comment that preserves the old line."""

PLACE, OPTIONS = 1, 3
"""Fields of an fstab line, counted from 0 (fstab(5))."""

OF_THE_PLACE = ("nosuid", "nodev", "noexec", "noauto", "nofail")
"""Options of the mount point, not of the mounted filesystem."""


def takes_fault(place: str) -> Message | None:
    """Return why an fstab line cannot take over this mount point, or None."""
    if place == "/":
        return t("The system boots from /: its boot loader and initramfs also refer to that filesystem")
    if fault := mount_point_fault(place):
        return t("Another volume cannot be mounted at {place}: {fault}", place=place, fault=fault)
    return None


def place_edit(file: str, text: str, old: int, own: int | None, line: str) -> fstab.EditFstab:
    """Return the edit for an fstab with this `text`. `old`: line number of the old filesystem. `own`: line
    number of the new one, which reads `line`. If `own` is None, `line` is the new line."""
    lines = text.split("\n")
    before = lines[old - 1]
    kept = BEFORE + before
    while kept in lines:
        kept = "#" + kept
    edits = (
        fstab.LineEdit(old, before, moved(line, before)),
        fstab.LineEdit(0, None, kept) if own is None else fstab.LineEdit(own, line, kept),
    )
    # In the order of patch(1): by line number, additions last.
    in_order = sorted(edits, key=lambda one: (one.number == 0, one.number))
    return fstab.edit_of(file, text, *in_order)


def moved(line: str, before: str) -> str:
    """Return a line with the mount point of the line `before` and the options for that mount point."""
    old = before.split()
    options = _options(line.split())
    at_place = _options(old)
    kept = [one for one in options if one not in OF_THE_PLACE and one != "defaults"]
    kept += [one for one in OF_THE_PLACE if one in at_place]
    return fstab.with_fields(line, {PLACE: old[PLACE], OPTIONS: ",".join(kept) or "defaults"})


def _options(fields: list[str]) -> list[str]:
    return fields[OPTIONS].split(",") if len(fields) > OPTIONS else []


def _are_expected_edits(takes: TakePlace) -> bool:
    def is_at(edit: fstab.LineEdit) -> bool:
        old = edit.old or ""
        is_here = fstab.is_entry(old) and old.split()[PLACE] == fstab.fstab_escaped(takes.place)
        return is_here and edit.number > 0

    lines = takes.edit.lines
    if len(lines) != 2 or any("\n" in (text or "") for one in lines for text in (one.old, one.new)):
        return False
    first, second = sorted(lines, key=lambda one: not is_at(one))
    if not is_at(first) or first.old is None or first.new is None or second.new is None:
        return False
    line = first.new if second.old is None else second.old
    return (
        second.new.lstrip("#") == (BEFORE + first.old).lstrip("#")
        and (second.number == 0 if second.old is None else second.number > 0)
        and moved(line, first.old) == first.new
    )


AGAIN = RECREATE(command="bring")


def _faults(bring: Bring) -> Iterator[str]:
    yield from rules.drive_faults(bring.drive)
    source, target = bring.source, bring.target
    paths = (source.path, *source.below, target.place, target.folder, *target.makes)
    nodes = (target.device, *((source.path,) if source.is_device else ()))
    yield from (path for path in paths if not _is_plain(path))
    yield from (node for node in nodes if not is_device_path(node))
    if target.filesystem not in KINDS or not KINDS[target.filesystem].kernel_names:
        yield "target.filesystem"
    folder = PurePosixPath(target.folder)
    if not folder.is_relative_to(target.place):
        yield "target.folder"
    parents = [str(one) for one in (folder, *folder.parents) if one != PurePosixPath(target.place)]
    if list(reversed(target.makes)) != parents[: len(target.makes)] or target.place in target.makes:
        yield "target.makes"
    amount = bring.amount
    kinds = (amount.files, amount.links, amount.names, amount.others)
    if min(*kinds, amount.size_bytes, amount.room_bytes) < 0 or sum(kinds) > amount.entries:
        yield "amount"
    # The edit must be as `place_edit` returns it.
    if (takes := bring.takes) is not None and (
        takes_fault(takes.place) is not None
        or not takes.edit.is_plausible
        or not _are_expected_edits(takes)
        or source.path != takes.place
        or source.is_device
        or target.folder != target.place
    ):
        yield "takes"


def _is_plain(path: str) -> bool:
    return (
        path.startswith("/")
        and "\0" not in path
        and str(PurePosixPath(path)) == path
        and ".." not in path.split("/")
    )


def with_current_texts(bring: Bring) -> Bring:
    """Add the derived fields."""
    return replace(bring, doubts=losses_of(bring))


BRINGS = Sealed("diskwright.bring/1", Bring, AGAIN, _faults, with_current_texts)


def amount_message(bring: Bring) -> tuple[Message, ...]:
    """Describe source, target and amount, and confirm that the copy fits."""
    source, target, amount = bring.source, bring.target, bring.amount
    return (
        t(
            "{source} ({from_kind}) to {folder}, on {device} ({to_kind})",
            source=source,
            from_kind=title_of(source.filesystem),
            folder=target.folder,
            device=target.device,
            to_kind=title_of(target.filesystem),
        ),
        t(
            "{files:,d} files ({size:size}), {entries:,d} entries in total.",
            files=amount.files,
            size=amount.size_bytes,
            entries=amount.entries,
        ),
        t("Enough space: the copy needs about {needed:size}.", needed=amount.room_bytes),
    )


def fstab_step(bring: Bring) -> Step[fstab.EditFstab]:
    """Return the fstab change that replaces the source by the copy."""
    (step,) = steps_of(bring.settings, Context(bring.drive))
    return step


def fstab_difference(bring: Bring) -> tuple[str, ...]:
    """Return the fstab change in the format of patch(1)."""
    return fstab_step(bring).edits if bring.takes is not None else ()
