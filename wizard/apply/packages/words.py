"""The sentences about installing packages."""

from wizard.model.said import Sentence

OFFER = Sentence(
    "apply.packages.offer",
    "Install {packages:and} with {manager}: {download:size} to download, {disk:size} on disk.",
)
OFFER_UNSIZED = Sentence(
    "apply.packages.offer-unsized",
    "Install {packages:and} with {manager}, which does not tell the size before.",
)
DONE = Sentence(
    "apply.packages.done",
    "Installed {packages:and}: {programs:and} is here now.",
    "Installed {packages:and}: {programs:and} are here now.",
)
OFFLINE = Sentence(
    "apply.packages.offline",
    "This needs the network, and there is none: {manager} could not reach its servers.",
)
FAILED = Sentence("apply.packages.failed", "{manager} could not install {packages:and}. It said: {why}")
NO_MANAGER = Sentence("apply.packages.no-manager", "{manager} is not here, so nothing can be installed.")
STILL_MISSING = Sentence(
    "apply.packages.still-missing", "{packages:and} was installed, but {programs:and} is still not found."
)
NEEDS_ROOT = Sentence(
    "apply.packages.needs-root", "Installing needs root. Run: sudo diskwright install {programs}"
)
NO_ANSWER = Sentence(
    "apply.packages.no-answer",
    "Nothing was installed: there is no terminal to ask on. --yes answers the question.",
)
DECLINED = Sentence("apply.packages.declined", "Nothing was installed.")
NOTHING_MISSING = Sentence(
    "apply.packages.nothing-missing", "{programs:and} is here already.", "{programs:and} are here already."
)
UNKNOWN = Sentence(
    "apply.packages.unknown",
    "No program or package {name} is known to diskwright; `diskwright install --help` lists them.",
)
