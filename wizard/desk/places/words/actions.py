"""Everything that can be done with a drive, a partition or a filesystem."""

from wizard.model.said import t

NO_OLD = t("There is no ext2, ext3 or incomplete ext4 here.")
RENAME = t("Rename")
MOUNT = t("Mount")
UNMOUNT = t("Unmount")
OPTIONS = t("Mount options")
TUNE = t("Better options")
