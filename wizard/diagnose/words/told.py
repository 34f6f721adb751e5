"""What a drive is and holds, in a few words."""

from wizard.model.said import Sentence

NOT_READ = Sentence("diagnose.told.not-read", "not read")

# A layer.
LAYER = Sentence("diagnose.told.layer", "{kind} {path} on {below}")
DATA_AT = Sentence("diagnose.told.data-at", "data at {offset:exact}")
STRIPES = Sentence("diagnose.told.stripes", "stripes of {number} x {unit:exact}")
HOLDS = Sentence("diagnose.told.holds", "holds {kinds}")
MOUNTED_ON = Sentence("diagnose.told.mounted-on", "mounted on {points:list}")

# A size.
SIZE = Sentence("diagnose.told.size", "{size:size} ({size} bytes)")
BLOCKS = Sentence("diagnose.told.blocks", "logical blocks of {logical} bytes, physical of {physical}")
ROTATING = Sentence("diagnose.told.rotating", "rotating")
ROTATION_UNTOLD = Sentence("diagnose.told.rotation-untold", "rotation not reported")
NOT_ROTATING = Sentence("diagnose.told.not-rotating", "not rotating")

# What it holds.
GPT = Sentence("diagnose.told.gpt", "a GPT table")
MBR = Sentence("diagnose.told.mbr", "an MBR table")
HYBRID = Sentence("diagnose.told.hybrid", "a hybrid table (GPT and MBR)")
OTHER_TABLE = Sentence("diagnose.told.other-table", "a table of another kind")
NOTHING = Sentence("diagnose.told.nothing", "nothing: no table, no partition, no filesystem")
NO_PARTITIONS = Sentence("diagnose.told.no-partitions", "{table} with no partitions")
PARTITIONS = Sentence(
    "diagnose.told.partitions", "{table} with {count} partition", "{table} with {count} partitions"
)
ON_DRIVE = Sentence("diagnose.told.on-drive", "on the drive itself: {marks:list}")
LABELLED = Sentence("diagnose.told.labelled", '{kind} "{label}"')
ZONES = Sentence(
    "diagnose.told.zones",
    "{count} zone that was written to, with nothing recognised",
    "{count} zones that were written to, with nothing recognised",
)
WAITING = Sentence("diagnose.told.waiting", "what waits from the run {run}, which nothing recognises yet")
FREE = Sentence("diagnose.told.free", "{free:size} free")
NOTHING_FREE = Sentence("diagnose.told.nothing-free", "nothing free")
UNCLEAR = Sentence("diagnose.told.unclear", "unclear")
NO_FILESYSTEM = Sentence("diagnose.told.no-filesystem", "no filesystem")
QUOTED = Sentence("diagnose.told.quoted", '"{label}"')
TUNE = Sentence(
    "diagnose.told.tune",
    "To keep {device} and use it better: `diskwright tune {device} --workload ID`. Nothing is erased.",
)
TUNE_SEVERAL = Sentence(
    "diagnose.told.tune-several",
    "To keep {device} and others and use them better: `diskwright tune {device} --workload ID`. Nothing is "
    "erased.",
)

# How it records.
SHINGLED_WORD = Sentence("diagnose.told.shingled-word", "shingled")
LIKELY_WORD = Sentence("diagnose.told.likely-word", "shingled?")
UNKNOWN_WORD = Sentence("diagnose.told.unknown-word", "unknown")
NO_TRACKS_WORD = Sentence("diagnose.told.no-tracks-word", "no tracks")
