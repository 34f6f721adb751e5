"""What each operation of a migration brings."""

from wizard.model.said import Sentence

EXTENT = Sentence(
    "migrate.gains.extent",
    "New files are noted in runs of blocks: large ones are written, read and deleted faster.",
)
HUGE_FILE = Sentence("migrate.gains.huge-file", "Single files can grow beyond 2 TiB.")
DIR_NLINK = Sentence("migrate.gains.dir-nlink", "A folder can have more than 65,000 folders in it.")
DIR_INDEX = Sentence("migrate.gains.dir-index", "Files in large folders are found by an index.")
EXTRA_ISIZE = Sentence("migrate.gains.extra-isize", "Times finer than a second, and dates past January 2038.")
JOURNAL = Sentence(
    "migrate.gains.journal",
    "A journal: after a power cut it is in order within seconds, without a whole check.",
)
WIDE_INODES = Sentence(
    "migrate.gains.wide-inodes",
    "Room in every inode for small attributes, such as access lists, and for finer times.",
)
CONVERTED = Sentence(
    "migrate.gains.converted",
    "Every file and folder that is there already is noted in runs of blocks, too: checks get faster.",
)
BLOCK_NUMBERS = Sentence(
    "migrate.gains.block-numbers",
    "It can grow beyond {limit:exact}, and its checksums get their full length.",
)
CHECKSUMS = Sentence(
    "migrate.gains.checksums",
    "Checksums on everything but the files' own content: damage is noticed instead of passed on.",
)
DELAYED = Sentence(
    "migrate.gains.delayed",
    "Writes are gathered before their place is chosen (delayed allocation), which the older drivers' habits "
    "leave out.",
)

# What only a fresh one brings.
TABLES = Sentence(
    "migrate.gains.tables",
    "Its own tables lie together (flex_bg) instead of in each of {groups:,d} places: less seeking on a hard "
    "disk.",
)
BLOCKS = Sentence(
    "migrate.gains.blocks",
    "Blocks of {wanted} bytes instead of {found:,d}: less to keep account of, and files beyond "
    "{limit:exact}.",
)
INODES = Sentence(
    "migrate.gains.inodes",
    "A number of inodes chosen anew. Here it is {inodes:,d} for ever, of which {used:,d} are used and which "
    "take {room:size}.",
)
FEW_PIECES = Sentence(
    "migrate.gains.few-pieces",
    "Every file in few pieces, since it is written anew. When each file was made is known from then on.",
)
