"""What a drive's portrait says."""

from wizard.model.said import Sentence

# The drive.
TITLE = Sentence("faces.showing.portrait.title", "{path}  {what}, {size}")
SIZE_UNKNOWN = Sentence("faces.showing.portrait.size-unknown", "size unknown")
LOOP_OVER = Sentence("faces.showing.portrait.loop-over", "loop over {file}")
LOOP = Sentence("faces.showing.portrait.loop", "loop")
UNKNOWN_MODEL = Sentence("faces.showing.portrait.unknown-model", "unknown model")
BUS = Sentence("faces.showing.portrait.bus", "bus {bus}")
SERIAL = Sentence("faces.showing.portrait.serial", "serial {serial}")
WWN = Sentence("faces.showing.portrait.wwn", "WWN {wwn}")
REMOVABLE = Sentence("faces.showing.portrait.removable", "removable")
READ_ONLY = Sentence("faces.showing.portrait.read-only", "read-only")

# Its blocks.
BLOCKS = Sentence("faces.showing.portrait.blocks", "blocks: {what}")
BLOCKS_512N = Sentence(
    "faces.showing.portrait.blocks-512n", "512n, 512-byte blocks (or a drive that hides larger ones)"
)
BLOCKS_512E = Sentence(
    "faces.showing.portrait.blocks-512e", "512e, 512-byte blocks over physical ones of 4096"
)
BLOCKS_4KN = Sentence("faces.showing.portrait.blocks-4kn", "4Kn, 4096-byte blocks")
BLOCKS_OTHER = Sentence(
    "faces.showing.portrait.blocks-other", "{logical}-byte blocks over physical ones of {physical}"
)
MISALIGNED = Sentence("faces.showing.portrait.misaligned", "misaligned in itself")
OFFSET = Sentence("faces.showing.portrait.offset", "offset {offset}")
IO = Sentence("faces.showing.portrait.io", "I/O at least {least}, best {best}")

# How it writes.
HABITS = Sentence(
    "faces.showing.portrait.habits", "zones {zones}; {recording}; discard {discard}; scheduler {scheduler}"
)
DISCARD_UNKNOWN = Sentence("faces.showing.portrait.discard-unknown", "unknown")
DISCARD = Sentence("faces.showing.portrait.discard", "yes")
NO_DISCARD = Sentence("faces.showing.portrait.no-discard", "none")
SHINGLED_MANAGED = Sentence("faces.showing.portrait.shingled-managed", "shingled ({management}-managed)")
SHINGLED = Sentence("faces.showing.portrait.shingled", "shingled ({management})")
LIKELY_SHINGLED = Sentence("faces.showing.portrait.likely-shingled", "likely shingled")
SHINGLING_UNKNOWN = Sentence("faces.showing.portrait.shingling-unknown", "shingled or not: unknown")
NO_SHINGLING = Sentence("faces.showing.portrait.no-shingling", "shingling does not apply")

# Its zones.
ZONES = Sentence("faces.showing.portrait.zones", "{number} zones of {size}")
ZONE_UNKNOWN = Sentence("faces.showing.portrait.zone-unknown", "unknown size")
LEAST_HOLDS = Sentence("faces.showing.portrait.least-holds", "the least holds {size:exact}")
ANY_UNKNOWN = Sentence("faces.showing.portrait.any-unknown", "how many take any write is unknown")
NONE_ANY = Sentence("faces.showing.portrait.none-any", "none of them takes any write")
ANY = Sentence(
    "faces.showing.portrait.any", "{count} of them takes any write", "{count} of them take any write"
)
WRITTEN = Sentence("faces.showing.portrait.written", "{number} hold something")
MOST = Sentence("faces.showing.portrait.most", "at most {number} written to at a time")

# What it holds.
HEALTH = Sentence("faces.showing.portrait.health", "health:")
TABLE = Sentence("faces.showing.portrait.table", "table {table}")
TABLE_NOT_READ = Sentence("faces.showing.portrait.table-not-read", "table: {what}")
ON_DRIVE = Sentence("faces.showing.portrait.on-drive", "{table}; on the drive itself: {marks:list}")
WHOLE_HOLDS = Sentence("faces.showing.portrait.whole-holds", "no table; the whole drive holds {marks:list}")
NOTHING = Sentence("faces.showing.portrait.nothing", "no table, no filesystem")
NO_TABLE = Sentence("faces.showing.portrait.no-table", "no table")
HYBRID = Sentence("faces.showing.portrait.hybrid", "GPT and MBR (hybrid)")
OTHER_KIND = Sentence("faces.showing.portrait.other-kind", "of another kind")
TABLE_STATES = Sentence("faces.showing.portrait.table-states", "{name} ({states:list})")
START = Sentence("faces.showing.portrait.start", "start {state}")
BACKUP = Sentence("faces.showing.portrait.backup", "backup {state}")
NOT_READ = Sentence("faces.showing.portrait.not-read", "not read")
NOT_READ_WHY = Sentence("faces.showing.portrait.not-read-why", "not read. {why}")

# Its partitions.
NUMBER = Sentence("faces.showing.portrait.number", "no.")
STARTS = Sentence("faces.showing.portrait.starts", "start")
SIZE = Sentence("faces.showing.portrait.size", "size")
TYPE = Sentence("faces.showing.portrait.type", "type")
HOLDS = Sentence("faces.showing.portrait.holds", "holds")
NOTES = Sentence("faces.showing.portrait.notes", "label, mounted")
FREE = Sentence("faces.showing.portrait.free", "free")
DATA_AT = Sentence("faces.showing.portrait.data-at", "data at +{place:exact}")
