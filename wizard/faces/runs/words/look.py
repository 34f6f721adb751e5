"""The sentences of `diskwright look`."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.runs.look.says", "Show the result of a waiting run, read-only.")
ABOUT = Sentence(
    "faces.runs.look.about",
    "What a run made was made on a stand-in first. While the run waits for `keep` or `undo`, that can "
    "be mounted read-only in another terminal: the commands are shown. Nothing is read from the drive "
    "or written to it, and partitions that stay show nothing here.",
)
ABOUT_END = Sentence("faces.runs.look.about-end", "Press Enter to end; `keep` and `undo` wait for that.")
SHOWN = Sentence("faces.runs.look.shown", "What waits of the run {run} is shown here, read-only:")
ONE = Sentence("faces.runs.look.one", "{node} is what {device} is to be: {filesystem}")
HOW = Sentence(
    "faces.runs.look.how",
    "Mount it in another terminal, somewhere that is free. Enter ends it, and unmounts it. `diskwright keep "
    "{run}` and `diskwright undo {run}` wait for that.",
)
ENDED = Sentence("faces.runs.look.ended", "It is not shown any more. Nothing was written.")
IN_USE = Sentence("faces.runs.look.in-use", "End what uses it, then press Enter again.")
