"""The sentences of `diskwright options`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.looking.options.says",
    "List filesystem options with effect, danger, conflicts and support by this kernel.",
)
FILESYSTEM = Sentence("faces.looking.options.filesystem", "only for this filesystem, such as ext4")
DANGER_ONLY = Sentence("faces.looking.options.danger-only", "only options that endanger data")
MACHINE = Sentence(
    "faces.looking.options.machine", "for the kernel of a machine recorded by `inspect --save`"
)
ABOUT_IDS = Sentence(
    "faces.looking.options.about-ids",
    "`diskwright plan --option` takes the word on the right. Options of tune are for a filesystem that "
    "exists already: they are there to be read.",
)
ABOUT_KERNELS = Sentence(
    "faces.looking.options.about-kernels",
    "Kernel support is judged by version. A kernel may be built without a feature.",
)
ABOUT_OWN = Sentence(
    "faces.looking.options.about-own",
    "Options are TOML files in the folder options of /etc/diskwright or ~/.config/diskwright. One with "
    "the id of another replaces it.",
)

NO_FILESYSTEM = Sentence(
    "faces.looking.options.no-filesystem", "There is no filesystem {name}; there are {known:list}."
)
NO_OPTION = Sentence("faces.looking.options.no-option", "No option is known for it.")
JUDGED = Sentence("faces.looking.options.judged", "Judged for kernel {kernel}.")

MKFS = Sentence("faces.looking.options.mkfs", "When it is made (mkfs)")
MOUNT = Sentence("faces.looking.options.mount", "When it is mounted")
TUNE = Sentence("faces.looking.options.tune", "When it exists already (the device or directory comes last)")
SCHEDULER = Sentence("faces.looking.options.scheduler", "The order of requests to the drive (scheduler)")

FOR = Sentence("faces.looking.options.for", "For:")
RISK = Sentence("faces.looking.options.risk", "Risk:")
DANGER_REFUSED = Sentence("faces.looking.options.danger-refused", "DANGER, and refused")
DANGER = Sentence("faces.looking.options.danger", "DANGER")
REFUSED = Sentence("faces.looking.options.refused", "Refused")
DEFAULT = Sentence("faces.looking.options.default", "The default")
NOT_ADVISED = Sentence("faces.looking.options.not-advised", "Not recommended")
PHRASE = Sentence(
    "faces.looking.options.phrase",
    'Had only with its danger typed back: "{phrase}"; never where the system lives.',
)
ALSO = Sentence("faces.looking.options.also", "Also written: {texts:list}.")
AT_LEAST = Sentence("faces.looking.options.at-least", "It is for volumes of {least:exact} and more.")
AT_MOST = Sentence("faces.looking.options.at-most", "It is for volumes up to {most:exact}.")
BETWEEN = Sentence(
    "faces.looking.options.between", "It is for volumes of {least:exact} and more, up to {most:exact}."
)
CONFLICTS = Sentence("faces.looking.options.conflicts", "Not with: {options:list}.")
SOURCE = Sentence("faces.looking.options.source", "For {filesystems:list}. Source: {source}.")
SINCE = Sentence("faces.looking.options.since", "from {first} on")
UNTIL = Sentence("faces.looking.options.until", "before {end}")
KERNELS = Sentence("faces.looking.options.kernels", "Kernels {span:row}.")
KERNELS_THIS = Sentence("faces.looking.options.kernels-this", "Kernels {span:row}; {kernel} is one of them.")
