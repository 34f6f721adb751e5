"""The sentences of `diskwright plan`, but for its options."""

from wizard.model.said import Sentence

# What is refused.
ONE_PARTITION = Sentence(
    "faces.planning.plan.one-partition",
    "--{option} is for one partition: name that, such as /dev/sdX2, instead of a drive.",
)
SEVERAL = Sentence(
    "faces.planning.plan.several",
    "Several drives are planned together only for one volume over all of them. Say --stripe md, lvm or "
    "btrfs, or --mirror md or btrfs.",
)
WHOLE_DRIVE = Sentence(
    "faces.planning.plan.whole-drive",
    "--{option} is for a whole drive, and {part} is a partition of {drive}.",
)
FREE_SPACE = Sentence(
    "faces.planning.plan.free-space", "--use-free is for the free space of a drive: name {drive} for that."
)
TABLE_STAYS = Sentence(
    "faces.planning.plan.table-stays", "--table is for a new table: --use-free keeps the one that is there."
)
STRIPE_ONLY = Sentence("faces.planning.plan.stripe-only", "--{option} goes with --stripe.")
EVERY_GPT = Sentence(
    "faces.planning.plan.every-gpt", "--table does not go with --{option}: every drive gets a GPT."
)
ONE_VOLUME = Sentence(
    "faces.planning.plan.one-volume",
    "--{option} makes one volume over everything: say --workload, with --label, --mount and --fs, instead of "
    "--volume or --preset.",
)
ENCRYPT_WITHIN = Sentence(
    "faces.planning.plan.encrypt-within",
    "--encrypt goes with --workload; within --volume write encrypt={kind}.",
)
WITHIN = Sentence(
    "faces.planning.plan.within", "--{option} goes with --workload; within --volume write {option}=..."
)

# What is told.
PRESET = Sentence("faces.planning.plan.preset", "--preset {preset} is here:")
NOT_WRITTEN = Sentence("faces.planning.plan.not-written", "Nothing has been written to the drive.")
TO_APPLY = Sentence(
    "faces.planning.plan.to-apply",
    "Nothing has been written to the drive. To apply this plan, exactly as shown:",
)
