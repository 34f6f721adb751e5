"""What is said of whoever uses the filesystem, and of the programs that do the work."""

from wizard.model.said import Sentence

RUNNING_ROOT = Sentence("migrate.use.running-root", "The running system stands on {device}.")
RUNNING_ROOT_WHY = Sentence(
    "migrate.use.running-root-why", "A filesystem cannot be changed below the system that runs from it."
)
RUNNING_ROOT_REMEDY = Sentence(
    "migrate.use.running-root-remedy",
    "Write a plan to carry to a rescue medium: `diskwright migrate {device} --way full -o carry.json`. It "
    "says what to do with it.",
)
MOUNTED = Sentence("migrate.use.mounted", "{device} is mounted at {places:list}.")
MOUNTED_WHY = Sentence("migrate.use.mounted-why", "What is changed below a mounted filesystem damages it.")
UNMOUNT = Sentence("migrate.use.unmount", "Unmount it first (`umount {device}`).")
UNMOUNT_SEEN = Sentence(
    "migrate.use.unmount-seen",
    "Where that does not help, a program sees it in a namespace of its own: end that one.",
)
UNMOUNT_CARRIED = Sentence(
    "migrate.use.unmount-carried",
    "The system may be unable to do without it, as with /usr or /var. Then write a plan to carry to a rescue "
    "medium: `diskwright migrate {device} --way full -o carry.json`.",
)
SWAP_FILE = Sentence("migrate.use.swap-file", "The swap file {file} lies on {device} and is in use.")
SWAP_FILE_WHY = Sentence(
    "migrate.use.swap-file-why",
    "The kernel writes to the places where a swap file lay when it was switched on.",
)
SWAP_FILE_REMEDY = Sentence("migrate.use.swap-file-remedy", "Switch it off first (`swapoff {file}`).")
OPENED = Sentence("migrate.use.opened", "Another device or a program holds {device} for itself alone.")
OPENED_WHY = Sentence("migrate.use.opened-why", "Two that write to one filesystem damage it.")
OPENED_REMEDY = Sentence(
    "migrate.use.opened-remedy",
    "Close what is built on it, or end that program; `lsblk` and `fuser` tell which it is.",
)

# Programs.
MISSING_WHY = Sentence("migrate.use.missing-why", "They do the work.")
MISSING_REMEDY = Sentence("migrate.use.missing-remedy", "Install them, and look again.")
OLD = Sentence("migrate.use.old", "e2fsprogs is of version {found}; this needs {needed} or newer.")
OLD_WHY = Sentence(
    "migrate.use.old-why",
    "Older programs cannot convert files, widen block numbers, or keep what they replace.",
)
OLD_REMEDY = Sentence("migrate.use.old-remedy", "Run diskwright from a newer system or rescue medium.")
