"""What each finding's code means. Codes are stable: scripts and bug reports name them."""

CODES = {
    # Who uses it.
    "migrate-running-root": "The running system stands on the filesystem.",
    "migrate-mounted": "The filesystem is mounted, here or in another namespace.",
    "migrate-swap-file": "A swap file on it is in use.",
    "migrate-opened": "Another device or a program holds it for itself alone.",
    # What is out of order on it.
    "migrate-barred": (
        "Another migration is half on the drive, and bars the filesystem until it is finished or taken back."
    ),
    "migrate-cut-off": "The device is smaller than the filesystem.",
    "migrate-counts": "Its superblock says that more is free than there is.",
    "migrate-half-done": "A program began to change the filesystem and did not finish.",
    "migrate-errors": "The filesystem is marked as damaged.",
    "migrate-recorded-errors": "The kernel has recorded errors on it.",
    "migrate-journal-pending": "Its journal holds what is not in its place yet.",
    "migrate-not-clean": "It was not unmounted in order, and has no journal.",
    # What it is.
    "migrate-external-journal": "Its journal lies on another device.",
    "migrate-unknown-features": "It has features that a migration was never tried with.",
    "migrate-first-revision": "It has the very first form of ext2.",
    "migrate-incomplete": "It is an ext4 that lacks what every new one has, as one that was an ext3.",
    # What the work needs.
    "migrate-programs-missing": "A program of e2fsprogs is not installed.",
    "migrate-programs-old": "e2fsprogs is too old.",
    "migrate-no-room-journal": "There is no room for a journal.",
    "migrate-full": "Too little is free on it.",
    "migrate-narrow-inodes": "Its inodes cannot be made wider.",
    "migrate-no-inodes": "It has no inode left.",
    "migrate-folder": "A folder that was named cannot hold what is replaced.",
    "migrate-no-folder": "No folder can hold what is replaced.",
    "migrate-target": "The volume for a fresh filesystem cannot take it.",
    # What mounts it, and what starts from it.
    "migrate-boot-loader": "A system starts from it, and its boot loader must read ext4.",
    "migrate-root-type": "The kernel is told to mount its root as ext2 or ext3.",
    "migrate-initramfs": "The first root must know ext4.",
    "migrate-mount-unit": "A unit of systemd's own mounts it.",
    "migrate-own-fstab": "A system that does not run lies on it, and its own fstab names it.",
    "migrate-nothing-at-boot": "No line of fstab needs to be changed.",
    # What is left to do.
    "migrate-light-complete": "Everything is switched on that can be without rewriting anything.",
    "migrate-complete": "It has everything that a conversion can give.",
}
