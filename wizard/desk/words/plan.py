"""The plan, on one screen."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.plan.title", "Volumes")
FOR = Sentence("desk.plan.for", "For:")
LOST = Sentence("desk.plan.lost", "Lost:")
LOST_ONE = Sentence("desk.plan.lost-one", "{name} ({what}, {size:size})")
LOST_NAMES = Sentence("desk.plan.lost-names", "{names:and}.")
LOST_ALL = Sentence("desk.plan.lost-all", "everything that is on {drives:and}.")
LOST_UNREAD = Sentence("desk.plan.lost-unread", "whatever {drives:and} holds: it could not be read.")
KEPT = Sentence("desk.plan.kept", "Kept:")
KEPT_ALL = Sentence("desk.plan.kept-all", "every partition that is there, to the byte.")
NOTHING_LOST = Sentence("desk.plan.nothing-lost", "Nothing is lost: {drives:and} holds nothing.")
NAME = Sentence("desk.plan.name", "Name")
FILESYSTEM = Sentence("desk.plan.filesystem", "Filesystem")
SIZE = Sentence("desk.plan.size", "Size")
MOUNTED = Sentence("desk.plan.mounted", "Mounted at")
WRITERS = Sentence("desk.plan.writers", "Who may write")
NOT_MOUNTED = Sentence("desk.plan.not-mounted", "not mounted")
SWAP_ON = Sentence("desk.plan.swap-on", "in use")
UNDO = Sentence("desk.plan.undo", "Undo")
UNTIL_KEPT = Sentence("desk.plan.until-kept", "until you keep it: what it overwrites is saved first.")
NOT_NEEDED = Sentence("desk.plan.not-needed", "not needed: nothing is there to put back.")
NOT_POSSIBLE = Sentence("desk.plan.not-possible", "not possible once it is begun: {why}.")
DOUBT = Sentence("desk.plan.doubt", "In doubt:")
NO_FILESYSTEM = Sentence(
    "desk.plan.no-filesystem", "No filesystem for this can be made here. f shows them all, and why not."
)
CANNOT = Sentence("desk.plan.cannot", "This cannot be done:")
CHOOSE = Sentence(
    "desk.plan.choose", "It does not fit beside what is there. x replaces everything on the drive instead."
)
UNREAD = Sentence("desk.plan.unread", "The drive was not read, so this cannot be applied.")
UNREAD_YET = Sentence(
    "desk.plan.unread-yet", "The drive was not read, so nobody knows what is there and where there is room."
)
OPTIONS = Sentence("desk.plan.options", "Options")
NO_OPTIONS = Sentence("desk.plan.no-options", "none beyond the defaults")
OF_VOLUME = Sentence("desk.plan.of-volume", "{label}: {filesystem}")
RECOMMENDED = Sentence("desk.plan.recommended", "recommended")
GOOD_TOO = Sentence("desk.plan.good-too", "good too")
NOT_RECOMMENDED = Sentence("desk.plan.not-recommended", "not recommended")
YOURS = Sentence("desk.plan.yours", "your choice")
ON_DRIVES = Sentence("desk.plan.on-drives", "On {drives}.")
EXT4_INSTEAD = Sentence("desk.plan.ext4-instead", "To get ext4, nothing need be lost: m keeps every file.")

REVIEW = Sentence("desk.plan.review", "review")
EDIT = Sentence("desk.plan.edit", "edit")
CHANGE_FILESYSTEM = Sentence("desk.plan.change-filesystem", "filesystem")
ADD = Sentence("desk.plan.add", "add")
REMOVE = Sentence("desk.plan.remove", "remove")
CHANGE_OPTIONS = Sentence("desk.plan.change-options", "options")
REPLACE = Sentence("desk.plan.replace", "replace everything")
KEEP = Sentence("desk.plan.keep", "keep what is there")
DRIVES = Sentence("desk.plan.drives", "more drives")
ADJUST = Sentence("desk.plan.adjust", "size and place")
REPLACED = Sentence("desk.plan.replaced", "All that is there is replaced; x keeps it instead.")
TABLE = Sentence("desk.plan.table", "table")
SYSTEM = Sentence("desk.plan.system", "system's volumes")
COMMANDS = Sentence("desk.plan.commands", "commands")
WHY = Sentence("desk.plan.why", "why")
TRY = Sentence("desk.plan.try", "try them")
SPEED = Sentence("desk.plan.speed", "test alignment")
SAVE = Sentence("desk.plan.save", "save")
AS_ROOT = Sentence("desk.plan.as-root", "read as root")
TO_EXT4 = Sentence("desk.plan.to-ext4", "to ext4")

LAST_STAYS = Sentence("desk.plan.last-stays", "The last volume stays; e changes it.")
ONE_ALONE = Sentence("desk.plan.one-alone", "One volume takes all of the drives.")
SIZE_FIRST = Sentence("desk.plan.size-first", "Give the volume that takes all that is left a size first.")
NOTHING_TO_KEEP = Sentence("desk.plan.nothing-to-keep", "There is nothing on the drive to keep.")
SAVED_APPLY = Sentence("desk.plan.saved-apply", "Saved. Apply it by: {command}")
THE_PLAN = Sentence("desk.plan.the-plan", "the plan")
STEPS = Sentence("desk.plan.steps", "Steps and commands")

HELP_ALL = Sentence(
    "desk.plan.help-all", "All that is decided stands here. Change anything; nothing is written yet."
)
HELP_KEEP = Sentence(
    "desk.plan.help-keep", "Kept partitions stay to the byte. x changes between keeping and replacing all."
)
HELP_ADJUST = Sentence(
    "desk.plan.help-adjust", "z moves, grows or shrinks a partition that is there. That is a job of its own."
)
HELP_VOLUME = Sentence("desk.plan.help-volume", "A volume is a partition with a filesystem in it.")
HELP_SYSTEM = Sentence(
    "desk.plan.help-system", "p takes what starts a desktop: EFI system partition, swap, system and home."
)
HELP_DRIVES = Sentence("desk.plan.help-drives", "d lays the volume over several drives, mirrored or striped.")
