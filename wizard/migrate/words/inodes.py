"""What keeps the inodes of an ext2 or ext3 filesystem from being made wider, each as a clause."""

from wizard.model.said import Sentence

TABLES_TOGETHER = Sentence("migrate.inodes.tables-together", "its tables lie together ({feature})")
CHECKSUMS = Sentence(
    "migrate.inodes.checksums",
    "its metadata has checksums already, with which tune2fs damages it (metadata_csum)",
)
TOO_FULL = Sentence("migrate.inodes.too-full", "it is too full")
TOO_SHORT = Sentence("migrate.inodes.too-short", "its last part is too short for a larger table")
