"""The sentences of `diskwright` without a command."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.itself.walk.says", "Set up a drive, or work on what it holds.")
SET_UP = Sentence("faces.itself.walk.set-up", "set up a drive of this machine")
NO_ROOT = Sentence(
    "faces.itself.walk.no-root", "look and plan without root, which is asked for only to apply"
)
FROM_DRIVE = Sentence("faces.itself.walk.from-drive", "the same, with the cursor on this drive or partition")
DEVICE = Sentence("faces.itself.walk.device", "begin with this drive or partition, such as /dev/sdb")
NOT_LISTED = Sentence(
    "faces.itself.walk.not-listed",
    "The wizard does not list {drive}: `diskwright inspect {drive}` tells what it is.",
)
RECORDED = Sentence(
    "faces.itself.walk.recorded",
    "the same on a machine that `diskwright inspect --save` recorded; nothing can be applied",
)
BY_LINE = Sentence(
    "faces.itself.walk.by-line",
    "line by line: for screen readers, serial lines, and answers from a file",
)
MACHINE = Sentence(
    "faces.itself.walk.machine", "look at a recorded machine; nothing can be measured or applied"
)
JOURNAL = Sentence(
    "faces.itself.walk.journal",
    "keep the journal of what is applied here, not in /var/lib/diskwright/runs",
)
PLAIN = Sentence(
    "faces.itself.walk.plain", "ask line by line, with numbered answers; chosen by itself on TERM=dumb"
)
ABOUT_SCREENS = Sentence(
    "faces.itself.walk.about-screens",
    "Five screens: drives, purpose, plan, review, work. ? or F1 is help, F2 the glossary, Esc goes back.",
)
ABOUT_VARIABLES = Sentence(
    "faces.itself.walk.about-variables",
    "DISKWRIGHT_THEME=light or dark names the ground of the terminal, DISKWRIGHT_MOUSE=0 leaves the mouse "
    "alone, and NO_COLOR is kept.",
)

NO_TERMINAL = Sentence(
    "faces.itself.walk.no-terminal",
    "The wizard needs a terminal to ask on, and its input or its output is none. With `diskwright "
    "--plain` it asks line by line, through pipes and files too.",
)
COMMANDS = Sentence("faces.itself.walk.commands", "Everything it does can also be done by commands:")
WHAT_THERE_IS = Sentence("faces.itself.walk.what-there-is", "what the drives are, and what is wrong")
WHICH = Sentence("faces.itself.walk.which", "which filesystem, and why")
LAYOUT = Sentence("faces.itself.walk.layout", "a layout")
WOULD_DO = Sentence("faces.itself.walk.would-do", "what it would do")
DO = Sentence("faces.itself.walk.do", "do it")

TERM_IS = Sentence("faces.itself.walk.term-is", "TERM is {name}")
TERM_NOT_SET = Sentence("faces.itself.walk.term-not-set", "TERM is not set")
NO_PLACING = Sentence(
    "faces.itself.walk.no-placing",
    "{why}, so text cannot be placed on the screen here: the wizard asks line by line, as by --plain.",
)
