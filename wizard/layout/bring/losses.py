"""What a copy on another kind of filesystem does not keep, and what cannot be there at all. Pure."""

from collections.abc import Iterator

from wizard.filesystems.holding import EVERYTHING, SECOND, Holds
from wizard.filesystems.registry import KINDS
from wizard.model.documents.bring import Bring
from wizard.model.names import printable
from wizard.model.said import Said, Sentences, t, tn


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
        yield t(
            "{title} keeps no owners, permissions, extended attributes, ACLs or flags: they are not copied.",
            title=title,
        )
    elif ~holds.flags & _flags_of(bring.source.filesystem):
        yield t("Flags of chattr that {title} does not know are not copied.", title=title)
    if not holds.links:
        for said, count in (
            (
                Sentences(
                    "{title} holds no symbolic links: 1 is left out.",
                    "{title} holds no symbolic links: {count:,d} are left out.",
                ),
                amount.links,
            ),
            (
                Sentences(
                    "{title} gives a file one name only: 1 further name becomes a copy of its own.",
                    "{title} gives a file one name only: {count:,d} further names become copies "
                    "of their own.",
                ),
                amount.names,
            ),
            (
                Sentences(
                    "{title} holds no pipes, sockets and devices: 1 is left out.",
                    "{title} holds no pipes, sockets and devices: {count:,d} are left out.",
                ),
                amount.others,
            ),
        ):
            if count:
                yield said(title=title, count=count)
    if not holds.holes:
        yield t("{title} keeps no holes: they are filled with zeros.", title=title)
    if holds.grain >= SECOND:
        yield tn(
            "{title} keeps times as whole seconds.",
            "{title} keeps times as multiples of {count} seconds.",
            title=title,
            count=holds.grain // SECOND,
        )
    elif holds.grain > 1 and holds.grain > holds_of(bring.source.filesystem).grain:
        yield t("{title} keeps times as multiples of {grain:latency}.", title=title, grain=holds.grain)


def _flags_of(filesystem: str) -> int:
    return KINDS[filesystem].holds.flags if filesystem in KINDS else 0


def _of_source(bring: Bring) -> Iterator[Said]:
    source = bring.source
    if not holds_of(source.filesystem).owners and KINDS[bring.target.filesystem].holds.owners:
        yield t(
            "{title} keeps no owners. The copies belong to whom it shows as the owner, which can be root.",
            title=KINDS[source.filesystem].title,
        )
    if source.below:
        yield t(
            "Not copied, since it is another filesystem: {places:list}.",
            places=tuple(printable(place, 200) for place in source.below),
        )


def _of_place(bring: Bring) -> Iterator[Said]:
    if (takes := bring.takes) is not None:
        place, device = printable(takes.place, 200), printable(takes.device, 200)
        yield t(
            "What is written to {place} between the copy and the next start stays on {device} only.",
            place=place,
            device=device,
        )
        yield t(
            "The old filesystem stays on {device} as it is; its line in {file} becomes a comment.",
            device=device,
            file=printable(takes.edit.file, 200),
        )


def name_fault(name: str, filesystem: str) -> Said | None:
    """Why a file cannot be called so on a filesystem, as a clause."""
    kind = KINDS[filesystem]
    wrong = kind.holds.forbidden
    if found := next((one for one in name if wrong and (one in wrong or ord(one) < 32)), None):
        return t("{title} takes no {character} in names", title=kind.title, character=repr(found))
    if kind.holds.ends_plainly and name.endswith((".", " ")):
        return t("{title} takes no name that ends with a point or a space", title=kind.title)
    return None


def size_fault(size_bytes: int, filesystem: str) -> Said | None:
    """Why no file can be so large there, as a clause."""
    kind = KINDS[filesystem]
    most = kind.holds.largest_bytes
    return (
        t(
            "{title} holds {most:size} in a file, and it has {size:size}",
            title=kind.title,
            most=most,
            size=size_bytes,
        )
        if 0 < most < size_bytes
        else None
    )
