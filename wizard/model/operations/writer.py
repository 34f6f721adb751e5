"""Who may write to a volume, and the operation that sees to it."""

from dataclasses import dataclass, field
from typing import Literal

from wizard.model.written import WHERE_USED


@dataclass(frozen=True, slots=True)
class Writer:
    """Who may write, as looked up when it was planned: what is shown is what is applied.

    A person has `name`, `uid` and `gid`, a group `name` and `gid`; everyone and root have none of them.
    """

    kind: Literal["person", "group", "everyone", "root"]
    name: str = ""
    uid: int = 0
    gid: int = 0

    @property
    def mode(self) -> int:
        """The permissions of the folder that they may write to: a group's files stay the group's, and nobody
        deletes another's where everyone may write."""
        return {"group": 0o2775, "everyone": 0o1777}.get(self.kind, 0o755)


ROOT = Writer("root")
EVERYONE = Writer("everyone")


@dataclass(frozen=True, slots=True)
class SetOwner:
    """Give the top of the filesystem on `device`, and its subvolumes `names`, to `writer`.

    `others` are the further devices of a Btrfs over several. For that it is mounted at a place that its
    `uuid` names, and unmounted again.
    """

    device: str
    filesystem: str
    uuid: str
    writer: Writer
    names: tuple[str, ...] = ()
    kind: Literal["set-owner"] = "set-owner"
    others: tuple[str, ...] = field(default=(), metadata=WHERE_USED)
