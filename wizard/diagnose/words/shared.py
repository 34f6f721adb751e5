"""What findings of several themes say."""

from wizard.model.said import Sentence, t

NOTHING_TO_DO = t("Nothing to do.")
NAMED = Sentence("{path} ({kind})")

TWO_BLOCKS = t(
    "A write that fills a filesystem's block fills no physical block: the drive must read, change and "
    "write two."
)
LIARS = t(
    "Some drives report 512-byte blocks and have 4096-byte ones (WD10EARS, HD204UI). On those every write "
    "here is slow."
)
