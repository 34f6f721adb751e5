"""The sentences of questions, of typing something, of saving and of ending."""

from wizard.model.said import Sentence

NO = Sentence("desk.asking.no", "no")
CANCEL = Sentence("desk.asking.cancel", "cancel")
QUESTION_HELP = Sentence(
    "desk.asking.question-help", "Nothing happens before you answer. Enter changes nothing."
)
TYPING_HELP = Sentence(
    "desk.asking.typing-help", "Enter in the last line takes what you typed. Esc leaves all as it was."
)

# Ending.
END = Sentence("desk.asking.end", "End the wizard?")
END_YES = Sentence("desk.asking.end-yes", "end")
END_NO = Sentence("desk.asking.end-no", "stay")
RUN_GOES_ON = Sentence(
    "desk.asking.run-goes-on",
    "The run goes on without this window. `diskwright status` shows where it stands.",
)
RUN_UNKNOWN = Sentence(
    "desk.asking.run-unknown",
    "Where the run stands is not known; it may go on. `diskwright status` tells.",
)
NOT_APPLIED = Sentence(
    "desk.asking.not-applied", "The plan is not applied, and is gone then. Nothing was written to any drive."
)
ONLY_MEASURED = Sentence(
    "desk.asking.only-measured",
    "The plan is not applied, and is gone then. Only measuring has written, to free space.",
)

# Saving.
SAVE = Sentence("desk.asking.save", "Save {what}")
SAVE_KEY = Sentence("desk.asking.save-key", "save")
FILE = Sentence("desk.asking.file", "File")
FILE_HINT = Sentence("desk.asking.file-hint", "a name, or a whole path")
FILE_HELP = Sentence(
    "desk.asking.file-help",
    "A name alone is a file in the folder where diskwright was started; ~ is your own folder.",
)
NEVER_OVER = Sentence("desk.asking.never-over", "A file that is there already is never overwritten.")
NO_NAME = Sentence("desk.asking.no-name", "Type the name of a file, or press Esc.")
NOT_A_NAME = Sentence("desk.asking.not-a-name", "{name} cannot be the name of a file. Choose another one.")
THERE = Sentence("desk.asking.there", "{path} exists already and was left alone. Choose another name.")
SAVED = Sentence("desk.asking.saved", "{what:First} is saved in {path}.")
