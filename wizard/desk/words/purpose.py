"""What a drive can be for."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.purpose.title", "What will it mostly hold?")
PLAN_FOR = Sentence("desk.purpose.plan-for", "plan for this")
WHY = Sentence("desk.purpose.why", "why")
YOU_GET = Sentence("desk.purpose.you-get", "You get")
ONE_VOLUME = Sentence("desk.purpose.one-volume", "{filesystem}, {size:size}")
AT = Sentence("desk.purpose.at", "at {place}")
WRITABLE = Sentence("desk.purpose.writable", "writable by {who}")
GOOD_TOO = Sentence("desk.purpose.good-too", "Good too")
NOTHING = Sentence("desk.purpose.nothing", "No filesystem that suits it can be made on this drive:")
CAN_BE_MADE = Sentence("desk.purpose.can-be-made", "can be made, and does not suit it")
NOT_YET = Sentence("desk.purpose.not-yet", "It does not fit beside what is there: the plan says what to do.")
NOT_READ = Sentence("desk.purpose.not-read", "The drive was not read: the plan says what to do.")
DRIVE = Sentence("desk.purpose.drive", "{drive}  {size:size}  {kind}")
HELP_NEAREST = Sentence(
    "desk.purpose.help-nearest", "Choose what comes nearest. The plan can change all of it."
)
HELP_OWN = Sentence(
    "desk.purpose.help-own",
    "Purposes are files. Your own go to ~/.config/diskwright/workloads or /etc/diskwright/workloads.",
)
