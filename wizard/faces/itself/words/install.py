"""The sentences of `diskwright install`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.itself.install.says",
    "Install missing tools with your package manager.",
)
NAMES = Sentence("faces.itself.install.names", "a program, such as mkfs.exfat, or a package")
YES = Sentence("faces.itself.install.yes", "do not ask")
ABOUT = Sentence(
    "faces.itself.install.about",
    "Installs the packages of these tools and their dependencies, after one question with the"
    " size. Removes nothing.",
)
KNOWN = Sentence(
    "faces.itself.install.known",
    "These programs are known, and the packages that bring them: {programs:list}.",
)
ASK = Sentence("faces.itself.install.ask", "Do this now? [y/N]")
