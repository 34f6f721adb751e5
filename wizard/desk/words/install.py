"""The sentences about installing what is missing."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.install.title", "Install {programs:and}?")
TITLE_AT_WORK = Sentence("desk.install.title-at-work", "Installing {programs:and}")
WEIGHING = Sentence("desk.install.weighing", "Asking how large it is ...")
ONLY_THAT = Sentence(
    "desk.install.only-that", "This and what it needs, by your distribution's own package manager."
)
AT_WORK = Sentence("desk.install.at-work", "The package manager is at work. It cannot be stopped from here.")
STARTING = Sentence("desk.install.starting", "Starting ...")
DONE = Sentence("desk.install.done", "{programs:and} is here now.", "{programs:and} are here now.")
NO = Sentence("desk.install.no", "no")
YES = Sentence("desk.install.yes", "install")
AGAIN = Sentence("desk.install.again", "try again")
HELP = Sentence(
    "desk.install.help", "Some programs are missing here. Without them, what you chose cannot be done."
)
HELP_MORE = Sentence(
    "desk.install.help-more", "Nothing is removed for them. Root installs them, so you may be asked for it."
)
