"""What is said of files that are brought to a volume, before it is done."""

from wizard.model.said import Sentence

# What a copy does not keep.
NO_OWNERS = Sentence(
    "layout.bring.no-owners",
    "{title} keeps no owners, permissions, extended attributes, ACLs or flags: they are not copied.",
)
LINKS_LEFT = Sentence(
    "layout.bring.links-left",
    "{title} holds no symbolic links: 1 is left out.",
    "{title} holds no symbolic links: {count:,d} are left out.",
)
NAMES_APART = Sentence(
    "layout.bring.names-apart",
    "{title} gives a file one name only: 1 further name becomes a copy of its own.",
    "{title} gives a file one name only: {count:,d} further names become copies of their own.",
)
OTHERS_LEFT = Sentence(
    "layout.bring.others-left",
    "{title} holds no pipes, sockets and devices: 1 is left out.",
    "{title} holds no pipes, sockets and devices: {count:,d} are left out.",
)
HOLES_FILLED = Sentence("layout.bring.holes-filled", "{title} keeps no holes: they are filled with zeros.")
COARSE = Sentence("layout.bring.coarse", "{title} keeps times as multiples of {grain:latency}.")
COARSE_SECONDS = Sentence(
    "layout.bring.coarse-seconds",
    "{title} keeps times as whole seconds.",
    "{title} keeps times as multiples of {count} seconds.",
)
FEWER_FLAGS = Sentence(
    "layout.bring.fewer-flags", "Flags of chattr that {title} does not know are not copied."
)
HAS_NO_OWNERS = Sentence(
    "layout.bring.has-no-owners",
    "{title} keeps no owners. The copies belong to whom it shows as the owner, which can be root.",
)
BELOW = Sentence("layout.bring.below", "Not copied, since it is another filesystem: {places:list}.")

FROM_TO = Sentence("layout.bring.from-to", "{source} ({from_kind}) to {folder}, on {device} ({to_kind})")
COUNTED = Sentence(
    "layout.bring.counted", "{files:,d} files, {size:size} of content; {entries:,d} entries in all."
)
FITS = Sentence("layout.bring.fits", "It fits: the copy takes about {needed:size}.")

# Taking the place of the source.
SYSTEM_ROOT = Sentence(
    "layout.bring.system-root",
    "The system starts from /: its boot loader and initramfs name that filesystem, too",
)
NOT_A_PLACE = Sentence("layout.bring.not-a-place", "Nothing else is mounted at {place}: {fault}")
UNTIL_START = Sentence(
    "layout.bring.until-start",
    "What is written to {place} between the copy and the next start stays on {device} only.",
)
STAYS_THERE = Sentence(
    "layout.bring.stays-there",
    "The old filesystem stays on {device} as it is; its line in {file} becomes a comment.",
)

# Names that cannot be.
FORBIDDEN = Sentence("layout.bring.forbidden", "{title} takes no {character} in names")
ENDS = Sentence("layout.bring.ends", "{title} takes no name that ends with a point or a space")
TOO_LARGE = Sentence("layout.bring.too-large", "{title} holds {most:size} in a file, and it has {size:size}")

# The document.
BROKEN = Sentence("layout.bring.broken", "{where} does not hold together: {fault}.")
AGAIN = Sentence("layout.bring.again", "Make it again with `diskwright bring`.")
NO_PATH = Sentence("layout.bring.no-path", "{path} is no plain path from the root")
NO_NODE = Sentence("layout.bring.no-node", "{path} is no device")
UNKNOWN = Sentence("layout.bring.unknown", "{name} is no filesystem that a volume has")
OUTSIDE = Sentence("layout.bring.outside", "{folder} does not lie in {place}")
MADE_ELSEWHERE = Sentence("layout.bring.made-elsewhere", "the folders that are made do not lead to {folder}")
OTHER_LINES = Sentence("layout.bring.other-lines", "it changes {file} otherwise than by both volumes' lines")
OTHER_PLACE = Sentence("layout.bring.other-place", "{place} is not what is copied, or not to a volume's top")
AMOUNT = Sentence("layout.bring.amount", "its numbers of files do not add up")
