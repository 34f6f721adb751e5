"""What keeps the inodes of an ext2 or ext3 filesystem from being made wider, each as a clause."""

from wizard.model.said import Sentence, t

TABLES_TOGETHER = Sentence("its tables lie together ({feature})")
CHECKSUMS = t("its metadata has checksums already, with which tune2fs damages it (metadata_csum)")
TOO_FULL = Sentence("it is too full")
TOO_SHORT = t("its last part is too short for a larger table")
