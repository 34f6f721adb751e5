"""What a drive's portrait says."""

from wizard.model.said import Sentence

# The drive.
TITLE = Sentence("faces.portrait.title", "{path}  {what}, {size}")
SIZE_UNKNOWN = Sentence("faces.portrait.size-unknown", "size unknown")
LOOP_OVER = Sentence("faces.portrait.loop-over", "loop over {file}")
LOOP = Sentence("faces.portrait.loop", "loop")
UNKNOWN_MODEL = Sentence("faces.portrait.unknown-model", "unknown model")
BUS = Sentence("faces.portrait.bus", "bus {bus}")
SERIAL = Sentence("faces.portrait.serial", "serial {serial}")
WWN = Sentence("faces.portrait.wwn", "WWN {wwn}")
REMOVABLE = Sentence("faces.portrait.removable", "removable")
READ_ONLY = Sentence("faces.portrait.read-only", "read-only")

# Its blocks.
BLOCKS = Sentence("faces.portrait.blocks", "blocks: {what}")
BLOCKS_512N = Sentence(
    "faces.portrait.blocks-512n", "512n, 512-byte blocks (or a drive that hides larger ones)"
)
BLOCKS_512E = Sentence("faces.portrait.blocks-512e", "512e, 512-byte blocks over physical ones of 4096")
BLOCKS_4KN = Sentence("faces.portrait.blocks-4kn", "4Kn, 4096-byte blocks")
BLOCKS_OTHER = Sentence(
    "faces.portrait.blocks-other", "{logical}-byte blocks over physical ones of {physical}"
)
MISALIGNED = Sentence("faces.portrait.misaligned", "misaligned in itself")
OFFSET = Sentence("faces.portrait.offset", "offset {offset}")
IO = Sentence("faces.portrait.io", "I/O at least {least}, best {best}")

# How it writes.
HABITS = Sentence(
    "faces.portrait.habits", "zones {zones}; {recording}; discard {discard}; scheduler {scheduler}"
)
DISCARD_UNKNOWN = Sentence("faces.portrait.discard-unknown", "unknown")
DISCARD = Sentence("faces.portrait.discard", "yes")
NO_DISCARD = Sentence("faces.portrait.no-discard", "none")
SHINGLED_MANAGED = Sentence("faces.portrait.shingled-managed", "shingled ({management}-managed)")
SHINGLED = Sentence("faces.portrait.shingled", "shingled ({management})")
LIKELY_SHINGLED = Sentence("faces.portrait.likely-shingled", "likely shingled")
SHINGLING_UNKNOWN = Sentence("faces.portrait.shingling-unknown", "shingled or not: unknown")
NO_SHINGLING = Sentence("faces.portrait.no-shingling", "shingling does not apply")

# Its zones.
ZONES = Sentence("faces.portrait.zones", "{number} zones of {size}")
ZONE_UNKNOWN = Sentence("faces.portrait.zone-unknown", "unknown size")
LEAST_HOLDS = Sentence("faces.portrait.least-holds", "the least holds {size:exact}")
ANY_UNKNOWN = Sentence("faces.portrait.any-unknown", "how many take any write is unknown")
NONE_ANY = Sentence("faces.portrait.none-any", "none of them takes any write")
ANY = Sentence("faces.portrait.any", "{count} of them takes any write", "{count} of them take any write")
WRITTEN = Sentence("faces.portrait.written", "{number} hold something")
MOST = Sentence("faces.portrait.most", "at most {number} written to at a time")

# What it holds.
HEALTH = Sentence("faces.portrait.health", "health:")
TABLE = Sentence("faces.portrait.table", "table {table}")
TABLE_NOT_READ = Sentence("faces.portrait.table-not-read", "table: {what}")
ON_DRIVE = Sentence("faces.portrait.on-drive", "{table}; on the drive itself: {marks:list}")
WHOLE_HOLDS = Sentence("faces.portrait.whole-holds", "no table; the whole drive holds {marks:list}")
NOTHING = Sentence("faces.portrait.nothing", "no table, no filesystem")
NO_TABLE = Sentence("faces.portrait.no-table", "no table")
HYBRID = Sentence("faces.portrait.hybrid", "GPT and MBR (hybrid)")
OTHER_KIND = Sentence("faces.portrait.other-kind", "of another kind")
TABLE_STATES = Sentence("faces.portrait.table-states", "{name} ({states:list})")
START = Sentence("faces.portrait.start", "start {state}")
BACKUP = Sentence("faces.portrait.backup", "backup {state}")
NOT_READ = Sentence("faces.portrait.not-read", "not read")
NOT_READ_WHY = Sentence("faces.portrait.not-read-why", "not read. {why}")

# Its partitions.
NUMBER = Sentence("faces.portrait.number", "no.")
STARTS = Sentence("faces.portrait.starts", "start")
SIZE = Sentence("faces.portrait.size", "size")
TYPE = Sentence("faces.portrait.type", "type")
HOLDS = Sentence("faces.portrait.holds", "holds")
NOTES = Sentence("faces.portrait.notes", "label, mounted")
FREE = Sentence("faces.portrait.free", "free")
DATA_AT = Sentence("faces.portrait.data-at", "data at +{place:exact}")
