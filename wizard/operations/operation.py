"""What every operation has in common: description, commands, losses, time, checks, and how to undo it."""

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from wizard.filesystems.kind import Argv
from wizard.model.errors import Failed
from wizard.model.geometry import Identity
from wizard.model.layout import Layout, Member
from wizard.model.requests import Wanted
from wizard.model.said import Message, t

OWN_FSTAB = "/etc/fstab"
EMPTY = Layout("none", ())


@dataclass(frozen=True, slots=True)
class Context:
    """Facts of a plan for describing its operations.

    `drive`, `before`, `after`: the first drive and its layouts; `others`: the other drives. `direct`: why the
    operations run directly on the drive, as a clause, or empty if rehearsed. `part`: number of the only
    partition to change, or 0. `fstab`: the file of mounts at boot.
    """

    drive: Identity
    before: Layout = EMPTY
    after: Layout = EMPTY
    others: tuple[Member, ...] = ()
    direct: str = ""
    part: int = 0
    fstab: str = OWN_FSTAB


class Operation:
    """One step of a plan. Subclasses are frozen dataclasses with a `kind` for documents. Methods are pure."""

    __slots__ = ()

    @property
    def devices(self) -> tuple[str, ...]:
        """All nodes that the operation uses or creates. Empty for files of the system."""
        return ()

    def sentence(self, context: Context) -> Message:
        """Describe the operation."""
        raise NotImplementedError

    def commands(self) -> tuple[Argv, ...]:
        """Return the commands in order. Empty if a file, table or value is written instead."""
        return ()

    def edits(self, context: Context) -> tuple[str, ...]:
        """Return the lines written to a file, table or value without a command."""
        return ()

    def destroys(self, context: Context) -> str:
        """Describe the data that is lost, or return an empty string."""
        return ""

    def undo_text(self, context: Context) -> str:
        """Describe how to undo the operation, or why that is impossible."""
        raise NotImplementedError

    def holds(self, context: Context) -> tuple[Message, ...]:
        """Describe the checks afterwards."""
        return ()

    def seconds(self, context: Context) -> float:
        """Estimate the duration in seconds."""
        return 0.2


class How(StrEnum):
    """State of a setting. BEFORE: the value in the document. AFTER: the requested value. HALF: an interrupted
    change. OTHER: changed by another program."""

    BEFORE = "before"
    AFTER = "after"
    HALF = "half"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ValueState:
    """The state of a setting; `seen` is a clause for display."""

    how: How
    seen: Message


def compared(seen: object, before: object, after: object, said: Message) -> ValueState:
    """Compare a setting that has a single value."""
    return ValueState(How.AFTER if seen == after else How.BEFORE if seen == before else How.OTHER, said)


class System(Protocol):
    """Reads and writes the running system for settings. Each method raises Failed or BadInput if it cannot.

    Operations that need more than commands, values and files add a method of their own.
    """

    @property
    def drive(self) -> Identity:
        """The drive of the document."""
        ...

    @property
    def settings(self) -> "tuple[Setting, ...]":
        """All settings of the document, in order."""
        ...

    def run(self, argv: Argv) -> None:
        """Run and journal a command under the drive's lock."""
        ...


@dataclass(frozen=True, slots=True)
class Subject:
    """What a document says besides one setting, for its validation."""

    drive: Identity
    device: str
    filesystem: str
    uuid: str
    wanted: Wanted
    settings: "tuple[Setting, ...]"


class Setting(Operation):
    """An operation with a state that can be read, and changed back: a value, a file, a mount.

    Changes by other programs are never overwritten.
    """

    __slots__ = ()

    lasts = True
    """False if the effect ends at reboot, so that resuming a run repeats the operation."""

    needs_drive = True
    """False for files of the system, which are restored even if the drive is missing."""

    @property
    def once(self) -> Hashable:
        """A document has only one setting of a class with this value."""
        return None

    @property
    def stays(self) -> bool:
        """True if the operation cannot be undone."""
        return False

    def undo_commands(self) -> tuple[Argv, ...]:
        """Return the commands that undo it. Empty if a file or value is written instead."""
        return ()

    def fault(self, subject: Subject) -> str | None:
        """Return the invalid part of an edited document, or None."""
        raise NotImplementedError

    def state(self, system: System) -> ValueState:
        """Read the current state."""
        raise NotImplementedError

    def write(self, system: System, *, new: bool) -> None:
        """Change to the new state, or back. Called only if the state is not yet there."""
        for argv in self.commands() if new else self.undo_commands():
            system.run(argv)

    def undo_obstacle(self, system: System) -> Message | None:
        """Return why undo leaves the new state alone, or None."""
        return None

    def do(self, system: System) -> Message:
        """Change the setting and describe its state. Repeatable. Raises Failed if another program changed it,
        or if the change has no effect."""
        found = self.state(system)
        if found.how is How.OTHER:
            raise Failed(t("Left unchanged because of an external change: {seen}.", seen=found.seen))
        if found.how is not How.AFTER:
            self.write(system, new=True)
            found = self.state(system)
            if found.how is not How.AFTER:
                now = self._reverted(system)
                raise Failed(t("The change did not take effect: {seen}. {now}", seen=found.seen, now=now))
        return t("{clause:First}.", clause=found.seen)

    def _reverted(self, system: System) -> Message:
        try:
            self.write(system, new=False)
        except Failed as error:
            return t("Undo also failed: {error}", error=str(error))
        return t("Now {seen}.", seen=self.state(system).seen)

    def undo(self, system: System) -> Message:
        """Change back, and describe the result or why nothing was done. Raises Failed."""
        found = self.state(system)
        if found.how is How.OTHER:
            return t("Left unchanged, because of a later change: {seen}.", seen=found.seen)
        if found.how is How.BEFORE:
            return t("Already as before: {seen}.", seen=found.seen)
        if obstacle := self.undo_obstacle(system):
            return obstacle
        self.write(system, new=False)
        found = self.state(system)
        if found.how is not How.BEFORE:
            raise Failed(t("Undo failed: {seen}.", seen=found.seen))
        return t("Undone: {seen}.", seen=found.seen)
