"""What is said of a document that nobody made so: each fault as a clause."""

from wizard.model.said import Sentence

NOT_SOUND = Sentence(
    "migrate.check.not-sound",
    "{where} does not hold together: {fault}. Make it again with `diskwright migrate`.",
)
CARRIED_NOT_SOUND = Sentence(
    "migrate.check.carried-not-sound",
    "{where} does not hold together: {fault}. Make it again where it was made.",
)

# The drive, the device and the filesystem.
TARGET = Sentence(
    "migrate.check.target",
    "it names a drive for a fresh filesystem where there is none, or none where there is one",
)
NO_DEVICE = Sentence("migrate.check.no-device", '"{device}" is no device below /dev')
NO_UUID = Sentence("migrate.check.no-uuid", 'the filesystem\'s UUID cannot be "{uuid}": it {fault}')
NO_SIZE = Sentence("migrate.check.no-size", "its blocks or inodes have a size that no ext filesystem has")
NUMBERS = Sentence("migrate.check.numbers", "its superblock holds numbers that cannot be")
DEVICE_BYTES = Sentence("migrate.check.device-bytes", "a device of {bytes} bytes cannot be")

# The way.
MEANS = Sentence("migrate.check.means", "the way {way} is not made safe by {means}")
NOT_CARRIED = Sentence("migrate.check.not-carried", "the way {way} is not one that is carried")
FOLDERS = Sentence("migrate.check.folders", "it names other folders than its means need")
NO_FOLDER = Sentence("migrate.check.no-folder", '"{folder}" is no folder')
NO_STEP = Sentence("migrate.check.no-step", "it does nothing")
STEPS = Sentence("migrate.check.steps", "its steps are not those of the way {way} for its filesystem")
LINE_TWICE = Sentence("migrate.check.line-twice", "it changes a line twice, or lines of several files")
STAYS = Sentence("migrate.check.stays", "it changes a file on a filesystem that is to stay as it is")
NO_PLACE = Sentence("migrate.check.no-place", "byte {offset} of block {block} is no place in a file")
NO_FSTAB = Sentence("migrate.check.no-fstab", '"{file}" is no file of mounts at boot')
NO_OLD_TYPE = Sentence(
    "migrate.check.no-old-type", "the line that it changes is none that names ext2 or ext3"
)
FRESH_NAME = Sentence("migrate.check.fresh-name", "the fresh filesystem is not called as it is to be")
FRESH_PLACE = Sentence("migrate.check.fresh-place", 'it makes the fresh filesystem on "{target}"')
FRESH_STEPS = Sentence(
    "migrate.check.fresh-steps", "its steps are not those of a fresh filesystem and a copy"
)
AGAIN_WITH_MIGRATE = Sentence("migrate.check.again-with-migrate", "Make it again with `diskwright migrate`.")
AGAIN_THERE = Sentence("migrate.check.again-there", "Make it again where it was made.")
