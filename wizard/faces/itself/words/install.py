"""The sentences of `diskwright install`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.itself.install.says",
    "Install programs that diskwright misses, with this distribution's package manager.",
)
NAMES = Sentence("faces.itself.install.names", "a program, such as mkfs.exfat, or a package")
YES = Sentence("faces.itself.install.yes", "answer the one question")
ABOUT = Sentence(
    "faces.itself.install.about",
    "It installs what brings these programs, with what they need and nothing else. Before that, one question "
    "says how large it is. Nothing is removed for it.",
)
KNOWN = Sentence(
    "faces.itself.install.known",
    "These programs are known, and the packages that bring them: {programs:list}.",
)
ASK = Sentence("faces.itself.install.ask", "Do this now? [y/N]")
