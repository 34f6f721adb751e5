"""The sentences of `diskwright tune`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.planning.tune.says",
    "Suggest better settings for an existing filesystem. Changes nothing.",
)
WORKLOAD = Sentence("faces.planning.tune.workload", "workload of the filesystem")
OUTPUT = Sentence("faces.planning.tune.output", "save the changes for `diskwright apply`")
FSTAB = Sentence(
    "faces.planning.tune.fstab",
    "the file of mounts at boot (/etc/fstab); for a system mounted elsewhere its rules for udev are "
    "changed, too",
)
ABOUT = Sentence(
    "faces.planning.tune.about",
    "This command writes nothing but the file that -o names. `diskwright apply` makes exactly the "
    "changes that it shows, while the filesystem stays in use. `diskwright undo` takes them back. A "
    "file that is changed meanwhile is refused.",
)

NOTHING_TO_CHANGE = Sentence(
    "faces.planning.tune.nothing-to-change",
    "There is nothing to change for {device}, so nothing was written to {file}.",
)
MOUNTED = Sentence("faces.planning.tune.mounted", "{purpose}, on {device} ({filesystem}, mounted at {place})")
NOT_MOUNTED = Sentence(
    "faces.planning.tune.not-mounted", "{purpose}, on {device} ({filesystem}, not mounted)"
)
NOTHING_BETTER = Sentence("faces.planning.tune.nothing-better", "Nothing that is known would suit it better.")
BETTER = Sentence("faces.planning.tune.better", "This would suit it better. Nothing of it was done.")
NO_LINE = Sentence(
    "faces.planning.tune.no-line", "It has no line in fstab, so nothing is said of its mount options."
)
WOULD_DO = Sentence(
    "faces.planning.tune.would-do",
    "`diskwright apply` would do this, one after the other, while it stays in use:",
)
TO_MAKE = Sentence(
    "faces.planning.tune.to-make",
    "Nothing has been changed. To make these changes, exactly as shown, while {device} stays in use:",
)
