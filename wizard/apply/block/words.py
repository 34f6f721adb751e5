"""What is said of block devices, of stand-ins for them, and of snapshots."""

from wizard.model.said import Sentence

# Nodes.
LINK = Sentence("apply.block.link", "{node} is a link to {target}")
NOT_THE_KERNELS = Sentence("apply.block.not-the-kernels", "{node} is no device of the kernel's")
OTHER_NUMBER = Sentence(
    "apply.block.other-number",
    "the node {node} leads to device {found}, while the kernel's {name} is {wanted}",
)
NO_PARTITION = Sentence("apply.block.no-partition", "{node} is no partition of {drive}")
GONE = Sentence("apply.block.gone", "The kernel no longer has {node}.")
HELD = Sentence("apply.block.held", "the kernel says that something else holds it")
NOT_APPEARED = Sentence("apply.block.not-appeared", "{node} did not appear")
NO_EXT = Sentence("apply.block.no-ext", "{node} holds no ext filesystem.")

# Reading and writing.
UNOPENED = Sentence("apply.block.unopened", "{device} could not be opened: {why}.")
UNREAD_AT = Sentence("apply.block.unread-at", "{device} could not be read at byte {byte}: {why}.")
CAME = Sentence("apply.block.came", "{got} of {length} bytes came")
UNWRITTEN_AT = Sentence("apply.block.unwritten-at", "{device} could not be written at byte {byte}: {why}.")
TOOK = Sentence("apply.block.took", "it took {got} of {length} bytes")
UNFINISHED = Sentence("apply.block.unfinished", "{device} could not be written to the end: {why}.")
NOT_TAKEN = Sentence("apply.block.not-taken", "{device} did not take what was written: {why}.")

# Stand-ins.
NO_MEMORY = Sentence("apply.block.no-memory", "there is no memory for it: {why}")
NO_LOOP = Sentence("apply.block.no-loop", "the kernel gave no loop device: {why}")
STAND_IN_HELD = Sentence("apply.block.stand-in-held", "The stand-in {node} is held by another program.")

# Snapshots.
UNCHANGED = Sentence("apply.block.unchanged", "The drive has not changed.")
KERNEL_LACKS = Sentence("apply.block.kernel-lacks", "This kernel has no {module}.")
NO_SNAPSHOT = Sentence("apply.block.no-snapshot", "No snapshot can be made here. {why} Nothing was written.")
STORE_NO_FOLDER = Sentence(
    "apply.block.store-no-folder",
    "The snapshot's store cannot be kept in {folder}: it is no folder that can be written. Nothing was "
    "written.",
)
STORE_IN_MEMORY = Sentence(
    "apply.block.store-in-memory",
    "The snapshot's store cannot be kept in {folder}: it lies in memory, and would be gone after a power "
    "cut. Nothing was written. Name a folder on another volume with --store DIR.",
)
STORE_NO_ROOM = Sentence(
    "apply.block.store-no-room",
    "The snapshot's store cannot be kept in {folder}: {free:exact} are free, and {needed:exact} may be "
    "needed. Nothing was written. Name a folder on another volume with --store DIR.",
)
NOT_IGNORED = Sentence(
    "apply.block.not-ignored",
    "udev cannot be told to ignore the snapshot {name}: {why}. The drive has not changed.",
)
STORE_NOT_MADE = Sentence(
    "apply.block.store-not-made",
    "The snapshot's store {store} could not be made: {why}. The drive has not changed.",
)
FILE_TOO_LARGE = Sentence("apply.block.file-too-large", "its filesystem takes no file of {size:exact}")
NO_ROOM = Sentence("apply.block.no-room", "there is not enough room")
NOT_MAPPED = Sentence("apply.block.not-mapped", "The device mapper made no {name}.")
SNAPSHOT_INVALID = Sentence(
    "apply.block.snapshot-invalid",
    "The snapshot is no longer valid ({status}): its store {store} could not take more, or could not be "
    "written. The drive has not changed.",
)
STORE_NOT_SYNCED = Sentence(
    "apply.block.store-not-synced",
    "The snapshot's store {store} did not take what was written: {why}. The drive has not changed.",
)

# A snapshot's store.
NO_STORE = Sentence("apply.block.no-store", "{file} is no store of a snapshot.")
STORE_INVALID = Sentence(
    "apply.block.store-invalid", "The snapshot's store {file} is marked as no longer valid."
)
STORE_DAMAGED = Sentence(
    "apply.block.store-damaged", "The snapshot's store {file} is damaged: chunk {chunk} is wrong there."
)
STORE_UNREAD = Sentence("apply.block.store-unread", "The snapshot's store {file} cannot be read: {why}.")
STORE_CUT_OFF = Sentence("apply.block.store-cut-off", "The snapshot's store {file} is cut off.")
