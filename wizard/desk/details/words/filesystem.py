"""The sentences on filesystems, as they are ranked for a purpose."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.details.filesystem.title", "Filesystem for: {purpose}")
ABOUT = Sentence("desk.details.filesystem.about", "on {drive}")
NONE_SUITS = Sentence(
    "desk.details.filesystem.none-suits",
    "No filesystem that suits this purpose can be made on this drive. Those without a reason beside them can "
    "be.",
)
NONE_CAN = Sentence(
    "desk.details.filesystem.none-can",
    "No filesystem can be made on this drive from here. Each row says why.",
)

# How a filesystem stands.
RECOMMENDED = Sentence("desk.details.filesystem.recommended", "recommended")
GOOD_TOO = Sentence("desk.details.filesystem.good-too", "good too")
NOT_RECOMMENDED = Sentence("desk.details.filesystem.not-recommended", "not recommended")
CANNOT = Sentence("desk.details.filesystem.cannot", "cannot")
NEVER_MADE = Sentence("desk.details.filesystem.never-made", "It is recognised, and never made.")

# What stands behind it.
CANNOT_HERE = Sentence("desk.details.filesystem.cannot-here", "Cannot be made here:")
IN_DOUBT = Sentence("desk.details.filesystem.in-doubt", "In doubt:")
MADE_WITH = Sentence("desk.details.filesystem.made-with", "Made with")
MOUNTED_WITH = Sentence("desk.details.filesystem.mounted-with", "Mounted with")
SCHEDULER = Sentence(
    "desk.details.filesystem.scheduler", "Scheduler for the drive, which the plan does not change"
)
DEFAULTS = Sentence("desk.details.filesystem.defaults", "nothing beyond the defaults")
COST = Sentence("desk.details.filesystem.cost", "Cost:")
WITHHELD = Sentence("desk.details.filesystem.withheld", "Not offered")
WAY_OFF = Sentence("desk.details.filesystem.way-off", "The way off:")
THIS_DRIVE = Sentence("desk.details.filesystem.this-drive", "About this drive")
GOOD_TO_KNOW = Sentence("desk.details.filesystem.good-to-know", "Good to know:")
IN_ZONES = Sentence("desk.details.filesystem.in-zones", "In its zones, on this kernel with these programs")

# Keys.
TAKE = Sentence("desk.details.filesystem.take", "take it")
OPTIONS = Sentence("desk.details.filesystem.options", "options")
WHY = Sentence("desk.details.filesystem.why", "why")
INSTALL = Sentence("desk.details.filesystem.install", "install")
NO_OPTIONS = Sentence("desk.details.filesystem.no-options", "There are no options: it cannot be made here.")
INSTALLED = Sentence(
    "desk.details.filesystem.installed",
    "{programs:and} is installed now.",
    "{programs:and} are installed now.",
)
STILL_MISSING = Sentence(
    "desk.details.filesystem.still-missing",
    "{programs:and} is still missing.",
    "{programs:and} are still missing.",
)

HELP = (
    Sentence(
        "desk.details.filesystem.help-ranking",
        "The filesystems are ranked for this purpose on this drive. Any can be taken that can be made here.",
    ),
    Sentence(
        "desk.details.filesystem.help-places",
        "recommended: fits best. good too: a sound second choice. not recommended: does this work badly, or "
        "nothing speaks for it. cannot: it cannot be made here.",
    ),
    Sentence(
        "desk.details.filesystem.help-options",
        "The options stand below with their reasons: what mkfs and mount are given beyond their defaults. "
        "Further ones are offered by the key for options.",
    ),
    Sentence(
        "desk.details.filesystem.help-unmade",
        "Filesystems of the past stand last. They are recognised and never made; each says the way off it.",
    ),
)
