"""The plan, on one screen."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.plan.title", "Volumes")
FOR = Sentence("desk.places.plan.for", "For:")
LOST = Sentence("desk.places.plan.lost", "Lost:")
LOST_ONE = Sentence("desk.places.plan.lost-one", "{name} ({what}, {size:size})")
LOST_NAMES = Sentence("desk.places.plan.lost-names", "{names:and}.")
LOST_ALL = Sentence("desk.places.plan.lost-all", "everything that is on {drives:and}.")
LOST_UNREAD = Sentence("desk.places.plan.lost-unread", "whatever {drives:and} holds: it could not be read.")
KEPT = Sentence("desk.places.plan.kept", "Kept:")
KEPT_ALL = Sentence("desk.places.plan.kept-all", "every partition that is there, to the byte.")
NOTHING_LOST = Sentence("desk.places.plan.nothing-lost", "Nothing is lost: {drives:and} holds nothing.")
NAME = Sentence("desk.places.plan.name", "Name")
FILESYSTEM = Sentence("desk.places.plan.filesystem", "Filesystem")
SIZE = Sentence("desk.places.plan.size", "Size")
MOUNTED = Sentence("desk.places.plan.mounted", "Mounted at")
WRITERS = Sentence("desk.places.plan.writers", "Who may write")
NOT_MOUNTED = Sentence("desk.places.plan.not-mounted", "not mounted")
SWAP_ON = Sentence("desk.places.plan.swap-on", "in use")
UNDO = Sentence("desk.places.plan.undo", "Undo")
UNTIL_KEPT = Sentence("desk.places.plan.until-kept", "until you keep it: what it overwrites is saved first.")
NOT_NEEDED = Sentence("desk.places.plan.not-needed", "not needed: nothing is there to put back.")
NOT_POSSIBLE = Sentence("desk.places.plan.not-possible", "not possible once it is begun: {why}.")
DOUBT = Sentence("desk.places.plan.doubt", "In doubt:")
NO_FILESYSTEM = Sentence(
    "desk.places.plan.no-filesystem",
    "No filesystem for this can be made here. f shows them all, and why not.",
)
CANNOT = Sentence("desk.places.plan.cannot", "This cannot be done:")
CHOOSE = Sentence(
    "desk.places.plan.choose",
    "It does not fit beside what is there. x replaces everything on the drive instead.",
)
UNREAD = Sentence("desk.places.plan.unread", "The drive was not read, so this cannot be applied.")
UNREAD_YET = Sentence(
    "desk.places.plan.unread-yet",
    "The drive was not read, so nobody knows what is there and where there is room.",
)
OPTIONS = Sentence("desk.places.plan.options", "Options")
NO_OPTIONS = Sentence("desk.places.plan.no-options", "none beyond the defaults")
OF_VOLUME = Sentence("desk.places.plan.of-volume", "{label}: {filesystem}")
RECOMMENDED = Sentence("desk.places.plan.recommended", "recommended")
GOOD_TOO = Sentence("desk.places.plan.good-too", "good too")
NOT_RECOMMENDED = Sentence("desk.places.plan.not-recommended", "not recommended")
YOURS = Sentence("desk.places.plan.yours", "your choice")
ON_DRIVES = Sentence("desk.places.plan.on-drives", "On {drives}.")
EXT4_INSTEAD = Sentence(
    "desk.places.plan.ext4-instead", "To get ext4, nothing need be lost: m keeps every file."
)

REVIEW = Sentence("desk.places.plan.review", "review")
EDIT = Sentence("desk.places.plan.edit", "edit")
CHANGE_FILESYSTEM = Sentence("desk.places.plan.change-filesystem", "filesystem")
ADD = Sentence("desk.places.plan.add", "add")
REMOVE = Sentence("desk.places.plan.remove", "remove")
CHANGE_OPTIONS = Sentence("desk.places.plan.change-options", "options")
REPLACE = Sentence("desk.places.plan.replace", "replace everything")
KEEP = Sentence("desk.places.plan.keep", "keep what is there")
DRIVES = Sentence("desk.places.plan.drives", "more drives")
ADJUST = Sentence("desk.places.plan.adjust", "size and place")
REPLACED = Sentence("desk.places.plan.replaced", "All that is there is replaced; x keeps it instead.")
TABLE = Sentence("desk.places.plan.table", "table")
SYSTEM = Sentence("desk.places.plan.system", "system's volumes")
COMMANDS = Sentence("desk.places.plan.commands", "commands")
WHY = Sentence("desk.places.plan.why", "why")
TRY = Sentence("desk.places.plan.try", "try them")
SPEED = Sentence("desk.places.plan.speed", "test alignment")
SAVE = Sentence("desk.places.plan.save", "save")
AS_ROOT = Sentence("desk.places.plan.as-root", "read as root")
TO_EXT4 = Sentence("desk.places.plan.to-ext4", "to ext4")

LAST_STAYS = Sentence("desk.places.plan.last-stays", "The last volume stays; e changes it.")
ONE_ALONE = Sentence("desk.places.plan.one-alone", "One volume takes all of the drives.")
SIZE_FIRST = Sentence(
    "desk.places.plan.size-first", "Give the volume that takes all that is left a size first."
)
NOTHING_TO_KEEP = Sentence("desk.places.plan.nothing-to-keep", "There is nothing on the drive to keep.")
SAVED_APPLY = Sentence("desk.places.plan.saved-apply", "Saved. Apply it by: {command}")
THE_PLAN = Sentence("desk.places.plan.the-plan", "the plan")
STEPS = Sentence("desk.places.plan.steps", "Steps and commands")

HELP_ALL = Sentence(
    "desk.places.plan.help-all", "All that is decided stands here. Change anything; nothing is written yet."
)
HELP_KEEP = Sentence(
    "desk.places.plan.help-keep",
    "Kept partitions stay to the byte. x changes between keeping and replacing all.",
)
HELP_ADJUST = Sentence(
    "desk.places.plan.help-adjust",
    "z moves, grows or shrinks a partition that is there. That is a job of its own.",
)
HELP_VOLUME = Sentence("desk.places.plan.help-volume", "A volume is a partition with a filesystem in it.")
HELP_SYSTEM = Sentence(
    "desk.places.plan.help-system",
    "p takes what starts a desktop: EFI system partition, swap, system and home.",
)
HELP_DRIVES = Sentence(
    "desk.places.plan.help-drives", "d lays the volume over several drives, mirrored or striped."
)
