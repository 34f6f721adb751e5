"""The sentences of layouts."""

from wizard.model.names import printable
from wizard.model.said import Said, Sentence
from wizard.model.writer import Writer

UNREAD = Sentence(
    "layout.unread",
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AS_ROOT = Sentence("layout.as-root", "Make it as root:")
RECORD_AS_ROOT = Sentence(
    "layout.record-as-root", "Record the machine as root: sudo diskwright inspect --save FILE"
)
AGAIN_AS_ROOT = Sentence("layout.again-as-root", "Make it again as root, when the drive can be read.")

THE_GROUP = Sentence("layout.the-group", "the group {name}")
EVERYONE = Sentence("layout.everyone", "everyone")
ROOT_ONLY = Sentence("layout.root-only", "root only")
LET_WRITE = Sentence("layout.let-write", "Let {who} write to the filesystem on {device}.")
BELONGS = Sentence("layout.belongs", "The top of {device} belongs to {uid}:{gid}, mode {mode}.")
ROOTS_AGAIN = Sentence("layout.roots-again", "By `chown root:root` and `chmod 755`; no file is lost.")
VOLUME_WRITABLE = Sentence("layout.volume-writable", '"{label}" will be writable by {who}.')
CAN_WRITE = Sentence("layout.can-write", "{who} can write to {place}")


def who(writer: Writer) -> Said | str:
    """The writer as a person is told: a name, or what stands for it."""
    match writer.kind:
        case "person":
            return printable(writer.name, 60)
        case "group":
            return THE_GROUP(name=printable(writer.name, 60))
        case "everyone":
            return EVERYONE()
        case "root":
            return ROOT_ONLY()
