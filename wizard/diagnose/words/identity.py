"""Numbers that several drives tell."""

from wizard.model.said import Sentence

ALIKE = Sentence(
    "diagnose.identity.alike",
    "{drive} and {others:list} tell the same numbers: it may be one drive by several names, or a copy.",
)
ALIKE_WHY = Sentence(
    "diagnose.identity.alike-why",
    "If it is one drive, what is written by one name changes under the other. Of a copy, nobody knows "
    "which is meant.",
)
SOURCE = Sentence(
    "diagnose.identity.source", "serial number and WWN of every attached drive, in sysfs and udev's database"
)
ALIKE_REMEDY = Sentence(
    "diagnose.identity.alike-remedy",
    "See by `lsblk -o NAME,SIZE,HCTL,WWN {drive}` how each is attached. Let `multipath` join the paths to "
    "one drive, and detach a copy.",
)
APART = Sentence(
    "diagnose.identity.apart", "{drive} and {others:list} tell the same serial number, {serial}."
)
APART_WHY = Sentence(
    "diagnose.identity.apart-why",
    "Volumes of one array, namespaces of one NVMe drive and some enclosures do so. The number does not tell "
    "them apart.",
)
APART_REMEDY = Sentence(
    "diagnose.identity.apart-remedy", "Nothing to do. diskwright asks for the name, {name}, to confirm it."
)
