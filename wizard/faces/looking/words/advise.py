"""The sentences of `diskwright advise`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.looking.advise.says",
    "Rank filesystems for a drive and a workload, with options, reasons and published figures.",
)
WORKLOAD = Sentence("faces.looking.advise.workload", "workload of the volume")
ABOUT = Sentence(
    "faces.looking.advise.about",
    "See `diskwright workloads`. Writes nothing and needs no root, but root can read more.",
)

TITLE = Sentence("faces.looking.advise.title", "{purpose} on {drive}")
DRIVE = Sentence("faces.looking.advise.drive", "{path} ({facts:list})")
RECOMMENDED = Sentence("faces.looking.advise.recommended", "recommended")
GOOD_TOO = Sentence("faces.looking.advise.good-too", "good too")
NOT_RECOMMENDED = Sentence("faces.looking.advise.not-recommended", "not recommended")
NONE_USABLE = Sentence("faces.looking.advise.none-usable", "None of the filesystems can be made here.")
NONE_SUITS = Sentence(
    "faces.looking.advise.none-suits",
    "None of the filesystems that suit this work can be made here. Not recommended, but possible: "
    "{filesystems:list}.",
)
NOT_MADE = Sentence("faces.looking.advise.not-made", "Not made here:")
WAY_OFF = Sentence("faces.looking.advise.way-off", "The way off:")

# Parts.
NOT_RANKED = Sentence("faces.looking.advise.not-ranked", "Also made here, and not ranked for this work")
DOUBTS = Sentence("faces.looking.advise.doubts", "Doubts")
NOTES = Sentence("faces.looking.advise.notes", "Good to know")
WITHHELD = Sentence("faces.looking.advise.withheld", "Not offered")
UNMADE = Sentence("faces.looking.advise.unmade", "Known, and not made here")
ZONES = Sentence("faces.looking.advise.zones", "In its zones, on this kernel with these programs")

# Options.
DEFAULTS = Sentence("faces.looking.advise.defaults", "the defaults")
AS_ABOVE = Sentence("faces.looking.advise.as-above", "(as above)")
RISK = Sentence("faces.looking.advise.risk", "Risk:")
OPTIONS = Sentence("faces.looking.advise.options", "options")
SET_ALREADY = Sentence("faces.looking.advise.set-already", "The drive is set to it already.")
SET_NOW = Sentence("faces.looking.advise.set-now", "The drive is set to {scheduler} now.")
TO_SET = Sentence(
    "faces.looking.advise.to-set",
    "Until the next boot: echo {scheduler} > /sys/block/{name}/queue/scheduler (as root); for good, by "
    "a udev rule.",
)

# Figures.
FIGURES = Sentence("faces.looking.advise.figures", "figures")
FIGURES_OF = Sentence("faces.looking.advise.figures-of", "Figures:")
BEST_FIRST = Sentence(
    "faces.looking.advise.best-first",
    "Figures, best first. They are old: read era, kernel and hardware with them.",
)
SOURCE = Sentence(
    "faces.looking.advise.source", "{source}. Era: {era}. Kernel: {kernel}. Hardware: {hardware}."
)
LOWER = Sentence("faces.looking.advise.lower", "{title}: {unit}, lower is better")
HIGHER = Sentence("faces.looking.advise.higher", "{title}: {unit}, higher is better")
