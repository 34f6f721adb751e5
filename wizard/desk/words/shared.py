"""What several places say."""

from wizard.model.said import Sentence

BACK = Sentence("desk.shared.back", "back")
HELP_KEY = Sentence("desk.shared.help-key", "help")
GLOSSARY_KEY = Sentence("desk.shared.glossary-key", "words")
QUIT_KEY = Sentence("desk.shared.quit-key", "quit")
DEMO = Sentence("desk.shared.demo", "DEMO")
DEMO_ABOUT = Sentence("desk.shared.demo-about", "DEMO: {about}")
INSTALL_KEY = Sentence("desk.shared.install-key", "install")
SIZE = Sentence("desk.shared.size", "{size:size}")
TIME = Sentence("desk.shared.time", "{seconds:time}")
CRASHED = Sentence("desk.shared.crashed", "diskwright itself failed here, which is to be reported: {what}")
