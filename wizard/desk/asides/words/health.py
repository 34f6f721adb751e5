"""The sentences of the page about what a drive is and how well it is."""

from wizard.model.said import Sentence

TITLE = Sentence("desk.asides.health.title", "Health of {drive}")
NOT_TOLD = Sentence("desk.asides.health.not-told", "It tells nothing of its health.")
NOT_SET_UP = Sentence("desk.asides.health.not-set-up", "Cannot be set up now:")
WHAT = Sentence("desk.asides.health.what", "What it is")
HOLDS_TITLE = Sentence("desk.asides.health.holds-title", "What it holds")
RECORDS = Sentence("desk.asides.health.records", "How it records")
UNREAD = Sentence("desk.asides.health.unread", "What could not be read")
UNREAD_ROW = Sentence("desk.asides.health.unread-row", "{what}:")

NAME = Sentence("desk.asides.health.name", "Name:")
NO_NAME = Sentence("desk.asides.health.no-name", "no name")
SERIAL = Sentence("desk.asides.health.serial", "Serial:")
WWN = Sentence("desk.asides.health.wwn", "WWN:")
FIRMWARE = Sentence("desk.asides.health.firmware", "Firmware:")
BUS = Sentence("desk.asides.health.bus", "Bus:")
SIZE = Sentence("desk.asides.health.size", "Size:")
BLOCKS = Sentence("desk.asides.health.blocks", "Blocks:")
ZONES = Sentence("desk.asides.health.zones", "Zones:")
DISCARD = Sentence("desk.asides.health.discard", "Discard:")
NONE = Sentence("desk.asides.health.none", "none")
UNKNOWN = Sentence("desk.asides.health.unknown", "unknown")
YES = Sentence("desk.asides.health.yes", "yes")
OFFSET = Sentence("desk.asides.health.offset", "offset {offset} bytes")
MISALIGNED = Sentence("desk.asides.health.misaligned", "misaligned in itself")
AT_LEAST = Sentence("desk.asides.health.at-least", "I/O of at least {least:exact}")
BEST = Sentence("desk.asides.health.best", "best {best:exact}")
COMMAS = Sentence("desk.asides.health.commas", "{parts:list}")
ZONES_OF = Sentence(
    "desk.asides.health.zones-of",
    "{count} {managed} zone of {size:exact}",
    "{count} {managed} zones of {size:exact}",
)
ANY_WRITE = Sentence(
    "desk.asides.health.any-write", "{count} of them takes any write", "{count} of them take any write"
)
WRITTEN = Sentence("desk.asides.health.written", "{count} holds something", "{count} hold something")
MOST_OPEN = Sentence("desk.asides.health.most-open", "at most {count} written to at a time")
