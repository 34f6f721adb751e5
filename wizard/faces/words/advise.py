"""The sentences of `diskwright advise`."""

from wizard.model.said import Sentence

SAYS = Sentence(
    "faces.advise.says",
    "Rank the filesystems for a drive and a purpose, with options, reasons and published figures.",
)
WORKLOAD = Sentence("faces.advise.workload", "what the volume is for")
ABOUT = Sentence(
    "faces.advise.about",
    "`diskwright workloads` lists the purposes. Nothing is written; no root is needed, though root sees "
    "more of a drive.",
)

TITLE = Sentence("faces.advise.title", "{purpose} on {drive}")
DRIVE = Sentence("faces.advise.drive", "{path} ({facts:list})")
RECOMMENDED = Sentence("faces.advise.recommended", "recommended")
GOOD_TOO = Sentence("faces.advise.good-too", "good too")
NOT_RECOMMENDED = Sentence("faces.advise.not-recommended", "not recommended")
NONE_USABLE = Sentence("faces.advise.none-usable", "None of the filesystems can be made here.")
NONE_SUITS = Sentence(
    "faces.advise.none-suits",
    "None of the filesystems that suit this work can be made here. Not recommended, but possible: "
    "{filesystems:list}.",
)
NOT_MADE = Sentence("faces.advise.not-made", "Not made here:")
WAY_OFF = Sentence("faces.advise.way-off", "The way off:")

# Parts.
NOT_RANKED = Sentence("faces.advise.not-ranked", "Also made here, and not ranked for this work")
DOUBTS = Sentence("faces.advise.doubts", "Doubts")
NOTES = Sentence("faces.advise.notes", "Good to know")
WITHHELD = Sentence("faces.advise.withheld", "Not offered")
UNMADE = Sentence("faces.advise.unmade", "Known, and not made here")
ZONES = Sentence("faces.advise.zones", "In its zones, on this kernel with these programs")

# Options.
DEFAULTS = Sentence("faces.advise.defaults", "the defaults")
AS_ABOVE = Sentence("faces.advise.as-above", "(as above)")
RISK = Sentence("faces.advise.risk", "Risk:")
OPTIONS = Sentence("faces.advise.options", "options")
SET_ALREADY = Sentence("faces.advise.set-already", "The drive is set to it already.")
SET_NOW = Sentence("faces.advise.set-now", "The drive is set to {scheduler} now.")
TO_SET = Sentence(
    "faces.advise.to-set",
    "Until the next boot: echo {scheduler} > /sys/block/{name}/queue/scheduler (as root); for good, by "
    "a udev rule.",
)

# Figures.
FIGURES = Sentence("faces.advise.figures", "figures")
FIGURES_OF = Sentence("faces.advise.figures-of", "Figures:")
BEST_FIRST = Sentence(
    "faces.advise.best-first",
    "Figures, best first. They are old: read era, kernel and hardware with them.",
)
SOURCE = Sentence("faces.advise.source", "{source}. Era: {era}. Kernel: {kernel}. Hardware: {hardware}.")
LOWER = Sentence("faces.advise.lower", "{title}: {unit}, lower is better")
HIGHER = Sentence("faces.advise.higher", "{title}: {unit}, higher is better")
