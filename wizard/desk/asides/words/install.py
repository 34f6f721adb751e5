"""The sentences about installing what is missing."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.asides.install.title", "Install {programs:and}?")
TITLE_AT_WORK = Sentence("desk.asides.install.title-at-work", "Installing {programs:and}")
WEIGHING = Sentence("desk.asides.install.weighing", "Asking how large it is ...")
ONLY_THAT = Sentence(
    "desk.asides.install.only-that", "This and what it needs, by your distribution's own package manager."
)
AT_WORK = Sentence(
    "desk.asides.install.at-work", "The package manager is at work. It cannot be stopped from here."
)
STARTING = Sentence("desk.asides.install.starting", "Starting ...")
DONE = Sentence("desk.asides.install.done", "{programs:and} is here now.", "{programs:and} are here now.")
NO = Sentence("desk.asides.install.no", "no")
YES = Sentence("desk.asides.install.yes", "install")
AGAIN = Sentence("desk.asides.install.again", "try again")
HELP = Sentence(
    "desk.asides.install.help", "Some programs are missing here. Without them, what you chose cannot be done."
)
HELP_MORE = Sentence(
    "desk.asides.install.help-more",
    "Nothing is removed for them. Root installs them, so you may be asked for it.",
)
