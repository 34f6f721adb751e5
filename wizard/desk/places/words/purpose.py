"""What a drive can be for."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.places.purpose.title", "What will it mostly hold?")
PLAN_FOR = Sentence("desk.places.purpose.plan-for", "plan for this")
WHY = Sentence("desk.places.purpose.why", "why")
YOU_GET = Sentence("desk.places.purpose.you-get", "You get")
ONE_VOLUME = Sentence("desk.places.purpose.one-volume", "{filesystem}, {size:size}")
AT = Sentence("desk.places.purpose.at", "at {place}")
WRITABLE = Sentence("desk.places.purpose.writable", "writable by {who}")
GOOD_TOO = Sentence("desk.places.purpose.good-too", "Good too")
NOTHING = Sentence("desk.places.purpose.nothing", "No filesystem that suits it can be made on this drive:")
CAN_BE_MADE = Sentence("desk.places.purpose.can-be-made", "can be made, and does not suit it")
NOT_YET = Sentence(
    "desk.places.purpose.not-yet", "It does not fit beside what is there: the plan says what to do."
)
NOT_READ = Sentence("desk.places.purpose.not-read", "The drive was not read: the plan says what to do.")
DRIVE = Sentence("desk.places.purpose.drive", "{drive}  {size:size}  {kind}")
HELP_NEAREST = Sentence(
    "desk.places.purpose.help-nearest", "Choose what comes nearest. The plan can change all of it."
)
HELP_OWN = Sentence(
    "desk.places.purpose.help-own",
    "Purposes are files. Your own go to ~/.config/diskwright/workloads or /etc/diskwright/workloads.",
)
