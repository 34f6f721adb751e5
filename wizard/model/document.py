"""What the documents of all jobs have in common: plans, changes, conversions, moves and copies."""

from wizard.model.geometry import Identity
from wizard.model.said import Message


class Document:
    """A planned job, as saved to a file and kept in the folder of its run."""

    __slots__ = ()

    @property
    def drives(self) -> tuple[Identity, ...]:
        """The drives to write, in order. Each is confirmed by its token."""
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
    def folders(self) -> tuple[str, ...]:
        """Folders besides the run's own in which data is saved for undo."""
        return ()

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of all drives, required for confirmation."""
        return tuple(drive.token for drive in self.drives)
