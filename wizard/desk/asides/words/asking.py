"""The sentences of questions, of typing something, of saving and of ending."""

from wizard.model.said import Sentence

NO = Sentence("desk.asides.asking.no", "no")
CANCEL = Sentence("desk.asides.asking.cancel", "cancel")
QUESTION_HELP = Sentence(
    "desk.asides.asking.question-help", "Nothing happens before you answer. Enter changes nothing."
)
TYPING_HELP = Sentence(
    "desk.asides.asking.typing-help", "Enter in the last line takes what you typed. Esc leaves all as it was."
)

# Ending.
END = Sentence("desk.asides.asking.end", "End the wizard?")
END_YES = Sentence("desk.asides.asking.end-yes", "end")
END_NO = Sentence("desk.asides.asking.end-no", "stay")
RUN_GOES_ON = Sentence(
    "desk.asides.asking.run-goes-on",
    "The run goes on without this window. `diskwright status` shows where it stands.",
)
RUN_UNKNOWN = Sentence(
    "desk.asides.asking.run-unknown",
    "Where the run stands is not known; it may go on. `diskwright status` tells.",
)
NOT_APPLIED = Sentence(
    "desk.asides.asking.not-applied",
    "The plan is not applied, and is gone then. Nothing was written to any drive.",
)
ONLY_MEASURED = Sentence(
    "desk.asides.asking.only-measured",
    "The plan is not applied, and is gone then. Only measuring has written, to free space.",
)

# Saving.
SAVE = Sentence("desk.asides.asking.save", "Save {what}")
SAVE_KEY = Sentence("desk.asides.asking.save-key", "save")
FILE = Sentence("desk.asides.asking.file", "File")
FILE_HINT = Sentence("desk.asides.asking.file-hint", "a name, or a whole path")
FILE_HELP = Sentence(
    "desk.asides.asking.file-help",
    "A name alone is a file in the folder where diskwright was started; ~ is your own folder.",
)
NEVER_OVER = Sentence("desk.asides.asking.never-over", "A file that is there already is never overwritten.")
NO_NAME = Sentence("desk.asides.asking.no-name", "Type the name of a file, or press Esc.")
NOT_A_NAME = Sentence(
    "desk.asides.asking.not-a-name", "{name} cannot be the name of a file. Choose another one."
)
THERE = Sentence("desk.asides.asking.there", "{path} exists already and was left alone. Choose another name.")
SAVED = Sentence("desk.asides.asking.saved", "{what:First} is saved in {path}.")
