"""What is said of looking at a filesystem that is to become ext4."""

from wizard.model.said import t

# The device and its superblock.

# Why the volume for a fresh one cannot take it, as a clause.
READ_ONLY = t("it is read-only")

# Why a folder cannot hold what is replaced, as a clause.

# Why the filesystem's own fstab cannot be changed, as a clause; and how it was.

# GRUB's own driver.

# A plan that was carried.
