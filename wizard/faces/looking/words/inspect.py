"""The sentences of `diskwright inspect`, but for the drives themselves."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.looking.inspect.says",
    "List drives with identity, block sizes, partitions, use and problems.",
)
EVERY = Sentence("faces.looking.inspect.every", "all drives")
ONE = Sentence("faces.looking.inspect.one", "one drive")
RECORD = Sentence("faces.looking.inspect.record", "record the facts for a bug report")
AGAIN = Sentence("faces.looking.inspect.again", "show them again, on any computer")
DEVICES = Sentence("faces.looking.inspect.devices", "drives, such as /dev/sdb (default: all)")
ALL = Sentence(
    "faces.looking.inspect.all", "include empty loop devices, RAM disks, layers and empty card readers"
)
SAVE = Sentence("faces.looking.inspect.save", "record the raw facts in FILE")
MACHINE = Sentence("faces.looking.inspect.machine", "show a machine recorded by --save")
ABOUT = Sentence(
    "faces.looking.inspect.about",
    "Writes to no drive. Without root, unreadable facts are named with the reason.",
)
NO_DRIVES = Sentence("faces.looking.inspect.no-drives", "No drives.")
NONE_ATTACHED = Sentence("faces.looking.inspect.none-attached", "No drives are attached.")
NO_ROOT = Sentence(
    "faces.looking.inspect.no-root",
    "Without root much cannot be read, nor whether a run waits on a drive that looks empty. `sudo diskwright "
    "inspect` shows more.",
)
