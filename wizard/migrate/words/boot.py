"""What is said of how a system starts from the filesystem, and mounts it."""

from wizard.model.said import Sentence

# The boot loader.
ROOT = Sentence(
    "migrate.boot.root", "The system's root lies on {device}: what starts it must be able to read ext4."
)
BOOT = Sentence(
    "migrate.boot.boot", "The system's {place} lies on {device}: what starts it must be able to read ext4."
)
GRUB_BY_VERSION = Sentence(
    "migrate.boot.grub-by-version", "Whether GRUB can is judged by its version alone: it is {version}."
)
GRUB_UNKNOWN = Sentence(
    "migrate.boot.grub-unknown", "Whether GRUB can is not known: its programs are not found here."
)
GRUB_READS = Sentence(
    "migrate.boot.grub-reads",
    "After the conversion, GRUB's own driver ({reader}, {version}) has to read {folder} and a kernel as "
    "Linux does. Where it does not, the run ends there. Nothing is committed then; what was done to the "
    "filesystem itself can be undone.",
)
GRUB_NOT_FOUND = Sentence("migrate.boot.grub-not-found", "not found")
GRUB_VERSION = Sentence("migrate.boot.grub-version", "of version {version}")
LOADER_WHY = Sentence(
    "migrate.boot.loader-why",
    "The GRUB here is {version}. Which one is in the boot sector cannot be seen from here; it can be older.",
)
LOADER_NONE_WHY = Sentence(
    "migrate.boot.loader-none-why",
    "GRUB's programs are not found here. Which GRUB is in the boot sector cannot be seen from here.",
)
LOADER_OLD_WHY = Sentence(
    "migrate.boot.loader-old-why",
    "The GRUB here is {version}, and older ones than 2.06 were not tried. Which one is in the boot sector "
    "cannot be seen from here; it can be older.",
)
LOADER_REMEDY = Sentence(
    "migrate.boot.loader-remedy",
    "Keep a rescue medium at hand. Install the boot loader anew afterwards (grub-install), before the first "
    "restart.",
)

# The kernel and the first root.
ROOT_TYPE = Sentence(
    "migrate.boot.root-type",
    "The kernel is started with rootfstype={kind}, with which it would not find its root as ext4.",
)
ROOT_TYPE_WHY = Sentence("migrate.boot.root-type-why", "That option stands in the boot loader's settings.")
ROOT_TYPE_REMEDY = Sentence(
    "migrate.boot.root-type-remedy", "Remove it there, or write ext4, before the restart."
)
INITRAMFS = Sentence(
    "migrate.boot.initramfs", "{maker} makes the initramfs, which must mount {device} as ext4."
)
INITRAMFS_WHY = Sentence(
    "migrate.boot.initramfs-why",
    "Since 4.3, Linux mounts ext3 with ext4's driver. Before that, an initramfs made for ext3 can lack it.",
)
INITRAMFS_REMEDY = Sentence(
    "migrate.boot.initramfs-remedy",
    "Where Linux is older than 4.3, or rootfstype= names ext3, make it anew before the first start: "
    "`{command}`. Where the system does not run, do that from a rescue medium with chroot.",
)

# Mounts.
UNIT = Sentence("migrate.boot.unit", "{unit} mounts {device} by a unit of systemd's own.")
UNIT_WHY = Sentence(
    "migrate.boot.unit-why", "A migration changes only fstab. A unit with Type=ext3 fails afterwards."
)
UNIT_REMEDY = Sentence("migrate.boot.unit-remedy", "Write Type=ext4 there, or remove the type.")
STAYS = Sentence("migrate.boot.stays", "{fstab} names it as it is to stay, so nothing is changed there.")
NOT_NAMED = Sentence("migrate.boot.not-named", "{fstab} does not name it, so nothing is changed there.")
NOT_NAMED_WHY = Sentence("migrate.boot.not-named-why", "Mounting it as ext4 by hand needs no change at all.")
NOT_NAMED_REMEDY = Sentence("migrate.boot.not-named-remedy", "`mount -t ext4 {device} PLACE` mounts it so.")

# The system on the filesystem, which does not run.
OWN_STAYS = Sentence(
    "migrate.boot.own-stays", "A system lies on {device}, and its {file} is not changed: {fault}."
)
OWN_STAYS_WHY = Sentence(
    "migrate.boot.own-stays-why",
    "A line there that names the filesystem as ext3 or ext2 would keep that system from starting.",
)
OWN_STAYS_REMEDY = Sentence(
    "migrate.boot.own-stays-remedy",
    "After `keep`, look at {file} on it. Write ext4 in its line before that system is started.",
)
OWN_LINE = Sentence(
    "migrate.boot.own-line",
    "A system lies on {device}, whose {file} mounts it as {kind} by line {number}.",
)
OWN_LINE_WHY = Sentence("migrate.boot.own-line-why", "That line would no longer mount it once it is ext4.")
OWN_LINE_REMEDY = Sentence(
    "migrate.boot.own-line-remedy",
    "The ways that write change the line, too, and undoing puts it back with everything else.",
)
