"""A run: the document of its job, the entries of its journal, and the checks."""

from collections.abc import Iterable
from enum import StrEnum

from wizard.model.errors import FrozenStruct, WhereUsed
from wizard.model.geometry import Identity
from wizard.model.said import Message, t


class WithSecret:
    """A record with the passphrase of encrypted volumes. Hides all fields from logs and tracebacks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class Document:
    """A planned job, as saved to a file and kept in the folder of its run."""

    __slots__ = ()

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drives to write, in order. Each is confirmed by the token."""
        raise NotImplementedError

    @property
    def devices(self) -> tuple[str, ...]:
        """Nodes that name the job: whole drives, partitions or volumes."""
        raise NotImplementedError

    @property
    def sentences(self) -> tuple[Message | str, ...]:
        """A sentence for each step."""
        raise NotImplementedError

    @property
    def encrypted(self) -> tuple[str, ...]:
        """Nodes of the encrypted containers to create. All use one passphrase, which the document does not
        contain."""
        return ()

    @property
    def key_file(self) -> str:
        """Key file of the containers. Empty if there are none or they use a passphrase."""
        return ""

    @property
    def takes_passphrase(self) -> bool:
        """True if the user types a passphrase for the containers."""
        return bool(self.encrypted) and not self.key_file

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of all drives, required for confirmation."""
        return tuple(drive.token for drive in self.drives)


class DriveDocument(Document):
    """A planned job on one drive."""

    __slots__ = ()

    drive: Identity

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The only drive."""
        return (self.drive,)


class Event(StrEnum):
    """Event of a journal entry. A run ends with DONE, FAILED, STOPPED, REFUSED or WAITING: everything is
    written and the user decides. UNDONE may follow, or KEPT, which is final. MAKING and BAD_SECTOR are in
    journals of older versions."""

    STARTED = "started"
    SAVED = "saved"
    STEP_STARTED = "step-started"
    MAKING = "making"
    COMMAND = "command"
    STEP_DONE = "step-done"
    STEP_FAILED = "step-failed"
    BAD_SECTOR = "bad-sector"
    VERIFIED = "verified"
    NOT_VERIFIED = "not-verified"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    REFUSED = "refused"
    WAITING = "waiting"
    UNDONE = "undone"
    KEPT = "kept"


class JournalEntry(FrozenStruct):
    """A line of the journal. `step` counts from 1; 0 is the run itself. `output`: of the command, cut.
    `sentence`: in the reader's language, from `said`, which older entries and output of other programs
    lack."""

    at: str
    event: Event
    step: int
    sentence: str
    command: tuple[str, ...] = ()
    output: str = ""
    said: WhereUsed[Message | None] = None


class Check(FrozenStruct):
    """A check after applying: expected state, result, and actual state."""

    what: str
    holds: bool
    seen: str


def differences(
    rows: Iterable[tuple[Message | str, int | str | None, int | str | None]],
) -> tuple[Message, ...]:
    """Return a clause for each row of a name, a value and the wanted value in which the values differ."""
    return tuple(
        t("{what} is {seen!r}, not {wanted!r}", what=what, seen=seen or "", wanted=wanted or "")
        for what, seen, wanted in rows
        if seen != wanted
    )


class Waiting(FrozenStruct):
    """A run that wrote to a drive and hid its signatures. `run`: argument for commands. `told`: summary. The
    notice is in `size_bytes` from `start_bytes`. `bare`: the signatures are still hidden. Otherwise the drive
    was written since, and its state is unknown."""

    run: str
    begun: str
    told: str
    start_bytes: int
    size_bytes: int
    bare: bool
