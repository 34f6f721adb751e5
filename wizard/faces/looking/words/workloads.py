"""The sentences of `diskwright workloads`."""

from wizard.model.said import Sentence

SAYS = Sentence("faces.looking.workloads.says", "List the workloads for `advise` and `plan`.")
ABOUT = Sentence(
    "faces.looking.workloads.about",
    "A workload is a TOML file in the folder workloads of /etc/diskwright or ~/.config/diskwright. One with "
    "the id of another replaces it. The bundled files, whose places are listed, show how they are written.",
)
FROM = Sentence("faces.looking.workloads.from", "from {file}")
