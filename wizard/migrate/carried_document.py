"""A carried way as a document: `diskwright.carried/1`."""

from collections.abc import Iterator

from wizard.documents.sealed import Sealed
from wizard.layout.check import identity_faults
from wizard.layout.rules import is_device_path
from wizard.migrate.check import ext_faults
from wizard.migrate.obstacles.found_all import WRITING
from wizard.model.carried import Carried
from wizard.model.errors import BadInput
from wizard.model.names import printable


def check_carried(carried: Carried, where: str) -> None:
    """Raises BadInput, naming `where` (a file), for the first thing that does not hold together."""
    if fault := next(_faults(carried), None):
        raise BadInput(f"{where} does not hold together: {fault}. Make it again where it was made.")


def _faults(carried: Carried) -> Iterator[str]:
    yield from identity_faults(carried.drive)
    if not is_device_path(carried.device):
        yield f"{printable(carried.device, 60)!r} is no device below /dev"
    yield from ext_faults(carried.before)
    if carried.way not in WRITING:
        yield f"the way {carried.way} is not one that is carried"
    if carried.device_bytes <= 0:
        yield f"a device of {carried.device_bytes} bytes cannot be"


CARRIED = Sealed(
    "diskwright.carried/1", Carried, "a migration that was carried", "where it was made", check_carried
)
render_carried, is_carried, read_carried = CARRIED.render, CARRIED.is_one, CARRIED.read
