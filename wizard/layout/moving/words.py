"""What is said of a partition that is to move, before it does."""

from wizard.model.said import Sentence

# Why not.
NO_PARTITION = Sentence(
    "layout.moving.no-partition", "{device} is no partition. Name one, such as /dev/sdX1."
)
NOT_WITH_TABLE = Sentence(
    "layout.moving.not-with-table", "{drive} has a table that partitions are not moved in: {kind}."
)
HOST_MANAGED = Sentence(
    "layout.moving.host-managed",
    "{drive} can only be written zone by zone, in order: nothing moves on it in place.",
)
CONTAINER = Sentence(
    "layout.moving.container", "{part} holds logical partitions. Move those; it stays where it is."
)
WAITING = Sentence("layout.moving.waiting", "Run {run} waits on {drive}. Keep it or undo it first.")
UNREAD = Sentence(
    "layout.moving.unread", "What {part} holds could not be read. Only root can; run this with sudo."
)
BIOS_BOOT = Sentence(
    "layout.moving.bios-boot",
    "A BIOS starts GRUB from {part}, by its place on the drive. It stays, which costs no speed.",
)
SMALL = Sentence("layout.moving.small", "{part} is smaller than {least:size}. Nothing that small is moved.")
NOTHING = Sentence(
    "layout.moving.nothing", "Nothing is recognised in {part}, so nobody can tell whether it may move."
)
MIXED = Sentence(
    "layout.moving.mixed", "Several things are recognised in {part}: {what}. Only one of them can be true."
)
UNKNOWN = Sentence(
    "layout.moving.unknown", "{part} holds {what}. Whether that may move is not known, so it stays."
)
OFFSET = Sentence(
    "layout.moving.offset",
    "The physical blocks of {drive} begin at byte {offset}, not at 0. Partitions are not moved on such "
    "drives yet.",
)
BLOCKS = Sentence(
    "layout.moving.blocks",
    "{drive} has physical blocks of {size} bytes. Partitions move on those up to 16384 bytes.",
)
ALIGNED = Sentence("layout.moving.aligned", "{part} is aligned already: it starts at {start:exact}.")
ALL_ALIGNED = Sentence("layout.moving.all-aligned", "Every partition of {drive} is aligned already.")
NOT_A_BLOCK = Sentence(
    "layout.moving.not-a-block", "A partition cannot start at byte {start}: blocks have {block} bytes."
)
SAME = Sentence("layout.moving.same", "{part} starts there already.")
NO_ROOM = Sentence(
    "layout.moving.no-room",
    "There is no room to move {part}: it takes {needed:size} of free space beside it. {way}",
)
SHRINK_FIRST = Sentence(
    "layout.moving.shrink-first",
    "Make it smaller first: `sudo diskwright plan {part} --shrink {mib}M -o shrink.json`.",
)
CLEAR_FIRST = Sentence(
    "layout.moving.clear-first",
    "Delete its neighbour first, or copy its files elsewhere with `diskwright bring`.",
)
NO_ROOM_THERE = Sentence(
    "layout.moving.no-room-there",
    "{part} does not fit there with its journal. Between its neighbours there is room from {low:exact} to "
    "{high:exact}.",
)

# What is good to know.
WINDOWS = Sentence(
    "layout.moving.windows",
    "Windows notes where its partitions start. If it does not start from {part} afterwards, its own recovery "
    "medium repairs that.",
)
BOOT_LOADER = Sentence(
    "layout.moving.boot-loader",
    "{part} is marked as the one to start from. A boot loader that names places on the drive must be "
    "installed "
    "again afterwards, with `grub-install` or its own program.",
)
GRUB_AGAIN = Sentence(
    "layout.moving.grub-again",
    "GRUB's first sector, on {where}, names places within {part}, where something else may lie soon. Install "
    "GRUB again before the first restart: `{command}`. Where {part} holds only /boot, do so in its system.",
)
FIRMWARE = Sentence(
    "layout.moving.firmware",
    "The firmware's entries name where {part} starts. OVMF goes by the GUID that stands beside it; others "
    "may not. If the computer does not start afterwards, choose the drive itself in its menu. `efibootmgr` "
    "makes the entry anew.",
)
SHINGLED = Sentence(
    "layout.moving.shingled",
    "{drive} is shingled, or likely so. Such drives slow down under long writing: this may take many times "
    "as long.",
)
BY_LOG = Sentence(
    "layout.moving.by-log",
    "It moves by less than {least:size}, so each piece is written twice. A larger shift takes half the time.",
)

# The document, and the preview.
AGAIN = Sentence("layout.moving.again", "Make it anew with `diskwright move`.")
NOT_TOGETHER = Sentence("layout.moving.not-together", "{where}: {what} does not fit the rest.")
MOVES = Sentence(
    "layout.moving.moves",
    "{part}, {size:size} of {holds} on {drive}, moves by {shift:size} {direction}: from sector {before} to "
    "sector {after}.",
)
UP = Sentence("layout.moving.up", "towards the end of the drive")
DOWN = Sentence("layout.moving.down", "towards the beginning of the drive")
TAKES = Sentence(
    "layout.moving.takes",
    "First all of it is read, then it moves, then it is read again and compared. That takes about {time}.",
)
POWER = Sentence(
    "layout.moving.power",
    "If the power goes meanwhile, nothing is lost. Until `diskwright resume` has finished the move nobody "
    "can "
    "mount {part:and}, on any computer.",
)
BACK = Sentence(
    "layout.moving.back",
    "`diskwright undo` takes it back at any moment, and afterwards until it is mounted.",
)
JOURNAL = Sentence(
    "layout.moving.journal",
    "The journal takes {size:size} of free space, {start:exact} into the drive. What deleted files left "
    "there is lost.",
)

MEASURED = Sentence(
    "layout.moving.measured",
    "`sudo diskwright bench {part} --scratch --confirm {token}`, before and afterwards, measures what it "
    "brings.",
)

# The steps.
READS = Sentence(
    "layout.moving.reads", "All of {part} is read, to find bad sectors before anything is written."
)
MOVING = Sentence("layout.moving.moving", "{part} moves from {before:exact} to {after:exact}.")
COMPARES = Sentence("layout.moving.compares", "All of {part} is read at its new place and compared.")
