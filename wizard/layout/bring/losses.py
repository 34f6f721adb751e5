"""What a copy on another kind of filesystem does not keep, and what cannot be there at all. Pure."""

from collections.abc import Iterator

from wizard.filesystems.holding import EVERYTHING, SECOND, Holds
from wizard.filesystems.registry import KINDS
from wizard.layout.bring import words
from wizard.model.documents.bring import Bring
from wizard.model.names import printable
from wizard.model.said import Said


def holds_of(filesystem: str) -> Holds:
    """What a filesystem can hold, by libblkid's name or the kernel's; everything where it is not known."""
    return KINDS[filesystem].holds if filesystem in KINDS else EVERYTHING


def losses_of(bring: Bring) -> tuple[Said, ...]:
    """Sentences on everything that the copy does not keep, or that is left out."""
    return (*_of_target(bring), *_of_source(bring), *_of_place(bring))


def _of_target(bring: Bring) -> Iterator[Said]:
    kind, amount = KINDS[bring.target.filesystem], bring.amount
    title, holds = kind.title, kind.holds
    if not holds.owners:
        yield words.NO_OWNERS(title=title)
    elif ~holds.flags & _flags_of(bring.source.filesystem):
        yield words.FEWER_FLAGS(title=title)
    if not holds.links:
        for said, count in (
            (words.LINKS_LEFT, amount.links),
            (words.NAMES_APART, amount.names),
            (words.OTHERS_LEFT, amount.others),
        ):
            if count:
                yield said(title=title, count=count)
    if not holds.holes:
        yield words.HOLES_FILLED(title=title)
    if holds.grain >= SECOND:
        yield words.COARSE_SECONDS(title=title, count=holds.grain // SECOND)
    elif holds.grain > 1 and holds.grain > holds_of(bring.source.filesystem).grain:
        yield words.COARSE(title=title, grain=holds.grain)


def _flags_of(filesystem: str) -> int:
    return KINDS[filesystem].holds.flags if filesystem in KINDS else 0


def _of_source(bring: Bring) -> Iterator[Said]:
    source = bring.source
    if not holds_of(source.filesystem).owners and KINDS[bring.target.filesystem].holds.owners:
        yield words.HAS_NO_OWNERS(title=KINDS[source.filesystem].title)
    if source.below:
        yield words.BELOW(places=tuple(printable(place, 200) for place in source.below))


def _of_place(bring: Bring) -> Iterator[Said]:
    if (takes := bring.takes) is not None:
        place, device = printable(takes.place, 200), printable(takes.device, 200)
        yield words.UNTIL_START(place=place, device=device)
        yield words.STAYS_THERE(device=device, file=printable(takes.edit.file, 200))


def name_fault(name: str, filesystem: str) -> Said | None:
    """Why a file cannot be called so on a filesystem, as a clause."""
    kind = KINDS[filesystem]
    wrong = kind.holds.forbidden
    if found := next((one for one in name if wrong and (one in wrong or ord(one) < 32)), None):
        return words.FORBIDDEN(title=kind.title, character=repr(found))
    if kind.holds.ends_plainly and name.endswith((".", " ")):
        return words.ENDS(title=kind.title)
    return None


def size_fault(size_bytes: int, filesystem: str) -> Said | None:
    """Why no file can be so large there, as a clause."""
    kind = KINDS[filesystem]
    most = kind.holds.largest_bytes
    return words.TOO_LARGE(title=kind.title, most=most, size=size_bytes) if 0 < most < size_bytes else None
