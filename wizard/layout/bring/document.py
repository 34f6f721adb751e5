"""What is brought as a document: `diskwright.bring/1`, by which a run knows what it was asked for."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from wizard.documents.sealed import Sealed
from wizard.filesystems.registry import KINDS
from wizard.layout.bring.losses import losses_of
from wizard.layout.bring.taking import take_faults
from wizard.layout.check import drive_faults
from wizard.layout.rules import is_device_path
from wizard.model.documents.bring import Bring, BringAmount, BringTo
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import Said, t


def check_bring(bring: Bring, where: str = "The document") -> None:
    """Raises BadInput, naming `where` (a file), for the first thing that `diskwright bring` would not have
    written."""
    if fault := next(_faults(bring), None):
        raise BadInput(str(t("{where} does not hold together: {fault}.", where=where, fault=fault)))


def _faults(bring: Bring) -> Iterator[Said]:
    yield from drive_faults(bring.drive)
    source, target = bring.source, bring.target
    paths = (source.path, *source.below, target.place, target.folder, *target.makes)
    yield from (
        t("{path} is no plain path from the root", path=printable(path, 60))
        for path in paths
        if not _is_plain(path)
    )
    nodes = (target.device, *((source.path,) if source.is_device else ()))
    yield from (
        t("{path} is no device", path=printable(node, 60)) for node in nodes if not is_device_path(node)
    )
    if target.filesystem not in KINDS or not KINDS[target.filesystem].kernel_names:
        yield t("{name} is no filesystem that a volume has", name=printable(target.filesystem, 30))
    yield from _folder_faults(target)
    yield from _amount_faults(bring.amount)
    yield from take_faults(bring)


def _is_plain(path: str) -> bool:
    return (
        path.startswith("/")
        and "\0" not in path
        and str(PurePosixPath(path)) == path
        and ".." not in path.split("/")
    )


def _folder_faults(target: BringTo) -> Iterator[Said]:
    folder = PurePosixPath(target.folder)
    if not folder.is_relative_to(target.place):
        yield t(
            "{folder} does not lie in {place}",
            folder=printable(target.folder, 60),
            place=printable(target.place, 60),
        )
    ways = [str(one) for one in (folder, *folder.parents) if one != PurePosixPath(target.place)]
    count = len(target.makes)
    if list(reversed(target.makes)) != ways[:count] or target.place in target.makes:
        yield t("the folders that are made do not lead to {folder}", folder=printable(target.folder, 60))


def _amount_faults(amount: BringAmount) -> Iterator[Said]:
    kinds = (amount.files, amount.links, amount.names, amount.others)
    if min(*kinds, amount.size_bytes, amount.room_bytes) < 0 or sum(kinds) > amount.entries:
        yield t("its numbers of files do not add up")


def told_anew(bring: Bring) -> Bring:
    """With what follows from it."""
    return replace(bring, doubts=losses_of(bring))


BRINGS = Sealed(
    "diskwright.bring/1", Bring, t("Make it again with `diskwright bring`."), check_bring, told_anew
)
BRING_SCHEMA, render_bring, is_bring, read_bring = BRINGS.schema, BRINGS.render, BRINGS.is_one, BRINGS.read
