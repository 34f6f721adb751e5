"""Why content is not moved."""

from wizard.model.said import Sentence

UNKNOWN = Sentence(
    "apply.move.contents.unknown",
    "It is not known whether content of the kind {kind} states its own place. Such content is not moved.",
)
NOTHING = Sentence(
    "apply.move.contents.nothing",
    "Nothing was recognised in the partition. It may hold what states its own place, so it is not moved.",
)
ZFS = Sentence(
    "apply.move.contents.zfs",
    "ZFS has labels at both ends of the partition, so it could be recognised half moved.",
)
BITLOCKER = Sentence(
    "apply.move.contents.bitlocker",
    "BitLocker states where its own records lie. Turn it off in Windows first.",
)
DYNAMIC = Sentence(
    "apply.move.contents.dynamic",
    "It belongs to a dynamic disk of Windows (LDM), whose own database states where it lies.",
)
ASLEEP = Sentence(
    "apply.move.contents.asleep",
    "The swap holds the memory of a hibernated system. Start that system and shut it down first.",
)
OTHER = Sentence(
    "apply.move.contents.other", "The first sector is not that of {title}, which was recognised here."
)
UNCLEAN = Sentence(
    "apply.move.contents.unclean",
    "The {title} was not unmounted cleanly. Check it first with {command}.",
)
DAMAGED = Sentence(
    "apply.move.contents.damaged",
    "The checksum of the exFAT's first sectors, or of their copy, is wrong. Check it first with {command}.",
)
TOO_FAR = Sentence(
    "apply.move.contents.too-far",
    "{title} states its start in 32 bits, and the new one is block {block}.",
)
FAR_COPY = Sentence(
    "apply.move.contents.far-copy",
    "The copy of the FAT's first sector lies at byte {byte}, which is further in than any program puts it.",
)
