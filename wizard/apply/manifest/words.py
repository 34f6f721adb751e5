"""What is said of manifests: what cannot be read for one, and how two differ."""

from wizard.model.said import Sentence

# Reading and writing.
NOT_READ = Sentence("apply.manifest.not-read", "{path} cannot be read: {why}.")
NOT_WRITTEN = Sentence("apply.manifest.not-written", "{file} cannot be written: {why}.")
LEFT_OUT = Sentence("apply.manifest.left-out", "{path} was not read.")
SHORTER = Sentence("apply.manifest.shorter", "it is shorter than it was a moment ago")
READER_ENDED = Sentence("apply.manifest.reader-ended", "A process that read files ended before its time.")
NO_MANIFEST = Sentence("apply.manifest.no-manifest", "{file} is no manifest that this diskwright reads.")
NOT_WHOLE = Sentence("apply.manifest.not-whole", "{file} is not whole.")
DAMAGED = Sentence("apply.manifest.damaged", "{entry} is damaged.")
ENTRY_OF = Sentence("apply.manifest.entry-of", "An entry of {file}")
READ_ENTRY = Sentence("apply.manifest.read-entry", "An entry that was read just now")

# Copying.
NOT_COPIED = Sentence("apply.manifest.not-copied", "{path} could not be copied: {why}.")

# Mounting it where nobody else sees it.
NOT_ALONE = Sentence("apply.manifest.not-alone", "This kernel cannot mount {node} for us alone: {why}.")
NOT_MOUNTED = Sentence("apply.manifest.not-mounted", "{node} cannot be mounted: {why}.")
NOT_UNMOUNTED = Sentence("apply.manifest.not-unmounted", "{node} could not be unmounted: {why}.")
NO_DRIVER = Sentence("apply.manifest.no-driver", "Linux has no driver for what {node} holds.")
NO_EXT = Sentence("apply.manifest.no-ext", "{node} holds no ext filesystem that can be read.")
NOT_CLEAN = Sentence(
    "apply.manifest.not-clean",
    "{node} was not unmounted cleanly: its journal holds what is not in its place yet. e2fsck puts it there.",
)
DELETED_IN_USE = Sentence(
    "apply.manifest.deleted-in-use",
    "{node} holds files that were deleted while they were in use. e2fsck takes them away.",
)

# How two manifests differ.
MISSING = Sentence("apply.manifest.missing", "{path} ({kind}) is missing.")
NEW = Sentence("apply.manifest.new", "{path} ({kind}) was not there before.")
DIFFERS = Sentence("apply.manifest.differs", "{path}: {how:semicolons}.")
MORE = Sentence("apply.manifest.more", "And one more difference.", "And {count} more differences.")

# How an entry differs.
OTHER_KIND = Sentence("apply.manifest.other-kind", "it was a {was} and is a {now}")
CONTENT = Sentence("apply.manifest.content", "its content differs")
SIZE = Sentence("apply.manifest.size", "it had {was} bytes and has {now}")
DATA = Sentence("apply.manifest.data", "its data lie elsewhere between its holes: {now}, not {was}")
PERMISSIONS = Sentence("apply.manifest.permissions", "its permissions are {now}, not {was}")
OWNER = Sentence("apply.manifest.owner", "its owner is {now}, not {was}")
MODIFIED = Sentence("apply.manifest.modified", "it was modified at {now}, not {was}")
ACCESSED = Sentence("apply.manifest.accessed", "it was read at {now}, not {was}")
TARGET = Sentence("apply.manifest.target", "it leads to {now}, not {was}")
DEVICE = Sentence("apply.manifest.device", "its device number is {now}, not {was}")
FLAGS = Sentence("apply.manifest.flags", "its flags are {now}, not {was}")
ATTRIBUTE_MISSING = Sentence("apply.manifest.attribute-missing", "its extended attribute {name} is missing")
ATTRIBUTE_NEW = Sentence("apply.manifest.attribute-new", "its extended attribute {name} was not there before")
ATTRIBUTE = Sentence("apply.manifest.attribute", "its extended attribute {name} has another value")
SAME_FILE = Sentence("apply.manifest.same-file", "it was {was} and is {now}")
SAME_AS = Sentence("apply.manifest.same-as", "the same file as {path}")
OF_ITS_OWN = Sentence("apply.manifest.of-its-own", "a file of its own")
LINKS = Sentence("apply.manifest.links", "it had {was} names and has {now}")
INODE = Sentence("apply.manifest.inode", "its inode is {now}, not {was}")
INODE_CHANGED = Sentence("apply.manifest.inode-changed", "its inode was changed at {now}, not {was}")

# What an entry is.
FILE = Sentence("apply.manifest.file", "file")
FOLDER = Sentence("apply.manifest.folder", "folder")
SYMLINK = Sentence("apply.manifest.symlink", "symbolic link")
FIFO = Sentence("apply.manifest.fifo", "named pipe")
SOCKET = Sentence("apply.manifest.socket", "socket")
CHARACTERS = Sentence("apply.manifest.characters", "character device")
BLOCKS = Sentence("apply.manifest.blocks", "block device")
