"""The sentences of `diskwright inspect`, but for the drives themselves."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.looking.inspect.says",
    "Show the attached drives: identity, block sizes, table, partitions, use, and what is wrong.",
)
EVERY = Sentence("faces.looking.inspect.every", "every drive, in words")
ONE = Sentence("faces.looking.inspect.one", "one drive")
RECORD = Sentence("faces.looking.inspect.record", "record the facts, for a report of a bug")
AGAIN = Sentence("faces.looking.inspect.again", "look at them again, anywhere")
DEVICES = Sentence(
    "faces.looking.inspect.devices", "whole drives, such as /dev/sdb; all of them where none is named"
)
ALL = Sentence("faces.looking.inspect.all", "also empty loop devices, memory disks, layers and empty readers")
SAVE = Sentence("faces.looking.inspect.save", "also record the raw facts in FILE")
MACHINE = Sentence("faces.looking.inspect.machine", "show a machine recorded by --save, instead of this one")
ABOUT = Sentence(
    "faces.looking.inspect.about",
    "Nothing is written to any drive. Without root less can be read; what is missing is named, with the "
    "reason.",
)
NO_DRIVES = Sentence("faces.looking.inspect.no-drives", "No drives.")
NONE_ATTACHED = Sentence("faces.looking.inspect.none-attached", "No drives are attached.")
NO_ROOT = Sentence(
    "faces.looking.inspect.no-root",
    "Without root much cannot be read, nor whether a run waits on a drive that looks empty. `sudo diskwright "
    "inspect` shows more.",
)
