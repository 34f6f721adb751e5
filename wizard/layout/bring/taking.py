"""The lines of fstab by which a copy takes the place of its source. Pure.

The line of the new volume comes to stand where the line of the old one stood, so that what is mounted below
the place is still mounted behind it; the old line stays in the file, as a comment.
"""

from collections.abc import Iterator

from wizard.layout.changes.lines import digest_of_text, with_fields
from wizard.layout.rules import mount_point_fault
from wizard.layout.steps.commands import fstab_escaped
from wizard.model.documents.bring import Bring, TakePlace
from wizard.model.documents.changes import EditFstab, LineEdit
from wizard.model.names import printable
from wizard.model.said import Said, t

BEFORE = "# before diskwright: "
"""Begins the comment that holds the old line."""

PLACE, OPTIONS = 1, 3
"""Fields of a line, from 0 (fstab(5))."""

OF_THE_PLACE = ("nosuid", "nodev", "noexec", "noauto", "nofail")
"""Options that say something of the place, and not of what is mounted there."""


def takes_fault(place: str) -> Said | None:
    """Why nothing takes this place by a line of fstab, or None."""
    if place == "/":
        return t("The system starts from /: its boot loader and initramfs name that filesystem, too")
    fault = mount_point_fault(place)
    return (
        None
        if fault is None
        else t("Nothing else is mounted at {place}: {fault}", place=printable(place, 200), fault=fault)
    )


def place_edit(file: str, text: str, old: int, own: int | None, line: str) -> EditFstab:
    """The change of an fstab with this `text`. `old` is the number of the old filesystem's line, `own` that
    of the new one's, which reads `line`; None where it has none yet, and that is the one that it gets."""
    lines = text.split("\n")
    before = lines[old - 1]
    kept = _comment(before, lines)
    edits = (
        LineEdit(old, before, moved(line, before)),
        LineEdit(0, None, kept) if own is None else LineEdit(own, line, kept),
    )
    # As patch(1) takes a difference: in the order of the lines, and what is added last.
    in_order = sorted(edits, key=lambda one: (one.number == 0, one.number))
    return EditFstab(file, digest_of_text(text), tuple(in_order))


def moved(line: str, before: str) -> str:
    """A line with the place of the line `before`, and with what is said of that place there."""
    old = before.split()
    options = _options(line.split())
    at_place = _options(old)
    kept = [one for one in options if one not in OF_THE_PLACE and one != "defaults"]
    kept += [one for one in OF_THE_PLACE if one in at_place]
    return with_fields(line, {PLACE: old[PLACE], OPTIONS: ",".join(kept) or "defaults"})


def _options(fields: list[str]) -> list[str]:
    return fields[OPTIONS].split(",") if len(fields) > OPTIONS else []


def _comment(line: str, lines: list[str]) -> str:
    """The line as a comment that the file does not have yet."""
    comment = BEFORE + line
    while comment in lines:
        comment = "#" + comment
    return comment


def take_faults(bring: Bring) -> Iterator[Said]:
    """What `place_edit` would not have given."""
    takes = bring.takes
    if takes is None:
        return
    if (fault := takes_fault(takes.place)) is not None:
        yield fault
    edit, file = takes.edit, printable(takes.edit.file, 60)
    plain = edit.file.startswith("/") and edit.file.isprintable() and len(edit.digest) == 64
    if not plain or not _is_ours(takes, edit.lines):
        yield t("it changes {file} otherwise than by both volumes' lines", file=file)
    if (
        bring.source.path != takes.place
        or bring.source.is_device
        or bring.target.folder != bring.target.place
    ):
        yield t("{place} is not what is copied, or not to a volume's top", place=printable(takes.place, 60))


def _is_at(place: str, edit: LineEdit) -> bool:
    """Whether it is the line of what is mounted at a place that is changed."""
    fields = (edit.old or "").split()
    return (
        edit.number > 0
        and len(fields) > 2
        and not fields[0].startswith("#")
        and fields[PLACE] == fstab_escaped(place)
    )


def _is_ours(takes: TakePlace, lines: tuple[LineEdit, ...]) -> bool:
    if len(lines) != 2 or any("\n" in (text or "") for one in lines for text in (one.old, one.new)):
        return False
    first, second = sorted(lines, key=lambda one: not _is_at(takes.place, one))
    if not _is_at(takes.place, first) or first.old is None or first.new is None or second.new is None:
        return False
    if second.new.lstrip("#") != (BEFORE + first.old).lstrip("#"):
        return False
    if second.old is None:
        return second.number == 0 and moved(first.new, first.old) == first.new
    return second.number > 0 and moved(second.old, first.old) == first.new
