"""The sentences of layouts."""

from wizard.model.said import Sentence

UNREAD = Sentence(
    "layout.unread",
    "{drives:and} was not read, so this plan cannot be applied.",
    "{drives:and} were not read, so this plan cannot be applied.",
)
AS_ROOT = Sentence("layout.as-root", "Make it as root:")
RECORD_AS_ROOT = Sentence(
    "layout.record-as-root", "Record the machine as root: sudo diskwright inspect --save FILE"
)
AGAIN_AS_ROOT = Sentence("layout.again-as-root", "Make it again as root, who may read every drive.")
