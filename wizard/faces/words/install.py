"""The sentences of `diskwright install`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.install.says",
    "Install programs that diskwright misses, with this distribution's package manager.",
)
NAMES = Sentence("faces.install.names", "a program, such as mkfs.exfat, or a package")
YES = Sentence("faces.install.yes", "answer the one question")
ABOUT = Sentence(
    "faces.install.about",
    "It installs what brings these programs, with what they need and nothing else. Before that, one question "
    "says how large it is. Nothing is removed for it.",
)
KNOWN = Sentence(
    "faces.install.known",
    "These programs are known, and the packages that bring them: {programs:list}.",
)
ASK = Sentence("faces.install.ask", "Do this now? [y/N]")
