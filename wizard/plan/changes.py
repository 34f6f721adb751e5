"""Planned changes to an existing filesystem, conversions to ext4, and copies of files."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from msgspec.structs import replace

from wizard.documents import codec
from wizard.filesystems.kind import WRITTEN_UUIDS
from wizard.filesystems.registry import KINDS
from wizard.model import requests
from wizard.model.errors import Derived, FrozenStruct, WhereUsed, is_partition_of
from wizard.model.ext import ExtFacts
from wizard.model.finding import Finding
from wizard.model.geometry import Identity
from wizard.model.moves import Moves
from wizard.model.run import DriveDocument
from wizard.model.said import Message, t
from wizard.operations import mounts, rules
from wizard.operations.ext4 import OnDevice, SetOwnFstabType
from wizard.operations.fstab import EditFstab
from wizard.operations.operation import Context, Setting, Subject
from wizard.plan.plan import Plan, Step, steps_of


class DeviceDocument(DriveDocument):
    """Planned steps on one device of a drive."""

    __slots__ = ()

    device: str
    steps: tuple[Step[object], ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """The only device."""
        return (self.device,)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(step.sentence for step in self.steps)


class Changes(DeviceDocument, Subject):
    """Planned changes to the filesystem `uuid` on `device`, a drive or its partition, to fulfil the request
    `wanted`.

    `filesystem`: libblkid's name; it and `uuid` are empty if the request is for the whole drive, with any
    contents. `reasons`: a sentence per change. `doubts`: what is omitted or takes effect only later.
    """

    steps: tuple[Step[Setting], ...]
    reasons: tuple[Message | str, ...] = ()
    doubts: tuple[Message | str, ...] = ()

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The operations in order."""
        return tuple(step.operation for step in self.steps)

    @property
    def is_final(self) -> bool:
        """True if a finished step cannot be undone."""
        return any(setting.stays for setting in self.settings)


Planned = Iterator[Setting | Message | str]
"""Operations of a document, doubts about them as messages, and reasons as text."""


def changes_of(
    drive: Identity,
    place: tuple[str, str, str],
    wanted: requests.Wanted,
    planned: Iterable[Setting | Message | str],
) -> Changes:
    """Return the document. `place` is the device, and the type and UUID of its content or empty strings."""
    found = tuple(planned)
    operations = sorted((one for one in found if isinstance(one, Setting)), key=lambda one: one.turn)
    doubts = tuple(one for one in found if isinstance(one, Message))
    reasons = tuple(one for one in found if isinstance(one, str))
    return Changes(drive, *place, wanted, steps_of(operations, Context(drive)), reasons, doubts)


def _faults(changes: Changes) -> Iterator[str]:
    yield from rules.drive_faults(changes.drive)
    device, drive = changes.device, changes.drive.path
    if not rules.is_device_path(device) or not (device == drive or is_partition_of(device, drive)):
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
    yield from (
        one.kind
        for one in changes.settings
        if not one.fits(changes)
        or not (one.once is not None or getattr(one, "device", changes.device) == changes.device)
    )


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
    codec.RECREATE(command="tune"),
    _faults,
    lambda changes: replace(changes, steps=steps_of(changes.settings, Context(changes.drive))),
    {"diskwright.changes/1": codec.without_texts},
)


class BringStep(StrEnum):
    """Steps of a copy run, in order."""

    COPY = "copy"
    CATCH_UP = "catch-up"
    COMPARE = "compare"
    TAKE_PLACE = "take-place"


class BringFrom(FrozenStruct):
    """Source of a copy: the folder `path`, or the whole filesystem on the device `path`.

    `filesystem`: libblkid's name, else the kernel's. `uuid`: may be empty. `below`: mount points inside the
    folder, which are not copied.
    """

    path: str
    is_device: bool
    filesystem: str
    uuid: str
    below: tuple[str, ...] = ()


class BringTo(FrozenStruct):
    """Target of a copy: `folder` on the filesystem of `device`, mounted at `place`. `makes`: parent folders
    to create, outermost first."""

    device: str
    filesystem: str
    uuid: str
    place: str
    folder: str
    makes: tuple[str, ...] = ()


class BringAmount(FrozenStruct):
    """Size of a copy: `entries` of all kinds, including `files`. `size_bytes`: content without holes.
    `room_bytes`: space needed on the target.

    `links`: symbolic links. `names`: additional hard links. `others`: pipes, sockets and devices.
    """

    entries: int
    files: int
    size_bytes: int
    room_bytes: int
    links: int = 0
    names: int = 0
    others: int = 0


class TakePlace(FrozenStruct):
    """Mount the target at `place` from the next boot, instead of the filesystem `uuid` on `device`. `edit`
    changes fstab and leaves the old line as a comment. `top`: previous metadata of the target's top
    folder."""

    place: str
    device: str
    uuid: str
    edit: EditFstab
    top: mounts.Top


class Bring(DriveDocument, FrozenStruct):
    """Planned copy of files to a volume on `drive`, which may replace the source (`takes`). `doubts`: what
    the copy cannot preserve."""

    drive: Identity
    source: BringFrom
    target: BringTo
    amount: BringAmount
    takes: WhereUsed[TakePlace | None] = None
    doubts: Derived[tuple[Message, ...]] = ()

    @property
    def steps(self) -> tuple[BringStep, ...]:
        """Steps in order."""
        return tuple(one for one in BringStep if self.takes is not None or one is not BringStep.TAKE_PLACE)

    @property
    def settings(self) -> tuple[EditFstab, ...]:
        """The edit of fstab, if the target replaces the source."""
        return (self.takes.edit,) if self.takes else ()

    @property
    def devices(self) -> tuple[str, ...]:
        """The target of the copy."""
        return (self.target.device,)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        shown = (
            t(
                "Copy {entries:,d} files, folders and links ({size:size}).",
                entries=self.amount.entries,
                size=self.amount.size_bytes,
            ),
            t("Copy changed files again, and set the owners and dates of folders."),
            t("Read the copy back from the drive and compare."),
        )
        if self.takes is None:
            return shown
        return (
            *shown,
            t(
                "Change {file} to mount {device} at {place} from the next boot.",
                file=self.takes.edit.file,
                place=self.takes.place,
                device=self.target.device,
            ),
        )


MigrationOperation = OnDevice | EditFstab


class Way(StrEnum):
    """Conversion method. MOUNT: mount as ext4, with no change on disk. LIGHT: extents and other features for
    new files. FULL: convert every file and all metadata."""

    MOUNT = "mount"
    LIGHT = "light"
    FULL = "full"

    @property
    def converts(self) -> bool:
        """True if the filesystem itself changes."""
        return self is not Way.MOUNT


class Migration(DeviceDocument, FrozenStruct):
    """Planned conversion of the filesystem `before` on `device`: the drive `drive`, a partition or a volume
    on that drive.

    `room_bytes`: space needed for the scratch copy and the undo data. `manifest`: compare the contents of all
    files before and after. `repairs`: damage may be repaired, on the scratch copy.
    """

    drive: Identity
    device: str
    before: ExtFacts
    way: Way
    steps: tuple[Step[MigrationOperation], ...]
    room_bytes: Derived[int] = 0
    manifest: bool = False
    repairs: bool = False
    gains: Derived[tuple[str, ...]] = ()
    doubts: tuple[Message | str, ...] = ()

    @property
    def on_device(self) -> tuple[OnDevice, ...]:
        """The operations on the filesystem, which come first."""
        return tuple(step.operation for step in self.steps if not isinstance(step.operation, Setting))

    @property
    def own_lines(self) -> tuple[SetOwnFstabType, ...]:
        """The operations on lines of the filesystem's own fstab."""
        return tuple(one for one in self.on_device if isinstance(one, SetOwnFstabType))

    @property
    def settings(self) -> tuple[EditFstab, ...]:
        """The operation on fstab, if any. Comes last."""
        return tuple(step.operation for step in self.steps if isinstance(step.operation, Setting))


class WayOffer(FrozenStruct):
    """A conversion method as offered for one filesystem.

    `gains`, `costs` and `undone` (how to undo) are sentences. `seconds`, `room_bytes` and `compare_seconds`
    (to compare all files, in addition) are estimates.
    `obstacle`: why the method is not available, or empty. `obstacle_code`: code of that finding.
    """

    way: Way
    gains: tuple[str, ...]
    costs: tuple[str, ...]
    undone: str
    seconds: float
    room_bytes: int
    obstacle: str = ""
    obstacle_code: str = ""
    compare_seconds: float = 0.0


class Prospect(FrozenStruct):
    """Information for choosing a conversion method for the filesystem `before` on `device`: findings, the
    three methods, and the recommended one with a reason. `default` is None if no method is available."""

    device: str
    before: ExtFacts
    findings: tuple[Finding, ...]
    offers: tuple[WayOffer, ...]
    default: Way | None
    why: str


RunDocument = Plan | Changes | Migration | Bring | Moves
