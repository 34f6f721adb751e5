"""What is said of the demo's drive: what stands against making it, and what could not be taken away."""

from wizard.model.said import Sentence

NEEDS_ROOT = Sentence(
    "demo.needs-root",
    "The demo makes a disposable drive for itself, and that needs root: run sudo diskwright demo.",
)
UNUSABLE = Sentence("demo.unusable", "{folder}, where the demo drive is to be made, cannot be used: {why}.")
NO_ROOM = Sentence(
    "demo.no-room",
    "The demo drive needs {needed:size} in {folder}, where {free:size} are free. Name another folder in "
    "TMPDIR.",
)
STILL_LEAVING = Sentence(
    "demo.still-leaving", "The demo drive in {folder} is still being taken away by process {pid}."
)
LEFT = Sentence("demo.left", "Not all of the demo could be taken away. {problems:row}")
LOOK = Sentence("demo.look", "See {folder}.")
STILL_MOUNTED = Sentence("demo.still-mounted", "{folder} was not deleted, because {place} is still mounted.")
NOT_DELETED = Sentence("demo.not-deleted", "{folder} could not be deleted.")
NOT_UNMOUNTED = Sentence("demo.not-unmounted", "{place} could not be unmounted: {why}")
OWN_FSTAB = Sentence("demo.own-fstab", "The demo's own file of mounts at boot; the system's is not touched.")
