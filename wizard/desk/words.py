"""What several places say."""

from wizard.model.said import Sentence

BACK = Sentence("desk.back", "back")
HELP_KEY = Sentence("desk.help-key", "help")
GLOSSARY_KEY = Sentence("desk.glossary-key", "words")
QUIT_KEY = Sentence("desk.quit-key", "quit")
DEMO = Sentence("desk.demo", "DEMO")
DEMO_ABOUT = Sentence("desk.demo-about", "DEMO: {about}")
INSTALL_KEY = Sentence("desk.install-key", "install")
SIZE = Sentence("desk.size", "{size:size}")
TIME = Sentence("desk.time", "{seconds:time}")
CRASHED = Sentence("desk.crashed", "diskwright itself failed here, which is to be reported: {what}")
