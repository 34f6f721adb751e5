"""The sentences of the page about what a drive is and how well it is."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.health.title", "Health of {drive}")
NOT_TOLD = Sentence("desk.health.not-told", "It tells nothing of its health.")
NOT_SET_UP = Sentence("desk.health.not-set-up", "Cannot be set up now:")
WHAT = Sentence("desk.health.what", "What it is")
HOLDS_TITLE = Sentence("desk.health.holds-title", "What it holds")
RECORDS = Sentence("desk.health.records", "How it records")
UNREAD = Sentence("desk.health.unread", "What could not be read")
UNREAD_ROW = Sentence("desk.health.unread-row", "{what}:")

NAME = Sentence("desk.health.name", "Name:")
NO_NAME = Sentence("desk.health.no-name", "no name")
SERIAL = Sentence("desk.health.serial", "Serial:")
WWN = Sentence("desk.health.wwn", "WWN:")
FIRMWARE = Sentence("desk.health.firmware", "Firmware:")
BUS = Sentence("desk.health.bus", "Bus:")
SIZE = Sentence("desk.health.size", "Size:")
BLOCKS = Sentence("desk.health.blocks", "Blocks:")
ZONES = Sentence("desk.health.zones", "Zones:")
DISCARD = Sentence("desk.health.discard", "Discard:")
NONE = Sentence("desk.health.none", "none")
UNKNOWN = Sentence("desk.health.unknown", "unknown")
YES = Sentence("desk.health.yes", "yes")
OFFSET = Sentence("desk.health.offset", "offset {offset} bytes")
MISALIGNED = Sentence("desk.health.misaligned", "misaligned in itself")
AT_LEAST = Sentence("desk.health.at-least", "I/O of at least {least:exact}")
BEST = Sentence("desk.health.best", "best {best:exact}")
COMMAS = Sentence("desk.health.commas", "{parts:list}")
ZONES_OF = Sentence(
    "desk.health.zones-of",
    "{count} {managed} zone of {size:exact}",
    "{count} {managed} zones of {size:exact}",
)
ANY_WRITE = Sentence(
    "desk.health.any-write", "{count} of them takes any write", "{count} of them take any write"
)
WRITTEN = Sentence("desk.health.written", "{count} holds something", "{count} hold something")
MOST_OPEN = Sentence("desk.health.most-open", "at most {count} written to at a time")
