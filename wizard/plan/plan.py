"""The plan: the layout of a drive before and after, and the steps between. Pure.

Also describes and selects steps, and maps a plan to other nodes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Generic, TypeVar

from msgspec.structs import replace

from wizard.model import layout
from wizard.model.errors import Derived, FrozenStruct, WhereUsed, partition_path
from wizard.model.geometry import Identity
from wizard.model.run import Document
from wizard.model.said import Message, t
from wizard.operations import filesystem
from wizard.operations.containers import AddCrypttabLine, MakeContainer, OpenContainer
from wizard.operations.layers import MakeArray, MakeLogicalVolume, MakeVolumeGroup
from wizard.operations.mounts import AddFstabLine, Mount, TurnOnSwap
from wizard.operations.operation import OWN_FSTAB, UNTIL_KEPT, Context, Operation
from wizard.operations.table import ResetZones, WipeSignatures, WriteTable

PlanOperation = (
    WipeSignatures
    | WriteTable
    | ResetZones
    | MakeArray
    | MakeVolumeGroup
    | MakeLogicalVolume
    | MakeContainer
    | OpenContainer
    | filesystem.MakeFilesystem
    | filesystem.MakeSubvolumes
    | filesystem.SetOwner
    | filesystem.GrowFilesystem
    | filesystem.ShrinkFilesystem
    | AddCrypttabLine
    | AddFstabLine
    | Mount
    | TurnOnSwap
)


Kind = TypeVar("Kind", covariant=True)
"""The operations of a document."""

Known = TypeVar("Known", bound=Operation)


SCRATCH_NAME = "diskwright-{}"
"""Device mapper name of an open container on a scratch copy, by UUID. Differs from the name on the drive."""


class Step(FrozenStruct, Generic[Kind]):
    """An operation with the description, derived from the operations of its document.

    `commands`: argument lists as run. `edits`: changed lines of a table or file, if no command runs.
    `destroys`: data that is lost, or empty. `undo`: how to undo the step, or that this is impossible.
    `holds`: checks afterwards.
    """

    operation: Kind
    sentence: Derived[str] = ""
    commands: Derived[tuple[tuple[str, ...], ...]] = ()
    edits: Derived[tuple[str, ...]] = ()
    destroys: Derived[str] = ""
    undo: Derived[str] = ""
    holds: Derived[tuple[str, ...]] = ()
    seconds: Derived[float] = 0.0


class Plan(Document, FrozenStruct):
    """Planned changes to one drive, or with a `stripe` to this drive and `others`. With a `group`, all
    volumes are in this volume group.

    `doubts`: sentences on facts unknown when planning. `part`: number of the only partition to change, on a
    drive whose other partitions may be in use; 0 if the plan covers the whole drive.
    """

    drive: Identity
    before: layout.Layout
    after: layout.Layout
    volumes: tuple[layout.Volume, ...]
    steps: tuple[Step[PlanOperation], ...]
    doubts: tuple[Message | str, ...] = ()
    others: WhereUsed[tuple[layout.Member, ...]] = ()
    stripe: WhereUsed[layout.Stripe | None] = None
    group: WhereUsed[layout.Group | None] = None
    part: WhereUsed[int] = 0

    def _all(self, kind: type[Known]) -> tuple[Known, ...]:
        return tuple(step.operation for step in self.steps if isinstance(step.operation, kind))

    @property
    def members(self) -> tuple[layout.Member, ...]:
        """All drives of the plan, in the order given."""
        return (layout.Member(self.drive, self.before, self.after), *self.others)

    @property
    def unread(self) -> tuple[str, ...]:
        """Nodes of drives that could not be read when planning, such as by an unprivileged user. Such a plan
        is never applied."""
        return tuple(member.drive.path for member in self.members if member.drive.content_digest is None)

    @property
    def wipes(self) -> tuple[WipeSignatures, ...]:
        """The steps before the first table that erase old signatures."""
        before = takewhile(lambda step: not isinstance(step.operation, WriteTable), self.steps)
        return tuple(step.operation for step in before if isinstance(step.operation, WipeSignatures))

    @property
    def tables(self) -> tuple[WriteTable, ...]:
        """The tables to write."""
        return self._all(WriteTable)

    @property
    def arrays(self) -> tuple[MakeArray, ...]:
        """The md arrays to create, at most one."""
        return self._all(MakeArray)

    @property
    def logical_volumes(self) -> tuple[MakeLogicalVolume, ...]:
        """The logical volumes to create, in volume order."""
        return self._all(MakeLogicalVolume)

    @property
    def filesystems(self) -> tuple[filesystem.MakeFilesystem, ...]:
        """The filesystems to create."""
        return self._all(filesystem.MakeFilesystem)

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """The mounts, in order."""
        return self._all(Mount)

    @property
    def fstab_lines(self) -> tuple[AddFstabLine, ...]:
        """The lines to add to fstab."""
        return self._all(AddFstabLine)

    @property
    def crypttab_lines(self) -> tuple[AddCrypttabLine, ...]:
        """The lines to add to crypttab."""
        return self._all(AddCrypttabLine)

    @property
    def only_table(self) -> bool:
        """True if the plan writes a table and preserves all contents."""
        return len(self.tables) == len(self.steps)

    @property
    def restores_table(self) -> bool:
        """True if the plan writes a lost table back."""
        return self.only_table and not self.part and not any(table.fresh for table in self.tables)

    @property
    def resizes(self) -> bool:
        """True if the plan resizes a filesystem and preserves its files."""
        return any(isinstance(step.operation, filesystem.Resize) for step in self.steps)

    @property
    def part_path(self) -> str:
        """Node of the only partition to change. Empty if the plan covers the whole drive."""
        return partition_path(self.drive.path, self.part) if self.part else ""

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drives of all members."""
        return tuple(member.drive for member in self.members)

    @property
    def devices(self) -> tuple[str, ...]:
        """Nodes of the drives, in the order given."""
        return tuple(member.drive.path for member in self.members)

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        return tuple(step.sentence for step in self.steps)

    @property
    def containers(self) -> tuple[layout.Encryption, ...]:
        """Encrypted containers to create."""
        return tuple(volume.encryption for volume in self.volumes if volume.encryption)

    @property
    def encrypted(self) -> tuple[str, ...]:
        """Nodes of the containers."""
        return tuple(one.device for one in self.containers)

    @property
    def key_file(self) -> str:
        """The first key file of the containers."""
        return next((one.key for one in self.containers if one.key), "")

    def member(self, device: str) -> layout.Member | None:
        """Return the drive that is `device` or contains this partition. Return None for an array, which spans
        all drives."""
        return next((member for member in self.members if device in member.nodes), None)

    def with_current_texts(self, fstab: str | Path = OWN_FSTAB) -> "Plan":
        """Recompute all texts, commands and estimates of a valid plan from its operations. Only these are
        shown or run. `fstab`: the file of mounts at boot, beside the crypttab."""
        context = Context(self.drive, self.before, self.after, self.others, part=self.part, fstab=str(fstab))
        return replace(self, steps=steps_of([step.operation for step in self.steps], context))

    def with_undo_text(self, text: Message) -> "Plan":
        """Return the plan with another text for steps that can be undone until kept. For display only."""
        until_kept = str(UNTIL_KEPT)
        steps = (replace(step, undo=str(text)) if step.undo == until_kept else step for step in self.steps)
        return replace(self, steps=tuple(steps))

    @property
    def direct_reason(self) -> str:
        """Why the plan must run directly on the drive, as a clause, or empty if all steps are rehearsed."""
        return why_on_drive(step.operation for step in self.steps)

    def rehearsed_steps(self) -> Iterator[tuple[int, Step[PlanOperation]]]:
        """Yield the rehearsed steps with their numbers from 1. Containers are opened both in the rehearsal
        and on the drive."""
        return ((number, step) for number, step in enumerate(self.steps, 1) if step.operation.rehearsed)

    def use_steps(self) -> Iterator[tuple[int, Step[PlanOperation]]]:
        """Yield the steps that use the result, with their numbers from 1."""
        return ((number, step) for number, step in enumerate(self.steps, 1) if not step.operation.writes)

    def on_nodes(self, nodes: Mapping[str, str], *, named_alike: bool = False) -> "Plan":
        """Return the plan on other nodes, given for each drive and md array by path. Descriptions do not
        change. Containers get the names of scratch copies, or keep theirs if `named_alike`."""
        known: dict[str, str] = {}
        members = []
        for member in self.members:
            moved = replace(member, drive=replace(member.drive, path=nodes[member.drive.path]))
            known |= zip(member.nodes, moved.nodes, strict=True)
            members.append(moved)
        known |= {array.device: nodes.get(array.device, array.device) for array in self.arrays}
        names = {
            one.uuid: one.name if named_alike else SCRATCH_NAME.format(one.uuid) for one in self.containers
        }
        # Logical volumes keep their nodes, because LVM metadata contains the group's name.
        known |= {volume.device: volume.device for volume in self.logical_volumes}
        known |= {one.opened: replace(one, name=names[one.uuid]).opened for one in self.containers}
        return replace(
            self,
            drive=members[0].drive,
            others=tuple(members[1:]),
            volumes=tuple(
                replace(
                    volume,
                    path=known.get(volume.path, volume.path),
                    encryption=(one := volume.encryption)
                    and replace(one, device=known[one.device], name=names[one.uuid]),
                )
                for volume in self.volumes
            ),
            stripe=self.stripe
            and replace(self.stripe, device=known.get(self.stripe.device, self.stripe.device)),
            group=self.group and replace(self.group, device=known[self.group.device]),
            steps=tuple(replace(step, operation=step.operation.on(known, names)) for step in self.steps),
        )

    def on_drives(self, drives: Sequence[Identity]) -> "Plan":
        """Return the plan on its drives as currently identified, in the plan's order."""
        nodes = {member.drive.path: drive.path for member, drive in zip(self.members, drives, strict=True)}
        moved = self.on_nodes(nodes, named_alike=True)
        return replace(
            moved,
            drive=drives[0],
            others=tuple(
                replace(member, drive=drive) for member, drive in zip(moved.others, drives[1:], strict=True)
            ),
        )

    def on_drive_only(self) -> "Plan":
        """Return the plan without the steps that use the result."""
        return replace(self, steps=tuple(step for _, step in self.rehearsed_steps()))


def steps_of(operations: Sequence[Known], context: Context) -> tuple[Step[Known], ...]:
    """Return the step of each operation, with all descriptions and an estimate."""
    context = replace(context, operations=tuple(operations), direct=why_on_drive(operations))
    return tuple(
        Step(
            operation=operation,
            sentence=str(operation.sentence(context)),
            commands=operation.commands(),
            edits=operation.edits(context),
            destroys=operation.destroys(context),
            undo=operation.undo_text(context),
            holds=tuple(map(str, operation.holds(context))),
            seconds=operation.seconds(context),
        )
        for operation in operations
    )


def why_on_drive(operations: Iterable[Operation]) -> str:
    """Return why these operations must run directly on the drive, as a clause, or empty if all can be
    rehearsed."""
    direct = any(operation.writes and not operation.rehearsed for operation in operations)
    return str(t("resetting zones cannot be rehearsed")) if direct else ""


LOST = t(
    "Without the passphrase, everything in the encrypted volume is lost: nobody can open "
    "it, and diskwright does not store it. A damaged header also loses everything, unless "
    "a copy from `cryptsetup luksHeaderBackup` exists elsewhere."
)
