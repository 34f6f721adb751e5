"""What is said of a way to ext4 that is carried to a rescue medium."""

from wizard.model.said import Sentence

NOT_CARRIED = Sentence(
    "migrate.carry.not-carried", "Only the ways light and full can be carried to a rescue medium, not {way}."
)

# What is another by now.
DIFFERENCE = Sentence("migrate.carry.difference", "its {what}: {now} now, and {was} when the plan was made")
UUID = Sentence("migrate.carry.uuid", "UUID")
SIZE = Sentence("migrate.carry.size", "size in bytes")
BLOCK_SIZE = Sentence("migrate.carry.block-size", "block size")
BLOCKS = Sentence("migrate.carry.blocks", "number of blocks")
INODE_SIZE = Sentence("migrate.carry.inode-size", "inode size")
INODES = Sentence("migrate.carry.inodes", "number of inodes")
GROUP = Sentence("migrate.carry.group", "number of blocks in a group")
FEATURES = Sentence("migrate.carry.features", "features")
SERIAL = Sentence("migrate.carry.serial", "drive's serial")
WWN = Sentence("migrate.carry.wwn", "drive's WWN")
DRIVE_SIZE = Sentence("migrate.carry.drive-size", "drive's size in bytes")
NONE = Sentence("migrate.carry.none", "none")
NOT_THERE = Sentence(
    "migrate.carry.not-there",
    "The filesystem {uuid} ({size:exact}) is not there. Attach its drive, and open what it lies in (LUKS, "
    "LVM, md).",
)

# What a person does.
FSTAB = Sentence(
    "migrate.carry.fstab", "Have {fstab} name ext4 now; the ext4 driver mounts it as it is, too."
)
PUT = Sentence(
    "migrate.carry.put",
    "Put {plan} and diskwright on a USB stick or a volume other than {device}, with {room:size} free for its "
    "work.",
)
START = Sentence(
    "migrate.carry.start",
    "Start the computer from a rescue medium or a live system. Mount that volume at {place} there, and "
    "nothing of {device}.",
)
LOOK = Sentence(
    "migrate.carry.look",
    "Look at every step. The filesystem is found by its UUID, whatever its device is called there; nothing "
    "is written yet.",
)
CARRY_OUT = Sentence("migrate.carry.carry-out", "Carry it out by the token that was named.")
KEEP = Sentence(
    "migrate.carry.keep",
    "Keep it. `{command}` undoes it instead, as long as the system was not started from it.",
)
AGAIN = Sentence("migrate.carry.again", "Take the medium out, and start the system again.")
