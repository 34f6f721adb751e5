"""What every operation has in common: description, commands, losses, time, checks, and how to undo it."""

import shlex
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import ClassVar, Self

from msgspec.structs import replace

from wizard.filesystems.kind import Commands
from wizard.model.errors import FrozenStruct, TaggedStruct
from wizard.model.geometry import Identity
from wizard.model.layout import Layout, Member, Slot
from wizard.model.requests import Wanted
from wizard.model.said import Message, Sentence, Sentences, t
from wizard.operations.data_loss import data_lost

OWN_FSTAB = "/etc/fstab"
EMPTY = Layout("none", ())


UNTIL_KEPT = t(
    "If the drive has old contents, `diskwright undo` restores them bit for bit until you keep the result."
)
NO_UNDO = t("Cannot be undone. After a power cut, the drive must be set up again.")


AS_SENTENCE = Sentence("{clause:First}.")

RECOGNISED = Sentences(
    "{devices:and} is recognised as {what} with UUID {uuid}.",
    "{devices:and} are recognised as {what} with UUID {uuid}.",
)


class Context(FrozenStruct):
    """Facts of a plan for describing its operations.

    `drive`, `before`, `after`: the first drive and the layouts; `others`: the other drives. `operations`: all
    of the plan. `direct`: why they run directly on the drive, as a clause, or empty if rehearsed. `part`:
    number of the only partition to change, or 0. `fstab`: the file of mounts at boot.
    """

    drive: Identity
    before: Layout = EMPTY
    after: Layout = EMPTY
    others: tuple[Member, ...] = ()
    operations: "tuple[Operation, ...]" = ()
    direct: str = ""
    part: int = 0
    fstab: str = OWN_FSTAB

    @property
    def members(self) -> tuple[Member, ...]:
        """All drives."""
        return (Member(self.drive, self.before, self.after), *self.others)

    @property
    def crypttab(self) -> str:
        """The crypttab in the folder of the fstab."""
        return f"{self.fstab.rpartition('/')[0]}/crypttab"

    @property
    def changed(self) -> Slot | None:
        """Old state of the only partition that the plan changes. None if the plan covers the whole drive."""
        return self.before.partition(self.part)

    def is_drive(self, device: str) -> bool:
        """Return True if `device` is a whole drive of the plan."""
        return any(device == member.drive.path for member in self.members)

    def under(self, device: str) -> str:
        """Return the partition of the container that opens as `device`, or `device` itself."""
        for member in self.members:
            for slot in member.after.partitions:
                if slot.opened is not None and slot.opened == device:
                    return member.node(slot.number)
        return device

    def members_of(self, devices: Sequence[str]) -> tuple[Member, ...]:
        """Return the drives of the devices, all for an array."""
        found = tuple(member for member in self.members if not {*devices}.isdisjoint(member.nodes))
        return found or self.members

    def overwritten(self, devices: Sequence[str]) -> list[str]:
        """Describe the old data lost by creating a filesystem on some devices, or for an array on all
        drives. If a single partition changes, wiping the signatures already describes the loss."""
        if self.changed:
            return []
        return data_lost(devices, self.members_of(devices))


Summary = str | tuple[Sentence, Message | str]
"""A sentence, empty if other operations imply it; or a sentence for all operations alike, with the words for
this one."""


def filled(form: Sentence, *sources: object) -> Message:
    """Return a message with the attributes that its fields name, each of the first source that has it."""
    return form(
        **{
            name: next(getattr(source, name) for source in sources if hasattr(source, name))
            for name in form.fields
        }
    )


class Operation(TaggedStruct):
    """One step of a plan, with a `kind` for documents. Methods are pure.

    Fields of the texts below are attributes of the operation, or of the context.
    """

    says: ClassVar[Sentence]
    """The description, unless `sentence` returns another."""

    writes_also: ClassVar[tuple[Sentence, ...]] = ()
    """The `edits`."""

    undone: ClassVar[Sentence]
    """The `undo_text`."""

    checks: ClassVar[tuple[Sentence, ...]] = ()
    """The checks afterwards."""

    usual_seconds: ClassVar[float] = 0.2

    writes = False
    """True for writes to a drive."""

    @property
    def edits_boot(self) -> bool:
        """True if it adds something to do at every boot."""
        return False

    @property
    def rehearsed(self) -> bool:
        """True if executed on scratch copies first."""
        return self.writes

    @property
    def overwrites(self) -> bool:
        """True if old data may be lost. False for edits of files and uses of new filesystems."""
        return self.writes

    @property
    def devices(self) -> tuple[str, ...]:
        """All nodes that the operation uses or creates. Empty for files of the system."""
        return ()

    @property
    def created(self) -> tuple[str, ...]:
        """The nodes that exist only afterwards, such as an array."""
        return ()

    @property
    def made(self) -> dict[str, tuple[str, str]]:
        """Type and UUID that libblkid reports on each device afterwards."""
        return {}

    @property
    def programs(self) -> frozenset[str]:
        """Tools that check the result, besides the commands."""
        return frozenset()

    def on(self, nodes: Mapping[str, str], names: Mapping[str, str]) -> Self:
        """Return the operation on other nodes, with containers named `names` by UUID."""
        return self

    def sentence(self, context: Context) -> Message:
        """Describe the operation."""
        return filled(self.says, self, context)

    def summary(self, sentence: str) -> Summary:
        """Return how a short description of the plan mentions the operation."""
        return sentence

    def commands(self) -> Commands:
        """Return the commands in order. Empty if a file, table or value is written instead."""
        return ()

    def edits(self, context: Context) -> tuple[str, ...]:
        """Return the lines written to a file, table or value without a command."""
        return tuple(str(filled(form, self, context)) for form in self.writes_also)

    def destroys(self, context: Context) -> str:
        """Describe the data that is lost, or return an empty string."""
        return ""

    def undo_text(self, context: Context) -> str:
        """Describe how to undo the operation, or why that is impossible."""
        return str(filled(self.undone, self, context))

    def holds(self, context: Context) -> tuple[Message, ...]:
        """Describe the checks afterwards."""
        return tuple(filled(form, self, context) for form in self.checks)

    def seconds(self, context: Context) -> float:
        """Estimate the duration in seconds."""
        return self.usual_seconds


class OnNodes(Operation):
    """An operation with nodes in the fields `device`, `others` and `parts`, as far as it has these."""

    @property
    def devices(self) -> tuple[str, ...]:
        found = ((old,) if isinstance(old, str) else old for old in self._nodes().values())
        return tuple(chain.from_iterable(found))

    def on(self, nodes: Mapping[str, str], names: Mapping[str, str]) -> Self:
        moved = {
            name: nodes[old] if isinstance(old, str) else tuple(nodes[node] for node in old)
            for name, old in self._nodes().items()
        }
        return replace(self, **moved)

    def _nodes(self) -> dict[str, str | tuple[str, ...]]:
        return {name: getattr(self, name) for name in ("device", "others", "parts") if hasattr(self, name)}


class Writing(OnNodes):
    """An operation that writes to a drive. A rehearsed run saves the old bytes."""

    writes = True

    def undo_text(self, context: Context) -> str:
        return str(NO_UNDO if context.direct else UNTIL_KEPT)


class AtDevice(OnNodes):
    """An operation on the drive, partition or array `device`."""

    device: str


class WritingTo(AtDevice, Writing):
    """An operation that writes to `device`."""


class Subject(FrozenStruct):
    """A document with settings. `device`: on the `drive`, with the content's type `filesystem` and `uuid`."""

    drive: Identity
    device: str
    filesystem: str
    uuid: str
    wanted: Wanted

    @property
    def settings(self) -> "tuple[Setting, ...]":
        """The operations in order."""
        raise NotImplementedError


class Setting(Operation):
    """An operation with a state that can be read, and changed back: a value, a file, a mount.

    Changes by other programs are never overwritten.
    """

    turn = 0
    """Order in a document: what the kernel may refuse comes before the file that the next boot depends on."""

    aims: ClassVar[Sentence]
    """The `goal`."""

    requests: ClassVar[tuple[type[Wanted], ...]] = ()
    """Requests that can need the operation."""

    lasts = True
    """False if the effect ends at reboot, so that resuming a run repeats the operation."""

    needs_drive = True
    """False for files of the system, which are restored even if the drive is missing."""

    mounts = False
    """True if a filesystem is mounted now or at boot, so no other may have the same UUID."""

    @property
    def mounted_at(self) -> str | None:
        """The mount point if a filesystem is mounted now."""
        return None

    @property
    def edited_file(self) -> str | None:
        """The file of the system that changes."""
        return None

    @property
    def once(self) -> Hashable:
        """A document has only one setting of a class with this value. If not None, `fits` also checks
        `device`, because it can differ from the document's."""
        return None

    @property
    def stays(self) -> bool:
        """True if the finished operation cannot be undone, as `undo_obstacle` explains."""
        return False

    @property
    def undo_obstacle(self) -> Message | None:
        """Why undo leaves the new state alone, or None."""
        return None

    @property
    def goal(self) -> Message:
        """Describe the new state, as a clause."""
        return filled(self.aims, self)

    def commands_to(self, *, new: bool) -> Commands:
        """Return the commands for the new state, or back. Empty if a file or value is written instead."""
        return ()

    def fits(self, subject: Subject) -> bool:
        """Return False if a field is invalid in an edited document. `device` comes from the document."""
        raise NotImplementedError

    def foreign(self, fstab: Path, rules: Path) -> Message | None:
        """Return why the operation is for another system than the one with this fstab and this folder of udev
        rules, or None."""
        return None

    def file_difference(self, context: Context, fstab: str) -> tuple[str, ...]:
        """Return the change of the `edited_file` as a unified diff, given the text of fstab."""
        return ()

    def commands(self) -> Commands:
        """Return the commands for the new state."""
        return self.commands_to(new=True)

    def undo_text(self, context: Context) -> str:
        """Describe how to undo the operation, or why that is impossible."""
        if hasattr(self, "undone"):
            return super().undo_text(context)
        if self.undo_obstacle:
            return str(self.undo_obstacle)
        commands = (f"`{shlex.join(argv)}`" for argv in self.commands_to(new=False))
        return f"By {'; '.join(commands)}."

    def holds(self, context: Context) -> tuple[Message, ...]:
        """Describe the new state."""
        return (AS_SENTENCE(clause=self.goal),)

    def tools(self) -> frozenset[str]:
        """Return the programs to do, check and undo the operation."""
        return self.programs.union(argv[0] for new in (True, False) for argv in self.commands_to(new=new))

    def added_options(self, filesystem: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return drivers with the mount options that they get for the first time."""
        return ()
