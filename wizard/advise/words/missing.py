"""What is said of programs that are not installed."""

from wizard.model.said import Sentence

NOT_INSTALLED = Sentence(
    "advise.missing.not-installed",
    "{programs:and} is not installed: `{command}` brings it.",
    "{programs:and} are not installed: `{command}` brings them.",
)
NOT_INSTALLED_PACKAGE = Sentence(
    "advise.missing.not-installed-package",
    "{programs:and} is not installed: the package {packages:and} brings it.",
    "{programs:and} are not installed: {packages:and} brings them.",
)
NOT_INSTALLED_UNKNOWN = Sentence(
    "advise.missing.not-installed-unknown",
    "{programs:and} is not installed, and no package of this distribution is known to bring it.",
    "{programs:and} are not installed, and no package of this distribution is known to bring them.",
)
THE_BINDING = Sentence("advise.missing.the-binding", "libparted's binding for Python")
