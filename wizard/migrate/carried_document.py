"""A carried way as a document: `diskwright.carried/2`."""

from collections.abc import Iterator

from wizard.documents.codec import JSON
from wizard.documents.sealed import Sealed
from wizard.layout.check import identity_faults
from wizard.layout.rules import is_device_path
from wizard.migrate.check import ext_faults
from wizard.migrate.obstacles.found_all import WRITING
from wizard.migrate.words import check as words
from wizard.model.documents.carried import Carried
from wizard.model.errors import BadInput
from wizard.model.names import printable
from wizard.model.said import Said, t


def check_carried(carried: Carried, where: str) -> None:
    """Raises BadInput, naming `where` (a file), for the first thing that does not hold together."""
    if fault := next(_faults(carried), None):
        raise BadInput(
            t(
                "{where} does not hold together: {fault}. Make it again where it was made.",
                where=where,
                fault=fault,
            )
        )


def _faults(carried: Carried) -> Iterator[Said | str]:
    yield from identity_faults(carried.drive)
    if not is_device_path(carried.device):
        yield words.NO_DEVICE(device=printable(carried.device, 60))
    yield from ext_faults(carried.before)
    if carried.way not in WRITING:
        yield t("the way {way} is not one that is carried", way=carried.way)
    if carried.device_bytes <= 0:
        yield t("a device of {bytes} bytes cannot be", bytes=carried.device_bytes)


def _from_first(body: JSON) -> JSON:
    """Of schema 1, whose doubts are text: it tells all the same what it is about, wherever it was made."""
    return body


CARRIED = Sealed(
    "diskwright.carried/2",
    Carried,
    t("Make it again where it was made."),
    check_carried,
    earlier={"diskwright.carried/1": _from_first},
)
render_carried, is_carried, read_carried = CARRIED.render, CARRIED.is_one, CARRIED.read_kept
