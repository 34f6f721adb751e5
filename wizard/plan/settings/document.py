"""The document of changes: steps, validation, reading and writing."""

from collections.abc import Iterator

from msgspec.structs import replace

from wizard.documents import codec
from wizard.filesystems.kind import WRITTEN_UUIDS
from wizard.filesystems.registry import KINDS
from wizard.model import requests
from wizard.operations import rules
from wizard.operations.operation import Context, Subject
from wizard.plan.changes import Changes
from wizard.plan.check import drive_faults
from wizard.plan.plan import steps_of

AGAIN = codec.RECREATE(command="tune")


def with_current_texts(changes: Changes) -> Changes:
    """Recompute all texts and commands of valid changes from their operations. Only these are shown or
    run."""
    return replace(changes, steps=steps_of(changes.settings, Context(changes.drive)))


def _faults(changes: Changes) -> Iterator[str]:
    yield from drive_faults(changes.drive)
    subject = Subject(
        changes.drive, changes.device, changes.filesystem, changes.uuid, changes.wanted, changes.settings
    )
    if not rules.is_device_path(changes.device) or changes.device not in {
        changes.drive.path,
        *subject.partitions,
    }:
        yield "device"
    yield from _request_faults(changes)
    turns = [one.turn for one in changes.settings]
    names = {(type(one), one.once) for one in changes.settings}
    if (
        not changes.steps
        or not all(type(changes.wanted) in one.requests for one in changes.settings)
        or turns != sorted(turns)
        or len(names) != len(changes.steps)
    ):
        yield "steps"
    yield from (one.kind for one in changes.settings if not one.fits(subject))


def _request_faults(changes: Changes) -> Iterator[str]:
    if isinstance(changes.wanted, requests.SwitchOff | requests.Release):
        if changes.filesystem or changes.uuid or changes.device != changes.drive.path:
            yield "filesystem"
        return
    written = WRITTEN_UUIDS if isinstance(changes.wanted, requests.NewUuid) else frozenset()
    if changes.filesystem not in KINDS and changes.filesystem not in written:
        yield "filesystem"
    if changes.uuid and not rules.UUID_FORM.fullmatch(changes.uuid):
        yield "uuid"
    if isinstance(changes.wanted, requests.Tune) and not rules.is_workload_id(changes.wanted.workload):
        yield "wanted.workload"


SETTINGS = codec.Sealed(
    "diskwright.changes/2",
    Changes,
    AGAIN,
    _faults,
    with_current_texts,
    {"diskwright.changes/1": codec.without_texts},
)
