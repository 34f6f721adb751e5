"""What findings of several themes say."""

from wizard.model.said import Sentence

NOTHING_TO_DO = Sentence("diagnose.shared.nothing-to-do", "Nothing to do.")
NAMED = Sentence("diagnose.shared.named", "{path} ({kind})")

BLOCKS = Sentence("diagnose.shared.blocks", "the drive's {block}-byte blocks")
HIDDEN_BLOCKS = Sentence(
    "diagnose.shared.hidden-blocks", "4096-byte blocks (the drive reports {block}-byte physical blocks)"
)
KERNEL = Sentence("diagnose.shared.kernel", "Linux, block/blk-settings.c, queue_limit_alignment_offset")
TWO_BLOCKS = Sentence(
    "diagnose.shared.two-blocks",
    "A write that fills a filesystem's block fills no physical block: the drive must read, change and "
    "write two.",
)
LIARS = Sentence(
    "diagnose.shared.liars",
    "Some drives report 512-byte blocks and have 4096-byte ones (WD10EARS, HD204UI). On those every write "
    "here is slow.",
)
